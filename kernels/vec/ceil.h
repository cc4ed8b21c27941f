/* SPDX-License-Identifier: MIT */
/* The least integer that is not below x; of -0 and numbers in (-1, 0) it is -0. */
#ifndef VEC_CEIL_H
#define VEC_CEIL_H

#include "vec/base.h"

KV_INLINE v8f
kv_ceil_f32(v8f x)
{
	return -kv_floor_f32(-x);
}

KV_INLINE v8d
kv_ceil_f64(v8d x)
{
	return -kv_floor_f64(-x);
}

#endif
