/* SPDX-License-Identifier: MIT */
/*
 * The maximum as in max.h, NaN if there is one; of nothing -Inf, or the
 * least integer.
 */
#ifndef VEC_REDUCEMAX_H
#define VEC_REDUCEMAX_H

#include "vec/base.h"
#include "vec/max.h"
#include "vec/reduce.h"

KV_INLINE v8f
kv_reducemax_f32(v8f a, v8f b)
{
	return kv_max_f32(a, b);
}

KV_INLINE v8d
kv_reducemax_f64(v8d a, v8d b)
{
	return kv_max_f64(a, b);
}

KV_REDUCTION(reducemax, f32, float, v8f,
    -__builtin_inff(), -__builtin_inff());
KV_REDUCTION(reducemax, f64, double, v8d, -__builtin_inf(), -__builtin_inf());

#define KV_REDUCEMAX(S, T, V, U, M) \
	KV_INLINE V \
	kv_reducemax_##S(V a, V b) \
	{ \
		return kv_max_##S(a, b); \
	} \
	\
	KV_REDUCTION(reducemax, S, T, V, KV_LOWEST(T), KV_LOWEST(T));

KV_INTS(KV_REDUCEMAX)

#endif
