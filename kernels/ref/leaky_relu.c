/* SPDX-License-Identifier: MIT */
#define NAME "leaky_relu"
#define READS 2
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define IN(t) "[*]" t "," SCALAR
#define F(S) v[0] >= 0 ? v[0] : ref_mul_##S(v[1], v[0])
#include "ref/map.h"
