/* SPDX-License-Identifier: MIT */
#define NAME "reciprocal"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_div_##S(1, v[0])
#include "ref/map.h"
