/* SPDX-License-Identifier: MIT */
/* To the nearest integer, ties to even, the sign of a zero kept. */
#ifndef VEC_ROUND_H
#define VEC_ROUND_H

#include "vec/base.h"

KV_INLINE v8f
kv_round_f32(v8f x)
{
	return kv_rint_f32(x);
}

KV_INLINE v8d
kv_round_f64(v8d x)
{
	return kv_rint_f64(x);
}

#endif
