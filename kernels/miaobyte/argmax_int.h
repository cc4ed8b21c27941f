/* SPDX-License-Identifier: MIT */
/*
 * argmax.h for every dtype of integers. The file that includes this defines
 * REDUCTION, the op's name, WITHIN and WORST as argmax.h says, and EXTREME_OF(S)
 * as kv_max_##S.
 */
#include "miaobyte/reduce.h"
#include "vec/reduce.h"

/* What asks for NaN is true of no integer. */
#pragma clang diagnostic ignored "-Wtautological-compare"

/* Whether any lane of a mask is set. */
#define ANY(S, T, V, U, M) \
	KV_INLINE int \
	kv_any_##S(M mask) \
	{ \
		return (uint64_t)__builtin_convertvector(mask, v8i8) != 0; \
	}

KV_INTS(ANY)

#define T int8_t
#define V v8i8
#define I v8i8
#define E int8_t
#define NAME(f) f##_i8
#define EXTREME EXTREME_OF(i8)
#include "miaobyte/argmax.h"

#define T int16_t
#define V v8i16
#define I v8i16
#define E int16_t
#define NAME(f) f##_i16
#define EXTREME EXTREME_OF(i16)
#include "miaobyte/argmax.h"

#define T int
#define V v8i
#define I v8i
#define E int
#define NAME(f) f##_i32
#define EXTREME EXTREME_OF(i32)
#include "miaobyte/argmax.h"

#define T int64_t
#define V v8l
#define I v8l
#define E int64_t
#define NAME(f) f##_i64
#define EXTREME EXTREME_OF(i64)
#include "miaobyte/argmax.h"

#define T uint8_t
#define V v8u8
#define I v8i8
#define E int8_t
#define NAME(f) f##_u8
#define EXTREME EXTREME_OF(u8)
#include "miaobyte/argmax.h"

#define T uint16_t
#define V v8u16
#define I v8i16
#define E int16_t
#define NAME(f) f##_u16
#define EXTREME EXTREME_OF(u16)
#include "miaobyte/argmax.h"

#define T uint32_t
#define V v8u32
#define I v8i
#define E int
#define NAME(f) f##_u32
#define EXTREME EXTREME_OF(u32)
#include "miaobyte/argmax.h"

#define T uint64_t
#define V v8u64
#define I v8l
#define E int64_t
#define NAME(f) f##_u64
#define EXTREME EXTREME_OF(u64)
#include "miaobyte/argmax.h"

#define ENTRY(type, S) \
	REDUCE_ENTRY(REDUCTION, type, "int64", kernel_##S, \
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
