/* SPDX-License-Identifier: MIT */
/*
 * x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), within 1e-6 (f64:
 * 1e-15) of the larger of 1 and the result; of Inf Inf, of -Inf NaN, as the
 * formula gives.
 *
 * It is x / (1 + e^(-2 u)), for f64 x times the sigmoid of 2 u. In f32 the power
 * of e is one of 2, its exponent x (c1 + c3 x^2) with c1 = -2 sqrt(2 / pi) / ln 2
 * and c3 = 0.044715 c1, not as exact as exp, and Inf or 0 where it leaves the
 * normal numbers.
 */
#ifndef VEC_GELUTANH_H
#define VEC_GELUTANH_H

#include "vec/gelu.h"
#include "vec/sigmoid.h"

KV_INLINE v8f
kv_gelutanh_f32(v8f x)
{
	v8f c = kv_fma_f32(x * x, kv_splat_f32(-0x1.a5a7d0p-4F),
	    kv_splat_f32(-0x1.26aec2p+1F));
	v8f y = x * c, e = kv_gelu_pow2_f32(y);

	e = kv_select_f32(y > -126, e, kv_splat_f32(0));
	e = kv_select_f32(y < 127, e, kv_splat_f32(__builtin_inff()));
	return x / (1 + e);
}

KV_INLINE v8d
kv_gelutanh_f64(v8d x)
{
	v8d c = kv_fma_f64(x * x, kv_splat_f64(0x1.2444f2a4d8b4bp-4),
	    kv_splat_f64(0x1.9884533d43651p+0));

	return x * kv_sigmoid_f64(x * c);
}

#endif
