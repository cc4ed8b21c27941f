/* SPDX-License-Identifier: MIT */
#define NAME "neg"
#define READS 1
#define F(S) ref_neg_##S(v[0])
#include "ref/map.h"
