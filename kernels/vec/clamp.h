/* SPDX-License-Identifier: MIT */
/* min(max(x, lo), hi): a NaN stays, and where lo > hi the result is hi. */
#ifndef VEC_CLAMP_H
#define VEC_CLAMP_H

#include "vec/max.h"
#include "vec/min.h"

KV_INLINE v8f
kv_clamp_f32(v8f x, v8f lo, v8f hi)
{
	return kv_min_f32(kv_max_f32(x, lo), hi);
}

KV_INLINE v8d
kv_clamp_f64(v8d x, v8d lo, v8d hi)
{
	return kv_min_f64(kv_max_f64(x, lo), hi);
}

#define KV_CLAMP(S, T, V, U, M) \
	KV_INLINE V \
	kv_clamp_##S(V x, V lo, V hi) \
	{ \
		return kv_min_##S(kv_max_##S(x, lo), hi); \
	}

KV_INTS(KV_CLAMP)

#endif
