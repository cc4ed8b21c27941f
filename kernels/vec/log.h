/* SPDX-License-Identifier: MIT */
/*
 * The natural logarithm, within 1 ulp; of 0 -Inf, of negative numbers NaN.
 *
 * x = 2^k (1 + f) with 1 + f between the roots of 1/2 and 2, s = f / (2 + f):
 * log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R), where R is the series
 * 2/3 s^2 + 2/5 s^4 + ... and its eleven terms are exact to 2^-60 of s. k ln 2
 * comes in two parts, the product with the first of which is exact.
 *
 * f32 is computed in double and rounded once.
 */
#ifndef VEC_LOG_H
#define VEC_LOG_H

#include "vec/base.h"

typedef uint64_t v8u KV_VECTOR(uint64_t);

/* f of a finite x > 0, and k in *n. */
KV_INLINE v8d
kv_log_split(v8d x, v8d *n)
{
	const v8l tiny = x < 0x1p-1022;
	/* 2048 + k in whole bits, so that nothing is negative. */
	const uint64_t above = (uint64_t)2048 << 52;
	v8u bits = (v8u)kv_select_f64(tiny, x * 0x1p54, x);
	v8u k = (bits - 0x3fe6a09e667f3bcd + above) >> 52;
	v8d whole = (v8d)(k | 0x4330000000000000) - (0x1p52 + 2048);

	*n = kv_select_f64(tiny, whole - 54, whole);
	return (v8d)(bits - (k << 52) + above) - 1;
}

KV_INLINE v8d
kv_log_f64(v8d x)
{
	v8d n, f = kv_log_split(x, &n);
	v8d s = f / (2 + f), z = s * s, half = 0.5 * f * f, r;

	r = kv_splat_f64(2.0 / 23);
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 21));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 19));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 17));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 15));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 13));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 11));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 9));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 7));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 5));
	r = kv_fma_f64(r, z, kv_splat_f64(2.0 / 3));
	r = s * (half + z * r) + n * 0x1.ef35793c76730p-45;
	r = n * 0x1.62e42fefa3800p-1 - ((half - r) - f);
	r = kv_select_f64(x == __builtin_inf(), x, r);
	r = kv_select_f64(x == 0, kv_splat_f64(-__builtin_inf()), r);
	return kv_select_f64((x < 0) | (x != x),
	    kv_splat_f64(__builtin_nan("")), r);
}

KV_INLINE v8f
kv_log_f32(v8f x)
{
	return __builtin_convertvector(kv_log_f64(
	    __builtin_convertvector(x, v8d)), v8f);
}

#endif
