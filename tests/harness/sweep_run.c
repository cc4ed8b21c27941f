/* SPDX-License-Identifier: MIT */
#include "tests/harness/sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "runtime/cpu.h"
#include "tests/harness/refs.h"

/* Levels without fma take up to 400 ns; of all inputs they get one in LOWER. */
enum { BLOCK = 4096, CHECKS = 4, LOWER = 16, MOST_THREADS = 16 };
#define CANONICAL_NAN 0x7fc00000u

/*
 * The kernels of ref compute float64 in long double, which costs 100 ns. These
 * take functions of libm whose error is below 2 ulp of float64, and no
 * subtraction that cancels: what they give is within 2^-44 of the true value
 * (gelu is farthest off: the argument of erfc, rounded, is amplified up to 200
 * times), which is 2^-20 ulp of float32. Each block compares some with ref. Ops
 * that are not here take ref.
 */
static double
quick_gelu(double x)
{
	return x * erfc(-x * 0x1.6a09e667f3bcdp-1) / 2;
}

static double
quick_gelutanh(double x)
{
	return x / (1 + exp(-1.595769121605730711759784 *
	    (x + 0.044715 * x * x * x)));
}

static double
quick_rsqrt(double x)
{
	return 1 / sqrt(x);
}

static double
quick_sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double
quick_silu(double x)
{
	return x / (1 + exp(-x));
}

static const struct quick {
	const char *name;
	double (*f)(double);
} quicks[] = {
	{ "ceil", ceil }, { "cos", cos }, { "erf", erf }, { "exp", exp },
	{ "floor", floor }, { "gelu", quick_gelu },
	{ "gelutanh", quick_gelutanh }, { "log", log }, { "round", rint },
	{ "rsqrt", quick_rsqrt }, { "sigmoid", quick_sigmoid },
	{ "silu", quick_silu }, { "sin", sin }, { "tan", tan },
	{ "tanh", tanh },
};

static double
(*quick_of(const struct op *op))(double)
{
	for (size_t i = 0; i < sizeof quicks / sizeof *quicks; i++)
		if (strcmp(quicks[i].name, op->name) == 0)
			return quicks[i].f;
	return NULL;
}

/* What a thread works with; next: the first block that nobody has begun. */
struct worker {
	const struct sweep *s;
	const struct sweep_inputs *in;
	_Atomic uint64_t *next;
	pthread_t thread;
	struct sweep_result r;
	double (*quick)(double);
	bool absolute;
	int64_t most;
	uint32_t bits[BLOCK], out[SWEEP_LEVELS][BLOCK];
	double x[BLOCK], y[BLOCK];
};

static uint64_t
total(const struct sweep_inputs *in)
{
	return in->nlisted + UINT32_MAX / in->every + 1;
}

static void
call(const struct kvk_entry *e, const void *in, void *out, int64_t n)
{
	int64_t dim[] = { 1, 1, 1, n, 0, 0, 0, 1, 0, 0, 0, 1 };
	void *ptr[] = { (void *)(uintptr_t)in, out };

	if (e->fn(ptr, dim, &refs_stream) != KVK_OK)
		fatal("%s did not return 0", e->opcode);
}

static float
float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

static uint32_t
rounded(double y)
{
	float f = (float)y;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return isnan(y) ? CANONICAL_NAN : bits;
}

/* Numbers in their order, so that neighbours differ by 1. */
static int64_t
ordered(uint32_t bits)
{
	return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : bits;
}

/* |y - ref| in the ulp of a float32 like ref. */
static double
ulps(double y, double ref)
{
	int e;

	frexp(ref, &e);
	return ldexp(fabs(y - ref), 24 - (e < -125 ? -125 : e));
}

static void
wrong(struct sweep_result *r, const char *what, uint32_t at)
{
	if (r->wrong && r->wrong_at <= at)
		return;
	r->wrong = what;
	r->wrong_at = at;
}

/* A result that is not the correctly rounded one. */
static void
judge(struct worker *w, uint32_t at, uint32_t got, double ref)
{
	uint32_t want = rounded(ref);
	double y = (double)float_of(got), error = fabs(y - ref);
	double scale = fmax(1, fabs(ref));

	w->r.other++;
	if (isnan(y) || isnan(ref))
		wrong(&w->r, isnan(y) && isnan(ref) ? "a NaN is not canonical" :
		    isnan(y) ? "it is NaN" : "it is not NaN", at);
	else if (isinf(y) != (want << 1 == 0xff000000u))
		wrong(&w->r, isinf(y) ? "it is infinite" : "it is finite", at);
	else if (got >> 31 != want >> 31)
		wrong(&w->r, "the sign is wrong", at);
	else if (w->absolute ? error > 1e-6 * scale :
	    llabs(ordered(got) - ordered(want)) > w->most)
		wrong(&w->r, "the error is above the bound", at);
	if (w->absolute)
		error /= scale;
	else
		error = ulps(y, ref);
	if (error > w->r.error || (error >= w->r.error && at < w->r.at)) {
		w->r.error = error;
		w->r.at = at;
	}
}

