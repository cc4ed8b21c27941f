/* SPDX-License-Identifier: MIT */
/* Element i is start + i * step, each operation in the dtype. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) INTS(X)
#endif

#define ARANGE(S, T, t) \
	static int \
	arange_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = ref_count(ref_next(ref_next(dim))); \
		T start = *(const T *)ptr[0], step = *(const T *)ptr[1]; \
		\
		(void)stream; \
		for (int64_t i = 0; i < n; i++) \
			((T *)ptr[2])[i] = ref_add_##S(start, \
			    ref_mul_##S((T)i, step)); \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("arange", "[]int32|[]int64," SCALAR "," SCALAR "->[*]" t, \
	    t, KVK_OTHER, 2, 0, arange_##S)

TYPES(ARANGE)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
