/* SPDX-License-Identifier: MIT */
#define NAME "mulscalar"
#define READS 2
#define IN(t) "[*]" t "," SCALAR
#define F(S) ref_mul_##S(v[0], v[1])
#include "ref/map.h"
