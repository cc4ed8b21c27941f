/* SPDX-License-Identifier: MIT */
#define NAME "silu"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(v[0] * sigmoid(v[0]))

static long double
sigmoid(long double x)
{
	long double e = __builtin_expl(-__builtin_fabsl(x));

	return (x < 0 ? e : 1) / (1 + e);
}

#include "ref/map.h"
