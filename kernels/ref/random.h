/* SPDX-License-Identifier: MIT */
/*
 * The stream of uniform and normal: minstd_rand0, x' = 16807 x mod (2^31 - 1),
 * begins with the seed, and two of its numbers make one in [0, 1). Seeds lie
 * between 1 and 2^31 - 2.
 */
#ifndef REF_RANDOM_H
#define REF_RANDOM_H

#include "ref/other.h"

enum { REF_MODULUS = 0x7fffffff };

static inline int
ref_is_seed(uint64_t x)
{
	return x >= 1 && x < REF_MODULUS;
}

/* The next number in [0, 1). */
static inline double
ref_draw(uint64_t *x)
{
	const double range = REF_MODULUS - 1;
	double low, high;

	*x = *x * 16807 % REF_MODULUS;
	low = (double)(*x - 1);
	*x = *x * 16807 % REF_MODULUS;
	high = (double)(*x - 1);
	return (low + high * range) / (range * range);
}

#endif
