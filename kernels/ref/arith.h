/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of each dtype under one name: ref_add_f32, ref_add_i64. Floats
 * follow IEEE 754 and give the canonical NaN; integers wrap around. A division
 * of integers truncates, its divisor is never 0.
 */
#ifndef REF_ARITH_H
#define REF_ARITH_H

#include "ref/half.h"
#include "ref/table.h"

#define REF_FLOAT(S, T, root, magnitude) \
	static inline T ref_lowest_##S(void) { return -(T)__builtin_inf(); } \
	static inline T ref_highest_##S(void) { return (T)__builtin_inf(); } \
	static inline T ref_add_##S(T a, T b) { return ref_canon_##S(a + b); } \
	static inline T ref_sub_##S(T a, T b) { return ref_canon_##S(a - b); } \
	static inline T ref_mul_##S(T a, T b) { return ref_canon_##S(a * b); } \
	static inline T ref_div_##S(T a, T b) { return ref_canon_##S(a / b); } \
	static inline T ref_neg_##S(T a) { return ref_canon_##S(-a); } \
	static inline T ref_abs_##S(T a) { return ref_canon_##S(magnitude(a)); } \
	static inline T ref_sqrt_##S(T a) { return ref_canon_##S(root(a)); } \
	static inline int ref_div0_##S(T b) { return (void)b, 0; } \
	/* With a tolerance: |a - b| <= e, where equal infinities are equal. */ \
	static inline int ref_equal_##S(T a, T b, T e) \
	{ \
		return a == b || magnitude(a - b) <= e; \
	}

/* U: an unsigned type in which the arithmetic wraps around. */
#define REF_INT(S, T, U, lowest, highest) \
	static inline T ref_canon_##S(T v) { return v; } \
	static inline T ref_lowest_##S(void) { return lowest; } \
	static inline T ref_highest_##S(void) { return highest; } \
	static inline T ref_add_##S(T a, T b) { return (T)((U)a + (U)b); } \
	static inline T ref_sub_##S(T a, T b) { return (T)((U)a - (U)b); } \
	static inline T ref_mul_##S(T a, T b) { return (T)((U)a * (U)b); } \
	static inline T ref_neg_##S(T a) { return (T)(0 - (U)a); } \
	static inline T ref_invert_##S(T a) { return (T)~a; } \
	static inline int ref_div0_##S(T b) { return b == 0; } \
	static inline int ref_equal_##S(T a, T b, T e) \
	{ \
		U d = a > b ? (U)a - (U)b : (U)b - (U)a; \
		\
		return d == 0 || (e > 0 && d <= (U)e); \
	}

#define REF_SIGNED(S, T) \
	static inline T ref_abs_##S(T a) { return a < 0 ? ref_neg_##S(a) : a; } \
	/* The least number divided by -1 has no representation: it wraps. */ \
	static inline T ref_div_##S(T a, T b) \
	{ \
		return b == -1 ? ref_neg_##S(a) : (T)(a / b); \
	} \
	/* Of the sign of b. */ \
	static inline T ref_mod_##S(T a, T b) \
	{ \
		T r = b == -1 ? 0 : (T)(a % b); \
		\
		return r && (r < 0) != (b < 0) ? (T)(r + b) : r; \
	}

#define REF_UNSIGNED(S, T) \
	static inline T ref_abs_##S(T a) { return a; } \
	static inline T ref_div_##S(T a, T b) { return (T)(a / b); } \
	static inline T ref_mod_##S(T a, T b) { return (T)(a % b); }

#define REF_ORDER(S, T) \
	/* NaN on either side gives NaN; of two zeros the second is taken. */ \
	static inline T ref_max_##S(T a, T b) \
	{ \
		return ref_canon_##S(a > b || a != a ? a : b); \
	} \
	static inline T ref_min_##S(T a, T b) \
	{ \
		return ref_canon_##S(a < b || a != a ? a : b); \
	}

