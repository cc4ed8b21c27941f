/* SPDX-License-Identifier: MIT */
#define NAME "sub"
#define READS 2
#define F(S) ref_sub_##S(v[0], v[1])
#include "ref/map.h"
