/* SPDX-License-Identifier: MIT */
/*
 * The loops of move.h for one size of elements. Included once a size, with
 *   T        an unsigned integer as wide
 *   SIDE     elements of a vector, and vectors of a square: 8 or 16
 *   SIZED(f)  f with the size's suffix, as in f_4
 */

/* Rows and columns of a block: two cache lines. */
#define BLOCK (128 / (int64_t)sizeof(T))

typedef T SIZED(vector) __attribute__((vector_size(SIDE * sizeof(T))));
#define V SIZED(vector)

/* `count` lines of `width` elements, width known at compile time or long. */
KV_INLINE void
SIZED(copy_each)(T *to, const T *from, int64_t count, int64_t outer,
    int64_t width, int64_t step)
{
	for (int64_t j = 0; j < count; j++)
		for (int64_t i = 0; i < width; i++)
			to[j * width + i] = from[j * outer + i * step];
}

/* The same where neighbouring lines begin at neighbours, or anywhere. */
KV_INLINE void
SIZED(copy_narrow)(T *to, const T *from, int64_t count, int64_t outer,
    int64_t width, int64_t step)
{
	if (outer == 1 && step == 0)
		SIZED(copy_each)(to, from, count, 1, width, 0);
	else if (outer == 1)
		SIZED(copy_each)(to, from, count, 1, width, step);
	else
		SIZED(copy_each)(to, from, count, outer, width, step);
}

/* `count` lines one after the other, which begin `outer` elements apart in the
 * operand. */
static void
SIZED(copy_lines)(T *to, const T *from, int64_t count, int64_t outer,
    int64_t width, int64_t step)
{
	if (step == 1 && width * (int64_t)sizeof(T) >= 32)
		for (int64_t j = 0; j < count; j++)
			__builtin_memcpy(to + j * width, from + j * outer,
			    (uint64_t)width * sizeof(T));
	else if (width == 2)
		SIZED(copy_narrow)(to, from, count, outer, 2, step);
	else if (width == 3)
		SIZED(copy_narrow)(to, from, count, outer, 3, step);
	else if (width == 4)
		SIZED(copy_narrow)(to, from, count, outer, 4, step);
	else if (step == 0)
		SIZED(copy_each)(to, from, count, outer, width, 0);
	else if (step == 2)
		SIZED(copy_each)(to, from, count, outer, width, 2);
	else
		SIZED(copy_each)(to, from, count, outer, width, step);
}

/* An item is a chunk of a line. */
static int
SIZED(move_lines)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct move *m = ctx;
	int64_t width = m->extent[m->axes - 1], step = m->step[m->axes - 1];
	int64_t near = m->axes > 1 ? m->extent[m->axes - 2] : 1;
	int64_t outer = m->axes > 1 ? m->step[m->axes - 2] : 0;

	(void)scratch;
	while (lo < hi) {
		int64_t line = lo / m->chunks, to, at, count = 1;
		int64_t first = lo % m->chunks * MOVE_CHUNK;
		int64_t w = size_most(width - first, MOVE_CHUNK);

		at = move_at(m, line, -1, &to);
		if (m->chunks == 1)
			count = size_most(near - line % near, hi - lo);
		SIZED(copy_lines)((T *)m->to + to + first,
		    (const T *)m->from + at + first * step, count, outer, w,
		    step);
		lo += count;
	}
	return KVK_OK;
}

#if SIDE == 16
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, \
    4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, \
    12, 28, 13, 29, 14, 30, 15, 31)
#else
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#endif

/*
 * Element c of row r has the number r SIDE + c. This turns the bits of all
 * numbers left by one, so that as many times as r has bits swap r and c.
 */
KV_INLINE void
SIZED(shuffle)(V *to, const V *from)
{
	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < SIDE / 2; i++) {
		to[2 * i] = LOW(from[i], from[i + SIDE / 2]);
		to[2 * i + 1] = HIGH(from[i], from[i + SIDE / 2]);
	}
}

