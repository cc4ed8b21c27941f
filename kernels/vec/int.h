/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 8 integers of each dtype, and of bool: loads and stores of 1 to 8
 * elements, select, masks. Arithmetic is that of the unsigned dtype of the same
 * size, so it wraps around.
 */
#ifndef VEC_INT_H
#define VEC_INT_H

#include "vec/base.h"

typedef int8_t v8i8 KV_VECTOR(int8_t);
typedef int16_t v8i16 KV_VECTOR(int16_t);
typedef uint8_t v8u8 KV_VECTOR(uint8_t);
typedef uint16_t v8u16 KV_VECTOR(uint16_t);
typedef uint32_t v8u32 KV_VECTOR(uint32_t);
typedef uint64_t v8u64 KV_VECTOR(uint64_t);
typedef v8u8 v8b; /* 0 or 1 a lane */

/* X(end of names, element, vector, vector of the unsigned dtype, and of the
 * signed one, which is also what a comparison gives). */
#define KV_SIGNED(X) \
	X(i8, int8_t, v8i8, v8u8, v8i8) \
	X(i16, int16_t, v8i16, v8u16, v8i16) \
	X(i32, int, v8i, v8u32, v8i) \
	X(i64, int64_t, v8l, v8u64, v8l)
#define KV_UNSIGNED(X) \
	X(u8, uint8_t, v8u8, v8u8, v8i8) \
	X(u16, uint16_t, v8u16, v8u16, v8i16) \
	X(u32, uint32_t, v8u32, v8u32, v8i) \
	X(u64, uint64_t, v8u64, v8u64, v8l)
#define KV_INTS(X) KV_SIGNED(X) KV_UNSIGNED(X)
#define KV_BOOL(X) X(b, uint8_t, v8b, v8u8, v8i8)

#define KV_INT_MEMORY(S, T, V, U, M) \
	KV_INLINE V \
	kv_splat_##S(T x) \
	{ \
		return (V)KV_ALL(x); \
	} \
	\
	KV_INLINE V \
	kv_select_##S(M mask, V a, V b) \
	{ \
		return (V)((mask & (M)a) | (~mask & (M)b)); \
	} \
	\
	/* The k elements at p, 1 <= k <= 8; the other lanes are 0. */ \
	KV_INLINE V \
	kv_load_##S(const T *p, int k) \
	{ \
		V v = { 0 }; \
		\
		if (k == KV_LANES) \
			__builtin_memcpy(&v, p, sizeof v); \
		else \
			kv_copy(&v, p, k, sizeof *p); \
		return v; \
	} \
	\
	KV_INLINE void \
	kv_put_##S(T *p, V v, int k) \
	{ \
		if (k == KV_LANES) \
			__builtin_memcpy(p, &v, sizeof v); \
		else \
			kv_copy(p, &v, k, sizeof *p); \
	} \
	\
	KV_INLINE void \
	kv_store_##S(T *p, V v, int k) \
	{ \
		kv_put_##S(p, v, k); \
	} \
	\
	/* Makes `to` KV_LANES copies of the element at p. */ \
	KV_INLINE const T * \
	kv_fill_##S(T *to, const T *p) \
	{ \
		for (int i = 0; i < KV_LANES; i++) \
			__builtin_memcpy(&to[i], p, sizeof *p); \
		return to; \
	} \
	\
	/* Whether one of the first k lanes is 0. */ \
	KV_INLINE int \
	kv_div0_##S(V v, int k) \
	{ \
		const v8i lane = KV_NUMBERS; \
		\
		return kv_any_f32((lane < k) & \
		    __builtin_convertvector((M)(v == 0), v8i)); \
	}

KV_INTS(KV_INT_MEMORY)
KV_BOOL(KV_INT_MEMORY)

#endif
