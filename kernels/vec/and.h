/* SPDX-License-Identifier: MIT */
/* Whether both are true. */
#ifndef VEC_AND_H
#define VEC_AND_H

#include "vec/compare.h"

KV_INLINE v8b
kv_and_b(v8b a, v8b b)
{
	return kv_bool_b((v8i8)((a != 0) & (b != 0)));
}

#endif
