/* SPDX-License-Identifier: MIT */
/*
 * x / (1 + e^-x), within 3 ulp (f64: 2), denormal results included; of Inf Inf,
 * of -Inf NaN, as the formula gives.
 *
 * f32 is the formula, as long as e^-x is finite: e^-x is exp's with one rounding
 * less at the end, and each of the sum and the quotient rounds once. From 87 on
 * e^-x is as small as that of 87, which 1 + e^-x does not see.
 *
 * Below -87, and in f64, as in sigmoid.h with x, for x < 0 x E, for the
 * numerator. That product is taken before its power of two is multiplied in, for
 * E alone is denormal where x E is not yet; what it rounds away is added with the
 * rest, which would lose the sign of a zero.
 */
#ifndef VEC_SILU_H
#define VEC_SILU_H

#include "vec/exp.h"

/* Right for all x, but slow. */
KV_CALLED v8f
kv_silu_low_f32(v8f x)
{
	v8f in = -kv_abs_f32(x), v, one, e, a, a_low, b, b_low, inv, y;
	struct kv_power_f32 p;

	/* From -115 down the result is -0. */
	p = kv_power_f32(kv_select_f32(in < -115, kv_splat_f32(-115), in));
	v = kv_select_f32(x < -115, kv_splat_f32(-115), x);
	one = kv_power_one_f32(p);
	e = kv_power_scale_f32(one, p);
	a = kv_select_f32(x < 0, v * one, v);
	a_low = kv_select_f32(x < 0, kv_fma_f32(v, one, -a), kv_splat_f32(0));
	b = 1 + e;
	b_low = e - (b - 1);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f32(kv_fma_f32(-y, b, a) + (a_low - y * b_low), inv, y);
	y = kv_select_f32(x < 0, kv_power_scale_f32(y, p), y);
	y = (v8f)((v8i)y | ((v8i)x & (int)0x80000000));
	return kv_select_f32(x - x == 0, y, x + kv_abs_f32(x));
}

KV_INLINE v8f
kv_silu_f32(v8f x)
{
	const float magic = 0x1.8p23F;
	v8f in = kv_select_f32(x < 87, x, kv_splat_f32(87)), p, y;
	v8f t = kv_fma_f32(in, kv_splat_f32(-0x1.715476p+0F),
	    kv_splat_f32(magic));
	v8f n = t - magic, r;

	r = kv_fma_f32(n, kv_splat_f32(-0x1.62e43p-1F), -in);
	r = kv_fma_f32(n, kv_splat_f32(0x1.05c61p-29F), r);
	p = kv_splat_f32(0x1.6a231cp-10F);
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.123a8ep-7F));
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.5558f6p-5F));
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.555490p-3F));
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.fffffcp-2F));
	p = kv_fma_f32(p, r, kv_splat_f32(1));
	p = kv_fma_f32(p, r, kv_splat_f32(1));
	y = x / (1 + (v8f)((v8i)p + ((v8i)t << 23)));
	if (__builtin_expect(kv_any_f32(x < -87), 0))
		y = kv_select_f32(x < -87, kv_silu_low_f32(x), y);
	return y;
}

KV_INLINE v8d
kv_silu_f64(v8d x)
{
	v8d in = -kv_abs_f64(x), v, one, e, a, a_low, b, b_low, inv, y;
	struct kv_power_f64 p;

	/* From -760 down the result is -0. */
	p = kv_power_f64(kv_select_f64(in < -760, kv_splat_f64(-760), in));
	v = kv_select_f64(x < -760, kv_splat_f64(-760), x);
	one = kv_power_one_f64(p);
	e = kv_power_scale_f64(one, p);
	a = kv_select_f64(x < 0, v * one, v);
	a_low = kv_select_f64(x < 0, kv_fma_f64(v, one, -a), kv_splat_f64(0));
	b = 1 + e;
	b_low = e - (b - 1);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f64(kv_fma_f64(-y, b, a) + (a_low - y * b_low), inv, y);
	y = kv_select_f64(x < 0, kv_power_scale_f64(y, p), y);
	y = (v8d)((v8l)y | ((v8l)x & (int64_t)(1ULL << 63)));
	return kv_select_f64(x - x == 0, y, x + kv_abs_f64(x));
}

#endif
