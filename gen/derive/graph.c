/* SPDX-License-Identifier: MIT */
#include "gen/derive/graph.h"

#include <string.h>

#include "base/fatal.h"
#include "gen/ir/ids.h"
#include "gen/literal.h"
#include "ops/ops.h"

uint32_t
graph_buffer(const Fusion *f, const Id *id)
{
	for (uint32_t i = 0; i < f->n_buffers; i++)
		if (ir_id_eq(&f->buffers[i].id, id))
			return i;
	BUG("%s: a reference to no buffer", f->unit);
}

uint32_t
graph_step(const Fusion *f, const Id *id)
{
	for (uint32_t i = 0; i < f->n_steps; i++)
		if (ir_id_eq(&f->steps[i].id, id))
			return i;
	BUG("%s: a reference to no step", f->unit);
}

bool
step_attr(const Step *s, uint32_t i)
{
	return s->facts.attrs >> i & 1;
}

int
graph_literal(const struct graph *g, uint32_t buffer, int64_t *out, int cap)
{
	ValueRole role = g->f->buffers[buffer].role;

	if (!ValueRole_is_RoleConst(role))
		return -1;
	return literal_ints(&ValueRole_as_RoleConst(role)->literal, out, cap);
}

enum dtype
graph_named(const struct graph *g, uint32_t s)
{
	const Step *step = &g->f->steps[s];
	const struct op *op = op_find(step->facts.op);
	int i = op ? op_naming(op) : -1;
	ValueRole role;

	if (i < 0 || (uint32_t)i >= step->n_inputs)
		return DT_NONE;
	role = g->f->buffers[g->in[s][i]].role;
	return ValueRole_is_RoleConst(role) ?
	    literal_named(&ValueRole_as_RoleConst(role)->literal) : DT_NONE;
}

bool
langtype_shape(const char *text, struct shape *out)
{
	struct str rest = str_of(text), dims, item;
	long long n;

	*out = (struct shape){ 0 };
	if (text[0] != '[')
		return dtype_of(rest) != DT_NONE;
	rest = (struct str){ text + 1, strlen(text + 1) };
	if (!str_next(&rest, ']', &dims) || dtype_of(rest) == DT_NONE)
		return false;
	while (str_next(&dims, ',', &item)) {
		if (out->rank == MAX_RANK || !str_i64(item, &n) || n < 0)
			return false;
		out->dim[out->rank++] = n;
	}
	return out->rank > 0;
}

static uint32_t *
indices(const Fusion *f, const struct ir_ids *buffers, const Id *id,
    uint32_t n, struct arena *arena)
{
	uint32_t *out = arena_array(arena, n, sizeof *out);

	for (uint32_t i = 0; i < n; i++) {
		int64_t at = ir_ids_find(buffers, &id[i]);

		if (at < 0)
			BUG("%s: a reference to no buffer", f->unit);
		out[i] = (uint32_t)at;
	}
	return out;
}

/* Steps come in source order, so a step that reads a buffer twice would stand
 * at the end of its list already. */
static void
find_readers(struct graph *g, struct arena *arena)
{
	const Fusion *f = g->f;
	size_t *cap = arena_array(arena, f->n_buffers, sizeof *cap);

	g->read = arena_array(arena, f->n_buffers, sizeof *g->read);
	for (uint32_t s = 0; s < f->n_steps; s++)
		for (uint32_t i = 0; i < f->steps[s].n_inputs; i++) {
			uint32_t b = g->in[s][i];
			struct readers *r = &g->read[b];

			if (r->n && r->step[r->n - 1] == s)
				continue;
			r->step = arena_grow(arena, r->step, r->n, &cap[b],
			    sizeof *r->step);
			r->step[r->n++] = s;
		}
}

/* Shape of a back end's output when all it depends on is known. */
static void
shape_of_step(struct graph *g, uint32_t s, struct arena *arena)
{
	const Step *step = &g->f->steps[s];
	const struct op *op = op_find(step->facts.op);
	struct shape in[OP_MAX_PARAMS];
	int64_t store[OP_MAX_PARAMS][OP_MAX_ATTR];
	const int64_t *attr[OP_MAX_PARAMS] = { 0 };
	int nattr[OP_MAX_PARAMS] = { 0 };
	struct shape out[OP_MAX_PARAMS];
	char why[600];

	if (!op || (int)step->n_inputs != op->nin ||
	    (int)step->n_outputs != op->nout)
		return;
	for (uint32_t i = 0; i < step->n_inputs; i++) {
		const struct known *k = &g->shape[g->in[s][i]];

		if ((int)i == op_naming(op))
			continue; /* of no shape */
		if (step_attr(step, i)) {
			nattr[i] = graph_literal(g, g->in[s][i], store[i],
			    OP_MAX_ATTR);
			attr[i] = store[i];
			if (nattr[i] < 0)
				return;
		} else if (!k->known) {
			return;
		}
		in[i] = k->shape;
	}
	if (op_shape(op, in, attr, nattr, out, why)) {
		g->misfit[s] = arena_strdup(arena, why);
		return;
	}
	for (uint32_t i = 0; i < step->n_outputs; i++)
		g->shape[g->out[s][i]] = (struct known){ true, out[i] };
}

