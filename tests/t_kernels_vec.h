/* SPDX-License-Identifier: MIT */
/* Numbers for the tests of kernels/vec: random ones, their bits, errors. */
#ifndef TESTS_T_KERNELS_VEC_H
#define TESTS_T_KERNELS_VEC_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
random_bits(void)
{
	static uint64_t state = 7;
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Uniform in [lo, hi). */
static inline double
random_in(double lo, double hi)
{
	return lo + (hi - lo) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static inline float
float_of(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof x);
	return x;
}

static inline double
double_of(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof x);
	return x;
}

static inline uint32_t
bits_f32(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

static inline uint64_t
bits_f64(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

/* The same bits, or both NaN. */
static inline int
same_f32(float a, float b)
{
	return (a != a && b != b) || bits_f32(a) == bits_f32(b);
}

static inline int
same_f64(double a, double b)
{
	return (a != a && b != b) || bits_f64(a) == bits_f64(b);
}

/* |y - ref| in units of the last place of a result with `digits` bits whose
 * smallest normal number is 2^least. */
static inline double
ulps(long double y, long double ref, int digits, int least)
{
	int e;

	if (y == ref)
		return 0;
	frexpl(ref, &e);
	e = e - 1 < least ? least : e - 1;
	return (double)fabsl(ldexpl(y - ref, digits - 1 - e));
}

/* Numbers at the edges, each in both dtypes. */
static const float special_f32[] = { 0, -0.0F, 1, -1, 0.5F, -0.5F, 1.5F, 2.5F,
	-2.5F, 0x1p-149F, -0x1p-149F, 0x1p-126F, 0x1.fffffcp-127F, 0x1p-75F,
	0x1.fffffep127F, -0x1.fffffep127F, INFINITY, -INFINITY, NAN, 8388607.5F,
	8388608, 1e9F, 0x1.000002p0F, 0x1.fffffep-1F, 0x1.800002p-75F };
enum { NSPECIAL = sizeof special_f32 / sizeof *special_f32 };

static const double special_f64[NSPECIAL] = { 0, -0.0, 1, -1, 0.5, -0.5, 1.5,
	2.5, -2.5, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.ffffffffffffep-1023,
	0x1p-537, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN, 4503599627370495.5,
	0x1p52, 1e17, 0x1.0000000000001p0, 0x1.fffffffffffffp-1,
	0x1.8000000000001p-537 };

#endif
