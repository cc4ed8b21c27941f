/* SPDX-License-Identifier: MIT */
#include "gen/derive/form.h"

#include <string.h>

#include "ops/ops.h"

struct former {
	const struct graph *g;
	const struct template *t;
	const uint32_t *step;
	uint32_t n;
	struct fit *fit;
	struct arena *arena;
	int64_t reduced;    /* of cols: the buffer that says the axis, or -1 */
	bool known;         /* all shapes of the set are known */
	struct shape space; /* then: the iteration space */
	size_t cap;
};

static bool
refuse(struct former *fm, const char *why)
{
	fm->fit->why = why;
	return false;
}

/* The steps of a set are in source order. */
static bool
has_step(const uint32_t *step, uint32_t n, uint32_t s)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (step[mid] < s)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && step[lo] == s;
}

static bool
has_buffer(const uint32_t *list, uint32_t n, uint32_t b)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == b)
			return true;
	return false;
}

/* Whether a buffer is wanted outside the set, or by nobody at all. */
static bool
escapes(const struct graph *g, const uint32_t *step, uint32_t n, uint32_t b)
{
	const struct readers *r = &g->read[b];

	for (uint32_t i = 0; i < r->n; i++)
		if (!has_step(step, n, r->step[i]))
			return true;
	return g->result[b] || r->n == 0;
}

bool
form_cut(const struct graph *g, const uint32_t *step, uint32_t n,
    struct fit *fit)
{
	fit->ninput = fit->noutput = 0;
	for (uint32_t k = 0; k < n; k++) {
		const Step *s = &g->f->steps[step[k]];

		for (uint32_t i = 0; i < s->n_inputs; i++) {
			uint32_t b = g->in[step[k]][i];

			if (step_attr(s, i) || (g->producer[b] >= 0 && has_step(
			    step, n, (uint32_t)g->producer[b])) ||
			    has_buffer(fit->input, fit->ninput, b))
				continue;
			if (fit->ninput == MAX_INPUTS)
				return false;
			fit->input[fit->ninput++] = b;
		}
		for (uint32_t i = 0; i < s->n_outputs; i++) {
			uint32_t b = g->out[step[k]][i];

			if (!escapes(g, step, n, b))
				continue;
			if (fit->noutput == MAX_OUTPUTS)
				return false;
			fit->output[fit->noutput++] = b;
		}
	}
	return fit->noutput > 0;
}

static void
assume(struct former *fm, Assume a)
{
	struct fit *fit = fm->fit;

	fit->assume = arena_grow(fm->arena, fit->assume, fit->nassume,
	    &fm->cap, sizeof a);
	fit->assume[fit->nassume++] = a;
}

static const Id *
buffer_id(const struct former *fm, uint32_t b)
{
	return &fm->g->f->buffers[b].id;
}

/* Whether two forms of one operation go together, and what they give. */
static enum form
join(enum form a, enum form b)
{
	if (a == FORM_ONE)
		return b;
	if (b == FORM_ONE || a == b)
		return a;
	if ((a == FORM_FULL && b == FORM_ROW) ||
	    (a == FORM_ROW && b == FORM_FULL))
		return FORM_FULL;
	return FORM_NONE; /* a dropped axis does not align */
}

/* Leading axes of an operand must be those of the space, or all 1. */
static bool
leading_fits(const struct shape *s, const struct shape *space)
{
	bool ones = true, equal = s->rank == space->rank;

	for (int i = 0; i < s->rank - 1; i++) {
		ones &= s->dim[i] == 1;
		equal &= equal && s->dim[i] == space->dim[i];
	}
	return ones || equal;
}

/* The same for columns: all dims of the space, or 1 along the axis. */
static enum form
form_of_columns(const struct former *fm, const struct shape *s)
{
	struct shape one = fm->space;

	if (shape_eq(s, &fm->space))
		return FORM_FULL;
	if (fm->fit->axis < 0)
		return FORM_NONE;
	one.dim[fm->fit->axis] = 1;
	return shape_eq(s, &one) ? FORM_ROW : FORM_NONE;
}

