/* SPDX-License-Identifier: MIT */
/* Each element is at the place of its own, but along the axis at its index, which
 * may count from the end. */
#define NAME "gather"
#define READS 2
#define IN(t) "[*]" t ",[*]int64,int32|int64"
#include "miaobyte/sizes.h"

/* in, out: dims. n, step: of the axis in the operand; last: whether it is the
 * last one, else neighbours lie there side by side. */
struct gather {
	const void *x;
	const int64_t *index, *in, *out;
	void *y;
	int64_t axis, n, step, last;
};

static struct gather
plan(void *const *ptr, const int64_t *dim)
{
	const int64_t *out = ref_next(ref_next(dim));
	struct gather g = { ptr[0], ptr[1], dim, out, ptr[2],
		ref_next(out)[1], 0, 1, 0 };

	g.axis += g.axis < 0 ? dim[0] : 0;
	g.n = dim[1 + g.axis];
	g.last = g.axis == dim[0] - 1;
	for (int64_t i = g.axis + 1; i < dim[0]; i++)
		g.step *= dim[1 + i];
	return g;
}

/* Where a line of the result begins in the operand, at index 0 of the axis. */
static int64_t
line_at(const struct gather *g, int64_t line)
{
	int64_t last = g->in[0] - 1, at = 0, step = g->in[1 + last];

	for (int64_t i = last - 1; i >= 0; line /= g->out[1 + i], i--) {
		if (i != g->axis)
			at += line % g->out[1 + i] * step;
		step *= g->in[1 + i];
	}
	return at;
}

/* An item is a line along the last axis. */
#define GATHER(size, T) \
	static int \
	lines_##size(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct gather *g = ctx; \
		int64_t width = g->out[g->out[0]]; \
		\
		(void)scratch; \
		for (; lo < hi; lo++) { \
			const T *x = (const T *)g->x + line_at(g, lo); \
			const int64_t *index = g->index + lo * width; \
			T *y = (T *)g->y + lo * width; \
			\
			for (int64_t i = 0; i < width; i++) { \
				int64_t k = index[i]; \
				\
				k += g->n & k >> 63; \
				if ((uint64_t)k >= (uint64_t)g->n) \
					return KVK_RANGE; \
				y[i] = x[k * g->step + (g->last ? 0 : i)]; \
			} \
		} \
		return KVK_OK; \
	} \
	\
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		struct gather g = plan(ptr, dim); \
		int64_t count = ref_count(g.out), width = g.out[g.out[0]]; \
		\
		if (count == 0) \
			return KVK_OK; \
		return stream->par(stream, count / width, size_grain(width), \
		    lines_##size, &g); \
	}

SIZES(GATHER)
SIZE_TABLE();
