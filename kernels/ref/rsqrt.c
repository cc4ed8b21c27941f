/* SPDX-License-Identifier: MIT */
#define NAME "rsqrt"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(1 / __builtin_sqrtl(v[0]))
#include "ref/map.h"
