/* SPDX-License-Identifier: MIT */
/*
 * Argmax or argmin for one dtype. Included once a dtype, with
 *   T, V, I  element, vector, and vector of integers as wide
 *   NAME(f)  f with the dtype's suffix, as in f_f32
 *   E        element of I
 *   EXTREME  kv_max or kv_min for it
 * and for all dtypes
 *   WITHIN   x WITHIN best: x is no better, <= or >=
 *   WORST    what every element is as good as
 * What is said of the maximum here holds of the minimum for argmin.
 */

#ifndef MIAOBYTE_ARGMAX_H
#define MIAOBYTE_ARGMAX_H

/* Elements of a row, or rows of a column, that are looked at as one: they fit
 * into the cache, and their indices into 32 bits. */
enum { SEGMENT = 4096 };

/* Of these rows of a column the indices fit into the dtype's size. */
#define MOST (sizeof(T) == 1 ? 128 : SEGMENT)

/* k <= 8 indices. */
KV_INLINE void
copy_indices(void *to, const void *from, int k)
{
	if (k == KV_LANES)
		__builtin_memcpy(to, from, KV_LANES * sizeof(int64_t));
	else
		kv_copy(to, from, k, sizeof(int64_t));
}

#endif

/* Best element and its index for each column of a block, or a segment of a
 * row that was gathered. */
struct NAME(scratch) {
	union {
		struct {
			V best[VECS];
			I index[VECS];
		};
		T piece[SEGMENT];
	};
};

/* The maximum of n >= 1 elements, NaN if there is one. The CPU by itself does not
 * look from one page of memory into the next. */
KV_INLINE T
NAME(segment_max)(const T *x, int64_t n)
{
	V a[4];
	T best;
	int64_t j = 0;

	for (int i = 0; i < 4; i++)
		a[i] = NAME(kv_splat)((T)WORST);
	for (; j + 4 * KV_LANES <= n; j += 4 * KV_LANES) {
		for (int64_t i = 0; i < 4 * KV_LANES; i += 64 / (int64_t)sizeof(T))
			kv_fetch(x + j + i);
		for (int i = 0; i < 4; i++)
			a[i] = EXTREME(a[i], NAME(kv_load)(
			    x + j + i * KV_LANES, KV_LANES));
	}
	a[0] = EXTREME(EXTREME(a[0], a[1]),
	    EXTREME(a[2], a[3]));
	for (; j + KV_LANES <= n; j += KV_LANES)
		a[0] = EXTREME(a[0], NAME(kv_load)(x + j, KV_LANES));
	best = NAME(kv_lanes)(EXTREME, a[0]);
	for (; j < n; j++)
		if (!(x[j] WITHIN best) && best == best)
			best = x[j];
	return best;
}

/* A mask as one byte a lane. */
KV_INLINE uint64_t
NAME(bytes)(I mask)
{
	typedef signed char v8c __attribute__((vector_size(8)));

	return (uint64_t)__builtin_convertvector(mask, v8c);
}

/* Where in x the first element is that equals `best`, or that is NaN if best
 * is one; there is such an element among the n. The next row comes nearer to
 * the cache meanwhile. */
KV_INLINE int64_t
NAME(segment_find)(const T *x, int64_t n, T best)
{
	int64_t j = 0;

	while (best != best && x[j] == x[j])
		j++;
	for (; best == best && j + 4 * KV_LANES <= n; j += 4 * KV_LANES) {
		I hit = { 0 };

		__builtin_prefetch(x + n + j);
		__builtin_prefetch(x + n + j + 2 * KV_LANES);
		for (int i = 0; i < 4; i++)
			hit |= NAME(kv_load)(x + j + i * KV_LANES, KV_LANES) ==
			    best;
		if (NAME(kv_any)(hit))
			break;
	}
	for (; best == best && j + KV_LANES <= n; j += KV_LANES) {
		uint64_t hit = NAME(bytes)(
		    NAME(kv_load)(x + j, KV_LANES) == best);

		if (hit)
			return j + __builtin_ctzll(hit) / 8;
	}
	while (best == best && x[j] != best)
		j++;
	return j;
}

/*
 * The maximum of a segment first, which is fast, then its index in the one
 * segment that holds the row's maximum and is still near.
 */
KV_INLINE int64_t
NAME(argmax_row)(const T *x, int64_t n, struct walk way, int gather,
    struct NAME(scratch) *s)
{
	struct walk from = way;
	int64_t at = 0;
	T best = 0;

