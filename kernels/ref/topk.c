/* SPDX-License-Identifier: MIT */
/*
 * The k largest elements along an axis, largest first, or the smallest, and their
 * indices. NaN counts as larger than all; of equal ones the first comes first.
 * Values are moved: their bytes are kept.
 */
#include "ref/other.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif

/* before: whether element i comes before element j. An element's place is how
 * many come before it. */
#define TOPK(S, T, t) \
	static int \
	before_##S(const T *x, int64_t i, int64_t j, int64_t step, \
	    int largest) \
	{ \
		VALUE_##S a = ref_get_##S(x, i * step); \
		VALUE_##S b = ref_get_##S(x, j * step); \
		\
		if ((a != a) != (b != b)) \
			return (a != a) == largest; \
		if (a == b || a != a) \
			return i < j; \
		return (a > b) == largest; \
	} \
	\
	static void \
	line_##S(const T *x, T *y, int64_t *index, int64_t n, int64_t k, \
	    int64_t step, int largest) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			int64_t place = 0; \
			\
			for (int64_t j = 0; j < n; j++) \
				place += before_##S(x, j, i, step, largest); \
			if (place >= k) \
				continue; \
			y[place * step] = x[i * step]; \
			index[place * step] = i; \
		} \
	} \
	\
	static int \
	topk_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *with = ref_next(ref_next(ref_next(dim))); \
		int64_t k = with[1], axis = with[3], inner = 1, lines = 1; \
		\
		(void)stream; \
		axis += axis < 0 ? dim[0] : 0; \
		for (int64_t i = 0; i < dim[0]; i++) { \
			inner *= i > axis ? dim[1 + i] : 1; \
			lines *= i != axis ? dim[1 + i] : 1; \
		} \
		for (int64_t i = 0; i < lines; i++) { \
			int64_t outer = i / inner, n = dim[1 + axis]; \
			int64_t to = outer * k * inner + i % inner; \
			\
			line_##S((const T *)ptr[0] + outer * n * inner + \
			    i % inner, (T *)ptr[1] + to, \
			    (int64_t *)ptr[2] + to, n, k, inner, with[5] != 0); \
		} \
		return KVK_OK; \
	}

#define ENTRY(S, T, t) \
	{ .abi = KVK_ABI, .size = sizeof(struct kvk_entry), \
	  .opcode = "deepx/" AUTHOR "·topk", .langtypes = "[*]" t \
	  ",int32|int64,int32|int64,bool->[*]" t ",[*]int64", .dtype = t, \
	  .isa = K_ISA, .cls = KVK_OTHER, .nin = 1, .nout = 2, \
	  .fn = topk_##S },

TYPES(TOPK)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
