/* SPDX-License-Identifier: MIT */
/* The sum; of nothing 0. */
#ifndef VEC_SUM_H
#define VEC_SUM_H

#include "vec/base.h"
#include "vec/reduce.h"

KV_INLINE v8f
kv_sum_f32(v8f a, v8f b)
{
	return a + b;
}

KV_INLINE v8d
kv_sum_f64(v8d a, v8d b)
{
	return a + b;
}

KV_REDUCTION(sum, f32, float, v8f, -0.0F, 0.0F);
KV_REDUCTION(sum, f64, double, v8d, -0.0, 0.0);

#define KV_SUM(S, T, V, U, M) \
	KV_INLINE V \
	kv_sum_##S(V a, V b) \
	{ \
		return (V)((U)a + (U)b); \
	} \
	\
	KV_REDUCTION(sum, S, T, V, 0, 0);

KV_INTS(KV_SUM)

#endif
