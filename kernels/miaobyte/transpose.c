/* SPDX-License-Identifier: MIT */
/* Axis i of the result is axis order[i]; no order reverses all. */
#define NAME "transpose"
#define READS 1
#define IN(t) "[*]" t ",[]int32|[]int64"
#include "miaobyte/move.h"

static struct move
plan(void *const *ptr, const int64_t *dim)
{
	const int64_t *order = ref_next(ref_next(dim));
	struct move m = { .from = ptr[0], .to = ptr[1] };

	for (int64_t i = 0; i < dim[0]; i++) {
		int64_t axis = move_which(dim, order[0] ? order[1 + i] :
		    dim[0] - 1 - i);

		move_axis(&m, dim[1 + axis], move_step(dim, axis));
	}
	return m;
}

MOVE_OP();
