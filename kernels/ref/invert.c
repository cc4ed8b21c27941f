/* SPDX-License-Identifier: MIT */
#define NAME "invert"
#define READS 1
#ifndef TYPES
#define TYPES(X) INTS(X) BOOLS(X)
#endif
#define F(S) ref_invert_##S(v[0])
#include "ref/map.h"
