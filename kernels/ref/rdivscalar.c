/* SPDX-License-Identifier: MIT */
#define NAME "rdivscalar"
#define READS 2
#define IN(t) SCALAR ",[*]" t
#define DIV0(S) ref_div0_##S(v[1])
#define F(S) ref_div_##S(v[0], v[1])
#include "ref/map.h"
