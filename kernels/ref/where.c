/* SPDX-License-Identifier: MIT */
#define NAME "where"
#define READS 3
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif
#define IN(t) "[*]bool,[*]" t ",[*]" t
#define COND
#define MOVES
#define F(S) c ? v[1] : v[2]
#include "ref/map.h"
