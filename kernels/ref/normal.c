/* SPDX-License-Identifier: MIT */
/*
 * Normally distributed numbers (Box and Muller), of the numbers u in [0, 1) that
 * uniform draws: elements 2i and 2i + 1 are mean + std r cos a and
 * mean + std r sin a, r = sqrt(-2 ln(1 - u)) of draw 2i, where 1 - u is at least
 * 2^-53, and a = 2 pi u of draw 2i + 1. All is computed in double and rounded
 * once, halves to float first. The functions are those of vec/, whose accuracy has tests of its own:
 * results are the same to the bit.
 */
#include "ref/random.h"
#include "vec/cos.h"
#include "vec/log.h"
#include "vec/sin.h"
#include "vec/sqrt.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif

/* The next two numbers, for mean 0 and std 1. */
static inline void
draw_pair(uint64_t *x, double pair[2])
{
	double rest = 1 - ref_draw(x), u = ref_draw(x), r;

	rest = rest < 0x1p-53 ? 0x1p-53 : rest;
	r = kv_sqrt_f64(-2 * kv_log_f64(kv_splat_f64(rest)))[0];
	pair[0] = r * kv_cos_f64(kv_splat_f64(6.283185307179586 * u))[0];
	pair[1] = r * kv_sin_f64(kv_splat_f64(6.283185307179586 * u))[0];
}

#define CANON(S, v) REF_CANON(S, v)
#define REF_CANON(S, v) ref_canon_##S(v)

#define NORMAL(S, T, t) \
	static int \
	normal_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		const int64_t *seed = ref_next(ref_next(out)); \
		double mean = ref_get_##S(ptr[0], 0); \
		double std = ref_get_##S(ptr[1], 0); \
		int64_t n = ref_count(out); \
		uint64_t x = (uint64_t)seed[1]; \
		double pair[2] = { 0 }; \
		\
		(void)stream; \
		if (!ref_is_seed(x)) \
			return KVK_RANGE; \
		for (int64_t i = 0; i < n; i++) { \
			if (i % 2 == 0) \
				draw_pair(&x, pair); \
			((T *)ptr[2])[i] = ref_put_##S(CANON(CALC_##S, \
			    (VALUE_##S)(mean + std * pair[i % 2]))); \
		} \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("normal", "[]int32|[]int64," SCALAR "," SCALAR \
	    ",int32|int64->[*]" t, t, KVK_OTHER, 2, 0, normal_##S)

TYPES(NORMAL)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
