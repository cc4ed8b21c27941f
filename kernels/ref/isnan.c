/* SPDX-License-Identifier: MIT */
#define NAME "isnan"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define MASK
#define F(S) v[0] != v[0]
#include "ref/map.h"
