/* SPDX-License-Identifier: MIT */
/* Comparisons of each dtype: 0 or 1 a lane, as a bool has it. With a NaN all but
 * a "not equal" are false. */
#ifndef VEC_COMPARE_H
#define VEC_COMPARE_H

#include "vec/base.h"
#include "vec/int.h"

/* The lanes of a mask as 0 or 1. */
#define KV_BOOL_OF(S, T, V, U, M) \
	KV_INLINE v8b \
	kv_bool_##S(M mask) \
	{ \
		return (v8b)__builtin_convertvector(mask, v8i8) & 1; \
	}

KV_BOOL_OF(f32, float, v8f, v8u32, v8i)
KV_BOOL_OF(f64, double, v8d, v8u64, v8l)
KV_INTS(KV_BOOL_OF)
KV_BOOL(KV_BOOL_OF)

#define KV_COMPARE_ONE(S, V, M, name, rel) \
	KV_INLINE v8b \
	kv_##name##_##S(V a, V b) \
	{ \
		return kv_bool_##S((M)(a rel b)); \
	}

#define KV_COMPARE(name, rel) \
	KV_COMPARE_ONE(f32, v8f, v8i, name, rel) \
	KV_COMPARE_ONE(f64, v8d, v8l, name, rel) \
	KV_COMPARE_ONE(i8, v8i8, v8i8, name, rel) \
	KV_COMPARE_ONE(i16, v8i16, v8i16, name, rel) \
	KV_COMPARE_ONE(i32, v8i, v8i, name, rel) \
	KV_COMPARE_ONE(i64, v8l, v8l, name, rel) \
	KV_COMPARE_ONE(u8, v8u8, v8i8, name, rel) \
	KV_COMPARE_ONE(u16, v8u16, v8i16, name, rel) \
	KV_COMPARE_ONE(u32, v8u32, v8i, name, rel) \
	KV_COMPARE_ONE(u64, v8u64, v8l, name, rel)

#endif
