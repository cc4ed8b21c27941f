/* SPDX-License-Identifier: MIT */
#define NAME "xor"
#define READS 2
#ifndef TYPES
#define TYPES(X) BOOLS(X)
#endif
#define F(S) !v[0] != !v[1]
#include "ref/map.h"
