/* SPDX-License-Identifier: MIT */
#define NAME "add"
#define READS 2
#define F(S) ref_add_##S(v[0], v[1])
#include "ref/map.h"
