/* SPDX-License-Identifier: MIT */
/*
 * 1 / sqrt x, each of the two rounded, within 2 ulp; of +-0 +-Inf, of negative
 * numbers NaN.
 */
#ifndef VEC_RSQRT_H
#define VEC_RSQRT_H

#include "vec/sqrt.h"

KV_INLINE v8f
kv_rsqrt_f32(v8f x)
{
	return 1 / kv_sqrt_f32(x);
}

KV_INLINE v8d
kv_rsqrt_f64(v8d x)
{
	return 1 / kv_sqrt_f64(x);
}

#endif
