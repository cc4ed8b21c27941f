/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of integers, by an op OP, whose matrices PRODUCT finds. They
 * wrap around, so those of a signed dtype have the bytes of the unsigned one of
 * its size.
 */
#define AUTHOR "miaobyte"
#define KV_WIDE
#include "vec/int.h"

#define MADD(a, b, c) ((a) * (b) + (c))

#define T uint8_t
#define V v8u8
#define NAME(f) f##_u8
#include "miaobyte/product.h"
#undef T
#undef V
#undef NAME

#define T uint16_t
#define V v8u16
#define NAME(f) f##_u16
#include "miaobyte/product.h"
#undef T
#undef V
#undef NAME

#define T uint32_t
#define V v8u32
#define NAME(f) f##_u32
#include "miaobyte/product.h"
#undef T
#undef V
#undef NAME

#define T uint64_t
#define V v8u64
#define NAME(f) f##_u64
#include "miaobyte/product.h"

#define ENTRY(S, t) PRODUCT_ENTRY(OP, t, S, matmul_##S)

static const struct kvk_entry entries[] = {
	ENTRY(u8, "int8") ENTRY(u8, "uint8")
	ENTRY(u16, "int16") ENTRY(u16, "uint16")
	ENTRY(u32, "int32") ENTRY(u32, "uint32")
	ENTRY(u64, "int64") ENTRY(u64, "uint64")
};

REF_TABLE(entries);
