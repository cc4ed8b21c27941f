/* SPDX-License-Identifier: MIT */
/* The operand again and again, as tiles. */
#define NAME "repeat"
#define READS 1
#define IN(t) "[*]" t ",[]int32|[]int64"
#include "miaobyte/move.h"

static struct move
plan(void *const *ptr, const int64_t *dim)
{
	const int64_t *repeats = ref_next(ref_next(dim));
	int64_t more = repeats[0] - dim[0];
	struct move m = { .from = ptr[0], .to = ptr[1] };

	for (int64_t i = 0; i < repeats[0]; i++) {
		move_axis(&m, repeats[1 + i], 0);
		if (i >= more)
			move_axis(&m, dim[1 + i - more],
			    move_step(dim, i - more));
	}
	return m;
}

MOVE_OP();