/* What an op takes as one number has no axes, whatever else is unknown of it;
 * the runtime refuses a tensor in its place. */
static void
scalars_of_step(struct graph *g, uint32_t s)
{
	const Step *step = &g->f->steps[s];
	const struct op *op = op_find(step->facts.op);

	for (uint32_t i = 0; op && i < step->n_inputs; i++)
		if (op_is_scalar(op, (int)i) && !g->shape[g->in[s][i]].known)
			g->shape[g->in[s][i]] = (struct known){ .known = true };
}

/* `xv·reshape(a, d0, d1, …)` with literal extents. */
static void
shape_of_reshape(struct graph *g, uint32_t s)
{
	const Step *step = &g->f->steps[s];
	struct known *out = &g->shape[g->out[s][0]];
	struct shape to = { 0 };

	for (uint32_t i = 1; i < step->n_inputs; i++) {
		int64_t n;

		if (i > MAX_RANK ||
		    graph_literal(g, g->in[s][i], &n, 1) != 1)
			return;
		to.dim[to.rank++] = n;
	}
	*out = (struct known){ true, to };
}

static void
known_shapes(struct graph *g, struct arena *arena)
{
	const Fusion *f = g->f;

	for (uint32_t i = 0; i < f->n_buffers; i++)
		if (!ValueRole_is_RoleTemp(f->buffers[i].role))
			g->shape[i].known = langtype_shape(
			    f->buffers[i].langtype, &g->shape[i].shape);
	for (uint32_t s = 0; s < f->n_steps; s++) {
		scalars_of_step(g, s);
		if (CallBody_is_CallBackend(f->steps[s].body))
			shape_of_step(g, s, arena);
		else if (!strcmp(f->steps[s].opcode, "xv·reshape"))
			shape_of_reshape(g, s);
	}
	g->all_known = true;
	for (uint32_t s = 0; s < f->n_steps; s++) {
		if (!CallBody_is_CallBackend(f->steps[s].body))
			continue;
		for (uint32_t i = 0; i < f->steps[s].n_inputs; i++)
			if (!step_attr(&f->steps[s], i))
				g->all_known &= g->shape[g->in[s][i]].known;
		for (uint32_t i = 0; i < f->steps[s].n_outputs; i++)
			g->all_known &= g->shape[g->out[s][i]].known;
	}
}

void
graph_init(struct graph *g, const Fusion *f, struct arena *arena)
{
	struct ir_ids buffers;
	uint32_t segment = 0;

	g->f = f;
	g->in = arena_array(arena, f->n_steps, sizeof *g->in);
	g->out = arena_array(arena, f->n_steps, sizeof *g->out);
	g->producer = arena_array(arena, f->n_buffers, sizeof *g->producer);
	g->result = arena_array(arena, f->n_buffers, sizeof *g->result);
	g->segment = arena_array(arena, f->n_steps, sizeof *g->segment);
	g->shape = arena_array(arena, f->n_buffers, sizeof *g->shape);
	g->misfit = arena_array(arena, f->n_steps, sizeof *g->misfit);
	ir_ids_init(&buffers, arena, f->buffers, f->n_buffers,
	    sizeof *f->buffers, offsetof(Buffer, id));
	for (uint32_t i = 0; i < f->n_buffers; i++)
		g->producer[i] = -1;
	for (uint32_t s = 0; s < f->n_steps; s++) {
		const Step *step = &f->steps[s];

		g->in[s] = indices(f, &buffers, step->inputs, step->n_inputs,
		    arena);
		g->out[s] = indices(f, &buffers, step->outputs,
		    step->n_outputs, arena);
		for (uint32_t i = 0; i < step->n_outputs; i++)
			g->producer[g->out[s][i]] = s;
		segment += step->effect;
		g->segment[s] = segment;
		segment += step->effect;
	}
	for (uint32_t i = 0; i < f->n_results; i++)
		g->result[graph_buffer(f, &f->results[i].value)] = true;
	find_readers(g, arena);
	known_shapes(g, arena);
}