/* Whether the quick reference is as near as it says, at places of a block. */
static void
check_quick(struct worker *w, uint64_t block, int64_t n)
{
	for (int64_t k = 0; k < CHECKS; k++) {
		int64_t i = (int64_t)(block * 2654435761u +
		    (uint64_t)k * 1021) % n;
		double y;

		call(w->s->ref, &w->x[i], &y, 1);
		if (isnan(y) ? !isnan(w->y[i]) : y != w->y[i] &&
		    !(fabs(y - w->y[i]) <= fabs(y) * 0x1p-44 + 0x1p-200))
			fatal("the quick reference of %s is %a at %a, ref says "
			    "%a", w->s->op->name, w->y[i], w->x[i], y);
	}
}

static void
run_block(struct worker *w, uint64_t block)
{
	const struct sweep_inputs *in = w->in;
	uint64_t at = block * BLOCK, left = total(in) - at;
	int64_t n = left < BLOCK ? (int64_t)left : BLOCK;
	int nlevel = in->every > 1 || block % LOWER == 0 ? w->s->nlevel : 1;

	for (int64_t i = 0; i < n; i++, at++) {
		w->bits[i] = at < in->nlisted ? in->listed[at] :
		    (uint32_t)(at - in->nlisted) * in->every;
		w->x[i] = (double)float_of(w->bits[i]);
	}
	for (int k = 0; k < nlevel; k++)
		call(w->s->level[k], w->bits, w->out[k], n);
	if (w->quick) {
		for (int64_t i = 0; i < n; i++)
			w->y[i] = w->quick(w->x[i]);
		check_quick(w, block, n);
	} else {
		call(w->s->ref, w->x, w->y, n);
	}
	for (int64_t i = 0; i < n; i++)
		if (w->out[0][i] != rounded(w->y[i]))
			judge(w, w->bits[i], w->out[0][i], w->y[i]);
	for (int k = 1; k < nlevel; k++)
		for (int64_t i = 0; i < n; i++)
			if (w->out[k][i] != w->out[0][i])
				wrong(&w->r, "levels of the CPU differ",
				    w->bits[i]);
	w->r.count += (uint64_t)n;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	uint64_t blocks = (total(w->in) + BLOCK - 1) / BLOCK, block;
	unsigned former = cpu_enter();

	while ((block = atomic_fetch_add(w->next, 1)) < blocks)
		run_block(w, block);
	cpu_leave(former);
	return NULL;
}

static void
merge(struct sweep_result *all, const struct sweep_result *r)
{
	if (r->error > all->error ||
	    (r->error >= all->error && r->at < all->at)) {
		all->error = r->error;
		all->at = r->at;
	}
	if (r->wrong)
		wrong(all, r->wrong, r->wrong_at);
	all->count += r->count;
	all->other += r->other;
}

static struct worker *
worker_new(const struct sweep *s, const struct sweep_inputs *in,
    _Atomic uint64_t *next)
{
	struct worker *w = calloc(1, sizeof *w);
	const char *tol = s->op->tolerance;

	if (!w)
		fatal("no memory");
	w->s = s;
	w->in = in;
	w->next = next;
	w->quick = quick_of(s->op);
	w->absolute = strcmp(tol, "ABS") == 0;
	w->most = strncmp(tol, "ULP", 3) == 0 ? strtol(tol + 3, NULL, 10) : 0;
	w->r.error = w->absolute ? 0 : 0.5;
	w->r.at = UINT32_MAX;
	return w;
}

struct sweep_result
sweep_run(const struct sweep *s, const struct sweep_inputs *in)
{
	int n = in->threads < MOST_THREADS ? in->threads : MOST_THREADS;
	struct worker *w[MOST_THREADS];
	_Atomic uint64_t next = 0;
	struct sweep_result all;

	for (int i = 0; i < n; i++) {
		w[i] = worker_new(s, in, &next);
		if (pthread_create(&w[i]->thread, NULL, work, w[i]))
			fatal("cannot start a thread");
	}
	all = (struct sweep_result){ .at = UINT32_MAX };
	for (int i = 0; i < n; i++) {
		pthread_join(w[i]->thread, NULL);
		merge(&all, &w[i]->r);
		free(w[i]);
	}
	return all;
}
