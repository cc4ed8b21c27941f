/* SPDX-License-Identifier: MIT */
/*
 * Running sums along an axis, each of the one before and an element; with
 * exclusive, of what comes before the element, at first 0; with reverse from the
 * end on. Halves are summed in float32, and each result is rounded.
 */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif

/* Elements of the axes from `first` to before `last`. */
static int64_t
extent_of(const int64_t *dims, int64_t first, int64_t last)
{
	int64_t count = 1;

	for (int64_t i = first; i < last; i++)
		count *= dims[1 + i];
	return count;
}

#define ADD(S, a, b) REF_ADD(S, a, b)
#define REF_ADD(S, a, b) ref_add_##S(a, b)

#define CUMSUM(S, T, t) \
	static void \
	scan_##S(const T *x, T *y, int64_t n, int64_t step, int exclusive) \
	{ \
		VALUE_##S sum = exclusive ? (VALUE_##S)0 : (VALUE_##S)-0.0; \
		\
		for (int64_t j = 0; j < n; j++) { \
			VALUE_##S before = sum; \
			\
			sum = ADD(CALC_##S, sum, ref_get_##S(x, j * step)); \
			y[j * step] = ref_put_##S(exclusive ? before : sum); \
		} \
	} \
	\
	static int \
	cumsum_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *with = ref_next(ref_next(dim)); \
		int64_t axis = with[1] < 0 ? with[1] + dim[0] : with[1]; \
		int64_t n = dim[1 + axis]; \
		int64_t inner = extent_of(dim, axis + 1, dim[0]); \
		int64_t count = extent_of(dim, 0, axis) * inner; \
		int64_t last = with[5] ? (n - 1) * inner : 0; \
		\
		(void)stream; \
		for (int64_t i = 0; i < count; i++) { \
			int64_t at = i / inner * n * inner + i % inner + last; \
			\
			scan_##S((const T *)ptr[0] + at, (T *)ptr[1] + at, n, \
			    with[5] ? -inner : inner, with[3] != 0); \
		} \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("cumsum", "[*]" t ",int32|int64,bool,bool->[*]" t, t, \
	    KVK_OTHER, 1, 0, cumsum_##S)

TYPES(CUMSUM)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
