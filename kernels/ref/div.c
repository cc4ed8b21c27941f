/* SPDX-License-Identifier: MIT */
#define NAME "div"
#define READS 2
#define ATTRS ""
#define F(S) ref_canon_##S(v[0] / v[1])
#include "ref/map.h"
