/* SPDX-License-Identifier: MIT */
/* max(x, 0): a NaN stays, -0 becomes 0. */
#ifndef VEC_RELU_H
#define VEC_RELU_H

#include "vec/base.h"
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

#endif
