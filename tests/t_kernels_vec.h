/* SPDX-License-Identifier: MIT */
/* Numbers for the tests of kernels/vec: random ones, their bits, errors. */
#ifndef TESTS_T_KERNELS_VEC_H
#define TESTS_T_KERNELS_VEC_H

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

#endif
