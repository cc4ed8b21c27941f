/* SPDX-License-Identifier: MIT */
/*
 * x as the nearest value of another dtype: to a float rounded to nearest, ties
 * to even; from a float to an integer truncated, what is beyond the ends is the
 * end and a NaN 0; from integer to integer the low bits; to bool x != 0, of a
 * NaN true; from bool 0 or 1. A row says how a pair of classes is converted.
 */
#ifndef VEC_TODTYPE_H
#define VEC_TODTYPE_H

#include "vec/base.h"
#include "vec/compare.h"
#include "vec/half.h"
#include "vec/int.h"

/* X(end of names, vector, ...) for each dtype to convert to. */
#define KV_TO_FLOAT(X, ...) \
	X(f32, v8f, __VA_ARGS__) \
	X(f64, v8d, __VA_ARGS__)
#define KV_TO_INT(X, ...) \
	X(i8, v8i8, __VA_ARGS__) \
	X(i16, v8i16, __VA_ARGS__) \
	X(i32, v8i, __VA_ARGS__) \
	X(i64, v8l, __VA_ARGS__) \
	X(u8, v8u8, __VA_ARGS__) \
	X(u16, v8u16, __VA_ARGS__) \
	X(u32, v8u32, __VA_ARGS__) \
	X(u64, v8u64, __VA_ARGS__)

/* The ends of an integer dtype, before them the first float above; the vector
 * that a comparison of it gives. */
#define KV_ENDS_i8 0x1p7, -0x7f - 1, 0x7f, v8i8
#define KV_ENDS_i16 0x1p15, -0x7fff - 1, 0x7fff, v8i16
#define KV_ENDS_i32 0x1p31, -0x7fffffff - 1, 0x7fffffff, v8i
#define KV_ENDS_i64 0x1p63, -0x7fffffffffffffff - 1, 0x7fffffffffffffff, v8l
#define KV_ENDS_u8 0x1p8, 0, 0xff, v8i8
#define KV_ENDS_u16 0x1p16, 0, 0xffff, v8i16
#define KV_ENDS_u32 0x1p32, 0, 0xffffffff, v8i
#define KV_ENDS_u64 0x1p64, 0, 0xffffffffffffffff, v8l

/* Where each value has a nearest one, which the C conversion gives. */
#define KV_NEAREST(D, DV, S, V, ...) \
	KV_INLINE DV \
	kv_todtype_##S##_##D(V x) \
	{ \
		return __builtin_convertvector(x, DV); \
	}

/* C has no conversion of what is beyond the ends: it is made 0 before, as NaN
 * is, and the end afterwards. */
#define KV_TRUNCATE(D, DV, S, V, M) KV_ENDED(D, DV, S, V, M, KV_ENDS_##D)
#define KV_ENDED(...) KV_SATURATE(__VA_ARGS__)
#define KV_SATURATE(D, DV, S, V, M, above, least, most, DM) \
	KV_INLINE DV \
	kv_todtype_##S##_##D(V x) \
	{ \
		M low = x < kv_splat_##S(least), high = x >= kv_splat_##S(above); \
		M in = ~(low | high | (M)(x != x)); \
		DV r = __builtin_convertvector((V)((M)x & in), DV); \
		\
		r = kv_select_##D(__builtin_convertvector(low, DM), \
		    kv_splat_##D(least), r); \
		return kv_select_##D(__builtin_convertvector(high, DM), \
		    kv_splat_##D(most), r); \
	}

#define KV_IS_NONZERO(S, V, M) \
	KV_INLINE v8b \
	kv_todtype_##S##_b(V x) \
	{ \
		return kv_bool_##S((M)(x != 0)); \
	}

#define KV_FROM_BOOL(D, DV, ...) \
	KV_INLINE DV \
	kv_todtype_b_##D(v8b x) \
	{ \
		return __builtin_convertvector(kv_bool_b(x != 0), DV); \
	}

#define KV_FROM_FLOAT(S, V, M) \
	KV_TO_FLOAT(KV_NEAREST, S, V, M) \
	KV_TO_INT(KV_TRUNCATE, S, V, M) \
	KV_IS_NONZERO(S, V, M)

#define KV_FROM_INT(S, T, V, U, M) \
	KV_TO_FLOAT(KV_NEAREST, S, V, M) \
	KV_TO_INT(KV_NEAREST, S, V, M) \
	KV_IS_NONZERO(S, V, M)

KV_FROM_FLOAT(f32, v8f, v8i)
KV_FROM_FLOAT(f64, v8d, v8l)
KV_INTS(KV_FROM_INT)
KV_TO_FLOAT(KV_FROM_BOOL, b)
KV_TO_INT(KV_FROM_BOOL, b)
KV_IS_NONZERO(b, v8b, v8i8)

/*
 * To a half: a float32 that rounds to the half to which x rounds. Where x is not
 * one it is rounded to odd: the last bit says that something was lost.
 */
KV_INLINE v8f
kv_todtype_f64_half(v8d x)
{
	v8f f = __builtin_convertvector(x, v8f);
	v8d back = __builtin_convertvector(f, v8d);
	v8l lost = (back != x) & (x == x);
	v8l away = lost & (kv_abs_f64(back) > kv_abs_f64(x));
	v8i bits = (v8i)f + __builtin_convertvector(away, v8i);

	return (v8f)(bits | (__builtin_convertvector(lost, v8i) & 1));
}

/* From 2^53 on the lowest 12 bits become one, which makes a double of it. */
KV_INLINE v8f
kv_todtype_i64_half(v8l x)
{
	v8l low = x & 0xfff, big = (x >= (1LL << 53)) | (x <= -(1LL << 53));
	v8l odd = (x ^ low) | ((low != 0) & 0x800);

	return kv_todtype_f64_half(__builtin_convertvector(
	    (big & odd) | (~big & x), v8d));
}

KV_INLINE v8f
kv_todtype_u64_half(v8u64 x)
{
	v8u64 low = x & 0xfff, big = (v8u64)(x >= (1ULL << 53));
	v8u64 odd = (x ^ low) | ((v8u64)(low != 0) & 0x800);

	return kv_todtype_f64_half(__builtin_convertvector(
	    (big & odd) | (~big & x), v8d));
}

#define KV_EXACT(S, V, W) \
	KV_INLINE v8f \
	kv_todtype_##S##_half(V x) \
	{ \
		return kv_todtype_##W(__builtin_convertvector(x, KV_BY_##W)); \
	}
#define KV_BY_f32_f32 v8f
#define KV_BY_f64_half v8d

KV_EXACT(f32, v8f, f32_f32)
KV_EXACT(i8, v8i8, f32_f32)
KV_EXACT(i16, v8i16, f32_f32)
KV_EXACT(u8, v8u8, f32_f32)
KV_EXACT(u16, v8u16, f32_f32)
KV_EXACT(i32, v8i, f64_half)
KV_EXACT(u32, v8u32, f64_half)

KV_INLINE v8f
kv_todtype_b_half(v8b x)
{
	return kv_todtype_b_f32(x);
}

#endif
