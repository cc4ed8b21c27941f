/* SPDX-License-Identifier: MIT */
/*
 * 1 / (1 + e^-x), within 2 ulp, denormal results included.
 *
 * With E = e^-|x| it is 1 / (1 + E) for x >= 0 and E / (1 + E) below. 1 + E is
 * kept in two parts, what the quotient leaves is added to it, and the power of
 * two of the numerator is multiplied in last, where it rounds at most once.
 */
#ifndef VEC_SIGMOID_H
#define VEC_SIGMOID_H

#include "vec/exp.h"

KV_INLINE v8f
kv_sigmoid_f32(v8f x)
{
	v8f in = -kv_abs_f32(x), one, e, a, b, b_low, inv, y;
	struct kv_power_f32 p;

	p = kv_power_f32(kv_select_f32(in < -105, kv_splat_f32(-105), in));
	one = kv_power_one_f32(p);
	e = kv_power_scale_f32(one, p);
	a = kv_select_f32(x < 0, one, kv_splat_f32(1));
	b = 1 + e;
	b_low = e - (b - 1);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f32(kv_fma_f32(-y, b, a) - y * b_low, inv, y);
	y = kv_select_f32(x < 0, kv_power_scale_f32(y, p), y);
	return kv_select_f32(x != x, x, y);
}

KV_INLINE v8d
kv_sigmoid_f64(v8d x)
{
	v8d in = -kv_abs_f64(x), one, e, a, b, b_low, inv, y;
	struct kv_power_f64 p;

	p = kv_power_f64(kv_select_f64(in < -746, kv_splat_f64(-746), in));
	one = kv_power_one_f64(p);
	e = kv_power_scale_f64(one, p);
	a = kv_select_f64(x < 0, one, kv_splat_f64(1));
	b = 1 + e;
	b_low = e - (b - 1);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f64(kv_fma_f64(-y, b, a) - y * b_low, inv, y);
	y = kv_select_f64(x < 0, kv_power_scale_f64(y, p), y);
	return kv_select_f64(x != x, x, y);
}

#endif
