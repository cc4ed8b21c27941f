/* SPDX-License-Identifier: MIT */
/* The ops of random graphs: each reads what fits and writes anywhere it may. */
#include "tests/bytes/graph.h"

#include <string.h>

#include "base/fatal.h"
#include "ops/ops.h"

/* --- reading --- */

static bool
readable(const struct graph *g, int i)
{
	return g->var[i].set && i != g->nparam + g->nresult;
}

struct var *
graph_pick(struct graph *g)
{
	int i, n = 0, k;

	i = g->nvar - 1 - (int)rng_below(&g->rng, 4);
	if (i >= 0 && readable(g, i) && rng_one_in(&g->rng, 2))
		return &g->var[i];
	for (i = 0; i < g->nvar; i++)
		n += readable(g, i);
	k = (int)rng_below(&g->rng, n);
	for (i = 0; !readable(g, i) || k-- > 0; i++)
		;
	return &g->var[i];
}

static struct var *
pick_ranked(struct graph *g)
{
	struct var *v;
	int i;

	for (i = 0; i < 20; i++) {
		v = graph_pick(g);
		if (graph_known(g) ? v->shape.rank > 0 : v->ranked)
			return v;
	}
	return NULL;
}

/* One that broadcasts with x, perhaps x. */
static struct var *
pick_partner(struct graph *g, const struct var *x)
{
	struct shape s;
	struct var *v;
	int i;

	for (i = 0; i < 20; i++) {
		v = graph_pick(g);
		if (v->dtype != x->dtype)
			continue;
		if (!graph_known(g) || !shape_broadcast(&x->shape, &v->shape, &s))
			return v;
	}
	return NULL;
}

/* --- writing --- */

/* What an op gives. */
struct result {
	enum dtype dtype;
	struct shape shape;
	bool full, ranked;
};

static struct result
result_like(const struct var *v)
{
	return (struct result){ v->dtype, v->shape, v->full, v->ranked };
}

static bool
may_write(const struct var *v, const struct result *r)
{
	if (v->constant || v->dtype != r->dtype)
		return false;
	return !v->set || !v->typed || shape_eq(&v->shape, &r->shape);
}

static struct var *
new_local(struct graph *g, enum dtype dtype)
{
	struct var *v;

	if (g->nvar == VARS_MAX)
		BUG("a graph has too many variables");
	v = &g->var[g->nvar++];
	snprintf(v->name, sizeof(v->name), "v%d", g->nlocal++);
	v->dtype = dtype;
	return v;
}

/* Where a result goes: mostly to a new variable, else to one that is written
 * again, or to a result. */
static struct var *
target(struct graph *g, const struct result *r)
{
	struct var *v;
	int i, k;

	if (rng_one_in(&g->rng, 3)) {
		for (k = 0; k < 20; k++) {
			i = (int)rng_below(&g->rng, g->nvar);
			v = &g->var[i];
			if (i != g->nparam + g->nresult && may_write(v, r))
				return v;
		}
	}
	return new_local(g, r->dtype);
}

static void
write_result(struct graph *g, const struct result *r)
{
	struct var *v = target(g, r);

	buf_puts(&g->body, v->name);
	if (graph_known(g) && !v->set && v->name[0] == 'v' &&
	    rng_one_in(&g->rng, 8)) {
		buf_putc(&g->body, ':');
		graph_put_type(&g->body, r->dtype, &r->shape);
		v->typed = true;
	}
	v->shape = r->shape;
	v->full = r->full;
	v->ranked = r->ranked;
	v->set = true;
}

static void
finish(struct graph *g, const struct result *r)
{
	buf_puts(&g->body, " -> ");
	write_result(g, r);
	buf_putc(&g->body, '\n');
}

static void
put_list(struct buf *b, const struct shape *s)
{
	char dims[200];

	shape_text(s, dims);
	buf_puts(b, dims);
}

/* --- ops --- */

static const char *
one_of(struct graph *g, const char *const *names, int n)
{
	return names[rng_below(&g->rng, n)];
}

static void
op_binary(struct graph *g)
{
	static const char *const names[] = { "add", "sub", "mul", "div",
		"expshift" };
	struct var *x = graph_pick(g), *y = pick_partner(g, x);
	struct result r = result_like(x);

	if (!y)
		return;
	if (graph_known(g) && shape_broadcast(&x->shape, &y->shape, &r.shape))
		return;
	r.full = x->full || y->full;
	r.ranked = x->ranked || y->ranked;
	buf_printf(&g->body, "\tdeepx·%s(%s, %s)", one_of(g, names, 5),
	    x->name, y->name);
	finish(g, &r);
}

