/* SPDX-License-Identifier: MIT */
#include "gen/leaf.h"

#include <string.h>

#include "base/fatal.h"
#include "gen/derive/dtype.h"
#include "gen/explain.h"
#include "gen/literal.h"

/* What messages about the request's kvlang text call it. */
#define SOURCE "request.kv"

/* The op whose line it is; of the text's first line, the name of the function. */
static struct loc
place_of(const struct request *r, struct loc loc)
{
	size_t i = (size_t)loc.line - 2;

	return loc.line >= 2 && i < r->nop ? r->op[i].at->loc : r->func->loc;
}

/* Messages about the text become messages about the request. */
static void
move_places(const struct request *r, struct diag *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->item[i].loc.file &&
		    !strcmp(d->item[i].loc.file, SOURCE))
			d->item[i].loc = place_of(r, d->item[i].loc);
}

static const Step *
step_of(const Fusion *f, const Group *g, uint32_t i)
{
	return &f->steps[graph_step(f, &g->steps[i])];
}

/* Of a back end the op. */
static const char *
name_of(const Step *s)
{
	return *s->facts.op ? s->facts.op : s->opcode;
}

/* Of a step that a function of the library holds: the request's name. */
static struct loc
loc_of(const struct leaf *l, const struct plan *p, const Step *s)
{
	struct loc loc = place_get(&p->session, &s->id);

	return loc.file && !strcmp(loc.file, SOURCE) ?
	    place_of(&l->request, loc) : l->request.func->loc;
}

/* The request is more than one kernel, or none: an error a group. */
static void
tell_groups(const struct leaf *l, struct plan *p)
{
	const Fusion *f = l->fusion;

	for (uint32_t i = 0; i < f->n_groups; i++) {
		const Group *g = &f->groups[i];
		struct buf ops = { 0 };

		for (uint32_t k = 0; k < g->n_steps; k++)
			buf_printf(&ops, "%s%s", k ? " " : "",
			    name_of(step_of(f, g, k)));
		diag_error(p->diag, loc_of(l, p, step_of(f, g, 0)),
		    "expected one kernel of all ops, found `%s`, which is %s%s", ops.p,
		    GroupBody_is_GroupKernel(g->body) ? "a kernel of its own, "
		    : "", explain_state(f, g, p->arena));
		buf_release(&ops);
	}
}

/* Operands that do not fit each other; how many. */
static int
check_steps(const struct leaf *l, struct plan *p, const struct graph *g)
{
	int n = 0;

	for (uint32_t i = 0; i < l->fusion->n_steps; i++)
		if (g->misfit[i]) {
			diag_error(p->diag, loc_of(l, p, &l->fusion->steps[i]),
			    "%s: %s", name_of(&l->fusion->steps[i]),
			    g->misfit[i]);
			n++;
		}
	return n;
}

/* The dtype of operand i of the kernel. */
static enum dtype
operand_dtype(const Kernel *k, uint32_t i)
{
	for (uint32_t v = 0; v < k->n_values; v++)
		if (Place_is_PlaceInput(k->values[v].place) &&
		    Place_as_PlaceInput(k->values[v].place)->index == i)
			return dtype_of(str_of(k->values[v].dtype));
	BUG("a kernel without its operand %u", i);
}

/* A literal operand must be a number of the dtype that it is computed in. */
static void
check_literals(const struct leaf *l, struct plan *p)
{
	for (uint32_t i = 0; i < l->group->n_inputs; i++) {
		uint32_t b = graph_buffer(l->fusion, &l->group->inputs[i]);
		ValueRole role = l->fusion->buffers[b].role;
		enum dtype t = operand_dtype(l->kernel, i);
		uint64_t there = 0, back = 0;
		struct value v;

		if (!ValueRole_is_RoleConst(role))
			continue;
		v = literal_value(&ValueRole_as_RoleConst(role)->literal,
		    p->arena);
		if (dtype_convert(t, &there, v.dtype, v.body, 1) ||
		    dtype_convert(v.dtype, &back, t, &there, 1) ||
		    (!dtype_is_float(t) && memcmp(&back, v.body, v.n)))
			diag_error(p->diag, l->request.func->loc, "a literal "
			    "%s is no %s", v.langtype, dtype_name(t));
	}
}

/* Declared tensors against what the plan derives. */
static void
check_outputs(const struct leaf *l, struct plan *p)
{
	const Fusion *f = l->fusion;
	struct dtypes types;
	struct graph g;

	graph_init(&g, f, p->arena);
	dtypes_init(&types, &g, p->arena);
	if (check_steps(l, p, &g))
		return;
	check_literals(l, p);
	for (uint32_t i = 0; i < f->n_results; i++) {
		const struct request_tensor *t = &l->request.out[i];
		uint32_t b = graph_buffer(f, &f->results[i].value);
		const struct known *k = &g.shape[b];
		struct value v;

		v = value_tensor(p->arena, types.of[0][b], &k->shape, NULL);
		if (t->dtype != types.of[0][b] || (k->known && !t->any &&
		    !shape_eq(&k->shape, &t->shape)))
			diag_error(p->diag, t->at->loc, "this output is %s",
			    k->known ? v.langtype :
			    dtype_name(types.of[0][b]));
		else if (!k->known && !t->any)
			diag_error(p->diag, t->at->loc, "expected null as its "
			    "shape, as an input has any");
	}
}

/* The dtype in which kernels of t add up. */
static void
check_accum(const struct leaf *l, struct plan *p)
{
	enum dtype t = dtype_of(str_of(l->kernel->dtype)), want = t;
	const struct request *r = &l->request;

	if (dtype_is_float(t) && dtype_size(t) < dtype_size(DT_FLOAT32))
		want = DT_FLOAT32;
	if (r->accum && r->accum_dtype != want)
		diag_error(p->diag, r->accum->loc, "kernels of %s accumulate "
		    "in %s, found %s", dtype_name(t), dtype_name(want),
		    dtype_name(r->accum_dtype));
}

