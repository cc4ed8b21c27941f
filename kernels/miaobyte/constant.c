/* SPDX-License-Identifier: MIT */
/* Every element is the value. */
#define NAME "constant"
#define READS 1
#define IN(t) "[]int32|[]int64," SCALAR "|bool"
#include "miaobyte/fill.h"

#define CONSTANT(size, T) \
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		return fill_run(ptr[1], ptr[0], ref_count(ref_next(dim)), \
		    size, stream); \
	}

SIZES(CONSTANT)
SIZE_TABLE();
