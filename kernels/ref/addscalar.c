/* SPDX-License-Identifier: MIT */
#define NAME "addscalar"
#define READS 2
#define IN(t) "[*]" t "," SCALAR
#define F(S) ref_add_##S(v[0], v[1])
#include "ref/map.h"
