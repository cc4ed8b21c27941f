/* SPDX-License-Identifier: MIT */
#define NAME "clamp"
#define READS 3
#define IN(t) "[*]" t "," SCALAR "," SCALAR
#define F(S) ref_min_##S(ref_max_##S(v[0], v[1]), v[2])
#include "ref/map.h"
