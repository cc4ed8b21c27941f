/* SPDX-License-Identifier: MIT */
#define NAME "rsubscalar"
#define READS 2
#define IN(t) SCALAR ",[*]" t
#define F(S) ref_sub_##S(v[0], v[1])
#include "ref/map.h"
