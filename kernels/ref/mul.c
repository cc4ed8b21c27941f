/* SPDX-License-Identifier: MIT */
#define NAME "mul"
#define READS 2
#define F(S) ref_mul_##S(v[0], v[1])
#include "ref/map.h"
