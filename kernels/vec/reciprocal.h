/* SPDX-License-Identifier: MIT */
/* 1 / x, rounded correctly by the hardware; of +-0 +-Inf. */
#ifndef VEC_RECIPROCAL_H
#define VEC_RECIPROCAL_H

#include "vec/base.h"

KV_INLINE v8f
kv_reciprocal_f32(v8f x)
{
	return 1 / x;
}

KV_INLINE v8d
kv_reciprocal_f64(v8d x)
{
	return 1 / x;
}

#endif
