/* SPDX-License-Identifier: MIT */
/* A movement: every element is the value. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif

#define CONSTANT(S, T, t) \
	static int \
	constant_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = ref_count(ref_next(dim)); \
		\
		(void)stream; \
		for (int64_t i = 0; i < n; i++) \
			((T *)ptr[1])[i] = *(const T *)ptr[0]; \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("constant", "[]int32|[]int64," SCALAR "|bool->[*]" t, t, \
	    KVK_OTHER, 1, 0, constant_##S)

TYPES(CONSTANT)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
