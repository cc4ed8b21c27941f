/* SPDX-License-Identifier: MIT */
/* The product; of nothing 1. */
#ifndef VEC_PROD_H
#define VEC_PROD_H

#include "vec/base.h"
#include "vec/reduce.h"

KV_INLINE v8f
kv_prod_f32(v8f a, v8f b)
{
	return a * b;
}

KV_INLINE v8d
kv_prod_f64(v8d a, v8d b)
{
	return a * b;
}

KV_REDUCTION(prod, f32, float, v8f, 1.0F, 1.0F);
KV_REDUCTION(prod, f64, double, v8d, 1.0, 1.0);

#define KV_PROD(S, T, V, U, M) \
	KV_INLINE V \
	kv_prod_##S(V a, V b) \
	{ \
		return (V)((U)a * (U)b); \
	} \
	\
	KV_REDUCTION(prod, S, T, V, 1, 1);

KV_INTS(KV_PROD)

#endif
