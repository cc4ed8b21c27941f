/* SPDX-License-Identifier: MIT */
#define NAME "max"
#define READS 2
#define F(S) ref_max_##S(v[0], v[1])
#include "ref/map.h"
