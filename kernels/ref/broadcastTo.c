/* SPDX-License-Identifier: MIT */
/* A movement: bytes are kept, those of a NaN too. */
#define NAME "broadcastTo"
#define READS 1
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif
#define IN(t) "[*]" t ",[]int32|[]int64"
#define MOVES
#define F(S) v[0]
#include "ref/map.h"
