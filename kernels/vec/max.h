/* SPDX-License-Identifier: MIT */
/*
 * (a > b || a != a) ? a : b: NaN on either side gives NaN, and of two zeros
 * the second is taken.
 */
#ifndef VEC_MAX_H
#define VEC_MAX_H

#include "vec/base.h"
#include "vec/int.h"

/*
 * The select alone is one machine instruction; where a is NaN, all bits are
 * set, which is a NaN too.
 */
KV_INLINE v8f
kv_max_f32(v8f a, v8f b)
{
	return (v8f)((v8i)kv_select_f32(a > b, a, b) | (a != a));
}

KV_INLINE v8d
kv_max_f64(v8d a, v8d b)
{
	return (v8d)((v8l)kv_select_f64(a > b, a, b) | (a != a));
}

#define KV_MAX(S, T, V, U, M) \
	KV_INLINE V \
	kv_max_##S(V a, V b) \
	{ \
		return kv_select_##S((M)(a > b), a, b); \
	}

KV_INTS(KV_MAX)

#endif
