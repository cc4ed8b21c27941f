/* SPDX-License-Identifier: MIT */
/* A movement: axis i of the result is axis order[i]; no order reverses all. */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif

/* Elements between neighbours along an axis. */
static int64_t
step_of(const int64_t *dims, int64_t axis)
{
	int64_t step = 1;

	for (int64_t i = axis + 1; i < dims[0]; i++)
		step *= dims[1 + i];
	return step;
}

/* For each axis of the result, its step in the operand. */
static void
find_steps(const int64_t *dims, const int64_t *order, int64_t *step)
{
	for (int64_t i = 0; i < dims[0]; i++) {
		int64_t axis = order[0] ? order[1 + i] : dims[0] - 1 - i;

		step[i] = step_of(dims, axis < 0 ? axis + dims[0] : axis);
	}
}

/* The next element's place, by counting up the indices. */
static int64_t
advance(const int64_t *out, const int64_t *step, int64_t *index, int64_t at)
{
	for (int64_t i = out[0] - 1; i >= 0; i--) {
		at += step[i];
		if (++index[i] < out[1 + i])
			break;
		at -= out[1 + i] * step[i];
		index[i] = 0;
	}
	return at;
}

#define TRANSPOSE(S, T, t) \
	static int \
	transpose_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(dim), *order = ref_next(out); \
		int64_t step[REF_MAX_RANK], index[REF_MAX_RANK] = { 0 }; \
		int64_t n = ref_count(out), at = 0; \
		\
		(void)stream; \
		find_steps(dim, order, step); \
		for (int64_t i = 0; i < n; i++) { \
			((T *)ptr[1])[i] = ((const T *)ptr[0])[at]; \
			at = advance(out, step, index, at); \
		} \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY("transpose", "[*]" t ",[]int32|[]int64->[*]" t, t, \
	    KVK_OTHER, 1, 0, transpose_##S)

TYPES(TRANSPOSE)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
