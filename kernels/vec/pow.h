/* SPDX-License-Identifier: MIT */
/*
 * a^b, within 2 ulp (f32: 1), with the special cases of C: anything to the
 * power of 0 and 1 to any power are 1, even of NaN; a negative number to a
 * power that is no integer is NaN.
 *
 * log |a| is computed as a sum of two doubles, right to about 2^-64 of itself,
 * for the product with b may be 745 and its absolute error is the relative one
 * of the result. As in log.h the series is that of 2 atanh(s); here s, its
 * square and the first two terms have two parts. f32 is computed in double and
 * rounded once.
 */
#ifndef VEC_POW_H
#define VEC_POW_H

#include "vec/base.h"
#include "vec/exp.h"
#include "vec/log.h"

/* log(1 + f) for 1 + f between the roots of 1/2 and 2: high, *low the rest. */
KV_INLINE v8d
kv_log1p_two(v8d f, v8d *low)
{
	const v8d third = kv_splat_f64(0x1.5555555555555p-2);
	const v8d third_low = kv_splat_f64(0x1.5555555555555p-56);
	v8d t = 2 + f, t_low = f - (t - 2);
	v8d s = f / t, s_low = (kv_fma_f64(-s, t, f) - s * t_low) / t;
	v8d z = s * s, z_low = kv_fma_f64(s, s, -z) + 2 * s * s_low;
	v8d c = z * third, c_low = kv_fma_f64(z, third, -c) + z * third_low +
	    z_low * third;
	v8d q, p, p_low, u, u_low, high;

	q = kv_splat_f64(1.0 / 25);
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 23));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 21));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 19));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 17));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 15));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 13));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 11));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 9));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 7));
	q = kv_fma_f64(q, z, kv_splat_f64(1.0 / 5));
	q = q * z * z;
	p = c + q;
	p_low = (c - p) + q + c_low;
	s = 2 * s;
	s_low = 2 * s_low;
	u = s * p;
	u_low = kv_fma_f64(s, p, -u) + s * p_low + s_low * p;
	high = s + u;
	*low = (s - high) + u + (u_low + s_low);
	return high;
}

/* log x for finite x > 0. */
KV_INLINE v8d
kv_log_two(v8d x, v8d *low)
{
	v8d n, f = kv_log_split(x, &n), a = n * 0x1.62e42fefa3800p-1;
	v8d l_low, l = kv_log1p_two(f, &l_low), h = a + l, t = h - a, high;

	/* a is 0 or larger than l; what the sum rounds away. */
	l_low += (a - (h - t)) + (l - t) + n * 0x1.ef35793c76730p-45;
	high = h + l_low;
	*low = (h - high) + l_low;
	return high;
}

/* |a|^b for finite a other than 0 and finite b. */
KV_INLINE v8d
kv_pow_finite(v8d a, v8d b)
{
	v8d low, log = kv_log_two(a, &low), p = b * log, e;

	low = kv_fma_f64(b, log, -p) + b * low;
	e = kv_exp_f64(p);
	/* Far outside, and where e is infinite, low says nothing. */
	return kv_select_f64((kv_abs_f64(p) < 800) & (e < __builtin_inf()),
	    kv_fma_f64(e, low, e), e);
}

KV_INLINE v8d
kv_pow_f64(v8d a, v8d b)
{
	const v8d one = kv_splat_f64(1), zero = kv_splat_f64(0);
	const v8d inf = kv_splat_f64(__builtin_inf());
	v8d m = kv_abs_f64(a), half = 0.5 * b, y;
	v8l whole = (b == kv_rint_f64(b)) | (kv_abs_f64(b) == inf);
	v8l odd = whole & (half != kv_rint_f64(half)) &
	    (kv_abs_f64(b) < 0x1p53);
	v8l edge = (m == 0) | (m == inf) | (kv_abs_f64(b) == inf);
	v8l grows = (m > 1) == (b > 0);

	y = kv_pow_finite(kv_select_f64(edge | (a != a), one, m),
	    kv_select_f64(edge | (b != b), one, b));
	y = kv_select_f64(edge, kv_select_f64(grows, inf, zero), y);
	y = kv_select_f64(m == 1, one, y);
	y = (v8d)((v8l)y | ((v8l)a & odd & (int64_t)(1ULL << 63)));
	y = kv_select_f64(((a < 0) & ~whole & (m != inf)) | (a != a) |
	    (b != b), kv_splat_f64(__builtin_nan("")), y);
	return kv_select_f64((b == 0) | (a == 1), one, y);
}

KV_INLINE v8f
kv_pow_f32(v8f a, v8f b)
{
	return __builtin_convertvector(kv_pow_f64(
	    __builtin_convertvector(a, v8d),
	    __builtin_convertvector(b, v8d)), v8f);
}

#endif
