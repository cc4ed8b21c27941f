/* SPDX-License-Identifier: MIT */
/*
 * expshift(x, m): exp(x) over a power of two near exp(m), for |m| up to 2^20
 * 2^(x·log2e - k) with k = rint(m·log2e), the product rounded to the dtype;
 * else exp(x - m). What is below the smallest normal number is 0.
 */
#define NAME "expshift"
#define READS 2
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(expshift_##S(v[0], v[1]))

/* exp(x) · 2^-k. ln 2 comes in three parts, the first two of 40 bits, so that
 * their products with n, which is below 2^23, are exact. */
static long double
exp_over(long double x, long double k)
{
	long double n = __builtin_rintl(x * 1.442695040888963407359924681L);
	long double r;

	if (n - k > 5000)
		return __builtin_infl();
	if (n - k < -5000)
		return 0;
	r = x - n * 0xb17217f7d1p-40L - n * 0xcf79abc9e3p-80L -
	    n * 0xb39803f2f6af40fp-140L;
	return __builtin_ldexpl(__builtin_expl(r), (int)(n - k));
}

#define EXPSHIFT(S, T, rint, log2e, least) \
	static T \
	expshift_##S(T x, T m) \
	{ \
		long double y; \
		\
		if (x != x || m != m || m == __builtin_inf() || \
		    m == -__builtin_inf()) \
			return (T)__builtin_nan(""); \
		if (x == __builtin_inf()) \
			return x; \
		if (x == -__builtin_inf()) \
			return 0; \
		y = m >= -0x1p20 && m <= 0x1p20 ? \
		    exp_over(x, rint(m * log2e)) : \
		    __builtin_expl((long double)x - m); \
		return y < least ? 0 : (T)y; \
	}

EXPSHIFT(f32, float, __builtin_rintf, 0x1.715476p+0f, 0x1p-126L)
EXPSHIFT(f64, double, __builtin_rint, 0x1.71547652b82fep+0, 0x1p-1022L)

#include "ref/map.h"