/* The form of an operand by its known shape. */
static enum form
form_of_shape(const struct former *fm, const struct shape *s)
{
	int64_t n = fm->space.rank ? fm->space.dim[fm->space.rank - 1] : 1;

	if (s->rank == 0)
		return FORM_ONE;
	if (fm->t->reduce_axis)
		return form_of_columns(fm, s);
	if (fm->t->need_reduce && !leading_fits(s, &fm->space))
		return FORM_NONE;
	if (s->dim[s->rank - 1] == n)
		return FORM_FULL;
	return s->dim[s->rank - 1] == 1 ? FORM_ROW : FORM_NONE;
}

/* The only thing known of a value from elsewhere, when shapes are not: whether
 * a reduction over the last axis with keepdims made it. */
static bool
made_as_row(const struct former *fm, uint32_t b)
{
	const struct graph *g = fm->g;
	int64_t s = g->producer[b], axis, keep;

	return s >= 0 && !strcmp(g->f->steps[s].facts.cls, "reduce") &&
	    graph_literal(g, g->in[s][1], &axis, 1) == 1 && axis == -1 &&
	    graph_literal(g, g->in[s][2], &keep, 1) == 1 && keep;
}

/* Whether a value from elsewhere cannot run along columns of unknown shape. */
static bool
made_by_reduction(const struct former *fm, uint32_t b)
{
	int64_t s = fm->g->producer[b];

	return s >= 0 && !strcmp(fm->g->f->steps[s].facts.cls, "reduce");
}

static bool
ends_in_one(const struct shape *s, bool known)
{
	return known && s->rank > 0 && s->dim[s->rank - 1] == 1;
}

static bool
form_inputs(struct former *fm)
{
	struct fit *fit = fm->fit;

	for (uint32_t i = 0; i < fit->ninput; i++) {
		uint32_t b = fit->input[i];
		const struct known *k = &fm->g->shape[b];
		enum form form = FORM_FULL;

		if (fm->known)
			form = form_of_shape(fm, &k->shape);
		else if (k->known && k->shape.rank == 0)
			form = FORM_ONE;
		else if (fm->t->reduce_axis)
			form = made_by_reduction(fm, b) ? FORM_NONE : FORM_FULL;
		else if (fm->t->need_reduce && (made_as_row(fm, b) ||
		    ends_in_one(&k->shape, k->known)))
			form = FORM_ROW;
		if (form == FORM_NONE)
			return refuse(fm, "an operand does not run along the "
			    "rows");
		fit->form[b] = form;
	}
	return true;
}

/* Marks the buffers, operands of the set among them, that one of its buffers is
 * computed from, each once: a value may be used on many ways. */
static void
cone(const struct former *fm, uint32_t b, bool *from)
{
	int64_t s = fm->g->producer[b];

	if (from[b])
		return;
	from[b] = true;
	if (has_buffer(fm->fit->input, fm->fit->ninput, b))
		return;
	for (uint32_t i = 0; i < fm->g->f->steps[s].n_inputs; i++)
		if (!step_attr(&fm->g->f->steps[s], i))
			cone(fm, fm->g->in[s][i], from);
}

/*
 * An axis given by a parameter counts from the rank of the reduced value, but
 * the runtime normalises it by the rank of the kernel's operands: all operands
 * that run along the rows must have the same dims.
 */
static void
assume_same_rank(struct former *fm, uint32_t reduced)
{
	bool *from = arena_array(fm->arena, fm->g->f->n_buffers, sizeof *from);
	const struct fit *fit = fm->fit;
	int64_t first = -1;

	cone(fm, reduced, from);
	for (uint32_t i = 0; i < fit->ninput && first < 0; i++)
		if (from[fit->input[i]] &&
		    fit->form[fit->input[i]] == FORM_FULL)
			first = fit->input[i];
	for (uint32_t i = 0; i < fit->ninput && first >= 0; i++) {
		AssumeSame *a;

		if ((int64_t)fit->input[i] == first ||
		    fit->form[fit->input[i]] != FORM_FULL)
			continue;
		a = arena_alloc(fm->arena, sizeof *a);
		a->a = *buffer_id(fm, (uint32_t)first);
		a->b = *buffer_id(fm, fit->input[i]);
		assume(fm, Assume_of_AssumeSame(a));
	}
}

