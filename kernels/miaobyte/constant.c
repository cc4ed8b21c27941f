/* SPDX-License-Identifier: MIT */
/* Every element is the value. */
#define NAME "constant"
#define READS 1
#define IN(t) "[]int32|[]int64," SCALAR "|bool"
#include "miaobyte/sizes.h"
#include "vec/base.h"

struct constant {
	const void *value;
	void *to;
	int past; /* stored past the caches */
};

#define CONSTANT(size, T) \
	static int \
	piece_##size(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		typedef T line __attribute__((vector_size(64))); \
		const struct constant *c = ctx; \
		T value = *(const T *)c->value, *to = c->to; \
		line all = (line){ 0 } + value; \
		\
		(void)scratch; \
		for (; c->past && lo < hi && (uint64_t)(to + lo) % 64; lo++) \
			to[lo] = value; \
		for (; lo + 64 / size <= hi; lo += 64 / size) { \
			if (c->past) \
				__builtin_nontemporal_store(all, \
				    (line *)(to + lo)); \
			else \
				__builtin_memcpy(to + lo, &all, 64); \
		} \
		for (; lo < hi; lo++) \
			to[lo] = value; \
		if (c->past) \
			kv_past_end(); \
		return KVK_OK; \
	} \
	\
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = ref_count(ref_next(dim)); \
		struct constant c = { ptr[0], ptr[1], n * size > KV_PAST && \
			(uint64_t)ptr[1] % size == 0 }; \
		\
		return stream->par(stream, n, SIZE_GRAIN, piece_##size, &c); \
	}

SIZES(CONSTANT)
SIZE_TABLE();
