/* SPDX-License-Identifier: MIT */
/* Whether x is Inf or -Inf. */
#ifndef VEC_ISINF_H
#define VEC_ISINF_H

#include "vec/compare.h"

KV_INLINE v8b
kv_isinf_f32(v8f x)
{
	return kv_bool_f32(kv_abs_f32(x) == __builtin_inff());
}

KV_INLINE v8b
kv_isinf_f64(v8d x)
{
	return kv_bool_f64(kv_abs_f64(x) == __builtin_inf());
}

#endif
