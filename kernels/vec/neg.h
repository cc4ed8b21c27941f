/* SPDX-License-Identifier: MIT */
/* -x, of zeros too; integers wrap around. */
#ifndef VEC_NEG_H
#define VEC_NEG_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_neg_f32(v8f x)
{
	return -x;
}

KV_INLINE v8d
kv_neg_f64(v8d x)
{
	return -x;
}

#define KV_NEG(S, T, V, U, M) \
	KV_INLINE V \
	kv_neg_##S(V x) \
	{ \
		return (V)(0 - (U)x); \
	}

KV_INTS(KV_NEG)

#endif
