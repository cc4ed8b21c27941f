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

enum { FLOATS = 1u << DT_FLOAT32 | 1u << DT_FLOAT64 };

static bool
is_any(struct str atom)
{
	return atom.n >= 3 && !memcmp(atom.p + atom.n - 3, "any", 3);
}

/*
 * The dtypes among the alternatives, as a bit set; `any` is all floats. Where
 * no float is among them, only those of tensors: axes and counts are no
 * operands.
 */
static unsigned
dtype_set(const char *langtype)
{
	struct str rest = str_of(langtype), atom;
	unsigned set = 0, tensors = 0;

	while (str_next(&rest, '|', &atom)) {
		enum dtype t = atom_dtype(atom);
		unsigned bits = t != DT_NONE ? 1u << t :
		    is_any(atom) ? FLOATS : 0;

		set |= bits;
		if (str_starts(atom, "[") && !str_starts(atom, "[]"))
			tensors |= bits;
	}
	return set & FLOATS ? set : tensors;
}

/* Whether a langtype is the source's word: what a step makes is `any` unless a
 * function declares it. */
static bool
is_declared(const Buffer *b)
{
	return !ValueRole_is_RoleTemp(b->role) || strcmp(b->langtype, "any");
}

int
dtype_choices(const Fusion *f, enum dtype out[N_DTYPES])
{
	unsigned set = ~0u;
	bool any = false;
	int n = 0;

	for (uint32_t i = 0; i < f->n_buffers; i++) {
		unsigned s = dtype_set(f->buffers[i].langtype);

		if (!is_declared(&f->buffers[i]) || !(s & (s - 1)))
			continue;
		any = true;
		set &= s;
	}
	if (!any)
		set = 1u << DT_FLOAT32;
	for (int t = 1; t < N_DTYPES; t++)
		if (set >> t & 1)
			out[n++] = (enum dtype)t;
	return n;
}

/* T where the langtype leaves a choice, else its own. */
static enum dtype
dtype_of_langtype(const char *langtype, enum dtype t)
{
	struct str rest = str_of(langtype), atom;
	unsigned set = dtype_set(langtype);

	if (set & (set - 1))
		return t;
	return str_next(&rest, '|', &atom) ? atom_dtype(atom) : DT_NONE;
}

/* The one dtype of the operands that are tensors, else the widest, if all are
 * known. */
static enum dtype
dtype_of_operands(const struct graph *g, uint32_t s, const enum dtype *of)
{
	const Step *step = &g->f->steps[s];
	enum dtype widest = DT_NONE;
	bool known = true;

	for (uint32_t i = 0; i < step->n_inputs; i++) {
		uint32_t b = g->in[s][i];
		bool scalar = g->shape[b].known &&
		    g->shape[b].shape.rank == 0;

		if (step_attr(step, i))
			continue;
		if (!scalar)
			return of[b];
		known &= of[b] != DT_NONE;
		if (widest == DT_NONE || dtype_wider(of[b], widest))
			widest = of[b];
	}
	return known ? widest : DT_NONE;
}

void
dtype_derive(const struct graph *g, enum dtype t, enum dtype *of)
{
	const Fusion *f = g->f;

	for (uint32_t i = 0; i < f->n_buffers; i++) {
		const Buffer *b = &f->buffers[i];

		of[i] = DT_NONE;
		if (is_declared(b))
			of[i] = dtype_of_langtype(b->langtype, t);
	}
	for (uint32_t s = 0; s < f->n_steps; s++) {
		const Step *step = &f->steps[s];
		const struct op *op = op_find(step->facts.op);

		if (!strcmp(step->opcode, "xv·reshape") && step->n_inputs)
			of[g->out[s][0]] = of[g->in[s][0]];
		if (!CallBody_is_CallBackend(step->body) || !op)
			continue;
		for (uint32_t i = 0; i < step->n_outputs; i++)
			of[g->out[s][i]] = op_out_dtype(op,
			    dtype_of_operands(g, s, of));
	}
}

/* The one dtype of all operands but scalars, which are converted, else
 * DT_NONE. */
static enum dtype
dtype_of_kernel(const struct fit *fit, const enum dtype *of)
{
	enum dtype t = DT_NONE;

	for (uint32_t i = 0; i < fit->ninput; i++) {
		uint32_t b = fit->input[i];

		if (fit->form[b] == FORM_ONE)
			continue;
		if (t != DT_NONE && of[b] != t)
			return DT_NONE;
		t = of[b];
	}
	return t;
}

/* Whether the template and all ops have loops of dtype t. */
static bool
is_made(const struct cut *g, enum dtype t)
{
	if (t == DT_NONE || (!dtype_is_float(t) && !g->t->any_dtype))
		return false;
	for (uint32_t i = 0; i < g->n; i++)
		if (!op_takes(op_find(g->f->steps[g->step[i]].facts.op), t))
			return false;
	return true;
}

void
dtypes_init(struct dtypes *d, const struct graph *g, struct arena *arena)
{
	enum dtype choice[N_DTYPES];

	d->n = dtype_choices(g->f, choice);
	for (int i = 0; i < d->n; i++) {
		d->of[i] = arena_array(arena, g->f->n_buffers,
		    sizeof *d->of[i]);
		dtype_derive(g, choice[i], d->of[i]);
	}
}

int
dtypes_kernels(const struct dtypes *d, const struct cut *g,
    const struct fit *fit, enum dtype out[N_DTYPES])
{
	int found = 0;

	for (int i = 0; i < d->n; i++) {
		enum dtype t = dtype_of_kernel(fit, d->of[i]);

		if (is_made(g, t) && (!found || out[found - 1] != t))
			out[found++] = t;
	}
	return found;
}
