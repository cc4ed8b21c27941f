/* SPDX-License-Identifier: MIT */
/* A movement: each element is at the place of its own, but along the axis at its
 * index, which may count from the end. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif

/* Where element i of the result is in the operand; -1: nowhere. */
static int64_t
place_of(const int64_t *in, const int64_t *out, int64_t axis, int64_t i,
    int64_t index)
{
	int64_t at = 0, step = 1, n = in[1 + axis];

	if (index < -n || index >= n)
		return -1;
	for (int64_t k = in[0] - 1; k >= 0; i /= out[1 + k], k--) {
		int64_t own = i % out[1 + k];

		if (k == axis)
			own = index < 0 ? index + n : index;
		at += own * step;
		step *= in[1 + k];
	}
	return at;
}

#define GATHER(S, T, t) \
	static int \
	gather_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		int64_t axis = ref_next(out)[1]; \
		\
		(void)stream; \
		axis += axis < 0 ? dim[0] : 0; \
		for (int64_t i = 0; i < ref_count(out); i++) { \
			int64_t at = place_of(dim, out, axis, i, \
			    ((const int64_t *)ptr[1])[i]); \
			\
			if (at < 0) \
				return KVK_RANGE; \
			((T *)ptr[2])[i] = ((const T *)ptr[0])[at]; \
		} \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("gather", "[*]" t ",[*]int64,int32|int64->[*]" t, t, \
	    KVK_OTHER, 2, 0, gather_##S)

TYPES(GATHER)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
