/* SPDX-License-Identifier: MIT */
/*
 * What the movements of miaobyte share: a result that is written in its order,
 * whose elements are found in the operand by a step for each axis. Loops are made
 * for sizes of elements, not for dtypes.
 *
 * A line is what lies along the innermost axis of the result; lines are copied
 * one after the other. Where another axis is the one along which neighbours lie
 * in the operand, both are cut into squares that are turned in registers.
 *
 * The file that includes this defines what sizes.h says, and after it `plan` and
 * MOVE_OP().
 */
#ifndef MIAOBYTE_MOVE_H
#define MIAOBYTE_MOVE_H

#include "miaobyte/sizes.h"
#include "vec/base.h"

/* Axes at most: two for each of the result. Elements of a line that are copied
 * at once. MOVE_PAST: bytes of a result that is more than near caches hold. */
enum { MOVE_AXES = 2 * REF_MAX_RANK + 1, MOVE_CHUNK = 1 << 14 };
#ifndef MOVE_PAST
#define MOVE_PAST (4 << 20)
#endif

/*
 * first: the element of the operand that all begins with. extent, step, to_step:
 * of each axis, outermost first, what an index more means in the operand and in
 * the result; no two axes could be one. turned: the axis along which neighbours
 * lie in the operand when the innermost is not; -1: none. chunks: how many a line
 * is cut into; strips: how many what is turned is, of which the first may have
 * only `head` elements of each line. whole: the result is more than near caches
 * hold; past: and its lines can be stored past them.
 */
struct move {
	const void *from;
	void *to;
	int64_t first, axes, turned, chunks, strips, head;
	int whole, past;
	int64_t extent[MOVE_AXES], step[MOVE_AXES], to_step[MOVE_AXES];
};

/* Adds an axis inside of those that are there. */
static inline void
move_axis(struct move *m, int64_t extent, int64_t step)
{
	int64_t last = m->axes - 1;

	if (extent == 1)
		return;
	if (last >= 0 && m->step[last] == step * extent) {
		m->extent[last] *= extent;
		m->step[last] = step;
		return;
	}
	m->extent[m->axes] = extent;
	m->step[m->axes++] = step;
}

/* Elements of an operand between neighbours along an axis. */
static inline int64_t
move_step(const int64_t *dims, int64_t axis)
{
	int64_t step = 1;

	for (int64_t i = axis + 1; i < dims[0]; i++)
		step *= dims[1 + i];
	return step;
}

/* An axis that may count from the end. */
static inline int64_t
move_which(const int64_t *dims, int64_t axis)
{
	return axis < 0 ? axis + dims[0] : axis;
}

/* Where item i of the axes but the innermost and the axis `not` is: in the
 * operand, and in the result. */
static inline int64_t
move_at(const struct move *m, int64_t i, int64_t not, int64_t *to)
{
	int64_t at = m->first;

	*to = 0;
	for (int64_t k = m->axes - 2; k >= 0; k--) {
		if (k == not)
			continue;
		at += i % m->extent[k] * m->step[k];
		*to += i % m->extent[k] * m->to_step[k];
		i /= m->extent[k];
	}
	return at;
}

/* Elements of the result, with its steps; 0: nothing to do. */
static inline int64_t
move_ready(struct move *m)
{
	int64_t count = 1, inner;

	if (m->axes == 0) {
		m->extent[0] = 1;
		m->step[m->axes++] = 1;
	}
	for (int64_t i = m->axes - 1; i >= 0; count *= m->extent[i--])
		m->to_step[i] = count;
	inner = m->axes - 1;
	m->turned = -1;
	for (int64_t i = 0; i < inner && m->step[inner] > 1; i++)
		if (m->step[i] == 1)
			m->turned = i;
	m->chunks = (m->extent[inner] + MOVE_CHUNK - 1) / MOVE_CHUNK;
	return count;
}

typedef int move_fn(void *ctx, int64_t lo, int64_t hi, void *scratch);

/* How the innermost axis is cut into strips of `block` elements of `size` bytes:
 * so that all but the first begin at a cache line, where that can be. */
static inline void
move_cut(struct move *m, int64_t block, int64_t size)
{
	int64_t inner = m->extent[m->axes - 1];
	int64_t off = (int64_t)((uint64_t)m->to % 64);

	m->past = m->whole && m->to_step[m->turned] * size % 64 == 0 &&
	    off % size == 0;
	if (m->past && off)
		m->head = size_most((64 - off) / size, inner);
	m->strips = (m->head > 0) + (inner - m->head + block - 1) / block;
}

/* Runs lines or squares over all of the result, elements of `size` bytes. */
static inline int
move_run(struct move *m, const struct kvk_stream *stream, int64_t size,
    move_fn *lines, move_fn *squares)
{
	int64_t count = move_ready(m), inner = m->extent[m->axes - 1], wide;
	int64_t block = 128 / size;

	if (count == 0)
		return KVK_OK;
	m->whole = count * size >= MOVE_PAST;
	wide = m->turned < 0 ? 0 : m->extent[m->turned];
	if (wide < 8 || inner < 8)
		return stream->par(stream, count / inner * m->chunks,
		    size_grain(size_most(inner, MOVE_CHUNK)), lines, m);
	move_cut(m, block, size);
	return stream->par(stream, count / inner / wide * m->strips,
	    size_grain(wide * block), squares, m);
}

#define T uint8_t
#define SIDE 16
#define SIZED(f) f##_1
#include "miaobyte/move_size.h"

#define T uint16_t
#define SIDE 16
#define SIZED(f) f##_2
#include "miaobyte/move_size.h"

#define T uint32_t
#if defined __AVX512F__
#define SIDE 16
#else
#define SIDE 8
#endif
#define SIZED(f) f##_4
#include "miaobyte/move_size.h"

#define T uint64_t
#define SIDE 8
#define SIZED(f) f##_8
#include "miaobyte/move_size.h"

/* plan, a function of ptr and dim, says the movement. */
#define MOVE_KERNEL(size, T) \
	static int \
	kernel_##size(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		struct move m = plan(ptr, dim); \
		\
		return move_##size(&m, stream); \
	}

#define MOVE_OP() \
	SIZES(MOVE_KERNEL) \
	SIZE_TABLE()

#endif
