/* SPDX-License-Identifier: MIT */
#define NAME "sqrt"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define F(S) ref_sqrt_##S(v[0])
#include "ref/map.h"
