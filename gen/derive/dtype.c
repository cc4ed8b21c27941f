/* SPDX-License-Identifier: MIT */
#include "gen/derive/dtype.h"

#include <string.h>

#include "ops/ops.h"

/* The element type of one alternative of a langtype: `[*]float32`. */
static enum dtype
atom_dtype(struct str atom)
{
	for (size_t i = atom.n; i > 0; i--)
		if (atom.p[i - 1] == ']')
			return dtype_of((struct str){ atom.p + i,
				atom.n - i });
	return dtype_of(atom);
}

/* The float dtypes among the alternatives, as a bit set; `any` is all. */
static unsigned
float_set(const char *langtype)
{
	unsigned all = 1u << DT_FLOAT32 | 1u << DT_FLOAT64, set = 0;
	struct str rest = str_of(langtype), atom;

	while (str_next(&rest, '|', &atom)) {
		enum dtype t = atom_dtype(atom);

		if (t != DT_NONE)
			set |= 1u << t & all;
		else if (atom.n >= 3 && !memcmp(atom.p + atom.n - 3, "any", 3))
			set |= all;
	}
	return set;
}

int
dtype_choices(const Fusion *f, enum dtype out[N_DTYPES])
{
	unsigned set = 1u << DT_FLOAT32 | 1u << DT_FLOAT64;
	bool any = false;
	int n = 0;

	for (uint32_t i = 0; i < f->n_buffers; i++) {
		unsigned s = float_set(f->buffers[i].langtype);

		if (!ValueRole_is_RoleParam(f->buffers[i].role) || !s)
			continue;
		any = true;
		set &= s;
	}
	for (int t = 1; t < N_DTYPES; t++)
		if (set >> t & 1 && (any || n == 0))
			out[n++] = (enum dtype)t;
	return n;
}

static enum dtype
dtype_of_param(const char *langtype, enum dtype t)
{
	struct str rest = str_of(langtype), atom;

	if (float_set(langtype))
		return t;
	return str_next(&rest, '|', &atom) ? atom_dtype(atom) : DT_NONE;
}

/* The one dtype of the operands that are tensors, else of the first. */
static enum dtype
dtype_of_operands(const struct graph *g, uint32_t s, const enum dtype *of)
{
	const Step *step = &g->f->steps[s];
	enum dtype first = DT_NONE;

	for (uint32_t i = 0; i < step->n_inputs; i++) {
		uint32_t b = g->in[s][i];
		bool scalar = ValueRole_is_RoleConst(g->f->buffers[b].role) &&
		    g->shape[b].known && g->shape[b].shape.rank == 0;

		if (step_attr(step, i))
			continue;
		if (!scalar)
			return of[b];
		if (first == DT_NONE)
			first = of[b];
	}
	return first;
}

void
dtype_derive(const struct graph *g, enum dtype t, enum dtype *of)
{
	const Fusion *f = g->f;

	for (uint32_t i = 0; i < f->n_buffers; i++) {
		const Buffer *b = &f->buffers[i];

		of[i] = DT_NONE;
		if (ValueRole_is_RoleParam(b->role))
			of[i] = dtype_of_param(b->langtype, t);
		else if (ValueRole_is_RoleConst(b->role))
			of[i] = atom_dtype(str_of(b->langtype));
	}
	for (uint32_t s = 0; s < f->n_steps; s++) {
		const Step *step = &f->steps[s];
		const struct op *op = op_find(step->facts.op);

		if (!strcmp(step->opcode, "xv·reshape") && step->n_inputs)
			of[g->out[s][0]] = of[g->in[s][0]];
		if (!CallBody_is_CallBackend(step->body) || !op)
			continue;
		for (uint32_t i = 0; i < step->n_outputs; i++)
			of[g->out[s][i]] = op->dtype_rule == OP_DTYPE_INDEX ?
			    DT_INT64 : dtype_of_operands(g, s, of);
	}
}