/* With a number for one operand. A scalar and a float literal, which is a
 * float64, give a float64. */
static void
op_literal(struct graph *g)
{
	static const char *const names[] = { "add", "sub", "mul", "div" };
	struct var *x = graph_pick(g);
	struct result r = result_like(x);
	bool first = rng_one_in(&g->rng, 2);

	buf_printf(&g->body, "\tdeepx·%s(%s", one_of(g, names, 4),
	    first ? "" : x->name);
	buf_puts(&g->body, first ? "" : ", ");
	if (rng_one_in(&g->rng, 4)) {
		buf_printf(&g->body, "%d", (int)rng_below(&g->rng, 7) - 3);
	} else {
		graph_put_number(g, DT_FLOAT32);
		if (graph_known(g) && x->shape.rank == 0)
			r.dtype = DT_FLOAT64;
	}
	buf_printf(&g->body, "%s%s)", first ? ", " : "", first ? x->name : "");
	finish(g, &r);
}

/* Arithmetic of scalars alone, in their own dtype, then with a tensor. */
static void
op_scalar(struct graph *g)
{
	struct var *x = pick_ranked(g), *s = NULL, *t;
	bool literal = rng_one_in(&g->rng, 2);
	struct result r;
	int i;

	for (i = 0; i < g->nvar; i++)
		if (g->var[i].scalar && rng_one_in(&g->rng, s ? 2 : 1))
			s = &g->var[i];
	if (!x || !s)
		return;
	r = result_like(x);
	t = new_local(g, literal ? DT_FLOAT64 : s->dtype);
	buf_printf(&g->body, literal ? "\tdeepx·mul(%s, 1.1) -> %s\n" :
	    "\tdeepx·exp(%s) -> %s\n", s->name, t->name);
	t->set = true;
	buf_printf(&g->body, "\tdeepx·mul(%s, %s)", x->name, t->name);
	finish(g, &r);
}

static void
op_unary(struct graph *g)
{
	static const char *const names[] = { "exp", "relu", "tanh", "sigmoid",
		"erf", "silu", "rsqrt", "reciprocal", "floor", "ceil", "round",
		"square", "gelu", "gelutanh" };
	const int n = sizeof(names) / sizeof(*names);
	struct var *x = graph_pick(g);
	struct result r = result_like(x);

	buf_printf(&g->body, "\tdeepx·%s(%s)", one_of(g, names, n), x->name);
	finish(g, &r);
}

/* Chooses an axis of x and writes it as an argument; -1: it is not known. */
static int
put_axis(struct graph *g, const struct var *x)
{
	int rank = x->shape.rank, axis;

	if (!graph_known(g)) {
		buf_puts(&g->body, g->use_axis && rng_one_in(&g->rng, 2) ?
		    "axis" : "-1");
		return -1;
	}
	if (g->use_axis && rank == g->base.rank && rng_one_in(&g->rng, 3)) {
		buf_puts(&g->body, "axis");
		return (int)(g->axis < 0 ? g->axis + rank : g->axis);
	}
	axis = rng_one_in(&g->rng, 3) ? (int)rng_below(&g->rng, rank) :
	    rank - 1;
	buf_printf(&g->body, rng_one_in(&g->rng, 4) ? "[%d]" : "%d",
	    rng_one_in(&g->rng, 2) ? axis : axis - rank);
	return axis;
}

static void
reduce_shape(struct shape *s, int axis, bool keep)
{
	s->dim[axis] = 1;
	if (keep || s->rank == 1)
		return;
	memmove(s->dim + axis, s->dim + axis + 1,
	    (size_t)(s->rank - axis - 1) * sizeof(*s->dim));
	s->rank--;
}

static void
op_reduce(struct graph *g)
{
	static const char *const names[] = { "sum", "mean", "reducemax" };
	struct var *x = pick_ranked(g);
	bool keep = !graph_known(g) || !rng_one_in(&g->rng, 4);
	struct result r;
	int axis;

	if (!x)
		return;
	r = result_like(x);
	r.full = false;
	buf_printf(&g->body, "\tdeepx·%s(%s, ", one_of(g, names, 3), x->name);
	axis = put_axis(g, x);
	if (axis >= 0)
		reduce_shape(&r.shape, axis, keep);
	buf_printf(&g->body, ", %s)", keep ? "true" : "false");
	finish(g, &r);
}

