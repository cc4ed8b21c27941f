/* SPDX-License-Identifier: MIT */
/* A movement: along the axis, the elements at the indices, which may count from
 * the end. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif

#define SELECT(S, T, t) \
	static int \
	select_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *pick = ref_next(dim), *out = ref_next(pick); \
		int64_t axis = ref_next(out)[1], inner = 1, n, m; \
		const int64_t *index = ptr[1]; \
		\
		(void)stream; \
		axis += axis < 0 ? dim[0] : 0; \
		for (int64_t i = axis + 1; i < dim[0]; i++) \
			inner *= dim[1 + i]; \
		n = dim[1 + axis]; \
		m = ref_count(pick); \
		for (int64_t i = 0; i < ref_count(out); i++) { \
			int64_t k = index[i / inner % m]; \
			\
			if (k < -n || k >= n) \
				return KVK_RANGE; \
			k += k < 0 ? n : 0; \
			((T *)ptr[2])[i] = ((const T *)ptr[0])[ \
			    (i / inner / m * n + k) * inner + i % inner]; \
		} \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("indexselect", "[*]" t ",[*]int64,int32|int64->[*]" t, t, \
	    KVK_OTHER, 2, 0, select_##S)

TYPES(SELECT)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
