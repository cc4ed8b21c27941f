/* SPDX-License-Identifier: MIT */
#define NAME "square"
#define READS 1
#define F(S) ref_mul_##S(v[0], v[0])
#include "ref/map.h"
