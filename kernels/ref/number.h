/* SPDX-License-Identifier: MIT */
/* The same number all over, of a dtype that is named. The file that includes this
 * defines NAME, the op's name, and VALUE, the number. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif

#define NUMBER(S, T, t) \
	static int \
	number_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		(void)stream; \
		for (int64_t i = 0; i < ref_count(dim); i++) \
			((T *)ptr[0])[i] = ref_put_##S(VALUE); \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY(NAME, "[]int32|[]int64,[]char/utf32|[]char/utf8->[*]" t, t, \
	    KVK_OTHER, 0, 0, number_##S)

TYPES(NUMBER)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
