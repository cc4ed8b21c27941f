/* SPDX-License-Identifier: MIT */
#include "gen/derive/dtype.h"

#include <string.h>

#include "base/fatal.h"
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

enum { FLOATS = 1u << DT_FLOAT32 | 1u << DT_FLOAT64,
	HALVES = 1u << DT_FLOAT16 | 1u << DT_BFLOAT16 };

static bool
is_any(struct str atom)
{
	return atom.n >= 3 && !memcmp(atom.p + atom.n - 3, "any", 3);
}

/*
 * The dtypes among the alternatives, as a bit set; `any` is float32 and
 * float64: halves are made where a type says so. Where no float is among them,
 * only those of tensors: axes and counts are no operands.
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
	return set & (FLOATS | HALVES) ? set : tensors;
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
	/* What takes halves too runs op by op for them, and is part of the
	 * kernels of programs that say so: no library is built for dtypes that
	 * nobody uses. */
	if (set & FLOATS)
		set &= ~(unsigned)HALVES;
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

/* T of an op: the one dtype of the operands that are tensors, else the widest,
 * if all are known. */
static enum dtype
dtype_of_operands(const struct graph *g, uint32_t s, const enum dtype *of)
{
	const Step *step = &g->f->steps[s];
	const struct op *op = op_find(step->facts.op);
	enum dtype widest = DT_NONE;
	bool known = true;

	for (uint32_t i = 0; i < step->n_inputs; i++) {
		uint32_t b = g->in[s][i];
		bool scalar = g->shape[b].known &&
		    g->shape[b].shape.rank == 0;

		if (step_attr(step, i) || op_fixed(op, (int)i) != DT_NONE)
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
			of[g->out[s][i]] = op_out_dtype(op, (int)i,
			    dtype_of_operands(g, s, of), graph_named(g, s));
	}
}

/* Whether read i of a step is an operand whose dtype is T. */
static bool
is_of_t(const struct op *op, const Step *step, uint32_t i)
{
	return !step_attr(step, i) && op_fixed(op, (int)i) == DT_NONE;
}

enum dtype
dtype_of_step(const struct graph *g, uint32_t s, const enum dtype *of)
{
	const Step *step = &g->f->steps[s];
	const struct op *op = op_find(step->facts.op);

	for (uint32_t i = 0; i < step->n_inputs; i++)
		if (is_of_t(op, step, i))
			return of[g->in[s][i]];
	BUG("%s has no operand of its dtype", step->opcode);
}

/* One kernel in the making. */
struct maker {
	const struct graph *g;
	const struct cut *cut;
	const struct fit *fit;
	const enum dtype *derived;
	enum dtype *of;
};

/* Scalars alone: the widest of them as the source says it, for the runtime goes
 * by what it finds. */
static enum dtype
dtype_of_scalars(const struct maker *m, uint32_t s)
{
	const Step *step = &m->g->f->steps[s];
	const struct op *op = op_find(step->facts.op);
	enum dtype widest = DT_NONE;

	for (uint32_t i = 0; i < step->n_inputs; i++) {
		uint32_t b = m->g->in[s][i];
		const Buffer *buffer = &m->g->f->buffers[b];
		enum dtype t = m->derived[b];

		if (!is_of_t(op, step, i))
			continue;
		if (!is_declared(buffer) || t == DT_NONE ||
		    dtype_of_langtype(buffer->langtype, DT_NONE) != t)
			return DT_NONE;
		if (widest == DT_NONE || dtype_wider(t, widest))
			widest = t;
	}
	return widest;
}

/* T of a step whose readers have been looked at: what its tensors have, else
 * what a view of a scalar is read as. */
static enum dtype
choose_t(const struct maker *m, uint32_t s)
{
	const Step *step = &m->g->f->steps[s];
	const struct op *op = op_find(step->facts.op);
	uint32_t out = m->g->out[s][0];

	for (uint32_t i = 0; i < step->n_inputs; i++)
		if (is_of_t(op, step, i) &&
		    m->fit->form[m->g->in[s][i]] != FORM_ONE)
			return m->of[m->g->in[s][i]];
	return m->fit->form[out] == FORM_ONE ? m->of[out] :
	    dtype_of_scalars(m, s);
}

