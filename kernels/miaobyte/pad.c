/* SPDX-License-Identifier: MIT */
/* The operand with the value before and after each axis. */
#define NAME "pad"
#define READS 2
#define IN(t) "[*]" t ",[]int32|[]int64," SCALAR "|bool"
#include "miaobyte/sizes.h"

/* in, out: dims. axis: the last one with pads; a line goes along it and all after
 * it, and has so many elements before, of, and after those of the operand. */
struct padding {
	const void *from, *value;
	void *to;
	const int64_t *in, *out, *pads;
	int64_t axis, before, middle, after;
};

/* Which line of the operand this line of the result has; -1: none. */
static int64_t
line_of(const struct padding *p, int64_t line)
{
	int64_t at = 0, step = 1;

	for (int64_t i = p->axis - 1; i >= 0; line /= p->out[1 + i], i--) {
		int64_t index = line % p->out[1 + i] - p->pads[i];

		if (index < 0 || index >= p->in[1 + i])
			return -1;
		at += index * step;
		step *= p->in[1 + i];
	}
	return at;
}

static void
plan(struct padding *p)
{
	int64_t rank = p->in[0], inner = 1;

	p->axis = rank - 1;
	while (p->axis > 0 && !p->pads[p->axis] && !p->pads[rank + p->axis])
		inner *= p->in[1 + p->axis--];
	p->middle = inner;
	if (rank == 0)
		return;
	p->before = inner * p->pads[p->axis];
	p->middle = inner * p->in[1 + p->axis];
	p->after = inner * p->pads[rank + p->axis];
}

#define PAD(size, T) \
	static void \
	fill_##size(T *to, T value, int64_t n) \
	{ \
		for (int64_t i = 0; i < n; i++) \
			to[i] = value; \
	} \
	\
	static int \
	lines_##size(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct padding *p = ctx; \
		int64_t width = p->before + p->middle + p->after; \
		T value = *(const T *)p->value; \
		\
		(void)scratch; \
		for (; lo < hi; lo++) { \
			T *to = (T *)p->to + lo * width; \
			int64_t at = line_of(p, lo); \
			\
			if (at < 0) { \
				fill_##size(to, value, width); \
				continue; \
			} \
			fill_##size(to, value, p->before); \
			__builtin_memcpy(to + p->before, \
			    (const T *)p->from + at * p->middle, \
			    (uint64_t)p->middle * sizeof(T)); \
			fill_##size(to + width - p->after, value, p->after); \
		} \
		return KVK_OK; \
	} \
	\
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		const int64_t *out = ref_next(ref_next(dim)); \
		struct padding p = { .from = ptr[0], .value = ptr[1], \
			.to = ptr[2], .in = dim, .out = out, \
			.pads = ref_next(out) + 1 }; \
		int64_t count = ref_count(out), width; \
		\
		if (count == 0) \
			return KVK_OK; \
		plan(&p); \
		width = p.before + p.middle + p.after; \
		return stream->par(stream, count / width, \
		    size_grain(width), lines_##size, &p); \
	}

SIZES(PAD)
SIZE_TABLE();