static int
find_kernel(struct leaf *l, struct plan *p, const struct unit *u)
{
	const Concrete *c = u->concrete.root;
	const Artifact *a = u->artifact.root;

	if (!u->fusion.root)
		return diag_error(p->diag, l->request.func->loc, "expected ops "
		    "that write their results whatever happens");
	l->fusion = u->fusion.root;
	l->group = &l->fusion->groups[0];
	if (l->fusion->n_groups != 1 || !c) {
		tell_groups(l, p);
		return -1;
	}
	if (c->n_kernels != 1)
		return diag_error(p->diag, l->request.func->loc, "expected one "
		    "kernel, found %u; tell the shapes", c->n_kernels);
	l->kernel = &c->kernels[0];
	l->c = *(const struct str *)map_get(&p->session.texts,
	    a->sources[0].path);
	check_outputs(l, p);
	check_accum(l, p);
	return p->diag->errors ? -1 : 0;
}

int
leaf_plan(struct leaf *l, struct plan *p, const struct plan_paths *paths,
    const char *file, struct str text)
{
	struct request *r = &l->request;
	struct buf source = { 0 };
	const char *name;
	int bad;

	memset(l, 0, sizeof *l);
	if (request_read(r, file, text, p->arena, p->diag) ||
	    request_source(r, p->space, p->arena, &source, p->diag)) {
		buf_release(&source);
		return -1;
	}
	name = r->func->text.p;
	bad = plan_function(p, paths, name, SOURCE, buf_str(&source));
	buf_release(&source);
	move_places(r, p->diag);
	return bad ? -1 : find_kernel(l, p, map_get(&p->units, name));
}

static void
put_shape(struct json *j, const struct request_tensor *t)
{
	if (t->any) {
		json_text(j, "shape", NULL);
		return;
	}
	json_open(j, "shape", '[');
	for (int i = 0; i < t->shape.rank; i++)
		json_number(j, NULL, t->shape.dim[i]);
	json_close(j, ']');
}

static void
put_tensors(struct json *j, const char *key, const struct request_tensor *t,
    size_t n)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		put_shape(j, &t[i]);
		json_text(j, "dtype", dtype_name(t[i].dtype));
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* `in0`, `out0`, or a literal. */
static const char *
pointer_text(const struct leaf *l, const Id *id, bool output,
    struct arena *arena)
{
	const Fusion *f = l->fusion;
	const Buffer *b = &f->buffers[graph_buffer(f, id)];
	struct buf literal = { 0 };
	const char *text = b->name;

	for (uint32_t i = 0; output && i < f->n_results; i++)
		if (ir_id_eq(&f->results[i].value, id))
			text = f->results[i].name;
	if (ValueRole_is_RoleConst(b->role)) {
		literal_display(&ValueRole_as_RoleConst(b->role)->literal,
		    &literal);
		text = arena_strdup(arena, literal.p);
		buf_release(&literal);
	}
	return text;
}

/* What each pointer of the call is, and its dtype. */
static void
put_pointers(const struct leaf *l, struct arena *arena, struct json *j)
{
	const Group *g = l->group;
	const Kernel *k = l->kernel;

	json_open(j, "ptr", '[');
	for (uint32_t i = 0; i < g->n_inputs + g->n_outputs; i++) {
		bool output = i >= g->n_inputs;
		uint32_t o = i - g->n_inputs, v = 0;
		const char *dtype;

		while (output && !ir_id_eq(&k->values[v].id, &k->outs[o].value))
			v++;
		dtype = output ? k->values[v].dtype :
		    dtype_name(operand_dtype(k, i));
		json_open(j, NULL, '{');
		json_text(j, "of", pointer_text(l, output ? &g->outputs[o] :
		    &g->inputs[i], output, arena));
		json_text(j, "dtype", dtype);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void
put_digest(struct json *j, const char *key, const Digest *d)
{
	char hex[2 * sizeof d->b + 1];

	hex_encode(hex, d->b, sizeof d->b);
	json_text(j, key, hex);
}

void
leaf_meta(const struct leaf *l, const struct receipt *receipt,
    const struct backend *e, struct arena *arena, struct buf *out)
{
	const struct request *r = &l->request;
	const Kernel *k = l->kernel;
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_text(&j, "func", r->func->text.p);
	json_text(&j, "pattern", r->pattern ? r->pattern->text.p : NULL);
	put_tensors(&j, "inputs", r->in, r->nin);
	put_tensors(&j, "outputs", r->out, r->nout);
	put_pointers(l, arena, &j);
	json_text(&j, "author", "aot");
	json_text(&j, "dtype", e->dtype);
	json_text(&j, "isa", e->isa);
	json_text(&j, "class", e->cls);
	json_text(&j, "template", k->template_);
	json_text(&j, "operands", k->patterns);
	json_text(&j, "outdims", k->outdims);
	json_text(&j, "guard", k->guard);
	put_digest(&j, "shape_hash", &k->shape_hash);
	json_number(&j, "entry", e->entry);
	json_text(&j, "alias", arena_printf(arena, "%llx", e->alias));
	json_number(&j, "scratch", e->scratch);
	json_number(&j, "scratch_n", e->scratch_n);
	json_text(&j, "action", receipt->action);
	json_text(&j, "hash", receipt->object);
	json_number(&j, "so_size", (long long)receipt->size);
	json_close(&j, '}');
	buf_putc(out, '\n');
}
