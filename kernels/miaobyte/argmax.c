/* SPDX-License-Identifier: MIT */
/* The index of the first largest element; NaN counts as larger than all. */
#include "miaobyte/reduce.h"
#include "vec/max.h"
#include "vec/reduce.h"

/* Elements of a row, or rows of a column, that are looked at as one: they fit
 * into the cache, and their indices into 32 bits. */
enum { SEGMENT = 4096 };

/* k <= 8 indices. */
KV_INLINE void
copy_indices(void *to, const void *from, int k)
{
	if (k == KV_LANES)
		__builtin_memcpy(to, from, KV_LANES * sizeof(int64_t));
	else
		kv_copy(to, from, k, sizeof(int64_t));
}

#define T float
#define V v8f
#define I v8i
#define NAME(f) f##_f32
#include "miaobyte/argmax.h"

#define T double
#define V v8d
#define I v8l
#define NAME(f) f##_f64
#include "miaobyte/argmax.h"

REDUCE_TABLE("argmax", "int64", "int64");