REF_FLOAT(f32, float, __builtin_sqrtf, __builtin_fabsf)
REF_FLOAT(f64, double, __builtin_sqrt, __builtin_fabs)
REF_INT(i8, int8_t, uint32_t, -0x7f - 1, 0x7f)
REF_INT(i16, int16_t, uint32_t, -0x7fff - 1, 0x7fff)
REF_INT(i32, int, uint32_t, -0x7fffffff - 1, 0x7fffffff)
REF_INT(i64, int64_t, uint64_t, -0x7fffffffffffffff - 1, 0x7fffffffffffffff)
REF_INT(u8, uint8_t, uint32_t, 0, 0xff)
REF_INT(u16, uint16_t, uint32_t, 0, 0xffff)
REF_INT(u32, uint32_t, uint32_t, 0, 0xffffffff)
REF_INT(u64, uint64_t, uint64_t, 0, 0xffffffffffffffff)
REF_SIGNED(i8, int8_t)
REF_SIGNED(i16, int16_t)
REF_SIGNED(i32, int)
REF_SIGNED(i64, int64_t)
REF_UNSIGNED(u8, uint8_t)
REF_UNSIGNED(u16, uint16_t)
REF_UNSIGNED(u32, uint32_t)
REF_UNSIGNED(u64, uint64_t)
REF_ORDER(f32, float)
REF_ORDER(f64, double)
REF_ORDER(i8, int8_t)
REF_ORDER(i16, int16_t)
REF_ORDER(i32, int)
REF_ORDER(i64, int64_t)
REF_ORDER(u8, uint8_t)
REF_ORDER(u16, uint16_t)
REF_ORDER(u32, uint32_t)
REF_ORDER(u64, uint64_t)

static inline uint8_t ref_canon_b(uint8_t v) { return v != 0; }
static inline uint8_t ref_invert_b(uint8_t v) { return !v; }
static inline uint8_t ref_lowest_b(void) { return 0; }
static inline uint8_t ref_highest_b(void) { return 1; }

static inline int
ref_equal_b(uint8_t a, uint8_t b, uint8_t e)
{
	return !a == !b || e;
}

REF_ORDER(b, uint8_t)

/*
 * What computes an element of each dtype: CALC_S is the end of the functions'
 * names, VALUE_S the type. ref_get_S is element i as such a value, ref_put_S the
 * element that a value is stored as. Halves are computed as float and rounded
 * when they are stored.
 */
#define CALC_f16 f32
#define CALC_bf16 f32
#define VALUE_f16 float
#define VALUE_bf16 float
#define CALC_f32 f32
#define CALC_f64 f64
#define CALC_i8 i8
#define CALC_i16 i16
#define CALC_i32 i32
#define CALC_i64 i64
#define CALC_u8 u8
#define CALC_u16 u16
#define CALC_u32 u32
#define CALC_u64 u64
#define CALC_b b
#define VALUE_f32 float
#define VALUE_f64 double
#define VALUE_i8 int8_t
#define VALUE_i16 int16_t
#define VALUE_i32 int
#define VALUE_i64 int64_t
#define VALUE_u8 uint8_t
#define VALUE_u16 uint16_t
#define VALUE_u32 uint32_t
#define VALUE_u64 uint64_t
#define VALUE_b uint8_t

#define REF_SAME(S, T, t) \
	static inline T ref_get_##S(const T *x, int64_t i) { return x[i]; } \
	static inline T ref_put_##S(T v) { return v; }

FLOATS(REF_SAME)
INTS(REF_SAME)
BOOLS(REF_SAME)

#define REF_HALF(S, fraction, least) \
	static inline float \
	ref_get_##S(const uint16_t *x, int64_t i) \
	{ \
		return ref_widen(x[i], fraction, least); \
	} \
	\
	static inline uint16_t \
	ref_put_##S(float v) \
	{ \
		return ref_narrow(v, fraction, least); \
	}

REF_HALF(f16, 10, -14)
REF_HALF(bf16, 7, -126)

/* f(CALC_S), for f that glues names. */
#define REF_APPLY(f, S) f(S)

#endif
