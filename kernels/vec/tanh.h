/* SPDX-License-Identifier: MIT */
/*
 * The hyperbolic tangent, within 1 ulp; of infinities +-1, of -0 -0.
 *
 * tanh |x| = (1 - E) / (1 + E) with E = e^(-2|x|), which exp.h gives as
 * s (1 + r + rest), s = 2^k. Both are kept in two parts, high and low, so what
 * the quotient of the high parts leaves is known and is added last. Where s is
 * 1 the difference is -r - rest without any cancellation, so that small numbers
 * need no case of their own.
 */
#ifndef VEC_TANH_H
#define VEC_TANH_H

#include "vec/exp.h"

/* 1 + s + part + rest, each below the sum of those before it unless that is 0:
 * the high part, the low one in *low. */
KV_INLINE v8f
kv_tanh_sum_f32(v8f s, v8f part, v8f rest, v8f *low)
{
	v8f one = 1 + s, most = one + part, sum = most + rest;

	*low = ((most - sum) + rest) + (((one - most) + part) +
	    ((1 - one) + s));
	return sum;
}

KV_INLINE v8f
kv_tanh_f32(v8f x)
{
	v8f in = kv_abs_f32(x), s, part, rest, a, a_low, b, b_low, inv, y;
	struct kv_power_f32 p;

	/* From 10 on it is 1 to more than 24 bits. */
	p = kv_power_f32(-2 * kv_select_f32(in > 10, kv_splat_f32(10), in));
	s = kv_pow2_f32(p.k);
	part = s * p.r;
	rest = s * kv_fma_f32(p.r * p.r, p.q, p.low);
	a = kv_tanh_sum_f32(-s, -part, -rest, &a_low);
	b = kv_tanh_sum_f32(s, part, rest, &b_low);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f32(kv_fma_f32(-y, b, a) + (a_low - y * b_low), inv, y);
	return (v8f)((v8i)kv_abs_f32(y) | ((v8i)x & (int)0x80000000));
}

KV_INLINE v8d
kv_tanh_sum_f64(v8d s, v8d part, v8d rest, v8d *low)
{
	v8d one = 1 + s, most = one + part, sum = most + rest;

	*low = ((most - sum) + rest) + (((one - most) + part) +
	    ((1 - one) + s));
	return sum;
}

KV_INLINE v8d
kv_tanh_f64(v8d x)
{
	v8d in = kv_abs_f64(x), s, part, rest, a, a_low, b, b_low, inv, y;
	struct kv_power_f64 p;

	/* From 20 on it is 1 to more than 53 bits. */
	p = kv_power_f64(-2 * kv_select_f64(in > 20, kv_splat_f64(20), in));
	s = kv_pow2_f64(p.k);
	part = s * p.r;
	rest = s * kv_fma_f64(p.r * p.r, p.q, p.low);
	a = kv_tanh_sum_f64(-s, -part, -rest, &a_low);
	b = kv_tanh_sum_f64(s, part, rest, &b_low);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f64(kv_fma_f64(-y, b, a) + (a_low - y * b_low), inv, y);
	return (v8d)((v8l)kv_abs_f64(y) | ((v8l)x & (int64_t)(1ULL << 63)));
}

#endif
