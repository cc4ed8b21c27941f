/* SPDX-License-Identifier: MIT */
/* a - b, rounded once; integers wrap around. */
#ifndef VEC_SUB_H
#define VEC_SUB_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_sub_f32(v8f a, v8f b)
{
	return a - b;
}

KV_INLINE v8d
kv_sub_f64(v8d a, v8d b)
{
	return a - b;
}

#define KV_SUB(S, T, V, U, M) \
	KV_INLINE V \
	kv_sub_##S(V a, V b) \
	{ \
		return (V)((U)a - (U)b); \
	}

KV_INTS(KV_SUB)

#endif