/* Whether a step's values have the dtypes that it takes; scalars get theirs. */
static bool
make_step(struct maker *m, uint32_t s)
{
	const Step *step = &m->g->f->steps[s];
	const struct op *op = op_find(step->facts.op);
	enum dtype t = choose_t(m, s), made;

	if (t == DT_NONE || !op_takes(op, t))
		return false;
	for (uint32_t i = 0; i < step->n_inputs; i++) {
		uint32_t b = m->g->in[s][i];
		enum dtype want = is_of_t(op, step, i) ? t :
		    op_fixed(op, (int)i);

		if (step_attr(step, i))
			continue;
		if (m->fit->form[b] == FORM_ONE && m->of[b] == DT_NONE)
			m->of[b] = want;
		if (m->of[b] != want)
			return false;
	}
	made = op_out_dtype(op, 0, t, graph_named(m->g, s));
	return op_gives(op, made) && m->of[m->g->out[s][0]] == made;
}

/* Templates that reduce do so in floats, all in the same, and find no division
 * by zero. */
static bool
template_makes(const struct maker *m)
{
	enum dtype sum = DT_NONE;

	for (uint32_t i = 0; i < m->cut->n && !m->cut->t->any_dtype; i++) {
		const Step *step = &m->g->f->steps[m->cut->step[i]];
		enum dtype t = dtype_of_step(m->g, m->cut->step[i], m->of);

		if (op_vec_divides(step->facts.vec) && !dtype_is_float(t))
			return false;
		if (strcmp(step->facts.cls, "reduce"))
			continue;
		if (!dtype_is_float(t) || (sum != DT_NONE && sum != t))
			return false;
		sum = t;
	}
	return true;
}

static bool
make_values(struct maker *m)
{
	for (uint32_t i = 0; i < m->g->f->n_buffers; i++)
		m->of[i] = m->fit->form[i] == FORM_ONE ? DT_NONE :
		    m->derived[i];
	for (uint32_t i = m->cut->n; i-- > 0;)
		if (!make_step(m, m->cut->step[i]))
			return false;
	return template_makes(m);
}

/* What the entry says for choice t of the unit. */
static enum dtype
entry_dtype(const struct fit *fit, const enum dtype *of, enum dtype t)
{
	enum dtype first = DT_NONE;

	for (uint32_t i = 0; i < fit->ninput; i++) {
		enum dtype own = of[fit->input[i]];

		if (fit->form[fit->input[i]] == FORM_ONE)
			continue;
		if (own == t)
			return t;
		if (first == DT_NONE || first == DT_BOOL)
			first = own;
	}
	return first;
}

static bool
same_operands(const struct fit *fit, const enum dtype *a,
    const enum dtype *b)
{
	for (uint32_t i = 0; i < fit->ninput; i++)
		if (a[fit->input[i]] != b[fit->input[i]])
			return false;
	return true;
}

void
dtypes_init(struct dtypes *d, const struct graph *g, struct arena *arena)
{
	d->n = dtype_choices(g->f, d->choice);
	for (int i = 0; i < d->n; i++) {
		d->of[i] = arena_array(arena, g->f->n_buffers,
		    sizeof *d->of[i]);
		dtype_derive(g, d->choice[i], d->of[i]);
	}
}

int
dtypes_kernels(const struct dtypes *d, const struct graph *g,
    const struct cut *cut, const struct fit *fit, struct made out[N_DTYPES],
    struct arena *arena)
{
	int found = 0;

	for (int i = 0; i < d->n; i++) {
		struct maker m = { g, cut, fit, d->of[i], arena_array(arena,
		    g->f->n_buffers, sizeof *m.of) };

		if (!make_values(&m) || (found && same_operands(fit, m.of,
		    out[found - 1].of)))
			continue;
		out[found++] = (struct made){ entry_dtype(fit, m.of,
		    d->choice[i]), m.of };
	}
	return found;
}