/* Whether the axis of a reduction is the last one, for sure or by assumption;
 * with known shapes also that it goes over the whole space. */
static bool
axis_is_last(struct former *fm, uint32_t s)
{
	uint32_t b = fm->g->in[s][1], x = fm->g->in[s][0];
	const struct known *k = &fm->g->shape[x];
	AssumeAxis *a;
	int64_t axis;
	int n = graph_literal(fm->g, b, &axis, 1);

	if (n >= 0)
		return n == 1 && (axis == -1 ||
		    (k->known && axis == k->shape.rank - 1));
	if (!ValueRole_is_RoleParam(fm->g->f->buffers[b].role))
		return false;
	for (uint32_t i = 0; i < fm->fit->nassume; i++)
		if (Assume_is_AssumeAxis(fm->fit->assume[i]) && ir_id_eq(
		    &Assume_as_AssumeAxis(fm->fit->assume[i])->param,
		    buffer_id(fm, b)))
			return true;
	a = arena_alloc(fm->arena, sizeof *a);
	a->param = *buffer_id(fm, b);
	assume(fm, Assume_of_AssumeAxis(a));
	assume_same_rank(fm, x);
	return true;
}

/* Whether two buffers say the same axis: parameters by being one, literals by
 * what they are, which counts from the end of a known rank. */
static bool
same_axis(const struct former *fm, uint32_t a, uint32_t b)
{
	int64_t x, y;
	int rank = fm->known ? fm->space.rank : 0;

	if (graph_literal(fm->g, a, &x, 1) != 1 ||
	    graph_literal(fm->g, b, &y, 1) != 1)
		return a == b;
	return (x < 0 ? x + rank : x) == (y < 0 ? y + rank : y);
}

/* Whether the axis of a reduction is one for all of the set and not the last,
 * for sure or by assumption. */
static bool
axis_is_common(struct former *fm, uint32_t s)
{
	uint32_t b = fm->g->in[s][1];
	AssumeCols *a;
	int64_t axis;
	int n = graph_literal(fm->g, b, &axis, 1);

	if (n >= 0 ? n != 1 || axis == -1 ||
	    (fm->known && fm->fit->axis == fm->space.rank - 1) :
	    !ValueRole_is_RoleParam(fm->g->f->buffers[b].role))
		return false;
	if (fm->reduced >= 0)
		return same_axis(fm, (uint32_t)fm->reduced, b);
	fm->reduced = b;
	a = arena_alloc(fm->arena, sizeof *a);
	a->axis = *buffer_id(fm, b);
	assume(fm, Assume_of_AssumeCols(a));
	return true;
}

static bool
form_reduce(struct former *fm, uint32_t s)
{
	const struct graph *g = fm->g;
	uint32_t x = g->in[s][0];
	int64_t keep;

	if (fm->fit->form[x] != FORM_FULL)
		return refuse(fm, "it reduces something that is not a row");
	if (fm->known && !shape_eq(&g->shape[x].shape, &fm->space))
		return refuse(fm, "it reduces a smaller tensor");
	if (graph_literal(g, g->in[s][2], &keep, 1) != 1)
		return refuse(fm, "keepdims is not a literal");
	if (fm->t->reduce_axis && !axis_is_common(fm, s))
		return refuse(fm, "the reduced axes are not one that is not "
		    "the last");
	if (!fm->t->reduce_axis && !axis_is_last(fm, s))
		return refuse(fm, "the reduced axis is not the last one");
	fm->fit->form[g->out[s][0]] = keep ? FORM_ROW : FORM_DROP;
	return true;
}

/* The operand whose dims a broadcast to a parameter is taken to reach: the
 * first that runs along the rows and is not what is broadcast. */
