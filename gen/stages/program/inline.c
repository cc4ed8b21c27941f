/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gen/catalog.h"
#include "gen/plan.h"
#include "gen/rows.h"
#include "gen/stages/program/build.h"

/*
 * A call of a function is replaced by the function's ops, depth first. Kept
 * whole: a call that names a version, a function with a back end of its very
 * name, one that is not straight, and one that could not be imported.
 */
enum { MAX_INLINE = 64 };

struct inliner {
	struct program_builder b;
	struct session *session;
	struct diag *diag;
	struct map names; /* value names in use -> number, size_t * */
	const char *stack[MAX_INLINE];
	size_t depth, ops;
};

/* From the ids of one program to the values they become. */
struct scope {
	struct map value; /* id as hexadecimal -> Value * */
};

static void
scope_set(struct scope *s, const Id *id, Value *v)
{
	char hex[2 * sizeof id->b + 1];

	hex_encode(hex, id->b, sizeof id->b);
	map_set(&s->value, hex, v);
}

static Value *
scope_get(const struct scope *s, const Id *id)
{
	char hex[2 * sizeof id->b + 1];

	hex_encode(hex, id->b, sizeof id->b);
	return map_get(&s->value, hex);
}

/* A name nothing in the unit has: `m`, `m‥2`, `m‥3`, … */
static const char *
unique_name(struct inliner *in, const char *name)
{
	const char *mark = strstr(name, "‥");
	const char *base, *try = name;
	size_t n = 1;

	if (!*name) /* a literal argument stays without a name */
		return name;
	base = mark ? arena_strndup(in->b.arena, name,
	    (size_t)(mark - name)) : name;
	while (map_get(&in->names, try))
		try = arena_printf(in->b.arena, "%s‥%zu", base, ++n);
	map_set(&in->names, try, in);
	return try;
}

static Value *
clone_value(struct inliner *in, const Value *v, const char *rule)
{
	const char *name = unique_name(in, v->name);
	const char *unique = *name ? name : arena_printf(in->b.arena,
	    "literal of call %zu: %zu", in->ops, in->b.nvalue);

	return program_value_as(&in->b, name, unique, v->role, v->langtype,
	    lineage_one("cloned", rule, &v->id, in->b.arena));
}

/* The callee's program when the call can be replaced by it. */
static const Program *
inlinable(const struct inliner *in, const Op *op)
{
	const struct backend *unused;

	if (!OpBody_is_OpFunction(op->body) || name_version(op->opcode) ||
	    catalog_providers(in->session->catalog, op->opcode, &unused, 0))
		return NULL;
	return plan_program(in->session->plan, op->opcode);
}

static int inline_ops(struct inliner *, const Program *, struct scope *);

static int
enter(struct inliner *in, const Op *op, struct loc loc)
{
	for (size_t i = 0; i < in->depth; i++)
		if (!strcmp(in->stack[i], op->opcode))
			return diag_error(in->diag, loc, "%s calls itself "
			    "(through %s); a compiled function cannot recurse",
			    op->opcode, in->stack[in->depth - 1]);
	if (in->depth == MAX_INLINE)
		return diag_error(in->diag, loc, "calls are nested more than "
		    "%d deep", MAX_INLINE);
	in->stack[in->depth++] = op->opcode;
	return 0;
}

/* Outputs of the call become the values that the callee ends with: a value
 * the callee computes takes the name that the output has in the caller, which
 * is the one its own caller gave it when calls are nested. */
static void
tie_results(struct inliner *in, const Op *op, const Program *callee,
    struct scope *inner, const Program *caller, const struct scope *outer)
{
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		const Id *id = &callee->results[k].value;
		Value *tied = scope_get(outer, &op->outputs[k]);

		if (scope_get(inner, id))
			continue;
		if (tied) {
			scope_set(inner, id, tied);
			continue;
		}
		for (uint32_t i = 0; i < caller->n_values; i++)
			if (ir_id_eq(&caller->values[i].id, &op->outputs[k]))
				scope_set(inner, id, clone_value(in,
				    &caller->values[i], "inline-value"));
	}
}

