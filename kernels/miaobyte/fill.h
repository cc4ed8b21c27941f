/* SPDX-License-Identifier: MIT */
/* One value all over, past the caches where there is much of it. */
#ifndef MIAOBYTE_FILL_H
#define MIAOBYTE_FILL_H

#include "miaobyte/sizes.h"
#include "vec/base.h"

struct fill {
	const void *value;
	void *to;
	int past;
};

#define FILL(size, T) \
	static int \
	fill_##size(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		typedef T line __attribute__((vector_size(64))); \
		const struct fill *f = ctx; \
		T value = *(const T *)f->value, *to = f->to; \
		line all = (line){ 0 } + value; \
		\
		(void)scratch; \
		for (; f->past && lo < hi && (uint64_t)(to + lo) % 64; lo++) \
			to[lo] = value; \
		for (; lo + 64 / size <= hi; lo += 64 / size) { \
			if (f->past) \
				__builtin_nontemporal_store(all, \
				    (line *)(to + lo)); \
			else \
				__builtin_memcpy(to + lo, &all, 64); \
		} \
		for (; lo < hi; lo++) \
			to[lo] = value; \
		if (f->past) \
			kv_past_end(); \
		return KVK_OK; \
	}

SIZES(FILL)

/* n elements of `size` bytes, which is known at compile time. */
KV_INLINE int
fill_run(void *to, const void *value, int64_t n, int64_t size,
    const struct kvk_stream *stream)
{
	struct fill f = { value, to, n * size > KV_PAST &&
		(uint64_t)to % (uint64_t)size == 0 };

	return stream->par(stream, n, SIZE_GRAIN, size == 1 ? fill_1 :
	    size == 2 ? fill_2 : size == 4 ? fill_4 : fill_8, &f);
}

#endif
