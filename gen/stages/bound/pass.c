/* SPDX-License-Identifier: MIT */
#include "gen/stages/bound/bound.h"

#include <string.h>

#include "gen/policy.h"
#include "ops/ops.h"
#include "space/text.h"

#define IR_DEF "gen/stages/bound/bound.def"
#include "gen/ir/desc.h"

struct binder {
	struct session *session;
	struct arena *arena;
	struct diag *diag;
	const Program *program;
	Bound *bound;
};

static Id
bound_id(const struct binder *b, char kind, const Id *source)
{
	char hex[2 * sizeof source->b + 1];
	const char *parts[] = { b->program->unit, hex };

	hex_encode(hex, source->b, sizeof source->b);
	return ir_id(kind, parts, 2);
}

static const char *
shape_word(enum op_shape_rule rule)
{
	static const char *const words[] = { "", "broadcast", "reduce",
		"target", "reshape", "permute", "fill", "matmul", "squeeze",
		"unsqueeze", "flatten", "slice", "tile", "stretch", "pad",
		"triangle", "scan", "select", "gather", "topk" };

	return words[rule];
}

/* Facts of the catalog of ops; `other` for what it does not know. */
static OpFacts
facts_of(const char *opcode, struct arena *arena)
{
	static const char *const classes[] = { "", "map", "reduce", "view",
		"other" };
	const struct op *op = op_find(opcode);
	struct str pkg, name;
	OpFacts f = { .op = "", .cls = "other", .vec = "", .shape = "" };

	if (!op)
		return f;
	name_split(opcode, &pkg, &name);
	f.op = arena_printf(arena, "deepx·%.*s", (int)name.n, name.p);
	f.cls = classes[op->cls];
	f.vec = op_has_vec(op) ? op->vec : "";
	f.shape = shape_word(op->shape_rule);
	for (int i = 0; i < op->nin; i++)
		if (op_is_attr(op, i))
			f.attrs |= (U64)1 << i;
	return f;
}

static BindWhy
why_of(const struct binding *binding, struct arena *arena)
{
	static const WhyOnly only;
	WhyTable *table;
	WhyUser *user;

	if (binding->why == BIND_ONLY)
		return BindWhy_of_WhyOnly(&only);
	if (binding->why == BIND_USER) {
		user = arena_alloc(arena, sizeof *user);
		user->row = binding->row;
		return BindWhy_of_WhyUser(user);
	}
	table = arena_alloc(arena, sizeof *table);
	table->row = binding->row;
	return BindWhy_of_WhyTable(table);
}

/* The back end that the policy gives an abstract op or a whole function. */
static int
bind_by_policy(struct binder *b, const Op *op, Call *call)
{
	struct binding binding;
	CallBackend *body;

	if (policy_bind(b->session->policy, b->session->catalog, op->opcode,
	    library_has(b->session, &op->id), place_get(b->session, &op->id),
	    &binding, b->diag))
		return -1;
	body = arena_alloc(b->arena, sizeof *body);
	body->author = binding.backend->author;
	body->why = why_of(&binding, b->arena);
	call->opcode = binding.backend->opcode;
	call->body = CallBody_of_CallBackend(body);
	call->facts = facts_of(op->opcode, b->arena);
	return 0;
}

static int
bind_explicit(struct binder *b, const Op *op, const OpExplicit *e, Call *call)
{
	static const WhyExplicit why;
	const struct backend *provider[64];
	CallBackend *body;
	struct str pkg, name;
	size_t n;

	if (!catalog_has(b->session->catalog, op->opcode)) {
		struct buf list = { 0 };

		name_split(op->opcode, &pkg, &name);
		n = catalog_providers(b->session->catalog,
		    arena_printf(b->arena, "deepx·%.*s", (int)name.n, name.p),
		    provider, 64);
		for (size_t i = 0; i < n && i < 64; i++)
			buf_printf(&list, " %s", provider[i]->opcode);
		diag_error(b->diag, place_get(b->session, &op->id), "%s is not "
		    "a registered back end; registered are:%s", op->opcode,
		    n ? list.p : " none");
		buf_release(&list);
		return -1;
	}
	body = arena_alloc(b->arena, sizeof *body);
	body->author = e->author;
	body->why = BindWhy_of_WhyExplicit(&why);
	call->opcode = op->opcode;
	call->body = CallBody_of_CallBackend(body);
	call->facts = facts_of(op->opcode, b->arena);
	return 0;
}

