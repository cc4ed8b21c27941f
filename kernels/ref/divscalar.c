/* SPDX-License-Identifier: MIT */
#define NAME "divscalar"
#define READS 2
#define IN(t) "[*]" t "," SCALAR
#define DIV0(S) ref_div0_##S(v[1])
#define F(S) ref_div_##S(v[0], v[1])
#include "ref/map.h"
