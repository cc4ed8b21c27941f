/* SPDX-License-Identifier: MIT */
/*
 * |x|. Of floats the sign bit is cleared; these functions are part of base.h.
 * The least integer has no |x| and stays.
 */
#ifndef VEC_ABS_H
#define VEC_ABS_H

#include "vec/base.h"
#include "vec/int.h"

#define KV_ABS(S, T, V, U, M) \
	KV_INLINE V \
	kv_abs_##S(V x) \
	{ \
		return kv_select_##S(x < 0, (V)(0 - (U)x), x); \
	}

#define KV_ABS_SAME(S, T, V, U, M) \
	KV_INLINE V \
	kv_abs_##S(V x) \
	{ \
		return x; \
	}

KV_SIGNED(KV_ABS)
KV_UNSIGNED(KV_ABS_SAME)

#endif
