/* SPDX-License-Identifier: MIT */
#define NAME "min"
#define READS 2
#define F(S) ref_min_##S(v[0], v[1])
#include "ref/map.h"
