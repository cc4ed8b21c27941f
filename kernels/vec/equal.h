/* SPDX-License-Identifier: MIT */
/*
 * |a - b| <= e, where what is equal is so for any e, infinities too, and a NaN
 * is equal to nothing. Integers have the exact difference; e below 0 is as 0.
 * Two bools are equal for a true e.
 */
#ifndef VEC_EQUAL_H
#define VEC_EQUAL_H

#include "vec/compare.h"

KV_INLINE v8b
kv_equal_f32(v8f a, v8f b, v8f e)
{
	return kv_bool_f32((a == b) | (kv_abs_f32(a - b) <= e));
}

KV_INLINE v8b
kv_equal_f64(v8d a, v8d b, v8d e)
{
	return kv_bool_f64((a == b) | (kv_abs_f64(a - b) <= e));
}

#define KV_EQUAL(S, T, V, U, M) \
	KV_INLINE v8b \
	kv_equal_##S(V a, V b, V e) \
	{ \
		U d = (U)kv_select_##S((M)(a > b), (V)((U)a - (U)b), \
		    (V)((U)b - (U)a)); \
		\
		return kv_bool_##S((M)(a == b) | \
		    ((M)(e > 0) & (M)(d <= (U)e))); \
	}

KV_INTS(KV_EQUAL)

KV_INLINE v8b
kv_equal_b(v8b a, v8b b, v8b e)
{
	return kv_bool_b(((a != 0) == (b != 0)) | (e != 0));
}

#endif
