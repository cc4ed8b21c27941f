/* SPDX-License-Identifier: MIT */
/* All bits the other way round; of a bool the other one. */
#ifndef VEC_INVERT_H
#define VEC_INVERT_H

#include "vec/int.h"

#define KV_INVERT(S, T, V, U, M) \
	KV_INLINE V \
	kv_invert_##S(V x) \
	{ \
		return ~x; \
	}

KV_INTS(KV_INVERT)

KV_INLINE v8b
kv_invert_b(v8b x)
{
	return (v8b)(x == 0) & 1;
}

#endif
