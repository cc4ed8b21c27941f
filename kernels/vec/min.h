/* SPDX-License-Identifier: MIT */
/* (a < b || a != a) ? a : b, as in max.h. */
#ifndef VEC_MIN_H
#define VEC_MIN_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_min_f32(v8f a, v8f b)
{
	return (v8f)((v8i)kv_select_f32(a < b, a, b) | (a != a));
}

KV_INLINE v8d
kv_min_f64(v8d a, v8d b)
{
	return (v8d)((v8l)kv_select_f64(a < b, a, b) | (a != a));
}

#define KV_MIN(S, T, V, U, M) \
	KV_INLINE V \
	kv_min_##S(V a, V b) \
	{ \
		return kv_select_##S((M)(a < b), a, b); \
	}

KV_INTS(KV_MIN)

#endif
