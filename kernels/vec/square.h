/* SPDX-License-Identifier: MIT */
/* x * x, rounded once; integers wrap around. */
#ifndef VEC_SQUARE_H
#define VEC_SQUARE_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_square_f32(v8f x)
{
	return x * x;
}

KV_INLINE v8d
kv_square_f64(v8d x)
{
	return x * x;
}

#define KV_SQUARE(S, T, V, U, M) \
	KV_INLINE V \
	kv_square_##S(V x) \
	{ \
		return (V)((U)x * (U)x); \
	}

KV_INTS(KV_SQUARE)

#endif