	for (int64_t j = 0; j < n && best == best; j += SEGMENT) {
		int64_t m = n - j < SEGMENT ? n - j : SEGMENT;
		struct walk before = way;
		T v;

		if (gather)
			walk_copy(&way, s->piece, x, m, sizeof *x);
		v = NAME(segment_max)(gather ? s->piece : x + way.at + j, m);
		if (j && v WITHIN best)
			continue;
		best = v;
		at = j;
		from = before;
	}
	if (!gather)
		return at + NAME(segment_find)(x + way.at + at, n - at, best);
	n = n - at < SEGMENT ? n - at : SEGMENT;
	walk_copy(&from, s->piece, x, n, sizeof *x);
	return at + NAME(segment_find)(s->piece, n, best);
}

static int
NAME(rows)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct reduction *r = ctx;
	int64_t *y = r->y;

	for (; lo < hi; lo++) {
		struct walk way = walk_begin(r->axes,
		    axes_at(r->outside, lo));

		y[lo] = r->axes[0] == 1 ?
		    NAME(argmax_row)(r->x, r->n, way, 0, scratch) :
		    NAME(argmax_row)(r->x, r->n, way, 1, scratch);
	}
	return KVK_OK;
}

/* Compares the next `rows` <= 4 rows of a way with the best so far; the first
 * of them has index `index` within the segment. */
KV_INLINE void
NAME(take_rows)(const struct columns *c, struct walk *way, int index, int rows,
    int single, int wide, struct NAME(scratch) *s)
{
	int64_t at[4], step = walk_step(way);

	walk_take(way, at, rows, single);
	for (int64_t i = 0; i < c->count; i++) {
		V best = s->best[i], row[4];
		I k = s->index[i], any = { 0 };

		for (int r = 0; r < rows; r++) {
			row[r] = NAME(columns_load)(c, columns_at(c, i) +
			    (single ? at[0] + r * step : at[r]), wide);
			any |= ~(row[r] WITHIN best);
		}
		/* Once a column has gone on for a while this is rare. */
		if (!NAME(kv_any)(any))
			continue;
		for (int r = 0; r < rows; r++) {
			V x = row[r];
			I more = ~(x WITHIN best) & (best == best);

			best = NAME(kv_select)(more, x, best);
			k = (more & (E)(index + r)) | (~more & k);
		}
		s->best[i] = best;
		s->index[i] = k;
	}
}

/* Writes the indices of the columns that found a better element in the segment
 * that begins at row `first`. */
KV_INLINE void
NAME(put_rows)(const struct columns *c, int64_t first, int wide,
    const struct NAME(scratch) *s)
{
	int k = wide ? KV_LANES : c->k;

	for (int64_t i = 0; i < c->count; i++) {
		int64_t *y = (int64_t *)c->y + columns_at(c, i);
		v8l v = __builtin_convertvector(s->index[i], v8l), old = { 0 };

		copy_indices(&old, y, first ? k : 0);
		v = ((v >= 0) & (v + first)) | ((v < 0) & old);
		copy_indices(y, &v, k);
	}
}

KV_INLINE void
NAME(argmax_columns)(const struct columns *c, int single, int wide,
    struct NAME(scratch) *s)
{
	struct walk way = walk_begin(c->axes, 0);

	for (int64_t first = 0; first < c->n; first += MOST) {
		int n = (int)(c->n - first < MOST ? c->n - first : MOST);
		int j = 0;

		for (int64_t i = 0; i < c->count; i++) {
			if (first == 0)
				s->best[i] = NAME(columns_load)(c,
				    columns_at(c, i), wide);
			s->index[i] = (I){ 0 } - (E)(first != 0);
		}
		for (; j + 4 <= n; j += 4)
			NAME(take_rows)(c, &way, j, 4, single, wide, s);
		for (; j < n; j++)
			NAME(take_rows)(c, &way, j, 1, single, wide, s);
		NAME(put_rows)(c, first, wide, s);
	}
}

static int
NAME(columns)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	for (; lo < hi; lo++) {
		struct columns c = columns_of(ctx, lo, sizeof(T),
		    sizeof(int64_t));

		if (c.axes[0] > 1)
			NAME(argmax_columns)(&c, 0, c.k == KV_LANES, scratch);
		else if (c.k == KV_LANES)
			NAME(argmax_columns)(&c, 1, 1, scratch);
		else
			NAME(argmax_columns)(&c, 1, 0, scratch);
	}
	return KVK_OK;
}

static int
NAME(kernel)(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream)
{
	if (dim[1] == 0 && dim[0] && dim[2])
		return KVK_RANGE;
	return reduction_run(ptr, dim, stream, NAME(rows), NAME(columns));
}

#undef T
#undef V
#undef I
#undef E
#undef NAME
#undef EXTREME
