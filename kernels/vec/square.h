/* SPDX-License-Identifier: MIT */
/* x * x, rounded once. */
#ifndef VEC_SQUARE_H
#define VEC_SQUARE_H

#include "vec/base.h"

KV_INLINE v8f
kv_square_f32(v8f x)
{
	return x * x;
}

KV_INLINE v8d
kv_square_f64(v8d x)
{
	return x * x;
}

#endif
