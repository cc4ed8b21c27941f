/* SPDX-License-Identifier: MIT */
/* Along the axis, the elements at the indices, which may count from the end. */
#define NAME "indexselect"
#define READS 2
#define IN(t) "[*]" t ",[*]int64,int32|int64"
#include "miaobyte/sizes.h"

/* From [outer][n][inner] to [outer][m][inner]. */
struct select {
	const void *x;
	const int64_t *index;
	void *y;
	int64_t outer, n, m, inner;
};

static int
plan(struct select *s, void *const *ptr, const int64_t *dim)
{
	const int64_t *pick = ref_next(dim);
	int64_t axis = ref_next(ref_next(pick))[1];

	*s = (struct select){ ptr[0], ptr[1], ptr[2], 1, 0, ref_count(pick),
		1 };
	axis += axis < 0 ? dim[0] : 0;
	s->n = dim[1 + axis];
	for (int64_t i = 0; i < dim[0]; i++)
		if (i != axis)
			*(i < axis ? &s->outer : &s->inner) *= dim[1 + i];
	if (s->outer == 0 || s->inner == 0)
		return KVK_OK;
	for (int64_t i = 0; i < s->m; i++)
		if (s->index[i] < -s->n || s->index[i] >= s->n)
			return KVK_RANGE;
	return KVK_OK;
}

/* An item is one index of one outer one. */
#define SELECT(size, T) \
	static int \
	piece_##size(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct select *s = ctx; \
		int64_t n = s->n, m = s->m, inner = s->inner, i = lo % m; \
		const T *x = (const T *)s->x + lo / m * n * inner; \
		T *y = (T *)s->y + lo * inner; \
		\
		(void)scratch; \
		for (; lo < hi; lo++, y += inner) { \
			int64_t k = s->index[i]; \
			\
			k += n & k >> 63; \
			if (inner == 1) \
				*y = x[k]; \
			else \
				__builtin_memcpy(y, x + k * inner, \
				    (uint64_t)inner * sizeof(T)); \
			if (++i == m) { \
				x += n * inner; \
				i = 0; \
			} \
		} \
		return KVK_OK; \
	} \
	\
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		struct select s; \
		int code = plan(&s, ptr, dim); \
		\
		if (code != KVK_OK || s.outer * s.m * s.inner == 0) \
			return code; \
		return stream->par(stream, s.outer * s.m, \
		    size_grain(s.inner), piece_##size, &s); \
	}

SIZES(SELECT)
SIZE_TABLE();
