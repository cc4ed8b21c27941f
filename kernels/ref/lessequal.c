/* SPDX-License-Identifier: MIT */
#define NAME "lessequal"
#define READS 2
#define MASK
#define F(S) v[0] <= v[1]
#include "ref/map.h"
