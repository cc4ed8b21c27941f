/* SPDX-License-Identifier: MIT */
/* Results against the reference's, within the tolerance of ops/. */
#include "tests/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double
element(const char *p, int64_t i, enum dtype t)
{
	double v;

	dtype_convert(DT_FLOAT64, &v, t, p + (size_t)i * dtype_size(t), 1);
	return v;
}

/* The bits of an element, so that neighbours differ by 1. */
static int64_t
ordered(const char *p, int64_t i, enum dtype t)
{
	size_t size = dtype_size(t);
	int shift = 64 - 8 * (int)size;
	uint64_t bits = 0;
	int64_t v;

	memcpy(&bits, p + (size_t)i * size, size);
	v = (int64_t)(bits << shift) >> shift;
	return v < 0 ? (INT64_MIN >> shift) - v : v;
}

static bool
same(const struct row *r, const char *a, const char *b, int64_t i)
{
	return memcmp(a + (size_t)i * r->osize, b + (size_t)i * r->osize,
	    r->osize) == 0;
}

/* Whether both have the same bits or are at most `most` ulp apart, where zeros
 * are equal. With `flushes`, for an op whose results are normal numbers or 0,
 * one may see the smallest normal number where the other sees 0. */
static bool
near(const struct row *r, const char *got, const char *want, int64_t i,
    int64_t most, bool flushes)
{
	enum dtype t = r->odtype;
	int64_t a = ordered(got, i, t), b = ordered(want, i, t);
	int64_t normal = t == DT_FLOAT64 ? (int64_t)1 << 52 :
	    t == DT_BFLOAT16 ? 1 << 7 : 1 << 23;

	if (most == 0 || isnan(element(got, i, t)) ||
	    isnan(element(want, i, t)))
		return same(r, got, want, i);
	if (flushes && (a == 0 || b == 0))
		return a + b == 0 || (a + b >= normal && a + b <= normal + most);
	return llabs(a - b) <= most;
}

/*
 * Sums of k products that are added in any order, with or without fma, are at
 * most k ulp of the sum of their magnitudes apart.
 */
static bool
near_product(const struct row *r, const struct call *c, double a, double b,
    int64_t i)
{
	const struct shape *s = &c->read[0].shape;
	bool f64 = r->odtype == DT_FLOAT64;
	double k = (double)s->dim[s->rank - 1] + 4;

	return fabs(a - b) <= k * (f64 ? 0x1p-1074 : 0x1p-149) +
	    k * (f64 ? 0x1p-52 : 0x1p-23) * element(r->sums, i, r->odtype);
}

static bool
of_magnitudes(const struct op *op)
{
	return strcmp(op->tolerance, "REL") == 0 ||
	    strcmp(op->tolerance, "MEAN") == 0;
}

bool
compare_needs_sums(const struct row *r)
{
	return r->blas || of_magnitudes(r->op);
}

/* The order of sums (vec/reduce.h). */
enum { KV_CHUNK = 2048, KV_LANES = 8 };

/*
 * How many roundings an element of a sum goes through, of the k of a result:
 * in its lane, over the lanes, over the chunks, and two at the end, of a mean's
 * quotient and of the reference.
 */
static double
roundings(const struct call *c)
{
	int64_t all = shape_count(&c->read[0].shape, 1), chunks, levels = 0;
	int64_t results = shape_count(&c->b.out[0], 1);
	int64_t k = results ? all / results : 0;

	chunks = (k + KV_CHUNK - 1) / KV_CHUNK;
	while ((int64_t)1 << levels < chunks)
		levels++;
	if (k > KV_CHUNK)
		k = KV_CHUNK;
	return (double)(k / KV_LANES + 1 + 3 + levels + 2);
}

/* What the roundings of two float32 to a half make of their difference, and the
 * rounding of the sum of magnitudes. */
static double
rounding(enum dtype t, double x)
{
	return t == DT_FLOAT16 ? fabs(x) * 0x1p-9 + 0x1p-23 :
	    t == DT_BFLOAT16 ? fabs(x) * 0x1p-6 + 0x1p-132 : 0;
}

static bool
agrees(const struct row *r, const struct call *c, const char *got, int64_t i)
{
	const char *tol = r->op->tolerance, *want = r->out.plain;
	bool f64 = r->odtype == DT_FLOAT64, sum = of_magnitudes(r->op);
	bool half = dtype_is_half(r->odtype), ulp = !strncmp(tol, "ULP", 3);
	double a, b;

	if (same(r, got, want, i))
		return true;
	if (!dtype_is_float(r->odtype))
		return false;
	a = element(got, i, r->odtype);
	b = element(want, i, r->odtype);
	/* Which of two zeros a reduction meets last follows from the order, in
	 * which ref does not reduce; the unit tests look at that. */
	if (r->op->cls == OP_REDUCE && a == 0 && b == 0)
		return true;
	if (r->blas && isfinite(a) && isfinite(b))
		return near_product(r, c, a, b, i);
	/* Two float32 that are near each other are the same half or neighbours. */
	if (half && (ulp || sum || strcmp(tol, "ABS") == 0) &&
	    near(r, got, want, i, 1, strcmp(r->op->name, "expshift") == 0))
		return true;
	if (!sum && strcmp(tol, "ABS") != 0)
		return near(r, got, want, i, ulp && !half ?
		    strtol(tol + 3, NULL, 10) : 0,
		    strcmp(r->op->name, "expshift") == 0);
	if (!isfinite(a) || !isfinite(b))
		return false;
	if (sum)
		return fabs(a - b) <= roundings(c) * (f64 ? 0x1p-53 : 0x1p-24) *
		    element(r->sums, i, r->odtype) + rounding(r->odtype, b);
	return fabs(a - b) <= (f64 ? 1e-15 : 1e-6) * fmax(1, fabs(b)) +
	    rounding(r->odtype, b);
}

/* Element i of the operands of an elementwise op, where they do not broadcast
 * but are one number. */
static void
inputs_text(const struct row *r, const struct call *c, int64_t i, char *text,
    size_t n)
{
	int64_t count = shape_count(&c->b.out[0], 1);

	*text = '\0';
	for (int k = 0; k < c->b.nin && r->op->cls == OP_MAP; k++) {
		int64_t own = shape_count(&c->read[c->b.operand[k]].shape, 1);
		uint64_t bits = 0;
		size_t used = strlen(text);

		if (own != count && own != 1)
			return;
		memcpy(&bits, r->in[k].plain + (own == 1 ? 0 :
		    (size_t)i * call_size(c, k)), call_size(c, k));
		snprintf(text + used, n - used, "%s%#llx", k ? ", " : " of ",
		    (unsigned long long)bits);
	}
}

void
compare_all(struct row *r, const struct call *c, const char *got,
    const char *where)
{
	int64_t count = shape_count(&c->b.out[r->which], r->osize);
	uint64_t g = 0, w = 0;
	char of[100];

	for (int64_t i = 0; i < count; i++) {
		if (agrees(r, c, got, i))
			continue;
		memcpy(&g, got + (size_t)i * r->osize, r->osize);
		memcpy(&w, r->out.plain + (size_t)i * r->osize, r->osize);
		inputs_text(r, c, i, of, sizeof of);
		row_fail(r, "%s: element %lld%s is 0x%llx, expected 0x%llx (%s)",
		    where, (long long)i, of, (unsigned long long)g,
		    (unsigned long long)w, r->op->tolerance);
	}
}
