/* SPDX-License-Identifier: MIT */
/*
 * x (1 + erf(x / sqrt 2)) / 2, within 1e-6 (f64: 1e-15) of the larger of 1 and
 * the result; of Inf Inf, of -Inf NaN, as the formula gives. The result for
 * negative x is right as a number added to others, not to its last digits.
 *
 * f32: with h = erfc(|x| / sqrt 2) / 2 it is x h for negative x, else x (1 - h).
 * h is 2^q with a polynomial q in |x|, which weighs errors as they are in the
 * result (derive/gelu.py); 2^q is a polynomial in what q has beyond the nearest
 * integer. From 6.5 on h is 0.
 */
#ifndef VEC_GELU_H
#define VEC_GELU_H

#include "vec/erf.h"

/* 2^q for q between -126 and 127, within 3 ulp. */
KV_INLINE v8f
kv_gelu_pow2_f32(v8f q)
{
	const float magic = 0x1.8p23F;
	v8f t = q + magic, f = q - (t - magic), p = kv_splat_f32(0x1.5c08eap-10F);

	p = kv_fma_f32(p, f, kv_splat_f32(0x1.3d0c52p-7F));
	p = kv_fma_f32(p, f, kv_splat_f32(0x1.c6b6e6p-5F));
	p = kv_fma_f32(p, f, kv_splat_f32(0x1.ebf918p-3F));
	p = kv_fma_f32(p, f, kv_splat_f32(0x1.62e428p-1F));
	p = kv_fma_f32(p, f, kv_splat_f32(0x1.000002p+0F));
	return (v8f)((v8i)p + ((v8i)t << 23));
}

KV_INLINE v8f
kv_gelu_f32(v8f x)
{
	v8f a = kv_abs_f32(x), q = kv_splat_f32(-0x1.316c8ep-19F), h;

	q = kv_fma_f32(q, a, kv_splat_f32(0x1.148676p-15F));
	q = kv_fma_f32(q, a, kv_splat_f32(-0x1.49cc78p-13F));
	q = kv_fma_f32(q, a, kv_splat_f32(-0x1.a8badep-13F));
	q = kv_fma_f32(q, a, kv_splat_f32(0x1.d41d22p-8F));
	q = kv_fma_f32(q, a, kv_splat_f32(-0x1.ae75f8p-5F));
	q = kv_fma_f32(q, a, kv_splat_f32(-0x1.d636b4p-2F));
	q = kv_fma_f32(q, a, kv_splat_f32(-0x1.26aef2p+0F));
	q = kv_fma_f32(q, a, kv_splat_f32(-0x1.fffffep-1F));
	h = kv_select_f32(a < 6.5F, kv_gelu_pow2_f32(q), kv_splat_f32(0));
	return x * kv_select_f32(x < 0, h, 1 - h);
}

KV_INLINE v8d
kv_gelu_f64(v8d x)
{
	v8d e = kv_erf_f64(x * 0x1.6a09e667f3bcdp-1);

	return x * (0.5 + 0.5 * e);
}

#endif