/* To the shape with a further or a stretched axis. */
static void
op_broadcast(struct graph *g)
{
	struct var *x = graph_pick(g);
	struct result r = result_like(x);
	int i;

	if (!graph_known(g) && !g->use_shape)
		return;
	buf_printf(&g->body, "\tdeepx·broadcastTo(%s, ", x->name);
	if (!graph_known(g)) {
		buf_puts(&g->body, "shape)");
		r.full = r.ranked = true;
		finish(g, &r);
		return;
	}
	if (r.shape.rank == 0 || (r.shape.rank < 4 && rng_one_in(&g->rng, 3))) {
		memmove(r.shape.dim + 1, r.shape.dim,
		    (size_t)r.shape.rank * sizeof(*r.shape.dim));
		r.shape.rank++;
		r.shape.dim[0] = 1;
	}
	for (i = 0; i < r.shape.rank; i++)
		if (r.shape.dim[i] == 1 && shape_count(&r.shape, 1) < 5000)
			r.shape.dim[i] = 1 + rng_below(&g->rng, 4);
	put_list(&g->body, &r.shape);
	buf_putc(&g->body, ')');
	finish(g, &r);
}

/* Another shape of the same count: dims split or merged at random. */
static void
random_reshape(struct graph *g, struct shape *s)
{
	int64_t n = shape_count(s, 1), d;

	s->rank = 0;
	while (s->rank < 3 && n > 1 && !rng_one_in(&g->rng, 3)) {
		d = 1 + rng_below(&g->rng, 6);
		if (n % d == 0) {
			s->dim[s->rank++] = d;
			n /= d;
		}
	}
	s->dim[s->rank++] = n;
}

static void
op_reshape_known(struct graph *g)
{
	struct var *x = graph_pick(g);
	struct result r = result_like(x);
	struct shape shown;

	random_reshape(g, &r.shape);
	shown = r.shape;
	if (shape_count(&shown, 1) > 0 && rng_one_in(&g->rng, 3))
		shown.dim[rng_below(&g->rng, shown.rank)] = -1;
	buf_printf(&g->body, "\tdeepx·reshape(%s, ", x->name);
	put_list(&g->body, &shown);
	buf_putc(&g->body, ')');
	finish(g, &r);
}

/* A tensor of the base shape made flat, used, and given its shape again. */
static void
op_reshape(struct graph *g)
{
	struct var *x = graph_pick(g), *flat, *used;
	struct result r;

	if (graph_known(g)) {
		op_reshape_known(g);
		return;
	}
	if (!x->full || !g->use_shape)
		return;
	r = result_like(x);
	flat = new_local(g, r.dtype);
	used = new_local(g, r.dtype);
	buf_printf(&g->body, "\tdeepx·reshape(%s, [-1]) -> %s\n"
	    "\tdeepx·exp(%s) -> %s\n\tdeepx·reshape(%s, shape)", x->name,
	    flat->name, flat->name, used->name, used->name);
	finish(g, &r);
}

/* Ops that take elements as they are, of tensors whose dims are known. */
static void
move_known(struct graph *g, struct var *x, struct shape *s)
{
	int axis = (int)rng_below(&g->rng, s->rank), i;
	int start = (int)rng_below(&g->rng, s->dim[axis] + 1);
	struct shape flat = { 2, { 1, 1 } };

	switch (rng_below(&g->rng, 4)) {
	case 0:
		for (i = s->rank++; i > axis; i--)
			s->dim[i] = s->dim[i - 1];
		s->dim[axis] = 1;
		buf_printf(&g->body, "\tdeepx·unsqueeze(%s, %d)", x->name, axis);
		break;
	case 1:
		s->dim[axis] = (s->dim[axis] - start + 1) / 2;
		buf_printf(&g->body, "\tdeepx·slice(%s, %d, %d, 100000, 2)",
		    x->name, axis - s->rank, start);
		break;
	case 2:
		s->dim[axis] *= 2;
		buf_printf(&g->body, "\tdeepx·repeat_interleave(%s, 2, %d)",
		    x->name, axis);
		break;
	default:
		for (i = 0; i < s->rank; i++)
			flat.dim[i >= axis] *= s->dim[i];
		*s = flat;
		buf_printf(&g->body, "\tdeepx·flatten(%s, %d)", x->name, axis);
		break;
	}
}

