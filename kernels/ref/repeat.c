/* SPDX-License-Identifier: MIT */
/* A movement: the operand again and again, as tiles. */
#define NAME "repeat"
#define READS 1
#define IN(t) "[*]" t ",[]int32|[]int64"
#define ELSE(T) 0
#include "ref/move.h"

static int64_t
ref_from(const int64_t *in, const int64_t *out, const int64_t *attr,
    const int64_t *index)
{
	int64_t from[REF_MAX_RANK], more = out[0] - in[0];

	(void)attr;
	for (int64_t i = 0; i < in[0]; i++)
		from[i] = index[more + i] % in[1 + i];
	return ref_place(in, from);
}
