/* SPDX-License-Identifier: MIT */
/* max(x, 0): a NaN stays, -0 becomes 0. */
#ifndef VEC_RELU_H
#define VEC_RELU_H

#include "vec/base.h"
#include "vec/int.h"
#include "vec/max.h"

KV_INLINE v8f
kv_relu_f32(v8f x)
{
	return kv_max_f32(x, kv_splat_f32(0));
}

KV_INLINE v8d
kv_relu_f64(v8d x)
{
	return kv_max_f64(x, kv_splat_f64(0));
}

#define KV_RELU(S, T, V, U, M) \
	KV_INLINE V \
	kv_relu_##S(V x) \
	{ \
		return kv_select_##S(x > 0, x, (V){ 0 }); \
	}

#define KV_RELU_SAME(S, T, V, U, M) \
	KV_INLINE V \
	kv_relu_##S(V x) \
	{ \
		return x; \
	}

KV_SIGNED(KV_RELU)
KV_UNSIGNED(KV_RELU_SAME)

#endif
