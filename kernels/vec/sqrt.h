/* SPDX-License-Identifier: MIT */
/* The square root, rounded correctly by the hardware; of -0 it is -0. */
#ifndef VEC_SQRT_H
#define VEC_SQRT_H

#include "vec/base.h"

KV_INLINE v8f
kv_sqrt_f32(v8f x)
{
	for (int i = 0; i < KV_LANES; i++)
		x[i] = __builtin_sqrtf(x[i]);
	return x;
}

KV_INLINE v8d
kv_sqrt_f64(v8d x)
{
	for (int i = 0; i < KV_LANES; i++)
		x[i] = __builtin_sqrt(x[i]);
	return x;
}

#endif
