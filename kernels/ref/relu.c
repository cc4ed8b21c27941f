/* SPDX-License-Identifier: MIT */
#define NAME "relu"
#define READS 1
#define F(S) ref_max_##S(v[0], 0)
#include "ref/map.h"
