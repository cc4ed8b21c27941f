/* SPDX-License-Identifier: MIT */
/* The same number all over, of a dtype that is named. The file that includes this
 * defines NAME, the op's name, and VALUE, the number. */
#include "miaobyte/fill.h"

#define NUMBER(S, T, t) \
	static int \
	kernel_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const T value = ref_put_##S(VALUE); \
		\
		return fill_run(ptr[0], &value, ref_count(dim), sizeof(T), \
		    stream); \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY(NAME, "[]int32|[]int64,[]char/utf32|[]char/utf8->[*]" t, t, \
	    KVK_OTHER, 0, 0, kernel_##S)

FLOATS(NUMBER)
HALVES(NUMBER)
INTS(NUMBER)
BOOLS(NUMBER)

static const struct kvk_entry entries[] = {
	FLOATS(ENTRY) HALVES(ENTRY) INTS(ENTRY) BOOLS(ENTRY)
};

REF_TABLE(entries);
