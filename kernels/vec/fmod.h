/* SPDX-License-Identifier: MIT */
/*
 * What a leaves when divided by b and the quotient is truncated, exactly: it
 * has the sign of a. Of Inf, or by 0, it is NaN; by Inf it is a.
 *
 * The quotient is at least the true one and less than 1 above it, so that the
 * rest, which is exact, is at most once too small. float has its quotients in
 * double.
 */
#ifndef VEC_FMOD_H
#define VEC_FMOD_H

#include "vec/base.h"

/* The rest of x by y, both not below 0, by long division. */
KV_CALLED double
kv_fmod_far(double x, double y)
{
	const uint64_t top = 1ULL << 52;
	uint64_t u, v, m, n;
	int e, f, up;

	if (!(x < __builtin_inf()) || !(y > 0))
		return __builtin_nan("");
	if (x < y)
		return x;
	__builtin_memcpy(&u, &x, sizeof u);
	__builtin_memcpy(&v, &y, sizeof v);
	e = (int)(u >> 52);
	f = (int)(v >> 52);
	m = e ? (u & (top - 1)) | top : u;
	n = f ? (v & (top - 1)) | top : v;
	e = e ? e : 1;
	f = f ? f : 1;
	m %= n;
	for (int left = e - f; left > 0; left -= 11)
		m = (m << (left < 11 ? left : 11)) % n;
	if (!m)
		return 0;
	up = __builtin_clzll(m) - 11;
	up = up < f - 1 ? up : f - 1;
	m <<= up;
	u = m < top ? m : m - top + ((uint64_t)(f - up) << 52);
	__builtin_memcpy(&x, &u, sizeof x);
	return x;
}

KV_INLINE v8f
kv_fmod_f32(v8f a, v8f b)
{
	v8d x = __builtin_convertvector(kv_abs_f32(a), v8d);
	v8d y = __builtin_convertvector(kv_abs_f32(b), v8d);
	v8d t = x / y, r = x - kv_floor_f64(t) * y;
	v8l near = (t < 0x1p29) & (y < __builtin_inf());

	r = kv_select_f64(r < 0, r + y, r);
	if (kv_any_f64(~near))
		for (int i = 0; i < KV_LANES; i++)
			r[i] = near[i] ? r[i] : kv_fmod_far(x[i], y[i]);
	return (v8f)((v8i)__builtin_convertvector(r, v8f) |
	    ((v8i)a & (int)0x80000000));
}

KV_INLINE v8d
kv_fmod_f64(v8d a, v8d b)
{
	v8d x = kv_abs_f64(a), y = kv_abs_f64(b);
	v8d t = x / y, r = kv_fma_f64(-kv_floor_f64(t), y, x);
	v8l near = (t < 0x1p52) & (y < __builtin_inf());

	r = kv_select_f64(r < 0, r + y, r);
	if (kv_any_f64(~near))
		for (int i = 0; i < KV_LANES; i++)
			r[i] = near[i] ? r[i] : kv_fmod_far(x[i], y[i]);
	return (v8d)((v8l)r | ((v8l)a & (int64_t)(1ULL << 63)));
}

#endif
