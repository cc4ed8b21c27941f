/* SPDX-License-Identifier: MIT */
/* Where equal.h says 0. */
#ifndef VEC_NOTEQUAL_H
#define VEC_NOTEQUAL_H

#include "vec/compare.h"
#include "vec/equal.h"

#define KV_NOTEQUAL(S, T, V, U, M) \
	KV_INLINE v8b \
	kv_notequal_##S(V a, V b, V e) \
	{ \
		return kv_equal_##S(a, b, e) ^ 1; \
	}

KV_NOTEQUAL(f32, float, v8f, v8u32, v8i)
KV_NOTEQUAL(f64, double, v8d, v8u64, v8l)
KV_INTS(KV_NOTEQUAL)
KV_BOOL(KV_NOTEQUAL)

#endif
