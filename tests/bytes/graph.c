/* SPDX-License-Identifier: MIT */
#include "tests/bytes/graph.h"

#include <string.h>

const char graph_helpers[] =
"rwfunc center(A:[*]float32|[*]float64|[*]float16|[*]bfloat16, axis:int64) -> "
"(B:[*]float32|[*]float64|[*]float16|[*]bfloat16) {\n"
"\tdeepx·reducemax(A, axis, true) -> m\n"
"\tdeepx·sub(A, m) -> B\n"
"}\n"
"rwfunc blend(A:[*]float32|[*]float64|[*]float16|[*]bfloat16, "
"B:[*]float32|[*]float64|[*]float16|[*]bfloat16) -> "
"(C:[*]float32|[*]float64|[*]float16|[*]bfloat16, "
"D:[*]float32|[*]float64|[*]float16|[*]bfloat16) {\n"
"\tdeepx·sub(A, B) -> t\n"
"\tdeepx·mul(t, t) -> C\n"
"\tdeepx·relu(t) -> D\n"
"}\n";

bool
graph_known(const struct graph *g)
{
	return g->kind == GRAPH_SLOTS || g->kind == GRAPH_KNOWN;
}

void
form_shape(const struct form *f, const struct shape *base, struct shape *out)
{
	int i, drop = f->drop < base->rank ? f->drop : base->rank;

	out->rank = base->rank - drop;
	for (i = 0; i < out->rank; i++)
		out->dim[i] = f->ones >> (out->rank - 1 - i) & 1 ? 1 :
		    base->dim[drop + i];
}

void
graph_put_type(struct buf *b, enum dtype dtype, const struct shape *s)
{
	char dims[200];

	shape_text(s, dims);
	buf_printf(b, "%s%s", dims, dtype_name(dtype));
}

enum dtype
graph_other(enum dtype t)
{
	return t == DT_FLOAT32 ? DT_FLOAT64 : t == DT_FLOAT64 ? DT_FLOAT32 :
	    t == DT_FLOAT16 ? DT_BFLOAT16 : DT_FLOAT16;
}

/* --- literals --- */

static double
number(struct rng *r, enum dtype t)
{
	double sign = rng_one_in(r, 2) ? 1 : -1;
	bool few = t == DT_FLOAT16;
	double small = few ? 1e-5 : t == DT_FLOAT64 ? 1e-309 : 1e-39;

	switch (rng_below(r, 24)) {
	case 0:
		return sign * 0.0;
	case 1:
		return small * rng_float(r);
	case 2:
		return sign * (few ? 6e4 : 3e38);
	case 3:
		return (few ? 3e4 : 3e7) + rng_float(r);
	default:
		return rng_float(r);
	}
}

