/* SPDX-License-Identifier: MIT */
/* A movement: the operand with the value before and after each axis. */
#define NAME "pad"
#define READS 2
#define IN(t) "[*]" t ",[]int32|[]int64," SCALAR "|bool"
#define ELSE(T) *(const T *)ptr[1]
#include "ref/move.h"

static int64_t
ref_from(const int64_t *in, const int64_t *out, const int64_t *attr,
    const int64_t *index)
{
	int64_t from[REF_MAX_RANK];

	for (int64_t i = 0; i < out[0]; i++) {
		from[i] = index[i] - attr[1 + i];
		if (from[i] < 0 || from[i] >= in[1 + i])
			return -1;
	}
	return ref_place(in, from);
}
