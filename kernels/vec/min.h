/* SPDX-License-Identifier: MIT */
/* (a < b || a != a) ? a : b, as in max.h. */
#ifndef VEC_MIN_H
#define VEC_MIN_H

#include "vec/base.h"

KV_INLINE v8f
kv_min_f32(v8f a, v8f b)
{
	return (v8f)((v8i)kv_select_f32(a < b, a, b) | (a != a));
}

KV_INLINE v8d
kv_min_f64(v8d a, v8d b)
{
	return (v8d)((v8l)kv_select_f64(a < b, a, b) | (a != a));
}

#endif
