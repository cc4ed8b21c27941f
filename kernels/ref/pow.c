/* SPDX-License-Identifier: MIT */
#define NAME "pow"
#define READS 2
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_canon_##S(ref_pow(v[0], v[1]))
#include "ref/power.h"
#include "ref/map.h"
