/* SPDX-License-Identifier: MIT */
/* Whether one is true; of nothing false. A bool is a byte, 0 or 1. */
#include "miaobyte/reduce.h"
#include "vec/reduce.h"

KV_INLINE v8u8
kv_reducemax_u8(v8u8 a, v8u8 b)
{
	return a | b;
}

KV_REDUCTION(reducemax, u8, uint8_t, v8u8, 0, 0);

#define T uint8_t
#define V v8u8
#define NAME(f) f##_u8
#define OP(f) kv_reducemax##f##_u8
#include "miaobyte/fold.h"

static const struct kvk_entry entries[] = {
	REDUCE_ENTRY("reducemax", "bool", "bool", kernel_u8,
	    sizeof(struct scratch_u8)),
};

extern const struct kvk_table kvk_table;
__attribute__((visibility("default")))
const struct kvk_table kvk_table = { KVK_ABI, sizeof(struct kvk_table), 1,
	sizeof(struct kvk_entry), entries };