/* A movement, or running sums. */
static void
op_move(struct graph *g)
{
	struct var *x = pick_ranked(g);
	struct result r;

	if (!x)
		return;
	r = result_like(x);
	if (graph_known(g) && r.shape.rank < 4 &&
	    shape_count(&r.shape, 1) < 2500 && rng_one_in(&g->rng, 2))
		move_known(g, x, &r.shape);
	else if (x->dtype == DT_BOOL)
		return;
	else
		buf_printf(&g->body, "\tdeepx·cumsum(%s, -1, %s, false)", x->name,
		    rng_one_in(&g->rng, 2) ? "true" : "false");
	finish(g, &r);
}

static void
op_softmax(struct graph *g)
{
	struct var *x = pick_ranked(g);
	bool named = rng_one_in(&g->rng, 4) && graph_known(g);
	struct result r;

	if (!x)
		return;
	/* The library has kernels of float32 and float64. */
	named &= !dtype_is_half(x->dtype);
	r = result_like(x);
	g->calls_version |= named;
	buf_printf(&g->body, "\tdeepx·softmax%s(%s, ", named ? ".1" : "",
	    x->name);
	if (named)
		buf_puts(&g->body, "-1");
	else
		put_axis(g, x);
	buf_putc(&g->body, ')');
	finish(g, &r);
}

/* A call of a function of the program, of one or two results. */
static void
op_call(struct graph *g)
{
	struct var *x = pick_ranked(g), *y = x ? pick_partner(g, x) : NULL;
	struct var *first;
	struct result r;

	if (!y)
		return;
	r = result_like(x);
	if (rng_one_in(&g->rng, 2)) {
		buf_printf(&g->body, "\tcenter(%s, -1)", x->name);
		finish(g, &r);
		return;
	}
	if (graph_known(g) && shape_broadcast(&x->shape, &y->shape, &r.shape))
		return;
	r.full = x->full || y->full;
	first = new_local(g, r.dtype);
	buf_printf(&g->body, "\tblend(%s, %s) -> (%s, ", x->name, y->name,
	    first->name);
	first->shape = r.shape;
	first->full = r.full;
	first->ranked = r.ranked;
	first->constant = true;
	write_result(g, &r);
	first->constant = false;
	first->set = true;
	buf_puts(&g->body, ")\n");
}

static void
op_argmax(struct graph *g)
{
	struct var *x = pick_ranked(g), *o = &g->var[g->nparam + g->nresult];

	if (!x || !g->nindex || shape_count(&x->shape, 1) == 0)
		return;
	buf_printf(&g->body, "\tdeepx·argmax(%s, ", x->name);
	put_axis(g, x);
	buf_printf(&g->body, ", %s) -> %s\n",
	    rng_one_in(&g->rng, 2) ? "true" : "false", o->name);
	o->set = true;
}

/* --- masks --- */

static struct mask *
new_mask(struct graph *g, const struct result *r)
{
	struct mask *m;

	if (g->nmask == MASKS_MAX)
		BUG("a graph has too many masks");
	m = &g->mask[g->nmask];
	snprintf(m->name, sizeof(m->name), "m%d", g->nmask++);
	m->shape = r->shape;
	m->full = r->full;
	m->ranked = r->ranked;
	buf_printf(&g->body, " -> %s\n", m->name);
	return m;
}

static void
op_compare(struct graph *g)
{
	static const char *const names[] = { "less", "lessequal", "greater",
		"greaterequal" };
	struct var *x = graph_pick(g), *y = pick_partner(g, x);
	struct result r = result_like(x);

	if (!y || (graph_known(g) &&
	    shape_broadcast(&x->shape, &y->shape, &r.shape)))
		return;
	r.full = x->full || y->full;
	r.ranked = x->ranked || y->ranked;
	buf_printf(&g->body, "\tdeepx·%s(%s, %s)", one_of(g, names, 4),
	    x->name, y->name);
	new_mask(g, &r);
}

/* A mask of one value. */
static void
op_test(struct graph *g)
{
	static const char *const names[] = { "lessscalar", "greaterscalar",
		"equalscalar", "notequalscalar" };
	struct var *x = graph_pick(g);
	struct result r = result_like(x);
	int k = (int)rng_below(&g->rng, 6);

	buf_printf(&g->body, "\tdeepx·%s(%s", k < 4 ? names[k] :
	    k == 4 ? "isnan" : "isinf", x->name);
	if (k < 4) {
		buf_puts(&g->body, ", ");
		graph_put_number(g, DT_FLOAT32);
		buf_puts(&g->body, k < 2 ? "" : ", 0.5");
	}
	buf_putc(&g->body, ')');
	new_mask(g, &r);
}

