/* SPDX-License-Identifier: MIT */
/* x itself. What only moves is stored with kv_put_*, which keeps NaN bytes. */
#ifndef VEC_MOVE_H
#define VEC_MOVE_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_move_f32(v8f x)
{
	return x;
}

KV_INLINE v8d
kv_move_f64(v8d x)
{
	return x;
}

#define KV_MOVE(S, T, V, U, M) \
	KV_INLINE V \
	kv_move_##S(V x) \
	{ \
		return x; \
	}

KV_INTS(KV_MOVE)
KV_BOOL(KV_MOVE)

#endif
