/* SPDX-License-Identifier: MIT */
/* A movement: each element of the axis n times, one after the other. */
#define NAME "repeat_interleave"
#define READS 1
#define IN(t) "[*]" t ",int32|int64,int32|int64"
#define ELSE(T) 0
#include "ref/move.h"

static int64_t
ref_from(const int64_t *in, const int64_t *out, const int64_t *attr,
    const int64_t *index)
{
	int64_t from[REF_MAX_RANK], axis = ref_axis(in, attr[3]);

	for (int64_t i = 0; i < out[0]; i++)
		from[i] = i == axis ? index[i] / attr[1] : index[i];
	return ref_place(in, from);
}
