/* SPDX-License-Identifier: MIT */
/*
 * The minimum as in min.h, NaN if there is one; of nothing +Inf, or the
 * greatest integer.
 */
#ifndef VEC_REDUCEMIN_H
#define VEC_REDUCEMIN_H

#include "vec/base.h"
#include "vec/min.h"
#include "vec/reduce.h"

KV_INLINE v8f
kv_reducemin_f32(v8f a, v8f b)
{
	return kv_min_f32(a, b);
}

KV_INLINE v8d
kv_reducemin_f64(v8d a, v8d b)
{
	return kv_min_f64(a, b);
}

KV_REDUCTION(reducemin, f32, float, v8f,
    __builtin_inff(), __builtin_inff());
KV_REDUCTION(reducemin, f64, double, v8d, __builtin_inf(), __builtin_inf());

#define KV_REDUCEMIN(S, T, V, U, M) \
	KV_INLINE V \
	kv_reducemin_##S(V a, V b) \
	{ \
		return kv_min_##S(a, b); \
	} \
	\
	KV_REDUCTION(reducemin, S, T, V, KV_HIGHEST(T), KV_HIGHEST(T));

KV_INTS(KV_REDUCEMIN)

#endif
