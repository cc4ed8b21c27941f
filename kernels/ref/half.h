/* SPDX-License-Identifier: MIT */
/*
 * float16 and bfloat16 as float32, and rounded to nearest, ties to even.
 * fraction: bits after the point; least: the exponent of the smallest normal
 * number.
 */
#ifndef REF_HALF_H
#define REF_HALF_H

#include "kvk.h"

static inline float
ref_widen(uint16_t h, int fraction, int least)
{
	int m = h & ((1 << fraction) - 1), e = (h & 0x7fff) >> fraction;
	unsigned u = (unsigned)(e - 1 + least + 127) << 23 |
	    (unsigned)m << (23 - fraction);
	float x;

	__builtin_memcpy(&x, &u, sizeof x);
	if (e == 0)
		x = (float)m * (fraction == 10 ? 0x1p-24F : 0x1p-133F);
	if (e == 3 - 2 * least)
		x = m ? __builtin_nanf("") : __builtin_inff();
	return h >> 15 ? -x : x;
}

/* A NaN is the canonical one. */
static inline uint16_t
ref_narrow(float x, int fraction, int least)
{
	unsigned infinity = (unsigned)(3 - 2 * least) << fraction, u, m, r;
	int e, shift;

	__builtin_memcpy(&u, &x, sizeof u);
	if (x != x)
		return (uint16_t)(infinity | 1u << (fraction - 1));
	/* |x| is m * 2^(e - 23), and r that over the last bit's value. */
	m = u & 0x7fffff;
	e = (int)(u >> 23 & 0xff) - 127;
	if (e == -127)
		e = -126;
	else
		m |= 0x800000;
	shift = 23 - fraction + (e < least ? least - e : 0);
	shift = shift > 31 ? 31 : shift;
	r = (m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift;
	if (e > least)
		r += (unsigned)(e - least) << fraction;
	return (uint16_t)((r < infinity ? r : infinity) | (u >> 31 << 15));
}

#endif
