/* SPDX-License-Identifier: MIT */
/* a where c is true, else b, the bytes as they are. */
#ifndef VEC_WHERE_H
#define VEC_WHERE_H

#include "vec/base.h"
#include "vec/int.h"

#define KV_WHERE(S, T, V, U, M) \
	KV_INLINE V \
	kv_where_##S(v8b c, V a, V b) \
	{ \
		M mask = __builtin_convertvector((v8i8)(c != 0), M); \
		\
		return kv_select_##S(mask, a, b); \
	}

KV_WHERE(f32, float, v8f, v8u32, v8i)
KV_WHERE(f64, double, v8d, v8u64, v8l)
KV_INTS(KV_WHERE)
KV_BOOL(KV_WHERE)

/* x with each NaN as the canonical one: for what was computed, where NaNs of the
 * other side keep their bytes. */
KV_INLINE v8f
kv_quiet_f32(v8f x)
{
	return kv_select_f32(x != x, kv_splat_f32(__builtin_nanf("")), x);
}

KV_INLINE v8d
kv_quiet_f64(v8d x)
{
	return kv_select_f64(x != x, kv_splat_f64(__builtin_nan("")), x);
}

#endif
