/* SPDX-License-Identifier: MIT */
/* A movement: 0 above diagonal k of the last two axes. */
#define NAME "tril"
#define READS 1
#define IN(t) "[*]" t ",int32|int64"
#define ELSE(T) 0
#include "ref/move.h"

static int64_t
ref_from(const int64_t *in, const int64_t *out, const int64_t *attr,
    const int64_t *index)
{
	int64_t row = index[out[0] - 2], column = index[out[0] - 1];

	return column - row > attr[1] ? -1 : ref_place(in, index);
}
