/* SPDX-License-Identifier: MIT */
/*
 * The cosine, within 1 ulp for every x; of infinities NaN. f32 is computed in
 * double and rounded once.
 */
#ifndef VEC_COS_H
#define VEC_COS_H

#include "vec/trig.h"

KV_INLINE v8d
kv_cos_f64(v8d x)
{
	struct kv_angle a = kv_angle_of(x);
	v8d even = kv_cosine(a.r, a.low), odd = kv_sine(a.r, a.low);
	v8d y = kv_select_f64((a.n & 1) != 0, odd, even);

	return (v8d)((v8l)y ^ ((a.n + 1) & 2) << 62);
}

KV_INLINE v8f
kv_cos_f32(v8f x)
{
	return __builtin_convertvector(kv_cos_f64(
	    __builtin_convertvector(x, v8d)), v8f);
}

#endif
