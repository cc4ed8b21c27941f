/* SPDX-License-Identifier: MIT */
/* Along the axis, the elements from start to before stop that are step apart. */
#define NAME "slice"
#define READS 1
#define IN(t) "[*]" t ",int32|int64,int32|int64,int32|int64,int32|int64"
#include "miaobyte/move.h"

static struct move
plan(void *const *ptr, const int64_t *dim)
{
	const int64_t *out = ref_next(dim), *with = ref_next(out);
	int64_t axis = move_which(dim, with[1]), n = dim[1 + axis];
	int64_t start = with[3] < 0 ? with[3] + n : with[3];
	struct move m = { .from = ptr[0], .to = ptr[1] };

	/* Where it matters, start and step are less than the extent. */
	for (int64_t i = 0; i < dim[0]; i++)
		move_axis(&m, out[1 + i], move_step(dim, i) *
		    (i == axis && out[1 + i] > 1 ? with[7] : 1));
	if (start > 0 && start < n)
		m.first = start * move_step(dim, axis);
	return m;
}

MOVE_OP();
