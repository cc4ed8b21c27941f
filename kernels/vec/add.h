/* SPDX-License-Identifier: MIT */
/* a + b, rounded once; integers wrap around. */
#ifndef VEC_ADD_H
#define VEC_ADD_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_add_f32(v8f a, v8f b)
{
	return a + b;
}

KV_INLINE v8d
kv_add_f64(v8d a, v8d b)
{
	return a + b;
}

#define KV_ADD(S, T, V, U, M) \
	KV_INLINE V \
	kv_add_##S(V a, V b) \
	{ \
		return (V)((U)a + (U)b); \
	}

KV_INTS(KV_ADD)

#endif
