/* SPDX-License-Identifier: MIT */
#define NAME "notequalscalar"
#define READS 3
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif
#define IN(t) "[*]" t "," SCALAR "|bool," SCALAR "|bool"
#define MASK
#define F(S) !ref_equal_##S(v[0], v[1], v[2])
#include "ref/map.h"
