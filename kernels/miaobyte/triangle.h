/* SPDX-License-Identifier: MIT */
/*
 * The part of matrices below a diagonal, or from it on, and 0 elsewhere. The file
 * that includes this defines
 *   NAME   the op's name
 *   UPPER  whether the part is that from the diagonal on
 */
#define READS 1
#define IN(t) "[*]" t ",int32|int64"
#include "miaobyte/sizes.h"

/* cut: in row 0, where the two parts meet; one further in each row. */
struct triangle {
	const char *from;
	char *to;
	int64_t rows, cols, cut, size;
};

/* An item is a row. */
static int
triangle_rows(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct triangle *t = ctx;

	(void)scratch;
	for (; lo < hi; lo++) {
		int64_t at = t->cut + lo % t->rows, first = lo * t->cols;
		uint64_t left, right;

		at = at < 0 ? 0 : at > t->cols ? t->cols : at;
		left = (uint64_t)(at * t->size);
		right = (uint64_t)((t->cols - at) * t->size);
		first *= t->size;
		if (UPPER) {
			__builtin_memset(t->to + first, 0, left);
			first += (int64_t)left;
			__builtin_memcpy(t->to + first, t->from + first, right);
		} else {
			__builtin_memcpy(t->to + first, t->from + first, left);
			__builtin_memset(t->to + first + left, 0, right);
		}
	}
	return KVK_OK;
}

static int
run(void *const *ptr, const int64_t *dim, const struct kvk_stream *stream,
    int64_t size)
{
	int64_t rows = dim[dim[0] - 1], cols = dim[dim[0]];
	int64_t k = ref_next(ref_next(dim))[1], count = ref_count(dim);
	struct triangle t = { ptr[0], ptr[1], rows, cols, 0, size };

	if (count == 0)
		return KVK_OK;
	t.cut = (k < -rows ? -rows : k > cols ? cols : k) + !UPPER;
	return stream->par(stream, count / cols, size_grain(cols),
	    triangle_rows, &t);
}

#define KERNEL(size, T) \
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		return run(ptr, dim, stream, size); \
	}

SIZES(KERNEL)
SIZE_TABLE();