static int
expand(struct inliner *in, const Op *op, const Program *caller,
    const Program *callee, struct scope *outer)
{
	struct loc loc = place_get(in->session, &op->id);
	struct scope inner;
	uint32_t nparam = 0;
	int bad;

	if (enter(in, op, loc))
		return -1;
	map_init(&inner.value, in->b.arena);
	for (uint32_t i = 0; i < callee->n_values; i++) {
		const Value *v = &callee->values[i];

		if (ValueRole_is_RoleParam(v->role)) {
			if (nparam < op->n_inputs)
				scope_set(&inner, &v->id, scope_get(outer,
				    &op->inputs[nparam]));
			nparam++;
		} else if (ValueRole_is_RoleConst(v->role)) {
			scope_set(&inner, &v->id, clone_value(in, v,
			    "inline-value"));
		}
	}
	if (nparam != op->n_inputs)
		return diag_error(in->diag, loc, "TypeError: %s expects %u "
		    "args, got %u", op->opcode, nparam, op->n_inputs);
	if (op->n_outputs && callee->n_results != op->n_outputs)
		return diag_error(in->diag, loc, "TypeError: %s expects %u "
		    "writes, got %u", op->opcode, callee->n_results,
		    op->n_outputs);
	tie_results(in, op, callee, &inner, caller, outer);
	bad = inline_ops(in, callee, &inner);
	for (uint32_t k = 0; !bad && k < op->n_outputs; k++)
		scope_set(outer, &op->outputs[k], scope_get(&inner,
		    &callee->results[k].value));
	in->depth--;
	return bad;
}

static void
clone_op(struct inliner *in, const Program *p, const Op *op,
    struct scope *scope)
{
	struct arena *arena = in->b.arena;
	const char *first = NULL;
	Op copy = *op;

	copy.inputs = arena_array(arena, op->n_inputs, sizeof(Id));
	copy.outputs = arena_array(arena, op->n_outputs, sizeof(Id));
	for (uint32_t i = 0; i < op->n_inputs; i++)
		copy.inputs[i] = scope_get(scope, &op->inputs[i])->id;
	for (uint32_t i = 0; i < op->n_outputs; i++) {
		Value *v = scope_get(scope, &op->outputs[i]);

		for (uint32_t k = 0; !v && k < p->n_values; k++)
			if (ir_id_eq(&p->values[k].id, &op->outputs[i]))
				v = clone_value(in, &p->values[k],
				    "inline-value");
		scope_set(scope, &op->outputs[i], v);
		copy.outputs[i] = v->id;
		if (i == 0)
			first = v->name;
	}
	copy.id = program_op_id(&in->b, op->opcode, first, in->ops++);
	copy.lineage = lineage_one("cloned", "inline-op", &op->id, arena);
	place_set(in->session, &copy.id, place_get(in->session, &op->id));
	if (library_has(in->session, &op->id))
		library_set(in->session, &copy.id);
	program_op(&in->b, &copy);
}

static int
inline_ops(struct inliner *in, const Program *p, struct scope *scope)
{
	int bad = 0;

	for (uint32_t i = 0; i < p->n_ops && !bad; i++) {
		const Program *callee = inlinable(in, &p->ops[i]);

		if (callee)
			bad = expand(in, &p->ops[i], p, callee, scope);
		else
			clone_op(in, p, &p->ops[i], scope);
	}
	return bad;
}

static const void *
inline_run(const struct snapshot *snap, struct session *session,
    struct arena *arena, struct diag *diag)
{
	const Program *p = snap->root;
	struct inliner in = { .session = session, .diag = diag,
		.stack = { p->unit }, .depth = 1 };
	struct scope scope;

	program_begin(&in.b, arena, p->unit);
	map_init(&in.names, arena);
	map_init(&scope.value, arena);
	for (uint32_t i = 0; i < p->n_values; i++)
		if (!ValueRole_is_RoleTemp(p->values[i].role))
			scope_set(&scope, &p->values[i].id, clone_value(&in,
			    &p->values[i], "inline-value"));
	if (inline_ops(&in, p, &scope))
		return NULL;
	for (uint32_t i = 0; i < p->n_results; i++)
		program_result(&in.b, p->results[i].name,
		    p->results[i].langtype,
		    &scope_get(&scope, &p->results[i].value)->id);
	return program_end(&in.b, snap);
}

const struct pass program_inline = {
	.name = "inline", .revision = "1", .in = &Program_type,
	.out = &Program_type, .verify = program_verify, .run = inline_run,
};
