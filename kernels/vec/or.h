/* SPDX-License-Identifier: MIT */
/* Whether one is true, or both. */
#ifndef VEC_OR_H
#define VEC_OR_H

#include "vec/compare.h"

KV_INLINE v8b
kv_or_b(v8b a, v8b b)
{
	return kv_bool_b((v8i8)((a != 0) | (b != 0)));
}

#endif
