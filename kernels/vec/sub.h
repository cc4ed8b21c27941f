/* SPDX-License-Identifier: MIT */
/* a - b, rounded once. */
#ifndef VEC_SUB_H
#define VEC_SUB_H

#include "vec/base.h"

KV_INLINE v8f
kv_sub_f32(v8f a, v8f b)
{
	return a - b;
}

KV_INLINE v8d
kv_sub_f64(v8d a, v8d b)
{
	return a - b;
}

#endif
