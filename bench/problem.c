/* SPDX-License-Identifier: MIT */
#include "bench/problem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/fatal.h"

enum { SAMPLES = 16 };

const struct case_row cases[N_CASES] = {
#define CASE(name, function, inputs, outputs, ...) \
	[CASE_##name] = { #name, function, inputs, outputs, __VA_ARGS__ },
#include "bench/cases.def"
#undef CASE
};

const void *
problem_input(const struct problem *p, char letter)
{
	switch (letter) {
	case 'x': return p->x;
	case 'y': return p->y;
	case 'g': return p->g;
	case 'b': return p->b;
	case 'p': return p->left;
	case 'q': return p->right;
	default: return NULL;
	}
}

int
problem_dims(const struct problem *p, char letter, int64_t dim[2])
{
	switch (letter) {
	case 'x': case 'y': case 'F': case 'f':
		dim[0] = p->rows;
		dim[1] = p->n;
		return 2;
	case 'p': case 'q':
		dim[0] = letter == 'p' ? p->rows : p->k;
		dim[1] = letter == 'p' ? p->k : p->n;
		return 2;
	case 'R': case 'r':
		dim[0] = p->rows;
		return 1;
	case 'C': case 'c': case 'g': case 'b':
		dim[0] = p->n;
		return 1;
	default:
		return 0;
	}
}

size_t
problem_count(const struct problem *p, char letter)
{
	int64_t dim[2] = { 1, 1 };

	(void)problem_dims(p, letter, dim);
	return (size_t)(dim[0] * dim[1]);
}

size_t
problem_bytes(const struct problem *p, char letter)
{
	bool index = letter == 'r' || letter == 'c';

	return problem_count(p, letter) *
	    dtype_size(index ? DT_INT64 : p->dtype);
}

static long double
get(const struct problem *p, const void *tensor, int64_t at)
{
	return p->dtype == DT_FLOAT64 ? ((const double *)tensor)[at] :
	    ((const float *)tensor)[at];
}

static long double
sigmoid(long double v)
{
	return 1 / (1 + expl(-v));
}

static long double
gelu(long double v)
{
	return v * erfcl(-v * sqrtl(0.5L)) / 2;
}

static long double
gelutanh(long double v)
{
	long double c = sqrtl(2 / acosl(-1));

	return v * (1 + tanhl(c * (v + 0.044715L * v * v * v))) / 2;
}

/* Row x, or x + y, of n numbers, as the case's norm makes it. */
static void
normalise(const struct problem *p, long double *v)
{
	long double mean = 0, square = 0;

	if (p->kind != CASE_rmsnorm) {
		for (int64_t i = 0; i < p->n; i++)
			mean += v[i];
		mean /= p->n;
	}
	for (int64_t i = 0; i < p->n; i++)
		square += (v[i] - mean) * (v[i] - mean);
	square = sqrtl(square / p->n + EPSILON);
	for (int64_t i = 0; i < p->n; i++) {
		v[i] = (v[i] - mean) / square * get(p, p->g, i);
		if (p->kind != CASE_rmsnorm)
			v[i] += get(p, p->b, i);
	}
}

static void
softmax(int64_t n, long double *v)
{
	long double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += expl(v[i]);
	for (int64_t i = 0; i < n; i++)
		v[i] = expl(v[i]) / sum;
}

/* What a map makes of element i of a row, x given. */
static long double
mapped(const struct problem *p, int64_t at, int64_t i, long double x)
{
	long double y = p->y ? get(p, p->y, at * p->n + i) : 0;
	long double b = p->b ? get(p, p->b, i) : 0;

	switch ((int)p->kind) {
	case CASE_gelu: return gelu(x);
	case CASE_gelutanh: return gelutanh(x);
	case CASE_silu_mul: return x * sigmoid(x) * y;
	case CASE_bias_gelu: return gelu(x + b);
	case CASE_bcast_add: return x + b;
	case CASE_chain: return fmaxl((x + y) * get(p, p->g, i) + b, 0);
	default: BUG("a case without a reference");
	}
}

static void
product_row(const struct problem *p, int64_t at, long double *v)
{
	for (int64_t i = 0; i < p->n; i++)
		v[i] = 0;
	for (int64_t k = 0; k < p->k; k++)
		for (int64_t i = 0; i < p->n; i++)
			v[i] += get(p, p->left, at * p->k + k) *
			    get(p, p->right, k * p->n + i);
}

/* Row `at` of an output of full rows. */
static void
full_row(const struct problem *p, int output, int64_t at, long double *v)
{
	if (p->kind == CASE_matmul) {
		product_row(p, at, v);
		return;
	}
	for (int64_t i = 0; i < p->n; i++) {
		v[i] = get(p, p->x, at * p->n + i);
		if (p->kind == CASE_add_layernorm)
			v[i] += get(p, p->y, at * p->n + i);
	}
	if (output == 1)
		return;
	switch ((int)p->kind) {
	case CASE_softmax:
		softmax(p->n, v);
		return;
	case CASE_layernorm: case CASE_rmsnorm: case CASE_add_layernorm:
		normalise(p, v);
		return;
	default:
		for (int64_t i = 0; i < p->n; i++)
			v[i] = mapped(p, at, i, v[i]);
	}
}

static double
full_error(const struct problem *p, int output, const void *out, int64_t at,
    long double *v)
{
	long double most = 0, worst = 0, off;

	full_row(p, output, at, v);
	for (int64_t i = 0; i < p->n; i++)
		most = fmaxl(most, fabsl(v[i]));
	for (int64_t i = 0; i < p->n; i++) {
		off = fabsl(get(p, out, at * p->n + i) - v[i]);
		/* NaN must not pass. */
		if (!(off <= worst))
			worst = off;
	}
	return (double)(worst / most);
}

/* Element `at` of what a reduction over a row or a column gives. */
static double
reduced_error(const struct problem *p, char letter, const void *out,
    int64_t at)
{
	bool row = tolower(letter) == 'r';
	int64_t count = row ? p->n : p->rows, step = row ? 1 : p->n, best = 0;
	int64_t from = row ? at * p->n : at;
	long double sum = 0, size = 0, v, most = get(p, p->x, from);

	for (int64_t i = 0; i < count; i++) {
		v = get(p, p->x, from + i * step);
		sum += v;
		size += fabsl(v);
		if (v > most) {
			most = v;
			best = i;
		}
	}
	if (islower(letter))
		return ((const int64_t *)out)[at] != best;
	return (double)(fabsl(get(p, out, at) - sum) / size);
}

double
problem_error(const struct problem *p, int output, const void *out)
{
	char letter = p->row->outputs[output];
	bool full = tolower(letter) == 'f';
	int64_t count = tolower(letter) == 'c' ? p->n : p->rows;
	long double *v = calloc((size_t)p->n, sizeof *v);
	double worst = 0, e;

	if (!v)
		fatal("out of memory");
	for (int64_t at = 0; at < count; at += count / SAMPLES + 1) {
		e = full ? full_error(p, output, out, at, v) :
		    reduced_error(p, letter, out, at);
		if (!(e <= worst))
			worst = e;
	}
	free(v);
	return worst;
}
