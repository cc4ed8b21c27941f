/* SPDX-License-Identifier: MIT */
/*
 * The product, in the order that kernels reduce in (vec/reduce.h): any other
 * may overflow elsewhere.
 */
#include "ref/arith.h"
#include "ref/axes.h"

/* S, V: what computes; get: from elements of type T. */
#define PROD_BY(S, V, T, get) \
	/* The lanes of one chunk, elements first to end - 1. */ \
	static V \
	chunk_##get(const T *x, int64_t first, int64_t end, \
	    const int64_t *axes) \
	{ \
		V lane[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }; \
		\
		for (int64_t j = first; j < end; j++) \
			lane[j % 8] = ref_mul_##S( \
			    lane[j % 8], get(x, ref_at(axes, j))); \
		for (int half = 4; half > 0; half /= 2) \
			for (int i = 0; i < half; i++) \
				lane[i] = ref_mul_##S( \
				    lane[i], lane[i + half]); \
		return lane[0]; \
	} \
	\
	/* Chunks lo to hi - 1: neighbours combine, an odd last one passes up, \
	 * which splits them at the largest power of two below their number. */ \
	static V \
	chunks_##get(const T *x, int64_t lo, int64_t hi, int64_t n, \
	    const int64_t *axes) \
	{ \
		int64_t half = 1; \
		\
		if (hi - lo == 1) \
			return chunk_##get(x, lo * 2048, \
			    hi * 2048 < n ? hi * 2048 : n, axes); \
		while (half * 2 < hi - lo) \
			half *= 2; \
		return ref_mul_##S(chunks_##get(x, lo, lo + half, n, axes), \
		    chunks_##get(x, lo + half, hi, n, axes)); \
	}

#define PROD(S, T, t) PROD_OF(CALC_##S, VALUE_##S, T, ref_get_##S)
#define PROD_OF(...) PROD_BY(__VA_ARGS__)

FLOATS(PROD)
HALVES(PROD)
INTS(PROD)

#define NAME "prod"
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif
#define REDUCE(S, T, get) \
	return n ? chunks_##get(x, 0, (n + 2047) / 2048, n, axes) : 1;

#include "ref/reduce.h"
