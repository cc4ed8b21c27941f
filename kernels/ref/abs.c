/* SPDX-License-Identifier: MIT */
#define NAME "abs"
#define READS 1
#define F(S) ref_abs_##S(v[0])
#include "ref/map.h"
