/* SPDX-License-Identifier: MIT */
#define NAME "gelu"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(gelu(v[0]))

static long double
gelu(long double x)
{
	return x * __builtin_erfcl(-x * 0xb.504f333f9de6484p-4L) / 2;
}

#include "ref/map.h"
