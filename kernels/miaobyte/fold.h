/* SPDX-License-Identifier: MIT */
/*
 * A reduction in the canonical order of vec/reduce.h for one dtype. Included
 * once a dtype, with
 *   T, V     element and vector
 *   E        element of a vector, if that is not T
 *   NAME(f)  f with the dtype's suffix, as in f_f32
 *   OP(f)    function f of the reduction, as in kv_sum##f##_f32
 */

#ifndef E
#define E T
#endif

/* Lanes and binary counter of a column block, or pieces of rows. */
struct NAME(scratch) {
	union {
		V lane[KV_LANES][VECS];
		T piece[ROWS][PIECE];
	};
	V level[KV_COLS_LEVELS][VECS];
};

/* Takes m elements of each of `rows` rows, `step` elements apart. */
KV_INLINE void
NAME(take_piece)(const T *x, int64_t step, int64_t m, int rows, V *acc)
{
	int64_t i = 0;

	for (; i + KV_LANES <= m; i += KV_LANES)
		for (int r = 0; r < rows; r++)
			acc[r] = OP()(acc[r],
			    NAME(kv_load)(x + r * step + i, KV_LANES));
	for (int r = 0; r < rows && i < m; r++) {
		int k = (int)(m - i);

		acc[r] = OP(_take)(acc[r],
		    NAME(kv_load)(x + r * step + i, k), k);
	}
}

/* Reduces rows first to first + rows - 1, rows <= ROWS. Whether they have to be
 * gathered is known at compile time. */
KV_INLINE void
NAME(fold_rows)(const struct reduction *call, int64_t first, int rows,
    int gather, struct NAME(scratch) *s)
{
	const T *x = call->x;
	T *y = call->y;
	E level[ROWS][KV_LEVELS], v[ROWS];
	int64_t n = call->n, most = gather ? PIECE : KV_CHUNK;
	struct walk way[ROWS];
	V acc[ROWS];

	for (int r = 0; r < rows; r++) {
		v[r] = OP(_fold)(level[r], 0, n, &acc[r]);
		way[r] = walk_begin(call->axes,
		    axes_at(call->outside, first + r));
	}
	for (int64_t j = 0, chunks = 0; j < n; ) {
		int64_t m = n - j < most ? n - j : most;

		for (int r = 0; r < rows && gather; r++)
			walk_copy(&way[r], s->piece[r], x, m, sizeof *x);
		if (gather)
			NAME(take_piece)(s->piece[0], PIECE, m, rows, acc);
		else
			NAME(take_piece)(x + first * n + j, n, m, rows, acc);
		j += m;
		if (j < n && j % KV_CHUNK)
			continue;
		chunks++;
		for (int r = 0; r < rows; r++)
			v[r] = OP(_fold)(level[r], chunks, n, &acc[r]);
	}
	for (int r = 0; r < rows; r++)
		NAME(kv_store)(y + first + r, NAME(kv_splat)(v[r]), 1);
}

KV_INLINE void
NAME(all_rows)(const struct reduction *r, int64_t lo, int64_t hi, int gather,
    struct NAME(scratch) *s)
{
	for (; lo + ROWS <= hi; lo += ROWS)
		NAME(fold_rows)(r, lo, ROWS, gather, s);
	for (; lo < hi; lo++)
		NAME(fold_rows)(r, lo, 1, gather, s);
}

static int
NAME(rows)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct reduction *r = ctx;

	if (r->axes[0] == 1)
		NAME(all_rows)(r, lo, hi, 0, scratch);
	else
		NAME(all_rows)(r, lo, hi, 1, scratch);
	return KVK_OK;
}

/*
 * Takes the next 8 * groups + rest rows of a way into the lanes of a block.
 * `none` is what a lane starts with when it is new; single, wide: the way has a
 * single run, vectors 8 columns.
 */
KV_INLINE void
NAME(take_rows)(const struct columns *c, struct walk *way, int groups,
    int rest, int new, V none, int single, int wide,
    struct NAME(scratch) *s)
{
	int64_t at[2 * KV_LANES], step = walk_step(way);

	walk_take(way, at, groups * KV_LANES + rest, single);
	for (int64_t i = 0; i < c->count; i++) {
		int64_t column = columns_at(c, i), next = at[0] + column;
		int row = 0;
		V a[KV_LANES];

		for (int l = 0; l < KV_LANES; l++)
			a[l] = new ? none : s->lane[l][i];
		for (int g = 0; g < groups; g++)
			for (int l = 0; l < KV_LANES; l++) {
				if (!single)
					next = at[row++] + column;
				a[l] = OP()(a[l],
				    NAME(columns_load)(c, next, wide));
				next += step;
			}
		for (int l = 0; l < KV_LANES - 1; l++)
			if (l < rest) {
				if (!single)
					next = at[row++] + column;
				a[l] = OP()(a[l],
				    NAME(columns_load)(c, next, wide));
				next += step;
			}
		for (int l = 0; l < KV_LANES; l++)
			s->lane[l][i] = a[l];
	}
}

KV_INLINE void
NAME(fold_columns)(const struct columns *c, int single, int wide,
    struct NAME(scratch) *s)
{
	struct walk way = walk_begin(c->axes, 0);
	V none, v;
	E empty = OP(_fold)(0, 0, 0, &none);
	T *y = c->y;

	for (int64_t i = 0; i < c->count && c->n == 0; i++)
		NAME(kv_store)(y + columns_at(c, i), NAME(kv_splat)(empty),
		    wide ? KV_LANES : c->k);
	for (int64_t j = 0, chunks = 1; j < c->n; chunks++) {
		int64_t end = c->n - j < KV_CHUNK ? c->n : j + KV_CHUNK;
		int new = 1;

		for (; j + 2 * KV_LANES <= end; j += 2 * KV_LANES, new = 0)
			NAME(take_rows)(c, &way, 2, 0, new, none, single, wide,
			    s);
		for (; j + KV_LANES <= end; j += KV_LANES, new = 0)
			NAME(take_rows)(c, &way, 1, 0, new, none, single, wide,
			    s);
		if (j < end)
			NAME(take_rows)(c, &way, 0, (int)(end - j), new, none,
			    single, wide, s);
		j = end;
		for (int64_t i = 0; i < c->count; i++) {
			v = NAME(kv_cols)(OP(), &s->level[0][i], chunks,
			    &s->lane[0][i], VECS);
			if (j == c->n)
				NAME(kv_store)(y + columns_at(c, i),
				    OP(_end)(v, c->n), wide ? KV_LANES : c->k);
		}
	}
}

static int
NAME(columns)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	for (; lo < hi; lo++) {
		struct columns c = columns_of(ctx, lo, sizeof(T), sizeof(T));

		if (c.axes[0] > 1)
			NAME(fold_columns)(&c, 0, c.k == KV_LANES, scratch);
		else if (c.k == KV_LANES)
			NAME(fold_columns)(&c, 1, 1, scratch);
		else
			NAME(fold_columns)(&c, 1, 0, scratch);
	}
	return KVK_OK;
}

static int
NAME(kernel)(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream)
{
	return reduction_run(ptr, dim, stream, NAME(rows), NAME(columns));
}

#undef T
#undef E
#undef V
#undef NAME
#undef OP
