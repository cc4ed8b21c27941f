/* SPDX-License-Identifier: MIT */
/*
 * The stream of uniform and normal, as ref/random.h says: a vector has the states
 * for as many results, which take some numbers each. Where a thread begins
 * follows from a power of the factor.
 */
#ifndef MIAOBYTE_RANDOM_H
#define MIAOBYTE_RANDOM_H

#define KV_WIDE
#define AUTHOR "miaobyte"
#include "ref/random.h"
#include "vec/base.h"
#include "vec/int.h"

enum { RANDOM_FACTOR = 16807, RANDOM_GRAIN = 1 << 14 };

static inline uint64_t
random_power(int64_t n)
{
	uint64_t power = 1, square = RANDOM_FACTOR;

	for (; n; n >>= 1) {
		if (n & 1)
			power = power * square % REF_MODULUS;
		square = square * square % REF_MODULUS;
	}
	return power;
}

/* Each lane times `by`, both below the modulus 2^31 - 1, so that the product's
 * upper bits count as much as the lower ones; neither is ever 0. */
KV_INLINE v8u64
random_times(v8u64 x, uint64_t by)
{
	v8u64 p = (x & 0xffffffff) * (by & 0xffffffff);

	p = (p & REF_MODULUS) + (p >> 31);
	return (p & REF_MODULUS) + (p >> 31);
}

/* Numbers i, i + step, … of the stream. */
static inline v8u64
random_at(uint64_t seed, int64_t i, int64_t step)
{
	v8u64 x = { 0 };

	for (int k = 0; k < KV_LANES; k++)
		x[k] = seed * random_power(i + k * step + 1) % REF_MODULUS;
	return x;
}

KV_INLINE v8d
random_double(v8u64 x)
{
	return __builtin_convertvector(__builtin_convertvector(x - 1, v8i), v8d);
}

/* The numbers in [0, 1) that begin there. */
KV_INLINE v8d
random_draw(v8u64 x)
{
	const double range = REF_MODULUS - 1;

	return (random_double(x) + random_double(random_times(x,
	    RANDOM_FACTOR)) * range) / (range * range);
}

#endif
