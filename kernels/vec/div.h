/* SPDX-License-Identifier: MIT */
/*
 * a / b, rounded once; of integers truncated, the least one divided by -1 wraps
 * around. Whether a divisor is 0 the caller asks with kv_div0_*: there the
 * result is no number of interest.
 */
#ifndef VEC_DIV_H
#define VEC_DIV_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_div_f32(v8f a, v8f b)
{
	return a / b;
}

KV_INLINE v8d
kv_div_f64(v8d a, v8d b)
{
	return a / b;
}

/* The lanes of b, with 1 for each 0. */
#define KV_DIVISOR(S, V) kv_select_##S(b == 0, (V){ 0 } + 1, b)

/* Quotients of up to 16 (32) bits are exact enough in float (double): what lies
 * below an integer is not rounded to it. */
#define KV_DIV_16(S, V) \
	KV_INLINE V \
	kv_div_##S(V a, V b) \
	{ \
		v8f q = __builtin_convertvector(a, v8f) / \
		    __builtin_convertvector(KV_DIVISOR(S, V), v8f); \
		\
		return __builtin_convertvector( \
		    __builtin_convertvector(q, v8i), V); \
	}

#define KV_DIV_32(S, V) \
	KV_INLINE V \
	kv_quotient_##S(V a, V b) \
	{ \
		v8d q = __builtin_convertvector(a, v8d) / \
		    __builtin_convertvector(KV_DIVISOR(S, V), v8d); \
		\
		return __builtin_convertvector(q, V); \
	}

#define KV_DIV_64(S, V) \
	KV_INLINE V \
	kv_quotient_##S(V a, V b) \
	{ \
		return a / KV_DIVISOR(S, V); \
	}

#define KV_DIV_SIGNED(S, V, U) \
	KV_INLINE V \
	kv_div_##S(V a, V b) \
	{ \
		V one = b == -1; \
		V q = kv_quotient_##S(a, b & ~one); \
		\
		return kv_select_##S(one, (V)(0 - (U)a), q); \
	}

#define KV_DIV_UNSIGNED(S, V) \
	KV_INLINE V \
	kv_div_##S(V a, V b) \
	{ \
		return kv_quotient_##S(a, b); \
	}

KV_DIV_16(i8, v8i8)
KV_DIV_16(i16, v8i16)
KV_DIV_16(u8, v8u8)
KV_DIV_16(u16, v8u16)
KV_DIV_32(i32, v8i)
KV_DIV_32(u32, v8u32)
KV_DIV_64(i64, v8l)
KV_DIV_64(u64, v8u64)
KV_DIV_SIGNED(i32, v8i, v8u32)
KV_DIV_SIGNED(i64, v8l, v8u64)
KV_DIV_UNSIGNED(u32, v8u32)
KV_DIV_UNSIGNED(u64, v8u64)

#endif
