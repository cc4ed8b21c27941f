/* SPDX-License-Identifier: MIT */
/*
 * x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), which is x times
 * the sigmoid of 2 u; within 1e-6 (f64: 1e-15) of the larger of 1 and the
 * result. Of Inf it is Inf, of -Inf NaN, as the formula gives.
 */
#ifndef VEC_GELUTANH_H
#define VEC_GELUTANH_H

#include "vec/sigmoid.h"

KV_INLINE v8f
kv_gelutanh_f32(v8f x)
{
	v8f c = kv_fma_f32(x * x, kv_splat_f32(0x1.2444f2p-4F),
	    kv_splat_f32(0x1.988454p+0F));

	return x * kv_sigmoid_f32(x * c);
}

KV_INLINE v8d
kv_gelutanh_f64(v8d x)
{
	v8d c = kv_fma_f64(x * x, kv_splat_f64(0x1.2444f2a4d8b4bp-4),
	    kv_splat_f64(0x1.9884533d43651p+0));

	return x * kv_sigmoid_f64(x * c);
}

#endif