static struct mask *
pick_mask(struct graph *g, struct shape *s)
{
	for (int i = 0; g->nmask && i < 20; i++) {
		struct mask *m = &g->mask[rng_below(&g->rng, g->nmask)];

		if (!graph_known(g) || !shape_broadcast(&m->shape, s, s))
			return m;
	}
	return NULL;
}

static void
op_logic(struct graph *g)
{
	static const char *const names[] = { "and", "or", "xor" };
	struct result r = { .dtype = DT_BOOL };
	struct mask *a = pick_mask(g, &r.shape), *b = pick_mask(g, &r.shape);
	bool one = rng_one_in(&g->rng, 3);

	if (!a || !b)
		return;
	if (one)
		r.shape = a->shape;
	r.full = a->full || (!one && b->full);
	r.ranked = a->ranked || (!one && b->ranked);
	buf_printf(&g->body, "\tdeepx·%s(%s", one ? "invert" :
	    one_of(g, names, 3), a->name);
	if (!one)
		buf_printf(&g->body, ", %s", b->name);
	buf_putc(&g->body, ')');
	new_mask(g, &r);
}

static void
op_where(struct graph *g)
{
	struct var *x = graph_pick(g), *y = pick_partner(g, x);
	struct result r = result_like(x);
	struct mask *m;

	if (!y || (graph_known(g) &&
	    shape_broadcast(&x->shape, &y->shape, &r.shape)))
		return;
	m = pick_mask(g, &r.shape);
	if (!m)
		return;
	r.full = x->full || y->full || m->full;
	r.ranked = x->ranked || y->ranked || m->ranked;
	buf_printf(&g->body, "\tdeepx·where(%s, %s, %s)", m->name, x->name,
	    y->name);
	finish(g, &r);
}

/* To another dtype; from there to a mask, or back, where the dtype that x has
 * is known. */
static void
op_convert(struct graph *g)
{
	static const char *const names[] = { "int8", "int16", "int32", "int64",
		"uint8", "uint16", "uint32", "uint64", "float32", "float64",
		"bool" };
	struct var *x = graph_pick(g);
	struct result r = result_like(x);
	int number = g->nlocal++, k = (int)rng_below(&g->rng, 11);
	bool back = g->kind != GRAPH_ANY && rng_one_in(&g->rng, 2);

	buf_printf(&g->body, "\tdeepx·todtype(%s, \"%s\")", x->name, names[k]);
	if (k == 10) {
		new_mask(g, &r);
		return;
	}
	buf_printf(&g->body, " -> c%d\n", number);
	if (rng_one_in(&g->rng, 2))
		buf_printf(&g->body, "\tdeepx·square(c%d) -> c%d\n", number,
		    number);
	if (back) {
		buf_printf(&g->body, "\tdeepx·todtype(c%d, \"%s\")", number,
		    dtype_name(r.dtype));
		finish(g, &r);
	} else {
		buf_printf(&g->body, "\tdeepx·greaterscalar(c%d, 2)", number);
		new_mask(g, &r);
	}
}

/* Most masks choose something soon. */
static void
op_mask(struct graph *g)
{
	static void (*const ops[])(struct graph *) = { op_compare, op_compare,
		op_test, op_logic, op_convert };

	ops[rng_below(&g->rng, 5)](g);
	op_where(g);
}

static void
op_print(struct graph *g)
{
	struct var *x = graph_pick(g);

	if (rng_one_in(&g->rng, 2))
		buf_printf(&g->body, "\tprint(%s)\n", x->name);
	else
		buf_printf(&g->body, "\tprintln(%s, %s)\n", x->name,
		    graph_pick(g)->name);
}

void
graph_op(struct graph *g)
{
	static void (*const plain[])(struct graph *) = { op_scalar, op_unary,
		op_literal, op_binary, op_binary, op_mask, op_where,
		op_convert };
	static void (*const ops[])(struct graph *) = { op_binary, op_binary,
		op_binary, op_binary, op_binary, op_binary, op_binary,
		op_unary, op_unary, op_unary, op_reduce, op_reduce, op_reduce,
		op_literal, op_broadcast, op_reshape, op_move, op_softmax,
		op_call, op_argmax, op_print, op_scalar, op_mask, op_mask, op_where,
		op_convert };

	if (g->plain)
		plain[rng_below(&g->rng, sizeof plain / sizeof *plain)](g);
	else
		ops[rng_below(&g->rng, sizeof ops / sizeof *ops)](g);
}
