/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of floats, by an op OP, whose matrices PRODUCT finds. Their
 * bytes are the same on every level of the CPU: where there is no fma,
 * vec/base.h computes what it gives.
 */
#define AUTHOR "miaobyte"
#define KV_WIDE
#include "vec/base.h"

#define T float
#define V v8f
#define NAME(f) f##_f32
#define MADD(a, b, c) kv_fma_f32(a, b, c)
#include "miaobyte/product.h"
#undef T
#undef V
#undef NAME
#undef MADD

#define T double
#define V v8d
#define NAME(f) f##_f64
#define MADD(a, b, c) kv_fma_f64(a, b, c)
#include "miaobyte/product.h"

#define ENTRY(S, type, t) PRODUCT_ENTRY(OP, t, S, matmul_##S)

static const struct kvk_entry entries[] = { FLOATS(ENTRY) };

REF_TABLE(entries);
