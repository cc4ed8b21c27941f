/* SPDX-License-Identifier: MIT */
#include "tests/bytes/bytes.h"

#include <math.h>
#include <string.h>

uint64_t
rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int64_t
rng_below(struct rng *r, int64_t n)
{
	return (int64_t)(rng_next(r) % (uint64_t)n);
}

bool
rng_one_in(struct rng *r, int64_t n)
{
	return rng_below(r, n) == 0;
}

double
rng_float(struct rng *r)
{
	return (double)(rng_next(r) >> 34) * 0x1p-27 - 4.0;
}

static double
sign(struct rng *r)
{
	return rng_one_in(r, 2) ? 1 : -1;
}

/* A NaN, quiet or not, of either sign, with a payload; as bits. */
static uint64_t
odd_nan(struct rng *r, enum dtype t)
{
	uint64_t bits = rng_next(r) | 1;

	return bits | (t == DT_FLOAT64 ? 0x7ff0000000000000u :
	    t == DT_FLOAT32 ? 0x7f800000 : t == DT_FLOAT16 ? 0x7c00 : 0x7f80);
}

static void
put_bits(enum dtype t, void *at, uint64_t bits)
{
	/* Little-endian: the low bytes come first. */
	memcpy(at, &bits, dtype_size(t));
}

static void
put_number(enum dtype t, void *at, double d)
{
	dtype_convert(t, at, DT_FLOAT64, &d, 1);
}

/* A denormal number as bits. */
static uint64_t
denormal(struct rng *r, enum dtype t)
{
	uint64_t bits = rng_next(r);

	return bits & (t == DT_FLOAT64 ? 0x800fffffffffffffu :
	    t == DT_FLOAT32 ? 0x807fffff : t == DT_FLOAT16 ? 0x83ff : 0x807f);
}

static double
huge(struct rng *r, enum dtype t)
{
	double most = t == DT_FLOAT64 ? 1.7e308 : 3e38;

	if (t == DT_FLOAT16)
		return sign(r) * (rng_one_in(r, 2) ? 65504 : 300);
	return sign(r) * (rng_one_in(r, 2) ? most : 3e38);
}

/* One element of a style; `always` is the value of rows of equal elements. */
static void
put_element(struct rng *r, enum row_style style, enum dtype t, void *at,
    double always)
{
	switch (style) {
	case ROW_UNIFORM: case ROW_NAN: case ROW_PLUS_INF: case ROW_MINUS_INF:
	case ROW_STYLES:
		put_number(t, at, rng_float(r));
		return;
	case ROW_WIDE:
		put_number(t, at, 30 * rng_float(r));
		return;
	case ROW_LARGE:
		put_number(t, at, 3e7 + 4 * rng_float(r));
		return;
	case ROW_HUGE:
		put_number(t, at, huge(r, t));
		return;
	case ROW_ALL_MINUS_INF:
		put_number(t, at, -INFINITY);
		return;
	case ROW_DENORMAL:
		put_bits(t, at, denormal(r, t));
		return;
	case ROW_ZEROS:
		put_number(t, at, sign(r) * 0.0);
		return;
	case ROW_EQUAL:
		put_number(t, at, always);
		return;
	case ROW_BITS:
		put_bits(t, at, rng_next(r));
		return;
	case ROW_MIXED:
		style = (enum row_style)rng_below(r, ROW_NAN);
		put_element(r, style, t, at, always);
	}
}

void
data_row(struct rng *r, enum row_style style, enum dtype t, void *body,
    int64_t n)
{
	size_t size = dtype_size(t);
	double always = rng_float(r);
	char *at = body;
	int64_t i;

	for (i = 0; i < n; i++)
		put_element(r, style, t, at + (size_t)i * size, always);
	if (n == 0)
		return;
	at += (size_t)rng_below(r, n) * size;
	if (style == ROW_NAN)
		put_bits(t, at, odd_nan(r, t));
	else if (style == ROW_PLUS_INF)
		put_number(t, at, INFINITY);
	else if (style == ROW_MINUS_INF)
		put_number(t, at, -INFINITY);
}

struct value
data_tensor(struct rng *r, struct arena *a, enum dtype t,
    const struct shape *shape, int first)
{
	int64_t count = shape_count(shape, 8);
	int64_t n = shape->rank ? shape->dim[shape->rank - 1] : 1;
	int64_t rows = n > 0 ? count / n : 0, i;
	size_t size = dtype_size(t);
	char *body = arena_array(a, (size_t)count, size);

	for (i = 0; i < rows; i++) {
		int style = first >= 0 ? first + (int)(i % ROW_STYLES) :
		    (int)rng_below(r, 2 * ROW_STYLES);

		/* Every other random row is an everyday one. */
		if (first < 0 && style >= ROW_STYLES)
			style = ROW_UNIFORM;
		data_row(r, (enum row_style)(style % ROW_STYLES), t,
		    body + (size_t)(i * n) * size, n);
	}
	return value_tensor(a, t, shape, body);
}

void
bytes_range(const struct bytes_options *opt, long count, long *first,
    long *end)
{
	*first = opt->only < 0 ? 0 : opt->only;
	*end = opt->only >= 0 ? opt->only + 1 : opt->count ? opt->count :
	    count;
}
