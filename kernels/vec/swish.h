/* SPDX-License-Identifier: MIT */
/*
 * x / (1 + e^-t) with t = beta x, rounded once: within 3 ulp of that, denormal
 * results included. Of t = -Inf it is 0, but NaN where x is infinite.
 *
 * As in silu.h, where x is t. Here x may be large or small beside e^t, so it is
 * brought near 1 by a power of two, which is taken back with that of e^t.
 */
#ifndef VEC_SWISH_H
#define VEC_SWISH_H

#include "vec/exp.h"

/* v 2^k; from -250 down it is 0 anyway. */
KV_INLINE v8f
kv_swish_scale_f32(v8f v, v8i k)
{
	struct kv_power_f32 p = { .k = ((k > -250) & k) | (~(k > -250) & -250) };

	return kv_power_scale_f32(v, p);
}

/* The same from -2000 down; k: integers. */
KV_INLINE v8d
kv_swish_scale_f64(v8d v, v8d k)
{
	const double magic = 0x1.8p52;
	struct kv_power_f64 p;

	p.n = kv_select_f64(k > -2000, k, kv_splat_f64(-2000));
	p.k = (v8l)(p.n + magic) - (v8l)kv_splat_f64(magic);
	return kv_power_scale_f64(v, p);
}

KV_INLINE v8f
kv_swish_f32(v8f x, v8f beta)
{
	v8f t = beta * x, in = -kv_abs_f32(t), v = kv_abs_f32(x);
	v8f one, e, a, a_low, b, b_low, inv, y;
	v8i large = v > 0x1p64F, small = v < 0x1p-64F;
	struct kv_power_f32 p;

	v = kv_select_f32(large, v * 0x1p-100F, v);
	v = kv_select_f32(small, v * 0x1p100F, v);
	/* From -200 down the result is 0 for any x. */
	p = kv_power_f32(kv_select_f32(in < -200, kv_splat_f32(-200), in));
	one = kv_power_one_f32(p);
	e = kv_swish_scale_f32(one, p.k);
	a = kv_select_f32(t < 0, v * one, v);
	a_low = kv_select_f32(t < 0, kv_fma_f32(v, one, -a), kv_splat_f32(0));
	b = 1 + e;
	b_low = e - (b - 1);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f32(kv_fma_f32(-y, b, a) + (a_low - y * b_low), inv, y);
	y = kv_swish_scale_f32(y, (p.k & (t < 0)) + (large & 100) -
	    (small & 100));
	y = (v8f)((v8i)y | ((v8i)x & (int)0x80000000));
	y = kv_select_f32(x - x == 0, y, kv_select_f32(t > 0, x, x - x));
	return kv_select_f32(t != t, t, y);
}

KV_INLINE v8d
kv_swish_f64(v8d x, v8d beta)
{
	v8d t = beta * x, in = -kv_abs_f64(t), v = kv_abs_f64(x);
	v8d one, e, a, a_low, b, b_low, inv, y;
	v8l large = v > 0x1p500, small = v < 0x1p-500;
	struct kv_power_f64 p;

	v = kv_select_f64(large, v * 0x1p-700, v);
	v = kv_select_f64(small, v * 0x1p700, v);
	/* From -1500 down the result is 0 for any x. */
	p = kv_power_f64(kv_select_f64(in < -1500, kv_splat_f64(-1500), in));
	one = kv_power_one_f64(p);
	e = kv_swish_scale_f64(one, p.n);
	a = kv_select_f64(t < 0, v * one, v);
	a_low = kv_select_f64(t < 0, kv_fma_f64(v, one, -a), kv_splat_f64(0));
	b = 1 + e;
	b_low = e - (b - 1);
	inv = 1 / b;
	y = a * inv;
	y = kv_fma_f64(kv_fma_f64(-y, b, a) + (a_low - y * b_low), inv, y);
	y = kv_swish_scale_f64(y, kv_select_f64(t < 0, p.n, kv_splat_f64(0)) +
	    kv_select_f64(large, kv_splat_f64(700), kv_splat_f64(0)) -
	    kv_select_f64(small, kv_splat_f64(700), kv_splat_f64(0)));
	y = (v8d)((v8l)y | ((v8l)x & (int64_t)(1ULL << 63)));
	y = kv_select_f64(x - x == 0, y, kv_select_f64(t > 0, x, x - x));
	return kv_select_f64(t != t, t, y);
}

#endif
