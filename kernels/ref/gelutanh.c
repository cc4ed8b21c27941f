/* SPDX-License-Identifier: MIT */
#define NAME "gelutanh"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(gelutanh(v[0]))

/* 2 sqrt(2 / pi) is the constant. */
static long double
gelutanh(long double x)
{
	long double u = 1.595769121605730711759784L *
	    (x + 0.044715L * x * x * x);

	return x / (1 + __builtin_expl(-u));
}

#include "ref/map.h"
