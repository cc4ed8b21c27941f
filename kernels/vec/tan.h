/* SPDX-License-Identifier: MIT */
/*
 * The tangent, within 1 ulp for f32, 3 ulp for f64; of infinities NaN, of -0
 * -0. It is the quotient of sine and cosine; f32 is computed in double and
 * rounded once.
 */
#ifndef VEC_TAN_H
#define VEC_TAN_H

#include "vec/trig.h"

KV_INLINE v8d
kv_tan_f64(v8d x)
{
	struct kv_angle a = kv_angle_of(x);
	v8d c = kv_cosine(a.r, a.low), s = kv_sine(a.r, a.low);
	v8d y = kv_select_f64((a.n & 1) != 0, -c, s) /
	    kv_select_f64((a.n & 1) != 0, s, c);

	return kv_select_f64(x == 0, x, y);
}

KV_INLINE v8f
kv_tan_f32(v8f x)
{
	return __builtin_convertvector(kv_tan_f64(
	    __builtin_convertvector(x, v8d)), v8f);
}

#endif
