/* SPDX-License-Identifier: MIT */
/* Element i is start + i * step, each operation in the dtype. */
#define KV_WIDE
#define AUTHOR "miaobyte"
#include "ref/other.h"
#include "vec/base.h"
#include "vec/half.h"
#include "vec/int.h"

enum { GRAIN = 1 << 16 };

struct range {
	const void *start, *step;
	void *to;
};

/* The indices from i on as floats, rounded once. */
#define INDICES(S, V) \
	KV_INLINE V \
	indices_##S(int64_t i) \
	{ \
		const v8i lane = KV_NUMBERS; \
		const v8l wide = KV_NUMBERS; \
		\
		if (i < 0x7fffffff - KV_LANES) \
			return __builtin_convertvector(lane + (int)i, V); \
		return __builtin_convertvector(wide + i, V); \
	}

INDICES(f32, v8f)
INDICES(f64, v8d)

#define FLOAT_RANGE(S, T, V) \
	static int \
	piece_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct range *r = ctx; \
		V start = kv_splat_##S(*(const T *)r->start); \
		V step = kv_splat_##S(*(const T *)r->step); \
		T *to = r->to; \
		\
		(void)scratch; \
		for (; lo + KV_LANES <= hi; lo += KV_LANES) \
			kv_store_##S(to + lo, \
			    start + indices_##S(lo) * step, KV_LANES); \
		if (lo < hi) \
			kv_store_##S(to + lo, start + indices_##S(lo) * step, \
			    (int)(hi - lo)); \
		return KVK_OK; \
	}

FLOAT_RANGE(f32, float, v8f)
FLOAT_RANGE(f64, double, v8d)

/* In float32, with one rounding at the end. */
#define HALF_RANGE(S, T, t) \
	static int \
	piece_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct range *r = ctx; \
		v8f start = kv_splat_f32(kv_one_##S(r->start)); \
		v8f step = kv_splat_f32(kv_one_##S(r->step)); \
		T *to = r->to; \
		\
		(void)scratch; \
		for (; lo + KV_LANES <= hi; lo += KV_LANES) \
			kv_store_##S(to + lo, \
			    start + indices_f32(lo) * step, KV_LANES); \
		if (lo < hi) \
			kv_store_##S(to + lo, start + indices_f32(lo) * step, \
			    (int)(hi - lo)); \
		return KVK_OK; \
	}

HALVES(HALF_RANGE)

/* Integers wrap around, so a vector follows from the one before. */
#define INT_RANGE(S, T, V, U, M) \
	static int \
	piece_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct range *r = ctx; \
		const V lane = KV_NUMBERS; \
		U step = (U)kv_splat_##S(*(const T *)r->step); \
		U v = (U)kv_splat_##S(*(const T *)r->start) + \
		    (U)(lane + kv_splat_##S((T)lo)) * step; \
		U next = step * KV_LANES; \
		T *to = r->to; \
		\
		(void)scratch; \
		for (; lo + KV_LANES <= hi; lo += KV_LANES, v += next) \
			kv_put_##S(to + lo, (V)v, KV_LANES); \
		if (lo < hi) \
			kv_put_##S(to + lo, (V)v, (int)(hi - lo)); \
		return KVK_OK; \
	}

KV_INTS(INT_RANGE)

#define KERNEL(S, T, t) \
	static int \
	kernel_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		struct range r = { ptr[0], ptr[1], ptr[2] }; \
		\
		return stream->par(stream, \
		    ref_count(ref_next(ref_next(dim))), GRAIN, piece_##S, &r); \
	}

FLOATS(KERNEL)
HALVES(KERNEL)
INTS(KERNEL)

#define ENTRY(S, T, t) \
	REF_ENTRY("arange", "[]int32|[]int64," SCALAR "," SCALAR "->[*]" t, \
	    t, KVK_OTHER, 2, 0, kernel_##S)

static const struct kvk_entry entries[] = {
	FLOATS(ENTRY) HALVES(ENTRY) INTS(ENTRY)
};

REF_TABLE(entries);
