/* SPDX-License-Identifier: MIT */
/*
 * Random numbers in [low, high): minstd_rand0, x' = 16807 x mod (2^31 - 1),
 * begins with the seed, and two of its numbers make one element, computed in
 * double and rounded once. Seeds lie between 1 and 2^31 - 2.
 */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X)
#endif

enum { MODULUS = 0x7fffffff };

/* The next number in [0, 1). */
static inline double
draw(uint64_t *x)
{
	const double range = MODULUS - 1;
	double low, high;

	*x = *x * 16807 % MODULUS;
	low = (double)(*x - 1);
	*x = *x * 16807 % MODULUS;
	high = (double)(*x - 1);
	return (low + high * range) / (range * range);
}

#define UNIFORM(S, T, t) \
	static int \
	uniform_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		const int64_t *seed = ref_next(ref_next(out)); \
		double low = *(const T *)ptr[0], high = *(const T *)ptr[1]; \
		int64_t n = ref_count(out); \
		uint64_t x = (uint64_t)seed[1]; \
		\
		(void)stream; \
		if (x < 1 || x >= MODULUS) \
			return KVK_RANGE; \
		for (int64_t i = 0; i < n; i++) \
			((T *)ptr[2])[i] = ref_canon_##S( \
			    (T)(low + draw(&x) * (high - low))); \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("uniform", "[]int32|[]int64," SCALAR "," SCALAR \
	    ",int32|int64->[*]" t, t, KVK_OTHER, 2, 0, uniform_##S)

TYPES(UNIFORM)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
