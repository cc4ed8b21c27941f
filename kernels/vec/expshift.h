/* SPDX-License-Identifier: MIT */
/*
 * expshift(x, m): e^x up to a factor that depends on m only and brings e^m
 * near 1. While |m| <= 2^20 the factor is the power of two 2^-k with
 * k = rint(m log2 e), which costs neither an operation nor a rounding;
 * beyond it is e^-m, by way of x - m.
 *
 * For each element: NaN in x or m gives NaN; m = +-Inf gives NaN; x = +Inf
 * gives +Inf and x = -Inf gives 0; a result that overflows is +Inf, one below
 * the smallest normal number is 0. Within 5 ulp otherwise.
 *
 * x = n ln 2 + r, the result is 2^(n - k) p(r). p is the polynomial of least
 * relative error on |r| <= 0.347 with p(0) = 1 (Remez), its coefficients
 * rounded to nearest. p(r) >= 1 just when r >= 0; hence the result reaches
 * 2^(n - k) for the first x with r >= 0, and one comparison of x decides on
 * underflow and one on overflow. What depends on m alone moves out of the
 * loops of a kernel.
 */
#ifndef VEC_EXPSHIFT_H
#define VEC_EXPSHIFT_H

#include "vec/base.h"

/* The part of x above n ln 2. */
KV_INLINE v8f
kv_expshift_rest_f32(v8f x, v8f n)
{
	x = kv_fma_f32(n, kv_splat_f32(-0x1.62e43p-1F), x);
	return kv_fma_f32(n, kv_splat_f32(0x1.05c61p-29F), x);
}

/* The first x that is not below n ln 2. */
KV_INLINE v8f
kv_expshift_edge_f32(v8f n)
{
	v8f x = kv_fma_f32(n, kv_splat_f32(0x1.62e43p-1F),
	    n * kv_splat_f32(-0x1.05c61p-29F));
	v8i next = (v8i)x + 1 + ((x < 0) << 1);

	return kv_select_f32(kv_expshift_rest_f32(x, n) < 0, (v8f)next, x);
}

/* For elements between the edges of k - 126 and k + 128; else anything. */
KV_INLINE v8f
kv_expshift_core_f32(v8f x, v8f k)
{
	v8f magic = 0x1.8p23F - k;
	v8f t = kv_fma_f32(x, kv_splat_f32(0x1.715476p+0F), magic);
	v8f r = kv_expshift_rest_f32(x, t - magic);
	v8f p = kv_splat_f32(0x1.0fa752p-7F);

	p = kv_fma_f32(p, r, kv_splat_f32(0x1.573b84p-5F));
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.555a70p-3F));
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.fffdc2p-2F));
	p = kv_fma_f32(p, r, kv_splat_f32(0x1.fffff6p-1F));
	p = kv_fma_f32(p, r, kv_splat_f32(1));
	return (v8f)((v8i)p + ((v8i)t << 23));
}

/* Every case, from the first rule to the last. */
KV_INLINE v8f
kv_expshift_rare_f32(v8f x, v8f given)
{
	/* By way of memory: a compiler then computes nothing that depends on m
	 * alone before this is called. */
	volatile v8f hidden = given;
	v8f m = hidden;
	const v8f nan = kv_splat_f32(__builtin_nanf(""));
	const v8f inf = kv_splat_f32(__builtin_inff());
	v8i near = kv_abs_f32(m) <= 0x1p20F;
	v8f k = kv_rint_f32(m * kv_splat_f32(0x1.715476p+0F));
	v8f d = kv_select_f32(near, x, x - m), y;
	v8i bad = (x != x) | ~(kv_abs_f32(m) < inf);

	k = kv_select_f32(near, k, kv_splat_f32(0));
	y = kv_expshift_core_f32(d, k);
	y = kv_select_f32(d < kv_expshift_edge_f32(k - 126),
	    kv_splat_f32(0), y);
	y = kv_select_f32(d >= kv_expshift_edge_f32(k + 128), inf, y);
	return kv_select_f32(bad, nan, y);
}