/* Operands and results must be as many as the op's row has. */
static int
check_arity(struct binder *b, const Op *op)
{
	const struct op *row = op_find(op->opcode);

	if (!row || OpBody_is_OpNative(op->body) ||
	    OpBody_is_OpFunction(op->body))
		return 0;
	if (row->nin != (int)op->n_inputs)
		return diag_error(b->diag, place_get(b->session, &op->id),
		    "TypeError: %s expects %d args, got %u", op->opcode,
		    row->nin, op->n_inputs);
	if (row->nout != (int)op->n_outputs)
		return diag_error(b->diag, place_get(b->session, &op->id),
		    "TypeError: %s expects %d writes, got %u", op->opcode,
		    row->nout, op->n_outputs);
	return 0;
}

static int
bind_body(struct binder *b, const Op *op, Call *call)
{
	static const CallFunction function;
	static const CallNative native;
	const struct backend *unused;

	call->opcode = op->opcode;
	call->facts = facts_of("", b->arena);
	if (check_arity(b, op))
		return -1;
	switch (op->body.tag) {
	case OpBody_OpAbstract:
		return bind_by_policy(b, op, call);
	case OpBody_OpExplicit:
		return bind_explicit(b, op, OpBody_as_OpExplicit(op->body),
		    call);
	case OpBody_OpFunction:
		if (catalog_providers(b->session->catalog, op->opcode,
		    &unused, 0))
			return bind_by_policy(b, op, call);
		call->body = CallBody_of_CallFunction(&function);
		return 0;
	case OpBody_OpNative:
		call->body = CallBody_of_CallNative(&native);
		return 0;
	}
	BUG("op body %d", (int)op->body.tag);
}

static void
bind_ids(const struct binder *b, const Id *from, uint32_t n, Id **to)
{
	*to = arena_array(b->arena, n, sizeof **to);
	for (uint32_t i = 0; i < n; i++)
		(*to)[i] = bound_id(b, 'b', &from[i]);
}

static int
bind_op(struct binder *b, const Op *op, Call *call)
{
	if (bind_body(b, op, call))
		return -1;
	call->id = bound_id(b, 'c', &op->id);
	call->effect = op->effect && !CallBody_is_CallBackend(call->body);
	call->n_inputs = op->n_inputs;
	call->n_outputs = op->n_outputs;
	bind_ids(b, op->inputs, op->n_inputs, &call->inputs);
	bind_ids(b, op->outputs, op->n_outputs, &call->outputs);
	call->lineage = lineage_one("lowered", "bind-call", &op->id, b->arena);
	place_set(b->session, &call->id, place_get(b->session, &op->id));
	return 0;
}

static void
bind_values(struct binder *b)
{
	const Program *p = b->program;

	b->bound->values = arena_array(b->arena, p->n_values,
	    sizeof *b->bound->values);
	b->bound->n_values = p->n_values;
	for (uint32_t i = 0; i < p->n_values; i++) {
		const Value *v = &p->values[i];

		b->bound->values[i] = (BValue){
			.id = bound_id(b, 'b', &v->id), .name = v->name,
			.role = v->role, .langtype = v->langtype,
			.lineage = lineage_one("lowered", "bind-value", &v->id,
			    b->arena),
		};
	}
}

static const void *
bind_run(const struct snapshot *in, struct session *session,
    struct arena *arena, struct diag *diag)
{
	struct binder b = { session, arena, diag, in->root,
		arena_alloc(arena, sizeof(Bound)) };
	const Program *p = in->root;
	int bad = 0;

	b.bound->header = header_of(in, arena);
	b.bound->unit = p->unit;
	bind_values(&b);
	b.bound->calls = arena_array(arena, p->n_ops, sizeof *b.bound->calls);
	b.bound->n_calls = p->n_ops;
	for (uint32_t i = 0; i < p->n_ops; i++)
		bad |= bind_op(&b, &p->ops[i], &b.bound->calls[i]);
	b.bound->results = arena_array(arena, p->n_results,
	    sizeof *b.bound->results);
	b.bound->n_results = p->n_results;
	for (uint32_t i = 0; i < p->n_results; i++)
		b.bound->results[i] = (BResult){ .name = p->results[i].name,
			.langtype = p->results[i].langtype,
			.value = bound_id(&b, 'b', &p->results[i].value) };
	return bad ? NULL : b.bound;
}

const struct pass bound_bind = {
	.name = "bind", .revision = "1", .in = &Program_type,
	.out = &Bound_type, .verify = bound_verify, .run = bind_run,
};
