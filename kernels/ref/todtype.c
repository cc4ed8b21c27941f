/* SPDX-License-Identifier: MIT */
/* X as in ref/table.h, with the dtype that is converted before it. */
#include "ref/arith.h"

#define TO_FLOATS(X, ...) \
	X(__VA_ARGS__, f32, float, "float32") X(__VA_ARGS__, f64, double, "float64")
#define TO_INTS(X, ...) \
	X(__VA_ARGS__, i8, int8_t, "int8") X(__VA_ARGS__, i16, int16_t, "int16") \
	X(__VA_ARGS__, i32, int, "int32") X(__VA_ARGS__, i64, int64_t, "int64") \
	X(__VA_ARGS__, u8, uint8_t, "uint8") \
	X(__VA_ARGS__, u16, uint16_t, "uint16") \
	X(__VA_ARGS__, u32, uint32_t, "uint32") \
	X(__VA_ARGS__, u64, uint64_t, "uint64")
#define TO_HALVES(X, ...) \
	X(__VA_ARGS__, f16, uint16_t, "float16") \
	X(__VA_ARGS__, bf16, uint16_t, "bfloat16")
#define TO_BOOLS(X, ...) X(__VA_ARGS__, b, uint8_t, "bool")
#define TO_ALL(X, ...) \
	TO_FLOATS(X, __VA_ARGS__) TO_HALVES(X, __VA_ARGS__) \
	TO_INTS(X, __VA_ARGS__) TO_BOOLS(X, __VA_ARGS__)
#define FROM_ALL(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)

/* The ends of an integer type, and the first float above them. */
#define IS_SIGNED(U) ((U)-1 < 0)
#define HALF(U) (1ull << (8 * sizeof(U) - 1))
#define MOST(U) ((U)(IS_SIGNED(U) ? HALF(U) - 1 : HALF(U) - 1 + HALF(U)))
#define LEAST(U) ((U)(IS_SIGNED(U) ? HALF(U) : 0))
#define ABOVE(U) ((double)HALF(U) * (IS_SIGNED(U) ? 1 : 2))

#define FLOAT_FLOAT(S, T, t, D, U, u) \
	static U of_##S##_##D(VALUE_##S x) { return ref_canon_##D((U)x); }
#define FLOAT_INT(S, T, t, D, U, u) \
	static U \
	of_##S##_##D(VALUE_##S x) \
	{ \
		if (x != x) \
			return 0; \
		if ((double)x >= ABOVE(U)) \
			return MOST(U); \
		return (double)x < (double)LEAST(U) ? LEAST(U) : (U)x; \
	}
#define INT_ANY(S, T, t, D, U, u) \
	static U of_##S##_##D(VALUE_##S x) { return (U)x; }
#define IS_NONZERO(S, T, t, D, U, u) \
	static U of_##S##_##D(VALUE_##S x) { return x != 0; }

/* A float32 between x and 0, or x; the last bit says whether it is not x. It
 * rounds to the half to which x does. */
static float
odd(long double x)
{
	float f = (float)x;
	unsigned bits;

	if (x != x || (long double)f == x)
		return f;
	__builtin_memcpy(&bits, &f, sizeof bits);
	bits -= __builtin_fabsl((long double)f) > __builtin_fabsl(x);
	bits |= 1;
	__builtin_memcpy(&f, &bits, sizeof f);
	return f;
}

#define ANY_HALF(S, T, t, D, U, u) \
	static U of_##S##_##D(VALUE_##S x) { return ref_put_##D(odd(x)); }

#define FROM_FLOAT(S, T, t) \
	TO_FLOATS(FLOAT_FLOAT, S, T, t) TO_HALVES(ANY_HALF, S, T, t) \
	TO_INTS(FLOAT_INT, S, T, t) TO_BOOLS(IS_NONZERO, S, T, t)
#define FROM_INT(S, T, t) \
	TO_FLOATS(INT_ANY, S, T, t) TO_HALVES(ANY_HALF, S, T, t) \
	TO_INTS(INT_ANY, S, T, t) TO_BOOLS(IS_NONZERO, S, T, t)
#define HALF_OF_BOOL(S, T, t, D, U, u) \
	static U of_##S##_##D(VALUE_##S x) { return ref_put_##D(x != 0); }
#define FROM_BOOL(S, T, t) \
	TO_FLOATS(IS_NONZERO, S, T, t) TO_HALVES(HALF_OF_BOOL, S, T, t) \
	TO_INTS(IS_NONZERO, S, T, t) TO_BOOLS(IS_NONZERO, S, T, t)

FLOATS(FROM_FLOAT)
HALVES(FROM_FLOAT)
INTS(FROM_INT)
BOOLS(FROM_BOOL)

/* Where element i is in an operand with these steps. */
static int64_t
at(const int64_t *dim, const int64_t *step, int64_t i)
{
	int64_t where = i % dim[3] * step[3];

	i /= dim[3];
	where += i % dim[2] * step[2];
	i /= dim[2];
	return where + i % dim[1] * step[1] + i / dim[1] * step[0];
}

#define LOOP(S, T, t, D, U, u) \
	static int \
	map_##S##_##D(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = dim[0] * dim[1] * dim[2] * dim[3]; \
		\
		(void)stream; \
		for (int64_t i = 0; i < n; i++) \
			((U *)ptr[1])[at(dim, dim + 8, i)] = of_##S##_##D( \
			    ref_get_##S(ptr[0], at(dim, dim + 4, i))); \
		return KVK_OK; \
	}
#define LOOPS(S, T, t) TO_ALL(LOOP, S, T, t)
FROM_ALL(LOOPS)

#define ENTRY(S, T, t, D, U, u) \
	REF_ENTRY("todtype", "[*]" t ",[]char/utf32|[]char/utf8->[*]" u, t, \
	    KVK_MAP, 1, 0, map_##S##_##D)
#define ENTRIES(S, T, t) TO_ALL(ENTRY, S, T, t)

static const struct kvk_entry entries[] = { FROM_ALL(ENTRIES) };

REF_TABLE(entries);
