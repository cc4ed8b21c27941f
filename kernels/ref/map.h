/* SPDX-License-Identifier: MIT */
/*
 * An elementwise op. The file that includes this defines
 *   NAME   the op's name
 *   READS  how many operands it reads
 *   F(S)   the result as an expression of v[0], v[1], …; S is f32, i64, …
 * and, where it differs from what is below,
 *   TYPES(X)  its dtypes
 *   IN(t)     langtypes of its parameters, for dtype t
 *   MASK      the result is bool
 *   COND      the first operand is bool, and in F not v[0] but c
 *   MOVES     the result is an operand's bytes
 *   DIV0(S)   when it is a division by zero
 */
#include "ref/arith.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif
#ifndef IN
#if READS == 1
#define IN(t) "[*]" t
#else
#define IN(t) "[*]" t ",[*]" t
#endif
#endif
#ifndef DIV0
#define DIV0(S) 0
#endif
#ifdef MASK
#define RESULT(T) uint8_t
#define OUT(t) "[*]bool"
#define ALIASES 0
#else
#define RESULT(T) T
#define OUT(t) "[*]" t
#define ALIASES ((1 << READS) - 1)
#endif

/* An operand's element as F takes it, and what is stored of F's value. */
#ifdef MOVES
#define VALUE(S, T) T
#define GET(S, x) *(x)
#define PUT(S) F(S)
#else
#define VALUE(S, T) VALUE_##S
#define GET(S, x) ref_get_##S(x, 0)
#ifdef MASK
#define PUT(S) REF_APPLY(F, CALC_##S)
#else
#define PUT(S) ref_put_##S(REF_APPLY(F, CALC_##S))
#endif
#endif

#ifdef COND
#undef ALIASES
#define ALIASES (((1 << READS) - 1) & ~1)
#define FIRST 1
#define CONDITION(i) \
	int c = ((const uint8_t *)ptr[0])[at[0] + i * dim[7]];
#else
#define FIRST 0
#define CONDITION(i)
#endif

/* Where the element at outer indices i, j, k is in an operand. */
static inline int64_t
ref_at(const int64_t *step, int64_t i, int64_t j, int64_t k)
{
	return i * step[0] + j * step[1] + k * step[2];
}

/* A row is what lies along the innermost extent, dim[3]. */
#define REF_MAP(S, T, t) \
	static int \
	row_##S(void *const *ptr, const int64_t *dim, const int64_t *at) \
	{ \
		RESULT(T) *out = (RESULT(T) *)ptr[READS] + at[READS]; \
		\
		for (int64_t i = 0; i < dim[3]; i++) { \
			VALUE(S, T) v[READS]; \
			CONDITION(i) \
			\
			for (int k = FIRST; k < READS; k++) \
				v[k] = GET(S, (const T *)ptr[k] + at[k] + \
				    i * dim[4 + 4 * k + 3]); \
			if (REF_APPLY(DIV0, CALC_##S)) \
				return KVK_DIV0; \
			out[i * dim[4 + 4 * READS + 3]] = PUT(S); \
		} \
		return KVK_OK; \
	} \
	\
	static int \
	map_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t rows = dim[0] * dim[1] * dim[2], at[READS + 1]; \
		int code = KVK_OK; \
		\
		(void)stream; \
		for (int64_t r = 0; r < rows && code == KVK_OK; r++) { \
			for (int k = 0; k <= READS; k++) \
				at[k] = ref_at(dim + 4 + 4 * k, \
				    r / dim[2] / dim[1], \
				    r / dim[2] % dim[1], r % dim[2]); \
			code = row_##S(ptr, dim, at); \
		} \
		return code; \
	}

#define MAP_ENTRY(S, T, t) \
	REF_ENTRY(NAME, IN(t) "->" OUT(t), t, KVK_MAP, READS, ALIASES, map_##S)

TYPES(REF_MAP)

static const struct kvk_entry entries[] = { TYPES(MAP_ENTRY) };

REF_TABLE(entries);
