/* SPDX-License-Identifier: MIT */
/*
 * A reduction. The file that includes this defines
 *   NAME          the op's name
 *   TYPES(X)      its dtypes
 *   REDUCE(S, T, get)  the body of a function of x, n and axes: the result for
 *                 the elements get(x, ref_at(axes, j)), 0 <= j < n, which are
 *                 of type T and computed by functions of S
 * and, where it differs from the operand's,
 *   OUT(t), RESULT(T)  langtype and C type of the result
 *   NEEDS              how many elements it needs at least
 */
#include "ref/arith.h"
#include "ref/axes.h"

#ifdef RESULT
#define ONE(S, T) RESULT(T)
#define PUT(S) (
#else
#define RESULT(T) T
#define OUT(t) "[*]" t
#define ONE(S, T) VALUE_##S
#define PUT(S) ref_put_##S(
#endif
#ifndef NEEDS
#define NEEDS 0
#endif

#define REF_BODY(S, T, get) REDUCE(S, T, get)

#define REF_REDUCE(S, T, t) \
	static ONE(S, T) \
	one_##S(const T *x, int64_t n, const int64_t *axes) \
	{ \
		REF_BODY(CALC_##S, VALUE_##S, ref_get_##S) \
	} \
	\
	static int \
	reduce_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = dim[1], inner = dim[2], count = dim[0] * inner; \
		const int64_t *axes = dim + 3, *outer = axes + 1 + 2 * axes[0]; \
		RESULT(T) *out = ptr[1]; \
		\
		(void)stream; \
		if (n < NEEDS && count > 0) \
			return KVK_RANGE; \
		for (int64_t i = 0; i < count; i++) \
			out[i] = PUT(S) one_##S((const T *)ptr[0] + \
			    ref_at(outer, i / inner) + i % inner, n, axes)); \
		return KVK_OK; \
	}

#define REDUCE_ENTRY(S, T, t) \
	REF_ENTRY(NAME, "[*]" t ",int32|int64|[]int32|[]int64,bool->" OUT(t), \
	    t, KVK_REDUCE, 1, 0, reduce_##S)

TYPES(REF_REDUCE)

static const struct kvk_entry entries[] = { TYPES(REDUCE_ENTRY) };

REF_TABLE(entries);
