/* SPDX-License-Identifier: MIT */
/*
 * A movement: each element of the result is one of the operand, or one that is
 * the same everywhere. The file that includes this defines
 *   NAME    the op's name
 *   READS   how many operands it reads
 *   IN(t)   langtypes of its parameters, for dtype t
 *   ELSE    the element where none of the operand is
 * and the function
 *   ref_from(in, out, attr, index)  where the element at these indices of the
 *           result is in the operand, -1: it is ELSE. in, out: their dims, attr:
 *           the first attribute, lists as in other.h
 */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif

/* An axis that may count from the end. */
static inline int64_t
ref_axis(const int64_t *dims, int64_t axis)
{
	return axis < 0 ? axis + dims[0] : axis;
}

/* Where the element at these indices is. */
static inline int64_t
ref_place(const int64_t *dims, const int64_t *index)
{
	int64_t at = 0;

	for (int64_t i = 0; i < dims[0]; i++)
		at = at * dims[1 + i] + index[i];
	return at;
}

static int64_t ref_from(const int64_t *in, const int64_t *out,
    const int64_t *attr, const int64_t *index);

/* The indices of element i. */
static inline void
ref_indices(const int64_t *dims, int64_t i, int64_t *index)
{
	for (int64_t k = dims[0] - 1; k >= 0; i /= dims[1 + k], k--)
		index[k] = i % dims[1 + k];
}

#define REF_MOVE(S, T, t) \
	static int \
	move_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(dim), *attr; \
		const T *x = ptr[0]; \
		T *y = ptr[READS]; \
		int64_t index[REF_MAX_RANK], n, at; \
		\
		(void)stream; \
		for (int i = 1; i < READS; i++) \
			out = ref_next(out); \
		attr = ref_next(out); \
		n = ref_count(out); \
		for (int64_t i = 0; i < n; i++) { \
			ref_indices(out, i, index); \
			at = ref_from(dim, out, attr, index); \
			y[i] = at < 0 ? (T)(ELSE(T)) : x[at]; \
		} \
		return KVK_OK; \
	}

#define MOVE_ENTRY(S, T, t) \
	REF_ENTRY(NAME, IN(t) "->[*]" t, t, KVK_OTHER, READS, 0, move_##S)

TYPES(REF_MOVE)

static const struct kvk_entry entries[] = { TYPES(MOVE_ENTRY) };

REF_TABLE(entries);
