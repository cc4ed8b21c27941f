/* SPDX-License-Identifier: MIT */
/*
 * What sin, cos and tan share: x = n pi/2 + r + low with |r| <= pi/4, and the
 * sine and cosine of r + low.
 *
 * Up to 2^19 pi/2 is taken off in four parts, of 33 bits each but the last, so
 * that the first three products are exact; what the differences round away is
 * kept in low. Beyond, a lane at a time, x times those bits of 2/pi that matter
 * is computed in integers: all that is worth a multiple of 4 quarters is left
 * out, and 138 bits of the fraction are right, where the nearest that a double
 * comes to a multiple of pi/2 is about 2^-62.
 */
#ifndef VEC_TRIG_H
#define VEC_TRIG_H

#include "vec/base.h"

/* r and low of each lane, and n mod 4. */
struct kv_angle {
	v8d r, low;
	v8l n;
};

/* The exact sum of a and b: *a rounded, and what is left. */
KV_INLINE v8d
kv_two_sum(v8d *a, v8d b)
{
	v8d s = *a + b, t = s - *a;
	v8d rest = (*a - (s - t)) + (b - t);

	*a = s;
	return rest;
}

/* r = frac pi/2 for a fraction in quarters, given as its two's complement 128
 * bits of 2^-126 quarters, between -1/2 and 1/2. */
KV_INLINE void
kv_quarter(uint64_t top, uint64_t next, double *r, double *low)
{
	/* Each part has at most 53 bits, so the conversions are exact. */
	double a = (double)((int64_t)top >> 11) * 0x1p-51;
	double b = (double)((top & 0x7ff) << 42 | next >> 22) * 0x1p-104;
	double c = (double)(next & 0x3fffff) * 0x1p-126;
	double high = a + b, rest = (a - high) + b + c, p, err;
	const double half_pi = 0x1.921fb54442d18p+0;
	const double half_pi_low = 0x1.1a62633145c07p-54;

	p = high * half_pi;
	err = kv_fma_f64(kv_splat_f64(high), kv_splat_f64(half_pi),
	    kv_splat_f64(-p))[0];
	err += high * half_pi_low + rest * half_pi;
	*r = p + err;
	*low = (p - *r) + err;
}

/* One number of at least 2^19. */
KV_CALLED void
kv_reduce_large(double x, double *r, double *low, int64_t *n)
{
	/* 2/pi behind 64 zero bits. */
	static const uint64_t bits[] = { 0,
		0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
		0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
		0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
		0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
		0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
		0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
		0x56033046fc7b6bab };
	typedef unsigned __int128 wide;
	uint64_t u, m, w[3], p[3];
	int skip, at, by, negative;
	wide t;

	__builtin_memcpy(&u, &x, sizeof u);
	negative = (int)(u >> 63);
	m = (u & 0xfffffffffffff) | 0x10000000000000;
	/* x = m 2^e; the bits of 2/pi worth 2^(2 - e) and more are skipped. */
	skip = (int)(u >> 52 & 0x7ff) - 1075 - 2 + 64;
	at = skip / 64;
	by = skip % 64;
	for (int i = 0; i < 3; i++)
		w[i] = by ? bits[at + i] << by | bits[at + i + 1] >> (64 - by) :
		    bits[at + i];
	t = (wide)m * w[2];
	p[2] = (uint64_t)t;
	t = (wide)m * w[1] + (uint64_t)(t >> 64);
	p[1] = (uint64_t)t;
	p[0] = m * w[0] + (uint64_t)(t >> 64);
	/* p is the fraction of x / 2pi; to the nearest quarter. */
	*n = (int64_t)((p[0] + ((uint64_t)1 << 61)) >> 62);
	p[0] -= (uint64_t)*n << 62;
	kv_quarter(p[0], p[1], r, low);
	if (negative) {
		*r = -*r;
		*low = -*low;
		*n = -*n;
	}
	*n &= 3;
}

KV_INLINE struct kv_angle
kv_angle_of(v8d x)
{
	const double magic = 0x1.8p52;
	v8l finite = x - x == 0, large = finite & (kv_abs_f64(x) >= 0x1p19);
	v8d in = kv_select_f64(finite & ~large, x, kv_splat_f64(0));
	v8d t = in * 0x1.45f306dc9c883p-1 + magic, n = t - magic;
	struct kv_angle a;

	a.n = (v8l)t & 3;
	a.r = in - n * 0x1.921fb544p+0;
	a.low = kv_two_sum(&a.r, -n * 0x1.0b4611a6p-34);
	a.low += kv_two_sum(&a.r, -n * 0x1.3198a2ep-69);
	a.low -= n * 0x1.b839a252049c1p-104;
	a.low = kv_two_sum(&a.r, a.low);
	if (__builtin_expect(kv_any_f64(large), 0))
		for (int i = 0; i < KV_LANES; i++) {
			double r, low;
			int64_t k;

			if (!large[i])
				continue;
			kv_reduce_large(x[i], &r, &low, &k);
			a.r[i] = r;
			a.low[i] = low;
			a.n[i] = k;
		}
	a.r = kv_select_f64(finite, a.r, kv_splat_f64(__builtin_nan("")));
	return a;
}

/* r + low - r^3/6 + ..., the Taylor series: its terms fall by 1/8 or more. */
KV_INLINE v8d
kv_sine(v8d r, v8d low)
{
	v8d z = r * r, q;

	q = kv_splat_f64(1.0 / 355687428096000);
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 1307674368000));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 6227020800));
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 39916800));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 362880));
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 5040));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 120));
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 6));
	/* The derivative times low; z q is -r^2/6 and so on. */
	return r + kv_fma_f64(r * z, q, low * (1 - 0.5 * z));
}

/* 1 - r^2/2 + ..., where 1 - r^2/2 is kept as an exact sum of two numbers. */
KV_INLINE v8d
kv_cosine(v8d r, v8d low)
{
	v8d z = r * r, half = 0.5 * z, one = 1 - half, rest = (1 - one) - half;
	v8d q;

	q = kv_splat_f64(1.0 / 20922789888000);
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 87178291200));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 479001600));
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 3628800));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 40320));
	q = kv_fma_f64(q, z, kv_splat_f64(-1.0 / 720));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 24));
	return one + (rest + kv_fma_f64(z * z, q, -r * low));
}

#endif
