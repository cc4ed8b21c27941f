/* SPDX-License-Identifier: MIT */
#include "space/half.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits after the point, the least exponent of a normal number. */
struct format {
	int fraction, least;
};

static struct format
format_of(enum dtype t)
{
	return t == DT_FLOAT16 ? (struct format){ 10, -14 } :
	    (struct format){ 7, -126 };
}

/* All bits of an exponent of infinity or NaN. */
static uint16_t
infinity_of(struct format f)
{
	return (uint16_t)((3 - 2 * f.least) << f.fraction);
}

double
half_load(enum dtype t, const void *p)
{
	struct format f = format_of(t);
	uint16_t bits;
	double x;
	int m, e;

	memcpy(&bits, p, sizeof(bits));
	m = bits & ((1 << f.fraction) - 1);
	e = (bits & 0x7fff) >> f.fraction;
	if ((bits & 0x7fff) >= infinity_of(f))
		x = m ? (double)NAN : (double)INFINITY;
	else if (e == 0)
		x = ldexp(m, f.least - f.fraction);
	else
		x = ldexp(m | 1 << f.fraction, e - 1 + f.least - f.fraction);
	return bits >> 15 ? -x : x;
}

/* m * 2^-shift, rounded to nearest, ties to even. */
static uint64_t
shift_down(uint64_t m, int shift)
{
	uint64_t q, rest, half;

	if (shift <= 0)
		return m << -shift;
	if (shift > 64)
		return 0;
	q = shift == 64 ? 0 : m >> shift;
	half = (uint64_t)1 << (shift - 1);
	rest = shift == 64 ? m : m & (2 * half - 1);
	return q + (rest > half || (rest == half && (q & 1)));
}

/* Stores m * 2^e with a sign. */
static void
pack(struct format f, void *p, bool negative, uint64_t m, int e)
{
	int top, quantum;
	uint64_t bits = 0;
	uint16_t out;

	if (m) {
		top = 63 - __builtin_clzll(m) + e;
		if (top < f.least)
			top = f.least;
		quantum = top - f.fraction;
		/* The leading bit of a normal number is 1 in the exponent, into
		 * which a rounding up carries. */
		bits = shift_down(m, quantum - e);
		if (top - f.least > 1 - 2 * f.least)
			bits = infinity_of(f);
		else
			bits += (uint64_t)(top - f.least) << f.fraction;
		if (bits > infinity_of(f))
			bits = infinity_of(f);
	}
	out = (uint16_t)(bits | (uint64_t)negative << 15);
	memcpy(p, &out, sizeof(out));
}

void
half_store(enum dtype t, void *p, double x)
{
	struct format f = format_of(t);
	uint16_t out;
	double m;
	int e;

	if (isnan(x) || isinf(x)) {
		out = (uint16_t)(isnan(x) ? infinity_of(f) |
		    1 << (f.fraction - 1) : infinity_of(f) |
		    (signbit(x) ? 0x8000 : 0));
		memcpy(p, &out, sizeof(out));
		return;
	}
	m = ldexp(frexp(fabs(x), &e), 53);
	pack(f, p, signbit(x), (uint64_t)m, e - 53);
}

void
half_store_int(enum dtype t, void *p, bool negative, uint64_t m)
{
	pack(format_of(t), p, negative, negative ? 0 - m : m, 0);
}

/*
 * Between the two doubles around the number the one whose last bit is 1: it is
 * on the same side of what lies halfway between two halves as the number.
 */
double
half_of_text(const char *text)
{
	int mode = fegetround();
	double down, up;
	uint64_t bits;

	fesetround(FE_DOWNWARD);
	down = strtod(text, NULL);
	fesetround(FE_UPWARD);
	up = strtod(text, NULL);
	fesetround(mode);
	memcpy(&bits, &down, sizeof(bits));
	return bits & 1 ? down : up;
}
