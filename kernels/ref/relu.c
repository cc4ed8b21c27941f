/* SPDX-License-Identifier: MIT */
#define NAME "relu"
#define READS 1
#define ATTRS ""
#define F(S) ref_canon_##S(v[0] > 0 || v[0] != v[0] ? v[0] : 0)
#include "ref/map.h"
