/* SPDX-License-Identifier: MIT */
/* Whether all are true; of nothing true. A bool is a byte, 0 or 1. */
#include "miaobyte/reduce.h"
#include "vec/reduce.h"

KV_INLINE v8u8
kv_reducemin_u8(v8u8 a, v8u8 b)
{
	return a & b;
}

KV_REDUCTION(reducemin, u8, uint8_t, v8u8, 1, 1);

#define T uint8_t
#define V v8u8
#define NAME(f) f##_u8
#define OP(f) kv_reducemin##f##_u8
#include "miaobyte/fold.h"

static const struct kvk_entry entries[] = {
	REDUCE_ENTRY("reducemin", "bool", "bool", kernel_u8,
	    sizeof(struct scratch_u8)),
};

extern const struct kvk_table kvk_table;
__attribute__((visibility("default")))
const struct kvk_table kvk_table = { KVK_ABI, sizeof(struct kvk_table), 1,
	sizeof(struct kvk_entry), entries };
