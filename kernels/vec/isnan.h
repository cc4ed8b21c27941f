/* SPDX-License-Identifier: MIT */
/* Whether x is a NaN. */
#ifndef VEC_ISNAN_H
#define VEC_ISNAN_H

#include "vec/compare.h"

KV_INLINE v8b
kv_isnan_f32(v8f x)
{
	return kv_bool_f32(x != x);
}

KV_INLINE v8b
kv_isnan_f64(v8d x)
{
	return kv_bool_f64(x != x);
}

#endif
