/* SPDX-License-Identifier: MIT */
#define NAME "minscalar"
#define READS 2
#define IN(t) "[*]" t "," SCALAR
#define F(S) ref_min_##S(v[0], v[1])
#include "ref/map.h"
