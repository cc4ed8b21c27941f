/* SPDX-License-Identifier: MIT */
/* Whether one is true and the other is not. */
#ifndef VEC_XOR_H
#define VEC_XOR_H

#include "vec/compare.h"

KV_INLINE v8b
kv_xor_b(v8b a, v8b b)
{
	return kv_bool_b((v8i8)((a != 0) != (b != 0)));
}

#endif
