/* SPDX-License-Identifier: MIT */
/*
 * The data of the cases. Kinds, for floats: UNIFORM in [-4, 4), WIDE of any
 * magnitude, TINY zeros and denormals, WITH_NAN and WITH_INF as WIDE with some,
 * AROUND a base, where exp neither vanishes nor overflows, and beyond, EDGES of
 * the domains, NaNs with payloads among them, GRID each edge with each other
 * one. Integers: small and not 0, any, around 0, else their edges.
 */
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

#include "base/fatal.h"

uint64_t
data_mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t
next(struct row *r)
{
	r->random += 0x9e3779b97f4a7c15u;
	return data_mix(r->random);
}

int
data_below(struct row *r, int n)
{
	return (int)(next(r) % (unsigned)n);
}

static const double edges[] = { 0, 1, 0.5, 1.5, 2.5, 0x1p-149, 0x1p-126,
	0x1.fffffcp-127, 0x1p-1074, 0x1p-1022, 0x1p20, 0x1.00002p20, 0x1p31,
	0x1p63, 3e7, 0x1.fffffep127, 0x1.fffffffffffffp1023, 87.3, 88.7, 103.9,
	708.3, 709.7, 745.1, 1e-8, 65504, 0x1p-14, 0x1.ff8p-15, 0x1p-24,
	0x1.fep127, 0x1p-133, 10.4, INFINITY, NAN };
enum { NEDGES = sizeof edges / sizeof *edges };

static double
sample(struct row *r, const struct call *c, enum dtype t)
{
	double u = (double)(int64_t)next(r) * 0x1p-63;
	bool f64 = t == DT_FLOAT64;
	int wide = f64 ? 300 : t == DT_FLOAT16 ? 14 : 30;

	switch (c->kind) {
	case UNIFORM:
		return 4 * u;
	case TINY:
		return data_below(r, 2) ? copysign(0, u) :
		    copysign(f64 ? 0x1p-1073 : t == DT_FLOAT16 ? 0x1p-23 :
		    t == DT_BFLOAT16 ? 0x1p-132 : 0x1p-148, u);
	case AROUND:
		return c->base + u * (f64 ? 800 : 110);
	case EDGES:
	case GRID:
		return copysign(edges[data_below(r, NEDGES)], u);
	default:
		if (c->kind > TINY && data_below(r, 50) == 0)
			return c->kind == WITH_NAN ? NAN :
			    copysign(INFINITY, u);
		return ldexp(u, data_below(r, 2 * wide) - wide);
	}
}

/* A NaN of either sign, quiet or signalling, with a payload. */
static uint64_t
odd_nan(struct row *r, enum dtype t)
{
	uint64_t any = next(r);

	if (t == DT_FLOAT16)
		return (any & 0x83ff) | 0x7c01;
	if (t == DT_BFLOAT16)
		return (any & 0x807f) | 0x7f81;
	if (t == DT_FLOAT64)
		return (any & 0x800fffffffffffffu) | 0x7ff0000000000001u;
	return (any & 0x807fffffu) | 0x7f800001u;
}

static void
put_float(struct row *r, enum dtype t, double v, char *p)
{
	uint64_t odd;

	if (isnan(v)) {
		odd = odd_nan(r, t);
		memcpy(p, &odd, dtype_size(t));
	} else {
		dtype_convert(t, p, DT_FLOAT64, &v, 1);
	}
}

/* The low bytes of a little-endian number; of a bool one bit. */
static void
put_int(enum dtype t, int64_t v, char *p)
{
	if (t == DT_BOOL)
		v &= 1;
	memcpy(p, &v, dtype_size(t));
}

enum { NINTS = 10 };

/* Edge i of the integers of a dtype; signed or not, they have the same bits. */
static int64_t
edge_int(enum dtype t, int i)
{
	int64_t most = (int64_t)(~(uint64_t)0 >> (65 - 8 * dtype_size(t)));
	const int64_t edge[NINTS] = { 0, 1, -1, most, -most - 1, most - 1,
		-most, 2, -2, 3 };

	return edge[i];
}

static int64_t
sample_int(struct row *r, const struct call *c, enum dtype t)
{
	switch (c->kind) {
	case UNIFORM:
		return (1 + data_below(r, 9)) * (data_below(r, 2) ? 1 : -1);
	case WIDE:
		return (int64_t)next(r);
	case TINY:
		return data_below(r, 3) - 1;
	default:
		return edge_int(t, data_below(r, NINTS));
	}
}

int64_t
data_grid(const struct row *r, int n)
{
	int64_t base = dtype_is_float(r->dtype) ? 2 * NEDGES : NINTS;

	return n < 2 ? base : base * base;
}

/* Element i of a tensor of a grid: digit `digit` of i. */
static void
put_grid(struct row *r, enum dtype t, int64_t i, int digit, char *p)
{
	int64_t at = digit % 2 ? i / data_grid(r, 1) : i;

	if (!dtype_is_float(t))
		put_int(t, edge_int(t, (int)(at % NINTS)), p);
	else
		put_float(r, t, copysign(edges[at / 2 % NEDGES],
		    at % 2 ? -1 : 1), p);
}

/* An index of the axis that read 2 says, from either end; of kind EDGES now and
 * then one outside. */
static int64_t
some_index(struct row *r, const struct call *c)
{
	const struct shape *s = &c->read[0].shape;
	int64_t axis, n;

	if (match_ints(&c->read[2], &axis, 1) != 1)
		BUG("an axis is no number");
	n = s->dim[axis < 0 ? axis + s->rank : axis];
	if (n == 0 || (c->kind == EDGES && data_below(r, 40) == 0))
		return data_below(r, 2) ? n : -n - 1;
	return data_below(r, (int)(2 * n)) - n;
}

void
data_fill(struct row *r, const struct call *c, int k)
{
	int read = c->b.operand[k];
	bool grid = c->kind == GRID && !op_is_scalar(r->op, read);
	enum dtype t = c->b.in_dtype[k];
	int64_t count = shape_count(&c->read[read].shape, 1);
	char *p = r->in[k].plain;
	int digit = 0;

	for (int i = 0; i < k; i++)
		digit += !op_is_scalar(r->op, c->b.operand[i]);
	for (int64_t i = 0; i < count; i++, p += dtype_size(t)) {
		if (k == 1 && row_has_index(r))
			put_int(t, some_index(r, c), p);
		else if (grid)
			put_grid(r, t, i, digit, p);
		else if (dtype_is_float(t))
			put_float(r, t, sample(r, c, t), p);
		else
			put_int(t, sample_int(r, c, t), p);
	}
}
