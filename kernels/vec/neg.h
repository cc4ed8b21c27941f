/* SPDX-License-Identifier: MIT */
/* -x, of zeros too. */
#ifndef VEC_NEG_H
#define VEC_NEG_H

#include "vec/base.h"

KV_INLINE v8f
kv_neg_f32(v8f x)
{
	return -x;
}

KV_INLINE v8d
kv_neg_f64(v8d x)
{
	return -x;
}

#endif
