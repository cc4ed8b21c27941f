/* SPDX-License-Identifier: MIT */
/* beta x is rounded, as a product of the dtype. */
#define NAME "swish"
#define READS 2
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define IN(t) "[*]" t "," SCALAR
#define F(S) ref_canon_##S(v[0] * sigmoid(ref_mul_##S(v[1], v[0])))

static long double
sigmoid(long double x)
{
	long double e = __builtin_expl(-__builtin_fabsl(x));

	return (x < 0 ? e : 1) / (1 + e);
}

#include "ref/map.h"
