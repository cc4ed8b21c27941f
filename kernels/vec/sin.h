/* SPDX-License-Identifier: MIT */
/*
 * The sine, within 1 ulp for every x; of infinities NaN, of -0 -0. f32 is
 * computed in double and rounded once.
 */
#ifndef VEC_SIN_H
#define VEC_SIN_H

#include "vec/trig.h"

KV_INLINE v8d
kv_sin_f64(v8d x)
{
	struct kv_angle a = kv_angle_of(x);
	v8d odd = kv_cosine(a.r, a.low), even = kv_sine(a.r, a.low);
	v8d y = kv_select_f64((a.n & 1) != 0, odd, even);

	y = (v8d)((v8l)y ^ (a.n & 2) << 62);
	return kv_select_f64(x == 0, x, y);
}

KV_INLINE v8f
kv_sin_f32(v8f x)
{
	return __builtin_convertvector(kv_sin_f64(
	    __builtin_convertvector(x, v8d)), v8f);
}

#endif
