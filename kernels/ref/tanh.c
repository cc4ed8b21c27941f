/* SPDX-License-Identifier: MIT */
#define NAME "tanh"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(__builtin_tanhl(v[0]))
#include "ref/map.h"