static bool
assume_shape(struct former *fm, uint32_t s)
{
	bool *from = arena_array(fm->arena, fm->g->f->n_buffers, sizeof *from);
	struct fit *fit = fm->fit;
	AssumeShape *a;

	if (!ValueRole_is_RoleParam(fm->g->f->buffers[fm->g->in[s][1]].role))
		return refuse(fm, "a shape is neither known nor a parameter");
	if (fit->form[fm->g->in[s][0]] == FORM_FULL)
		cone(fm, fm->g->in[s][0], from);
	for (uint32_t i = 0; i < fit->ninput && fit->shape_of < 0; i++)
		if (fit->form[fit->input[i]] == FORM_FULL &&
		    !from[fit->input[i]])
			fit->shape_of = i;
	if (fit->shape_of < 0)
		return refuse(fm, "nothing else has the shape it broadcasts "
		    "to");
	a = arena_alloc(fm->arena, sizeof *a);
	a->param = *buffer_id(fm, fm->g->in[s][1]);
	a->of = *buffer_id(fm, fit->input[fit->shape_of]);
	assume(fm, Assume_of_AssumeShape(a));
	return true;
}

static bool
form_view(struct former *fm, uint32_t s)
{
	const struct graph *g = fm->g;
	enum form from = fm->fit->form[g->in[s][0]];

	if (!strcmp(g->f->steps[s].facts.shape, "broadcast")) {
		fm->fit->form[g->out[s][0]] = from; /* it is as its operand */
		return true;
	}
	if (strcmp(g->f->steps[s].facts.shape, "target"))
		return refuse(fm, "only a broadcast is an index map of this "
		    "template");
	if (from == FORM_DROP)
		return refuse(fm, "a dropped axis does not align");
	if (fm->known && !shape_eq(&g->shape[g->out[s][0]].shape, &fm->space))
		return refuse(fm, "it broadcasts to a smaller tensor");
	if (!fm->known && !assume_shape(fm, s))
		return false;
	fm->fit->form[g->out[s][0]] = FORM_FULL;
	return true;
}

static bool
form_map(struct former *fm, uint32_t s)
{
	const struct graph *g = fm->g;
	enum form form = FORM_ONE;
	bool inside = false;

	for (uint32_t i = 0; i < g->f->steps[s].n_inputs; i++) {
		uint32_t b = g->in[s][i];

		if (step_attr(&g->f->steps[s], i))
			continue;
		form = join(form, fm->fit->form[b]);
		if (form == FORM_NONE)
			return refuse(fm, "a dropped axis does not align");
		inside |= !has_buffer(fm->fit->input, fm->fit->ninput, b);
	}
	if (form == FORM_ONE)
		return refuse(fm, "it computes with scalars alone");
	if (fm->t->need_reduce && form != FORM_FULL && !inside)
		return refuse(fm, "it computes one value a row from operands "
		    "alone");
	fm->fit->form[g->out[s][0]] = form;
	return true;
}

static bool
form_step(struct former *fm, uint32_t s)
{
	const Step *step = &fm->g->f->steps[s];

	if (!CallBody_is_CallBackend(step->body) || step->n_outputs != 1 ||
	    !*step->facts.vec || strcmp(CallBody_as_CallBackend(step->body)->
	    author, "miaobyte"))
		return refuse(fm, "an op has no vector function");
	if (!template_takes(fm->t, step->facts.cls))
		return refuse(fm, "the template does not take the class");
	if (!strcmp(step->facts.cls, "reduce"))
		return form_reduce(fm, s);
	if (!strcmp(step->facts.cls, "view"))
		return form_view(fm, s);
	return form_map(fm, s);
}

/* The axis of a reduction of a known shape by a literal; -1 by another. */
static int64_t
known_axis(const struct former *fm, uint32_t s)
{
	int64_t axis;
	int rank = fm->g->shape[fm->g->in[s][0]].shape.rank;

	if (!fm->known || graph_literal(fm->g, fm->g->in[s][1], &axis, 1) != 1)
		return -1;
	return axis < 0 ? axis + rank : axis;
}

/* With all shapes known, the iteration space: of `rows` and `cols` what is
 * reduced, of `map` the first output. */
