/* SPDX-License-Identifier: MIT */
/*
 * A reduction for every dtype of integers. The file that includes this defines
 *   REDUCTION   the op's name
 *   FOLD(f, S)  function f of the reduction for a dtype, as in kv_sum##f##_##S
 */
#include "miaobyte/reduce.h"

#define T int8_t
#define V v8i8
#define NAME(f) f##_i8
#define OP(f) FOLD(f, i8)
#include "miaobyte/fold.h"

#define T int16_t
#define V v8i16
#define NAME(f) f##_i16
#define OP(f) FOLD(f, i16)
#include "miaobyte/fold.h"

#define T int
#define V v8i
#define NAME(f) f##_i32
#define OP(f) FOLD(f, i32)
#include "miaobyte/fold.h"

#define T int64_t
#define V v8l
#define NAME(f) f##_i64
#define OP(f) FOLD(f, i64)
#include "miaobyte/fold.h"

#define T uint8_t
#define V v8u8
#define NAME(f) f##_u8
#define OP(f) FOLD(f, u8)
#include "miaobyte/fold.h"

#define T uint16_t
#define V v8u16
#define NAME(f) f##_u16
#define OP(f) FOLD(f, u16)
#include "miaobyte/fold.h"

#define T uint32_t
#define V v8u32
#define NAME(f) f##_u32
#define OP(f) FOLD(f, u32)
#include "miaobyte/fold.h"

#define T uint64_t
#define V v8u64
#define NAME(f) f##_u64
#define OP(f) FOLD(f, u64)
#include "miaobyte/fold.h"

#define ENTRY(type, S) \
	REDUCE_ENTRY(REDUCTION, type, type, kernel_##S, \
	    sizeof(struct scratch_##S))

static const struct kvk_entry entries[] = {
	ENTRY("int8", i8),
	ENTRY("int16", i16),
	ENTRY("int32", i32),
	ENTRY("int64", i64),
	ENTRY("uint8", u8),
	ENTRY("uint16", u16),
	ENTRY("uint32", u32),
	ENTRY("uint64", u64),
};

extern const struct kvk_table kvk_table;
__attribute__((visibility("default")))
const struct kvk_table kvk_table = { KVK_ABI, sizeof(struct kvk_table),
	sizeof entries / sizeof *entries, sizeof(struct kvk_entry), entries };
