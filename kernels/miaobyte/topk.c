/* SPDX-License-Identifier: MIT */
/*
 * The k largest elements along an axis, largest first, or the smallest, and their
 * indices, as ref/topk.c says.
 */
#define AUTHOR "miaobyte"
#include "ref/other.h"
#include "vec/base.h"
#include "vec/half.h"
#include "vec/int.h"

/* From [outer][n][inner] to [outer][k][inner]. */
struct topk {
	const void *x;
	void *y;
	int64_t *index;
	int64_t n, k, inner;
	int largest;
};

/* What asks for NaN is true of no integer. */
#pragma clang diagnostic ignored "-Wtautological-compare"

KV_INLINE int
any_lane(v8i8 mask)
{
	uint64_t lanes;

	__builtin_memcpy(&lanes, &mask, sizeof lanes);
	return lanes != 0;
}

typedef int topk_fn(void *ctx, int64_t lo, int64_t hi, void *scratch);

static inline int
topk_run(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream, topk_fn *f)
{
	const int64_t *with = ref_next(ref_next(ref_next(dim)));
	int64_t axis = with[3] < 0 ? with[3] + dim[0] : with[3], lines = 1;
	struct topk s = { ptr[0], ptr[1], ptr[2], dim[1 + axis], with[1], 1,
		with[5] != 0 };

	for (int64_t i = 0; i < dim[0]; i++) {
		s.inner *= i > axis ? dim[1 + i] : 1;
		lines *= i != axis ? dim[1 + i] : 1;
	}
	if (lines == 0 || s.k == 0)
		return KVK_OK;
	return stream->par(stream, lines, s.n < 1 << 14 ?
	    (1 << 14) / s.n + 1 : 1, f, &s);
}

#define T float
#define V v8f
#define I v8i
#define NAME(f) f##_f32
#include "miaobyte/topk_each.h"

#define T double
#define V v8d
#define I v8l
#define NAME(f) f##_f64
#include "miaobyte/topk_each.h"

#define T uint16_t
#define E float
#define V v8f
#define I v8i
#define NAME(f) f##_f16
#include "miaobyte/topk_each.h"

#define T uint16_t
#define E float
#define V v8f
#define I v8i
#define NAME(f) f##_bf16
#include "miaobyte/topk_each.h"

#define T int8_t
#define V v8i8
#define I v8i8
#define NAME(f) f##_i8
#include "miaobyte/topk_each.h"

#define T int16_t
#define V v8i16
#define I v8i16
#define NAME(f) f##_i16
#include "miaobyte/topk_each.h"

#define T int
#define V v8i
#define I v8i
#define NAME(f) f##_i32
#include "miaobyte/topk_each.h"

#define T int64_t
#define V v8l
#define I v8l
#define NAME(f) f##_i64
#include "miaobyte/topk_each.h"

#define T uint8_t
#define V v8u8
#define I v8i8
#define NAME(f) f##_u8
#include "miaobyte/topk_each.h"

#define T uint16_t
#define V v8u16
#define I v8i16
#define NAME(f) f##_u16
#include "miaobyte/topk_each.h"

#define T uint32_t
#define V v8u32
#define I v8i
#define NAME(f) f##_u32
#include "miaobyte/topk_each.h"

#define T uint64_t
#define V v8u64
#define I v8l
#define NAME(f) f##_u64
#include "miaobyte/topk_each.h"

#define ENTRY(S, T, t) \
	{ .abi = KVK_ABI, .size = sizeof(struct kvk_entry), \
	  .opcode = "deepx/miaobyte·topk", .langtypes = "[*]" t \
	  ",int32|int64,int32|int64,bool->[*]" t ",[*]int64", .dtype = t, \
	  .isa = K_ISA, .cls = KVK_OTHER, .nin = 1, .nout = 2, \
	  .fn = kernel_##S },

static const struct kvk_entry entries[] = {
	FLOATS(ENTRY) HALVES(ENTRY) INTS(ENTRY)
};

REF_TABLE(entries);
