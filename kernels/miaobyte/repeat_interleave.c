/* SPDX-License-Identifier: MIT */
/* Each element of the axis n times, one after the other. */
#define NAME "repeat_interleave"
#define READS 1
#define IN(t) "[*]" t ",int32|int64,int32|int64"
#include "miaobyte/move.h"

static struct move
plan(void *const *ptr, const int64_t *dim)
{
	const int64_t *with = ref_next(ref_next(dim));
	int64_t axis = move_which(dim, with[3]);
	struct move m = { .from = ptr[0], .to = ptr[1] };

	for (int64_t i = 0; i < dim[0]; i++) {
		move_axis(&m, dim[1 + i], move_step(dim, i));
		if (i == axis)
			move_axis(&m, with[1], 0);
	}
	return m;
}

MOVE_OP();
