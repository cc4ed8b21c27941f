/* SPDX-License-Identifier: MIT */
/*
 * x (1 + erf(x / sqrt 2)) / 2, within 1e-6 (f64: 1e-15) of the larger of 1 and
 * the result; of Inf Inf, of -Inf NaN, as the formula gives. What the sum
 * cancels for negative x is lost: the result there is right as a number added
 * to others, not to its last digits.
 */
#ifndef VEC_GELU_H
#define VEC_GELU_H

#include "vec/erf.h"

KV_INLINE v8f
kv_gelu_f32(v8f x)
{
	v8f e = kv_erf_f32(x * 0x1.6a09e6p-1F);

	return x * (0.5F + 0.5F * e);
}

KV_INLINE v8d
kv_gelu_f64(v8d x)
{
	v8d e = kv_erf_f64(x * 0x1.6a09e667f3bcdp-1);

	return x * (0.5 + 0.5 * e);
}

#endif
