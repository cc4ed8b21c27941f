/* SPDX-License-Identifier: MIT */
#define NAME "maxscalar"
#define READS 2
#define IN(t) "[*]" t "," SCALAR
#define F(S) ref_max_##S(v[0], v[1])
#include "ref/map.h"
