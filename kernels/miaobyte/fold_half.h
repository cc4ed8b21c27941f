/* SPDX-License-Identifier: MIT */
/*
 * A reduction of halves: in float32, with one rounding at the end. The file that
 * includes this defines
 *   REDUCTION  the op's name
 *   FOLD(f)    function f of the reduction, as in kv_sum##f##_f32
 */
#include "miaobyte/reduce.h"
#include "vec/half.h"

#define kv_cols_f16 kv_cols_f32
#define kv_cols_bf16 kv_cols_f32

COLUMNS_LOAD(f16, uint16_t, v8f, , )
COLUMNS_LOAD(bf16, uint16_t, v8f, , )

#define T uint16_t
#define E float
#define V v8f
#define NAME(f) f##_f16
#define OP(f) FOLD(f)
#include "miaobyte/fold.h"

#define T uint16_t
#define E float
#define V v8f
#define NAME(f) f##_bf16
#define OP(f) FOLD(f)
#include "miaobyte/fold.h"

static const struct kvk_entry entries[] = {
	REDUCE_ENTRY(REDUCTION, "float16", "float16", kernel_f16,
	    sizeof(struct scratch_f16)),
	REDUCE_ENTRY(REDUCTION, "bfloat16", "bfloat16", kernel_bf16,
	    sizeof(struct scratch_bf16)),
};

extern const struct kvk_table kvk_table;
__attribute__((visibility("default")))
const struct kvk_table kvk_table = { KVK_ABI, sizeof(struct kvk_table),
	sizeof entries / sizeof *entries, sizeof(struct kvk_entry), entries };
