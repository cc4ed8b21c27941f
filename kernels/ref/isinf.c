/* SPDX-License-Identifier: MIT */
#define NAME "isinf"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define MASK
#define F(S) __builtin_isinf(v[0]) != 0
#include "ref/map.h"
