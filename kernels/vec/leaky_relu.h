/* SPDX-License-Identifier: MIT */
/* x where x >= 0, else slope x, rounded once; of a NaN a NaN. */
#ifndef VEC_LEAKY_RELU_H
#define VEC_LEAKY_RELU_H

#include "vec/base.h"

KV_INLINE v8f
kv_leaky_relu_f32(v8f x, v8f slope)
{
	return kv_select_f32(x >= 0, x, slope * x);
}

KV_INLINE v8d
kv_leaky_relu_f64(v8d x, v8d slope)
{
	return kv_select_f64(x >= 0, x, slope * x);
}

#endif
