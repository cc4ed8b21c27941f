/* SPDX-License-Identifier: MIT */
/* A movement: bytes are kept, those of a NaN too. */
#define NAME "broadcastTo"
#define READS 1
#define ATTRS ",[]int32|[]int64"
#define F(S) v[0]
#include "ref/map.h"