void
graph_put_number(struct graph *g, enum dtype t)
{
	double d = number(&g->rng, t);
	char text[40];

	if (t == DT_FLOAT32)
		snprintf(text, sizeof(text), "%.9g", (double)(float)d);
	else
		snprintf(text, sizeof(text), "%.17g", d);
	buf_printf(&g->body, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* --- functions --- */

static int64_t
random_dim(struct graph *g, bool last)
{
	static const int64_t odd[] = { 7, 8, 9, 16, 33, 100, 2047, 2049 };

	if (g->kind == GRAPH_KNOWN && last && rng_one_in(&g->rng, 3))
		return odd[rng_below(&g->rng, 8)];
	if (g->kind == GRAPH_KNOWN && rng_one_in(&g->rng, 40))
		return 0;
	return 1 + rng_below(&g->rng, 5);
}

/* A parameter or a slot with data. */
static struct var *
add_input(struct graph *g, const char *prefix, int i, const struct form *f)
{
	struct var *v = &g->var[g->nvar++];

	snprintf(v->name, sizeof(v->name), "%s%d", prefix, i);
	v->dtype = g->dtype;
	if (graph_known(g) && i > 0 && rng_one_in(&g->rng, 12))
		v->dtype = graph_other(g->dtype);
	form_shape(f, &g->base, &v->shape);
	v->full = f->drop == 0 && f->ones == 0;
	v->ranked = f->drop == 0;
	v->scalar = f->drop >= MAX_RANK;
	v->set = v->typed = true;
	return v;
}

static void
random_form(struct graph *g, struct form *f, bool first)
{
	*f = (struct form){ 0, 0 };
	if (first || rng_one_in(&g->rng, 3))
		return;
	if (rng_one_in(&g->rng, 2))
		f->drop = (int)rng_below(&g->rng, 5);
	if (rng_one_in(&g->rng, 4))
		f->drop = MAX_RANK; /* a scalar */
	if (rng_one_in(&g->rng, 2))
		f->ones = (unsigned)rng_below(&g->rng, 128);
}

static void
add_slots(struct graph *g, int n)
{
	struct form f;
	int64_t count, k;
	struct var *v;
	int i;

	for (i = 0; i < n; i++) {
		random_form(g, &f, i == 0);
		v = add_input(g, "s", i, &f);
		count = shape_count(&v->shape, 1);
		buf_printf(&g->body, "\t%s:", v->name);
		graph_put_type(&g->body, v->dtype, &v->shape);
		buf_puts(&g->body, v->shape.rank ? " = [" : " = ");
		if (count > 600 || count == 0)
			count = 1;
		for (k = 0; k < count; k++) {
			buf_puts(&g->body, k ? ", " : "");
			graph_put_number(g, v->dtype);
		}
		if (shape_count(&v->shape, 1) != count)
			buf_puts(&g->body, "...");
		buf_puts(&g->body, v->shape.rank ? "]\n" : "\n");
	}
}

static void
add_params(struct graph *g)
{
	struct var *v;
	int i;

	if (g->kind == GRAPH_SLOTS)
		return;
	g->nparam = 1 + (int)rng_below(&g->rng, PARAMS_MAX - 1);
	for (i = 0; i < g->nparam; i++) {
		random_form(g, &g->form[i], i == 0);
		v = add_input(g, "p", i, &g->form[i]);
		v->constant = true;
	}
	g->use_axis = rng_one_in(&g->rng, 2);
	g->use_shape = !graph_known(g) && rng_one_in(&g->rng, 2);
	g->any_rank = rng_one_in(&g->rng, 2);
}

static void
add_results(struct graph *g)
{
	struct var *v;
	int i;

	g->nresult = 1 + (int)rng_below(&g->rng, RESULTS_MAX - 1);
	g->nindex = 1;
	for (i = 0; i < g->nresult; i++) {
		v = &g->var[g->nvar++];
		snprintf(v->name, sizeof(v->name), "o%d", i);
		v->dtype = g->dtype;
		v->typed = graph_known(g);
	}
	v = &g->var[g->nvar++];
	strcpy(v->name, "index");
	v->dtype = DT_INT64;
}

/* Every float result gets a value: an op's, or a copy. */
static void
set_results(struct graph *g)
{
	struct var *o, *x;
	int i;

	for (i = 0; i < g->nresult; i++) {
		o = &g->var[g->nparam + i];
		while (!o->set) {
			x = graph_pick(g);
			if (x->dtype != o->dtype)
				continue;
			if (rng_one_in(&g->rng, 4))
				buf_printf(&g->body, "\t%s -> %s\n", x->name,
				    o->name);
			else
				buf_printf(&g->body, "\tdeepx·mul(%s, %s) -> "
				    "%s\n", x->name, x->name, o->name);
			o->shape = x->shape;
			o->set = true;
		}
	}
	g->nindex = g->var[g->nparam + g->nresult].set;
}

void
graph_make(struct graph *g, uint64_t seed, long n)
{
	static const enum dtype dtypes[] = { DT_FLOAT32, DT_FLOAT64,
		DT_FLOAT16, DT_BFLOAT16 };
	int i, ops;

	memset(g, 0, sizeof(*g));
	g->number = n;
	g->rng.state = seed * 7919 + (uint64_t)n * 104729;
	g->kind = (enum graph_kind)rng_below(&g->rng, 4);
	g->dtype = dtypes[rng_below(&g->rng, 4)];
	g->base.rank = 1 + (int)rng_below(&g->rng, 3);
	for (i = 0; i < g->base.rank; i++)
		g->base.dim[i] = random_dim(g, i == g->base.rank - 1);
	g->axis = rng_one_in(&g->rng, 2) ? g->base.rank - 1 :
	    rng_below(&g->rng, 2 * g->base.rank) - g->base.rank;
	add_params(g);
	add_results(g);
	if (g->kind == GRAPH_SLOTS)
		add_slots(g, 1 + (int)rng_below(&g->rng, 4));
	g->plain = rng_one_in(&g->rng, 3);
	ops = 2 + (int)rng_below(&g->rng, g->plain ? 4 : 10);
	if (rng_one_in(&g->rng, 12))
		ops = 36;
	for (i = 0; i < ops; i++)
		graph_op(g);
	set_results(g);
}

void
graph_release(struct graph *g)
{
	buf_release(&g->body);
}

static const char *
any_float(const struct graph *g)
{
	return dtype_is_half(g->dtype) ? "[*]float16|[*]bfloat16" :
	    "[*]float32|[*]float64";
}

static void
put_param(const struct graph *g, int i, struct buf *b)
{
	const struct var *v = &g->var[i];
	int k;

	buf_printf(b, "%s:", v->name);
	if (g->kind == GRAPH_ANY) {
		buf_puts(b, any_float(g));
	} else if (g->kind == GRAPH_KNOWN) {
		graph_put_type(b, v->dtype, &v->shape);
	} else if (g->any_rank) {
		buf_printf(b, "[*]%s", dtype_name(v->dtype));
	} else {
		for (k = 0; k < v->shape.rank; k++)
			buf_puts(b, k ? ",." : "[.");
		buf_printf(b, "%s%s", v->shape.rank ? "]" : "",
		    dtype_name(v->dtype));
	}
}

static void
put_result(const struct graph *g, int i, struct buf *b)
{
	const struct var *v = &g->var[g->nparam + i];

	buf_printf(b, "%s%s:", i ? ", " : "", v->name);
	if (i == g->nresult)
		buf_puts(b, "[*]int64");
	else if (graph_known(g))
		graph_put_type(b, v->dtype, &v->shape);
	else if (g->kind == GRAPH_ANY)
		buf_puts(b, any_float(g));
	else
		buf_printf(b, "[*]%s", dtype_name(v->dtype));
}

void
graph_print(const struct graph *g, struct buf *b)
{
	int i;

	buf_printf(b, "rwfunc g%ld(", g->number);
	for (i = 0; i < g->nparam; i++) {
		buf_puts(b, i ? ", " : "");
		put_param(g, i, b);
	}
	if (g->use_axis)
		buf_puts(b, ", axis:int64");
	if (g->use_shape)
		buf_puts(b, ", shape:[]int64");
	buf_puts(b, ") -> (");
	for (i = 0; i < g->nresult + g->nindex; i++)
		put_result(g, i, b);
	buf_puts(b, ") {\n");
	buf_put(b, g->body.p, g->body.n);
	buf_puts(b, "}\n");
}

