/* SPDX-License-Identifier: MIT */
/* A movement: the same elements in the same order, with other dims. */
#define NAME "squeeze"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif
#define IN(t) "[*]" t ",int32|int64|[]int32|[]int64"
#define MOVES
#define F(S) v[0]
#include "ref/map.h"
