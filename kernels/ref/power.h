/* SPDX-License-Identifier: MIT */
/* x to the power of y, nearly exact. */
#ifndef REF_POWER_H
#define REF_POWER_H

/* From 2^62 on the result is 0, 1 or infinite for every x of a float; glibc's
 * powl gives the wrong one for y = -2^63 and x = -Inf. */
static inline long double
ref_pow(long double x, long double y)
{
	if (y >= 0x1p62L || y <= -0x1p62L)
		return __builtin_pow((double)x, (double)y);
	return __builtin_powl(x, y);
}

#endif
