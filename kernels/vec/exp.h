/* SPDX-License-Identifier: MIT */
/*
 * e^x, within 1 ulp (f64: 2), denormal results included.
 *
 * x = n ln 2 + r with |r| <= 0.347. The product of n and the first part of
 * ln 2 is exact, so r comes in two parts, high and low. e^r = 1 + r + r^2 q(r)
 * where 1 + r is kept as an exact sum of two numbers, the larger one added
 * last. q is the polynomial of least relative error of the whole (Remez), its
 * coefficients rounded to nearest: error 0.04 ulp for f32 and f64.
 *
 * 2^n is multiplied in as two powers of two, so that only the last of the
 * products can leave the normal numbers, and it rounds once.
 */
#ifndef VEC_EXP_H
#define VEC_EXP_H

#include "vec/base.h"

/* 2^n for integers n in [-126, 127], given as 1.5 * 2^23 + n. */
KV_INLINE v8f
kv_pow2_f32(v8i shifted)
{
	return (v8f)((shifted << 23) + 0x3f800000);
}

KV_INLINE v8d
kv_pow2_f64(v8l shifted)
{
	return (v8d)((shifted << 52) + 0x3ff0000000000000);
}

/* e^x = 2^k (1 + r + (low + r^2 q)), for an x between -115 and 89. */
struct kv_power_f32 {
	v8f r, low, q;
	v8i k;
};

/* The same for an x between -760 and 710; k is n as an integer. */
struct kv_power_f64 {
	v8d r, low, q, n;
	v8l k;
};

KV_INLINE struct kv_power_f32
kv_power_f32(v8f x)
{
	const v8f log2e = kv_splat_f32(0x1.715476p+0F);
	const v8f ln2_high = kv_splat_f32(-0x1.62e8p-1F);
	const v8f ln2_low = kv_splat_f32(0x1.e8082ep-16F);
	const float magic = 0x1.8p23F;
	v8f t = x * log2e + magic, n = t - magic;
	v8f a = kv_fma_f32(n, ln2_high, x), q;
	struct kv_power_f32 p;

	p.r = kv_fma_f32(n, ln2_low, a);
	p.low = kv_fma_f32(n, ln2_low, a - p.r);
	q = kv_splat_f32(0x1.6a231cp-10F);
	q = kv_fma_f32(q, p.r, kv_splat_f32(0x1.123a8ep-7F));
	q = kv_fma_f32(q, p.r, kv_splat_f32(0x1.5558f6p-5F));
	q = kv_fma_f32(q, p.r, kv_splat_f32(0x1.555490p-3F));
	p.q = kv_fma_f32(q, p.r, kv_splat_f32(0x1.fffffcp-2F));
	p.k = (v8i)t - (v8i)kv_splat_f32(magic);
	return p;
}

KV_INLINE struct kv_power_f64
kv_power_f64(v8d x)
{
	const v8d log2e = kv_splat_f64(0x1.71547652b82fep+0);
	const v8d ln2_high = kv_splat_f64(-0x1.62e42fefap-1);
	const v8d ln2_low = kv_splat_f64(-0x1.cf79abc9e3b3ap-40);
	const double magic = 0x1.8p52;
	v8d t = x * log2e + magic, n = t - magic;
	v8d a = kv_fma_f64(n, ln2_high, x), q;
	struct kv_power_f64 p = { .n = n };

	p.r = kv_fma_f64(n, ln2_low, a);
	p.low = kv_fma_f64(n, ln2_low, a - p.r);
	q = kv_splat_f64(0x1.ad7eeef739866p-26);
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.28ade6103b48fp-22));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.71df265eda878p-19));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.a01999955f35cp-16));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.a01a01298cfdcp-13));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.6c16c1845386fp-10));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.1111111127f27p-7));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.55555555507ccp-5));
	q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.55555555554f9p-3));
	p.q = kv_fma_f64(q, p.r, kv_splat_f64(0x1.000000000000ap-1));
	p.k = (v8l)t - (v8l)kv_splat_f64(magic);
	return p;
}

/* e^x 2^-k, rounded. */
KV_INLINE v8f
kv_power_one_f32(struct kv_power_f32 p)
{
	v8f one = 1 + p.r, low = p.low + (p.r - (one - 1));

	return one + kv_fma_f32(p.r * p.r, p.q, low);
}

KV_INLINE v8d
kv_power_one_f64(struct kv_power_f64 p)
{
	v8d one = 1 + p.r, low = p.low + (p.r - (one - 1));

	return one + kv_fma_f64(p.r * p.r, p.q, low);
}

/* v 2^k */
KV_INLINE v8f
kv_power_scale_f32(v8f v, struct kv_power_f32 p)
{
	v8i half = p.k >> 1;

	return v * kv_pow2_f32(half) * kv_pow2_f32(p.k - half);
}

KV_INLINE v8d
kv_power_scale_f64(v8d v, struct kv_power_f64 p)
{
	/* Halved in double: baseline x86-64 cannot shift 64-bit lanes right
	 * arithmetically. The sum rounds n / 2 to an integer. */
	const double magic = 0x1.8p52;
	v8l half = (v8l)(p.n * 0.5 + magic) - (v8l)kv_splat_f64(magic);

	return v * kv_pow2_f64(half) * kv_pow2_f64(p.k - half);
}

KV_INLINE v8f
kv_exp_f32(v8f x)
{
	v8f in = kv_select_f32(x > 89, kv_splat_f32(89), x);
	struct kv_power_f32 p;

	p = kv_power_f32(kv_select_f32(in < -105, kv_splat_f32(-105), in));
	return kv_select_f32(x != x, x,
	    kv_power_scale_f32(kv_power_one_f32(p), p));
}

KV_INLINE v8d
kv_exp_f64(v8d x)
{
	v8d in = kv_select_f64(x > 710, kv_splat_f64(710), x);
	struct kv_power_f64 p;

	p = kv_power_f64(kv_select_f64(in < -746, kv_splat_f64(-746), in));
	return kv_select_f64(x != x, x,
	    kv_power_scale_f64(kv_power_one_f64(p), p));
}

#endif
