/* SPDX-License-Identifier: MIT */
/*
 * The product, in the order that kernels reduce in (vec/reduce.h): any other
 * may overflow elsewhere.
 */
#include "ref/arith.h"
#include "ref/axes.h"

#define PROD(S, T) \
	/* The lanes of one chunk, elements first to end - 1. */ \
	static T \
	chunk_##S(const T *x, int64_t first, int64_t end, \
	    const int64_t *axes) \
	{ \
		T lane[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }; \
		\
		for (int64_t j = first; j < end; j++) \
			lane[j % 8] = ref_mul_##S( \
			    lane[j % 8], x[ref_at(axes, j)]); \
		for (int half = 4; half > 0; half /= 2) \
			for (int i = 0; i < half; i++) \
				lane[i] = ref_mul_##S( \
				    lane[i], lane[i + half]); \
		return lane[0]; \
	} \
	\
	/* Chunks lo to hi - 1: neighbours combine, an odd last one passes up, \
	 * which splits them at the largest power of two below their number. */ \
	static T \
	chunks_##S(const T *x, int64_t lo, int64_t hi, int64_t n, \
	    const int64_t *axes) \
	{ \
		int64_t half = 1; \
		\
		if (hi - lo == 1) \
			return chunk_##S(x, lo * 2048, \
			    hi * 2048 < n ? hi * 2048 : n, axes); \
		while (half * 2 < hi - lo) \
			half *= 2; \
		return ref_mul_##S(chunks_##S(x, lo, lo + half, n, axes), \
		    chunks_##S(x, lo + half, hi, n, axes)); \
	}

PROD(f32, float)
PROD(f64, double)
PROD(i8, int8_t)
PROD(i16, int16_t)
PROD(i32, int)
PROD(i64, int64_t)
PROD(u8, uint8_t)
PROD(u16, uint16_t)
PROD(u32, uint32_t)
PROD(u64, uint64_t)

#define NAME "prod"
#ifndef TYPES
#define TYPES(X) FLOATS(X) INTS(X)
#endif
#define REDUCE(S, T) \
	return n ? chunks_##S(x, 0, (n + 2047) / 2048, n, axes) : 1;

#include "ref/reduce.h"