KV_INLINE v8f
kv_expshift_f32(v8f x, v8f m)
{
	/* Rounds as kv_rint does where m is near. */
	v8f k = (m * kv_splat_f32(0x1.715476p+0F) + 0x1.8p23F) - 0x1.8p23F;
	v8f low = kv_expshift_edge_f32(k - 126);
	/* Below the edge of k + 128; NaN where m is far, so that no x passes. */
	v8f high = kv_select_f32(kv_abs_f32(m) <= 0x1p20F,
	    (k + 127) * kv_splat_f32(0x1.62e43p-1F),
	    kv_splat_f32(__builtin_nanf("")));

	if (__builtin_expect(kv_any_f32(~(x < high)), 0))
		return kv_expshift_rare_f32(x, m);
	return kv_select_f32(x < low, kv_splat_f32(0),
	    kv_expshift_core_f32(x, k));
}

KV_INLINE v8d
kv_expshift_rest_f64(v8d x, v8d n)
{
	x = kv_fma_f64(n, kv_splat_f64(-0x1.62e42fefa39efp-1), x);
	return kv_fma_f64(n, kv_splat_f64(-0x1.abc9e3b39803fp-56), x);
}

KV_INLINE v8d
kv_expshift_edge_f64(v8d n)
{
	v8d x = kv_fma_f64(n, kv_splat_f64(0x1.62e42fefa39efp-1),
	    n * kv_splat_f64(0x1.abc9e3b39803fp-56));
	v8l next = (v8l)x + 1 + ((x < 0) << 1);

	return kv_select_f64(kv_expshift_rest_f64(x, n) < 0, (v8d)next, x);
}

/* For elements between the edges of k - 1022 and k + 1024. */
KV_INLINE v8d
kv_expshift_core_f64(v8d x, v8d k)
{
	v8d magic = 0x1.8p52 - k;
	v8d t = kv_fma_f64(x, kv_splat_f64(0x1.71547652b82fep+0), magic);
	v8d r = kv_expshift_rest_f64(x, t - magic);
	v8d p = kv_splat_f64(0x1.ad7eeef739866p-26);

	p = kv_fma_f64(p, r, kv_splat_f64(0x1.28ade6103b48fp-22));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.71df265eda878p-19));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.a01999955f35cp-16));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.a01a01298cfdcp-13));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.6c16c1845386fp-10));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.1111111127f27p-7));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.55555555507ccp-5));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.55555555554f9p-3));
	p = kv_fma_f64(p, r, kv_splat_f64(0x1.000000000000ap-1));
	p = kv_fma_f64(p, r, kv_splat_f64(1));
	p = kv_fma_f64(p, r, kv_splat_f64(1));
	return (v8d)((v8l)p + ((v8l)t << 52));
}

KV_INLINE v8d
kv_expshift_rare_f64(v8d x, v8d given)
{
	/* By way of memory: a compiler then computes nothing that depends on m
	 * alone before this is called. */
	volatile v8d hidden = given;
	v8d m = hidden;
	const v8d nan = kv_splat_f64(__builtin_nan(""));
	const v8d inf = kv_splat_f64(__builtin_inf());
	v8l near = kv_abs_f64(m) <= 0x1p20;
	v8d k = kv_rint_f64(m * kv_splat_f64(0x1.71547652b82fep+0));
	v8d d = kv_select_f64(near, x, x - m), y;
	v8l bad = (x != x) | ~(kv_abs_f64(m) < inf);

	k = kv_select_f64(near, k, kv_splat_f64(0));
	y = kv_expshift_core_f64(d, k);
	y = kv_select_f64(d < kv_expshift_edge_f64(k - 1022),
	    kv_splat_f64(0), y);
	y = kv_select_f64(d >= kv_expshift_edge_f64(k + 1024), inf, y);
	return kv_select_f64(bad, nan, y);
}

KV_INLINE v8d
kv_expshift_f64(v8d x, v8d m)
{
	/* Rounds as kv_rint does where m is near. */
	v8d k = (m * kv_splat_f64(0x1.71547652b82fep+0) + 0x1.8p52) - 0x1.8p52;
	v8d low = kv_expshift_edge_f64(k - 1022);
	/* Below the edge of k + 1024; NaN where m is far, so that no x passes. */
	v8d high = kv_select_f64(kv_abs_f64(m) <= 0x1p20,
	    (k + 1023) * kv_splat_f64(0x1.62e42fefa39efp-1),
	    kv_splat_f64(__builtin_nan("")));

	if (__builtin_expect(kv_any_f64(~(x < high)), 0))
		return kv_expshift_rare_f64(x, m);
	return kv_select_f64(x < low, kv_splat_f64(0),
	    kv_expshift_core_f64(x, k));
}

#endif
