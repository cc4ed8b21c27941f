/* SPDX-License-Identifier: MIT */
/*
 * A row of a matrix product of halves: c, of n elements, is a, of k, times b. An
 * element is summed in float32 in the order of k, each term one fma, and rounded
 * once. Steps count elements: of a, from row to row of b, from column to column.
 */
#ifndef VEC_HALFROW_H
#define VEC_HALFROW_H

#include "vec/half.h"

/* Vectors of sums that are under way at once. */
#define KV_HALF_SUMS 4

struct kv_halfsteps {
	int64_t a, row, col;
};

#define KV_HALF_ROW(S) \
	/* Some elements of a row of b. */ \
	KV_INLINE v8f \
	kv_halfrow_load_##S(const uint16_t *b, int64_t col, int lanes) \
	{ \
		uint16_t part[KV_LANES]; \
		\
		if (col == 1) \
			return kv_load_##S(b, lanes); \
		for (int64_t i = 0; i < lanes; i++) \
			part[i] = b[i * col]; \
		return kv_load_##S(part, lanes); \
	} \
	\
	/* `groups` of them, of which the last holds `last` elements. */ \
	KV_INLINE void \
	kv_halfrow_part_##S(const uint16_t *a, const uint16_t *b, uint16_t *c, \
	    const struct kv_halfsteps *step, int64_t k, int groups, \
	    int last) \
	{ \
		v8f sum[KV_HALF_SUMS]; \
		\
		for (int v = 0; v < groups; v++) \
			sum[v] = kv_splat_f32(0); \
		for (int64_t i = 0; i < k; i++) { \
			v8f x = kv_splat_f32( \
			    kv_one_##S(a + i * step->a)); \
			\
			for (int v = 0; v < groups; v++) \
				sum[v] = kv_fma_f32(x, kv_halfrow_load_##S( \
				    b + i * step->row + \
				    v * KV_LANES * step->col, step->col, \
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
	    int64_t n, int64_t k, struct kv_halfsteps step) \
	{ \
		int64_t j = 0; \
		\
		for (; n - j >= KV_HALF_SUMS * KV_LANES; \
		    j += KV_HALF_SUMS * KV_LANES) \
			kv_halfrow_part_##S(a, b + j * step.col, c + j, &step, \
			    k, KV_HALF_SUMS, KV_LANES); \
		for (; n - j >= KV_LANES; j += KV_LANES) \
			kv_halfrow_part_##S(a, b + j * step.col, c + j, &step, \
			    k, 1, KV_LANES); \
		if (j < n) \
			kv_halfrow_part_##S(a, b + j * step.col, c + j, &step, \
			    k, 1, (int)(n - j)); \
	}

KV_HALF_ROW(f16)
KV_HALF_ROW(bf16)

#endif
