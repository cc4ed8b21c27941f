/* SPDX-License-Identifier: MIT */
/*
 * Running sums along an axis, each of the one before and an element; with
 * exclusive, of what comes before the element, at first 0; with reverse from the
 * end on. An axis is summed in its order, whatever runs beside it.
 */
#define AUTHOR "miaobyte"
#include "ref/other.h"
#include "vec/base.h"
#include "vec/half.h"
#include "vec/int.h"

/* Vectors of columns at once. */
enum { BLOCK = 8 };

/* A tensor [outer][n][inner], and how many blocks of columns it has. */
struct scan {
	const void *x;
	void *y;
	int64_t n, inner, blocks;
	int exclusive, reverse;
};

typedef int scan_fn(void *ctx, int64_t lo, int64_t hi, void *scratch);

static inline int
scan_run(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream, scan_fn *rows, scan_fn *columns)
{
	const int64_t *with = ref_next(ref_next(dim));
	int64_t axis = with[1] < 0 ? with[1] + dim[0] : with[1], outer = 1;
	struct scan s = { ptr[0], ptr[1], dim[1 + axis], 1, 1, with[3] != 0,
		with[5] != 0 };
	int64_t cost;

	if (ref_count(dim) == 0)
		return KVK_OK;
	for (int64_t i = 0; i < axis; i++)
		outer *= dim[1 + i];
	for (int64_t i = axis + 1; i < dim[0]; i++)
		s.inner *= dim[1 + i];
	if (s.inner > 1)
		s.blocks = (s.inner + BLOCK * KV_LANES - 1) /
		    (BLOCK * KV_LANES);
	cost = s.n * (s.inner < BLOCK * KV_LANES ? s.inner : BLOCK * KV_LANES);
	cost = cost < 1 << 15 ? (1 << 15) / cost + 1 : 1;
	if (s.inner == 1)
		cost = (cost + KV_LANES - 1) / KV_LANES * KV_LANES;
	return stream->par(stream, outer * s.blocks, cost,
	    s.inner == 1 ? rows : columns, &s);
}

#define T float
#define V v8f
#define NAME(f) f##_f32
#include "miaobyte/scan.h"

#define T double
#define V v8d
#define NAME(f) f##_f64
#include "miaobyte/scan.h"

/* Halves are summed in float32, and each result is rounded. */
#define ref_canon_f16 ref_canon_f32
#define ref_canon_bf16 ref_canon_f32

#define T uint16_t
#define E float
#define V v8f
#define NAME(f) f##_f16
#include "miaobyte/scan.h"

#define T uint16_t
#define E float
#define V v8f
#define NAME(f) f##_bf16
#include "miaobyte/scan.h"

/* Sums of integers wrap around, signed ones as well. */
#define T uint8_t
#define V v8u8
#define NAME(f) f##_u8
#include "miaobyte/scan.h"

#define T uint16_t
#define V v8u16
#define NAME(f) f##_u16
#include "miaobyte/scan.h"

#define T uint32_t
#define V v8u32
#define NAME(f) f##_u32
#include "miaobyte/scan.h"

#define T uint64_t
#define V v8u64
#define NAME(f) f##_u64
#include "miaobyte/scan.h"

#define ENTRY(S, t) \
	REF_ENTRY("cumsum", "[*]" t ",int32|int64,bool,bool->[*]" t, t, \
	    KVK_OTHER, 1, 0, kernel_##S)

static const struct kvk_entry entries[] = {
	ENTRY(f32, "float32")
	ENTRY(f64, "float64")
	ENTRY(f16, "float16")
	ENTRY(bf16, "bfloat16")
	ENTRY(u8, "int8")
	ENTRY(u16, "int16")
	ENTRY(u32, "int32")
	ENTRY(u64, "int64")
	ENTRY(u8, "uint8")
	ENTRY(u16, "uint16")
	ENTRY(u32, "uint32")
	ENTRY(u64, "uint64")
};

REF_TABLE(entries);
