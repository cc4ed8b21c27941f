/* SPDX-License-Identifier: MIT */
/*
 * A row of a matrix product of halves: c, of n elements, is a, of k, times b. An
 * element is summed in float32 in the order of k, each term one fma, and rounded
 * once.
 */
#ifndef VEC_HALFROW_H
#define VEC_HALFROW_H

#include "vec/half.h"

/* Vectors of sums that are under way at once. */
#define KV_HALF_SUMS 4

#define KV_HALF_ROW(S) \
	/* `groups` of them, of which the last holds `last` elements. */ \
	KV_INLINE void \
	kv_halfrow_part_##S(const uint16_t *a, const uint16_t *b, uint16_t *c, \
	    int64_t n, int64_t k, int groups, int last) \
	{ \
		v8f sum[KV_HALF_SUMS]; \
		\
		for (int v = 0; v < groups; v++) \
			sum[v] = kv_splat_f32(0); \
		for (int64_t i = 0; i < k; i++) { \
			v8f x = kv_splat_f32(kv_one_##S(a + i)); \
			\
			for (int v = 0; v < groups; v++) \
				sum[v] = kv_fma_f32(x, kv_load_##S( \
				    b + i * n + v * KV_LANES, \
				    v == groups - 1 ? last : KV_LANES), \
				    sum[v]); \
		} \
		for (int v = 0; v < groups; v++) \
			kv_store_##S(c + v * KV_LANES, sum[v], \
			    v == groups - 1 ? last : KV_LANES); \
	} \
	\
	KV_CALLED void \
	kv_halfrow_##S(const uint16_t *a, const uint16_t *b, uint16_t *c, \
	    int64_t n, int64_t k) \
	{ \
		int64_t j = 0; \
		\
		for (; n - j >= KV_HALF_SUMS * KV_LANES; \
		    j += KV_HALF_SUMS * KV_LANES) \
			kv_halfrow_part_##S(a, b + j, c + j, n, k, \
			    KV_HALF_SUMS, KV_LANES); \
		for (; n - j >= KV_LANES; j += KV_LANES) \
			kv_halfrow_part_##S(a, b + j, c + j, n, k, 1, KV_LANES); \
		if (j < n) \
			kv_halfrow_part_##S(a, b + j, c + j, n, k, 1, \
			    (int)(n - j)); \
	}

KV_HALF_ROW(f16)
KV_HALF_ROW(bf16)

#endif