static void
find_space(struct former *fm)
{
	const struct graph *g = fm->g;

	fm->known = true;
	for (uint32_t k = 0; k < fm->n; k++) {
		const Step *s = &g->f->steps[fm->step[k]];

		for (uint32_t i = 0; i < s->n_inputs; i++)
			if (!step_attr(s, i))
				fm->known &= g->shape[g->in[fm->step[k]][i]].
				    known;
		for (uint32_t i = 0; i < s->n_outputs; i++)
			fm->known &= g->shape[g->out[fm->step[k]][i]].known;
	}
	fm->space = g->shape[fm->fit->output[0]].shape;
	for (uint32_t k = fm->n; fm->t->need_reduce && k-- > 0;)
		if (!strcmp(g->f->steps[fm->step[k]].facts.cls, "reduce")) {
			fm->space = g->shape[g->in[fm->step[k]][0]].shape;
			fm->fit->axis = fm->t->reduce_axis ?
			    known_axis(fm, fm->step[k]) : -1;
		}
}

/* Whether operands (those marked in `from`, or all) broadcast to the space:
 * the runtime knows no other extents. */
static bool
spans_space(const struct former *fm, const bool *from)
{
	const struct fit *fit = fm->fit;
	struct shape all = { 0 };

	for (uint32_t i = 0; i < fit->ninput; i++)
		if ((!from || from[fit->input[i]]) && shape_broadcast(&all,
		    &fm->g->shape[fit->input[i]].shape, &all))
			return false;
	return shape_eq(&all, &fm->space);
}

/* Whether `drop` of the operands that a buffer comes from says its dims. */
static bool
drops_space(struct former *fm, uint32_t b)
{
	bool *from = arena_array(fm->arena, fm->g->f->n_buffers, sizeof *from);

	cone(fm, b, from);
	return spans_space(fm, from);
}

/* Outputs of `map` are all alike; of `rows` each is full or one a row. With
 * known shapes a full one has the dims of the space. */
static bool
check_outputs(struct former *fm)
{
	const struct fit *fit = fm->fit;

	if (fm->known && !spans_space(fm, NULL))
		return refuse(fm, "it broadcasts beyond its operands");
	for (uint32_t i = 0; i < fit->noutput; i++) {
		enum form form = fit->form[fit->output[i]];
		const struct shape *s = &fm->g->shape[fit->output[i]].shape;

		if (form == FORM_ONE)
			return refuse(fm, "it gives a scalar");
		if (!fm->t->need_reduce &&
		    form != fit->form[fit->output[0]])
			return refuse(fm, "outputs have different forms");
		if (!fm->known)
			continue;
		if ((form == FORM_FULL || !fm->t->need_reduce) &&
		    !shape_eq(s, &fm->space))
			return refuse(fm, "an output is smaller than the rest");
		if (form == FORM_ROW && fm->t->need_reduce &&
		    s->rank != fm->space.rank)
			return refuse(fm, "an output is smaller than the rest");
		if (form == FORM_DROP && !drops_space(fm, fit->output[i]))
			return refuse(fm, "an output's dims are not those of "
			    "its operands");
	}
	return true;
}

bool
form_fit(const struct graph *g, const struct template *t,
    const uint32_t *step, uint32_t n, struct fit *fit, struct arena *arena)
{
	struct former fm = { .g = g, .t = t, .step = step, .n = n,
		.fit = fit, .arena = arena, .reduced = -1 };
	bool reduces = false;

	*fit = (struct fit){ .shape_of = -1, .axis = -1 };
	fit->form = arena_array(arena, g->f->n_buffers, sizeof *fit->form);
	for (uint32_t k = 0; k < n; k++)
		reduces |= !strcmp(g->f->steps[step[k]].facts.cls, "reduce");
	if (t->need_reduce && !reduces)
		return refuse(&fm, "it has no reduction");
	if (!form_cut(g, step, n, fit))
		return refuse(&fm, "it has too many operands or results");
	find_space(&fm);
	if (!form_inputs(&fm))
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!form_step(&fm, step[k]))
			return false;
	return check_outputs(&fm);
}
