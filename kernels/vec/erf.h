/* SPDX-License-Identifier: MIT */
/*
 * The error function, within 1 ulp (f64: 2); of infinities +-1, of -0 -0.
 *
 * Up to 1 it is x + x p(x^2). From there on it is 1 - e^-q(x - 1), where q is
 * near -log(1 - erf x): what the second term takes off is below 0.16, and so
 * are its errors. Past the end of q the result is 1 to all bits. Both are the
 * polynomials of least error (derive/erf.py), as seen in the result: 0.07 ulp.
 */
#ifndef VEC_ERF_H
#define VEC_ERF_H

#include "vec/exp.h"

KV_INLINE v8f
kv_erf_near_f32(v8f x)
{
	v8f z = x * x, p = kv_splat_f32(0x1.496a34p-14F);

	p = kv_fma_f32(p, z, kv_splat_f32(-0x1.a3f700p-11F));
	p = kv_fma_f32(p, z, kv_splat_f32(0x1.5405b2p-8F));
	p = kv_fma_f32(p, z, kv_splat_f32(-0x1.b7f90cp-6F));
	p = kv_fma_f32(p, z, kv_splat_f32(0x1.ce2cf8p-4F));
	p = kv_fma_f32(p, z, kv_splat_f32(-0x1.81273ep-2F));
	p = kv_fma_f32(p, z, kv_splat_f32(0x1.06eba8p-3F));
	return kv_fma_f32(x, p, x);
}

/* For x >= 1. */
KV_INLINE v8f
kv_erf_far_f32(v8f x)
{
	v8f t = kv_select_f32(x > 3.95F, kv_splat_f32(3.95F), x) - 1;
	v8f q = kv_splat_f32(-0x1.852ccap-13F);

	q = kv_fma_f32(q, t, kv_splat_f32(0x1.deb788p-10F));
	q = kv_fma_f32(q, t, kv_splat_f32(-0x1.441ac8p-7F));
	q = kv_fma_f32(q, t, kv_splat_f32(0x1.53f940p-5F));
	q = kv_fma_f32(q, t, kv_splat_f32(0x1.afad34p-1F));
	q = kv_fma_f32(q, t, kv_splat_f32(0x1.51c9aap+1F));
	q = kv_fma_f32(q, t, kv_splat_f32(0x1.d97fc0p+0F));
	return 1 - kv_exp_f32(-q);
}

KV_INLINE v8f
kv_erf_f32(v8f x)
{
	v8f a = kv_abs_f32(x), far = kv_erf_far_f32(a);

	far = (v8f)((v8i)far | ((v8i)x & (int)0x80000000));
	return kv_select_f32(a < 1, kv_erf_near_f32(x), far);
}

KV_INLINE v8d
kv_erf_near_f64(v8d x)
{
	v8d z = x * x, p = kv_splat_f64(-0x1.abaea6a1d266bp-31);

	p = kv_fma_f64(p, z, kv_splat_f64(0x1.d71b2dd741603p-27));
	p = kv_fma_f64(p, z, kv_splat_f64(-0x1.5c072b4754775p-23));
	p = kv_fma_f64(p, z, kv_splat_f64(0x1.b97fd489d5cc0p-20));
	p = kv_fma_f64(p, z, kv_splat_f64(-0x1.f4ca4d807c5d6p-17));
	p = kv_fma_f64(p, z, kv_splat_f64(0x1.f9a2baaa120bap-14));
	p = kv_fma_f64(p, z, kv_splat_f64(-0x1.c02db03de20a7p-11));
	p = kv_fma_f64(p, z, kv_splat_f64(0x1.565bccf92b747p-8));
	p = kv_fma_f64(p, z, kv_splat_f64(-0x1.b82ce311fa95ep-6));
	p = kv_fma_f64(p, z, kv_splat_f64(0x1.ce2f21a040d16p-4));
	p = kv_fma_f64(p, z, kv_splat_f64(-0x1.812746b0379bdp-2));
	p = kv_fma_f64(p, z, kv_splat_f64(0x1.06eba8214db68p-3));
	return kv_fma_f64(x, p, x);
}

/* For x >= 1. */
KV_INLINE v8d
kv_erf_far_f64(v8d x)
{
	v8d t = kv_select_f64(x > 5.95, kv_splat_f64(5.95), x) - 1;
	v8d q = kv_splat_f64(0x1.56392ad0cb151p-38);

	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.0650caea71a2ap-33));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.6a7c83a98b049p-30));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.249fc8a9463c2p-27));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.1ec04f09248e3p-25));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.f219f1c877387p-25));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.b7efffe2209e9p-23));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.1e276a13b6b05p-19));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.44852dcfdb1fdp-17));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.c852f8a330db4p-16));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.b92e05f0b2fffp-16));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.f1b0485311ad0p-13));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.033f5a09199e2p-9));
	q = kv_fma_f64(q, t, kv_splat_f64(-0x1.48c9d37f4fc33p-7));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.5477f099b3adcp-5));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.afabc11a2b006p-1));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.51c9b0006c21ap+1));
	q = kv_fma_f64(q, t, kv_splat_f64(0x1.d97fbf27aa2a1p+0));
	return 1 - kv_exp_f64(-q);
}

KV_INLINE v8d
kv_erf_f64(v8d x)
{
	v8d a = kv_abs_f64(x), far = kv_erf_far_f64(a);

	far = (v8d)((v8l)far | ((v8l)x & (int64_t)(1ULL << 63)));
	return kv_select_f64(a < 1, kv_erf_near_f64(x), far);
}

#endif
