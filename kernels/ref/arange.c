/* SPDX-License-Identifier: MIT */
/* Element i is start + i * step, each operation in the dtype, of halves in
 * float32 with one rounding at the end. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif

#define ADD(S, a, b) REF_ADD(S, a, b)
#define REF_ADD(S, a, b) ref_add_##S(a, b)
#define MUL(S, a, b) REF_MUL(S, a, b)
#define REF_MUL(S, a, b) ref_mul_##S(a, b)

#define ARANGE(S, T, t) \
	static int \
	arange_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = ref_count(ref_next(ref_next(dim))); \
		VALUE_##S start = ref_get_##S(ptr[0], 0); \
		VALUE_##S step = ref_get_##S(ptr[1], 0); \
		\
		(void)stream; \
		for (int64_t i = 0; i < n; i++) \
			((T *)ptr[2])[i] = ref_put_##S(ADD(CALC_##S, start, \
			    MUL(CALC_##S, (VALUE_##S)i, step))); \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("arange", "[]int32|[]int64," SCALAR "," SCALAR "->[*]" t, \
	    t, KVK_OTHER, 2, 0, arange_##S)

TYPES(ARANGE)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