/* A square: rows of the operand become columns of the result. */
KV_INLINE void
SIZED(turn)(T *to, int64_t to_step, const T *from, int64_t step)
{
	V a[SIDE], b[SIDE];

	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < SIDE; i++)
		__builtin_memcpy(&a[i], from + i * step, sizeof a[i]);
	SIZED(shuffle)(b, a);
	SIZED(shuffle)(a, b);
	SIZED(shuffle)(b, a);
#if SIDE == 16
	SIZED(shuffle)(a, b);
#define b a
#endif
	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < SIDE; i++)
		__builtin_memcpy(to + i * to_step, &b[i], sizeof b[i]);
#undef b
}

/* Writes a line of a block. */
KV_INLINE void
SIZED(put_line)(T *to, const T *from, int64_t n, int past)
{
	typedef T line __attribute__((vector_size(64)));
	int64_t lanes = 64 / (int64_t)sizeof(T);

	if (!past || n % lanes) {
		__builtin_memcpy(to, from, (uint64_t)n * sizeof(T));
		return;
	}
	for (int64_t i = 0; i < n; i += lanes)
		__builtin_nontemporal_store(*(const line *)(from + i),
		    (line *)(to + i));
}

/*
 * At most BLOCK columns of the operand, and some rows: BLOCK at most, if `whole`
 * is set because the result is more than near caches hold. Then the squares are
 * put together first, so that lines are written whole, however many of them share
 * a place in the cache, and past it.
 */
KV_INLINE void
SIZED(turn_block)(T *to, int64_t to_step, const T *from, int64_t step,
    int64_t wide, int64_t high, int whole, int past)
{
	int64_t w = wide / SIDE * SIDE, h = high / SIDE * SIDE;
	T block[BLOCK * BLOCK] __attribute__((aligned(64)));

	for (int64_t r = 0; r < h; r += SIDE)
		for (int64_t c = 0; c < w; c += SIDE)
			SIZED(turn)(whole ? block + c * BLOCK + r :
			    to + c * to_step + r, whole ? BLOCK : to_step,
			    from + r * step + c, step);
	for (int64_t c = 0; c < w && whole; c++)
		SIZED(put_line)(to + c * to_step, block + c * BLOCK, h, past);
	for (int64_t c = 0; c < wide; c++)
		for (int64_t r = c < w ? h : 0; r < high; r++)
			to[c * to_step + r] = from[r * step + c];
}

/*
 * An item is BLOCK rows of the operand, or the `head` rows before those. Rows go
 * past one after the other where memory is slow; else all of a piece at once.
 */
static int
SIZED(move_squares)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct move *m = ctx;
	int64_t k = m->turned, high = m->extent[m->axes - 1];
	int64_t step = m->step[m->axes - 1], to_step = m->to_step[k], count;

	(void)scratch;
	for (; lo < hi; lo += count) {
		int64_t to, at = move_at(m, lo / m->strips, k, &to);
		int64_t strip = lo % m->strips - (m->head > 0);
		int64_t r = strip < 0 ? 0 : m->head + strip * BLOCK;
		int64_t left = strip < 0 ? m->head : high - r;

		count = m->whole ? 1 :
		    size_most(m->strips - lo % m->strips, hi - lo);
		for (int64_t c = 0; c < m->extent[k]; c += BLOCK)
			SIZED(turn_block)((T *)m->to + to + c * to_step + r,
			    to_step, (const T *)m->from + at + c + r * step,
			    step, size_most(m->extent[k] - c, BLOCK),
			    size_most(left, count * BLOCK), m->whole, m->past);
	}
	if (m->past)
		kv_past_end();
	return KVK_OK;
}

KV_INLINE int
SIZED(move)(struct move *m, const struct kvk_stream *stream)
{
	return move_run(m, stream, sizeof(T), SIZED(move_lines),
	    SIZED(move_squares));
}

#undef T
#undef BLOCK
#undef V
#undef SIDE
#undef SIZED
#undef LOW
#undef HIGH
