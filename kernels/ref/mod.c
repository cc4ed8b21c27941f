/* SPDX-License-Identifier: MIT */
#define NAME "mod"
#define READS 2
#ifndef TYPES
#define TYPES(X) INTS(X)
#endif
#define DIV0(S) ref_div0_##S(v[1])
#define F(S) ref_mod_##S(v[0], v[1])
#include "ref/map.h"
