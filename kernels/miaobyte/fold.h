/* SPDX-License-Identifier: MIT */
/*
 * A reduction in the canonical order of vec/reduce.h for one dtype. Included
 * once a dtype, with
 *   T, V     element and vector
 *   NAME(f)  f with the dtype's suffix, as in f_f32
 *   OP(f)    function f of the reduction, as in kv_sum##f##_f32
 */

/* Lanes and binary counter of a column block. A tensor of 2^47 bytes has
 * fewer than 2^35 chunks. */
struct NAME(scratch) {
	V lane[KV_LANES][VECS], level[36][VECS];
};

/* Reduces `rows` <= ROWS rows of n elements. */
KV_INLINE void
NAME(fold_rows)(const T *x, int64_t n, int rows, T *y)
{
	T level[ROWS][KV_LEVELS], v[ROWS];
	V acc[ROWS];

	for (int r = 0; r < rows; r++)
		v[r] = OP(_fold)(level[r], 0, n, &acc[r]);
	for (int64_t j = 0, chunks = 1; j < n; chunks++) {
		int64_t end = n - j < KV_CHUNK ? n : j + KV_CHUNK;

		for (; j + KV_LANES <= end; j += KV_LANES)
			for (int r = 0; r < rows; r++)
				acc[r] = OP()(acc[r],
				    NAME(kv_load)(x + r * n + j, KV_LANES));
		for (int r = 0; r < rows && j < end; r++) {
			int k = (int)(end - j);

			acc[r] = OP(_take)(acc[r],
			    NAME(kv_load)(x + r * n + j, k), k);
		}
		j = end;
		for (int r = 0; r < rows; r++)
			v[r] = OP(_fold)(level[r], chunks, n, &acc[r]);
	}
	for (int r = 0; r < rows; r++)
		NAME(kv_store)(y + r, NAME(kv_splat)(v[r]), 1);
}

static int
NAME(rows)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct reduction *r = ctx;
	const T *x = r->x;
	T *y = r->y;

	(void)scratch;
	for (; lo + ROWS <= hi; lo += ROWS)
		NAME(fold_rows)(x + lo * r->n, r->n, ROWS, y + lo);
	for (; lo < hi; lo++)
		NAME(fold_rows)(x + lo * r->n, r->n, 1, y + lo);
	return KVK_OK;
}

/*
 * Takes 8 * groups + rest rows, beginning at row j, into the lanes of a block.
 * `none` is what a lane starts with when it is new.
 */
KV_INLINE void
NAME(take_rows)(const struct columns *c, int64_t j, int groups, int rest,
    int new, V none, int wide, struct NAME(scratch) *s)
{
	for (int64_t i = 0; i < c->count; i++) {
		int64_t at = j * c->inner + columns_at(c, i);
		V a[KV_LANES];

		for (int l = 0; l < KV_LANES; l++)
			a[l] = new ? none : s->lane[l][i];
		for (int g = 0; g < groups; g++)
			for (int l = 0; l < KV_LANES; l++, at += c->inner)
				a[l] = OP()(a[l],
				    NAME(columns_load)(c, at, wide));
		for (int l = 0; l < KV_LANES - 1; l++, at += c->inner)
			if (l < rest)
				a[l] = OP()(a[l],
				    NAME(columns_load)(c, at, wide));
		for (int l = 0; l < KV_LANES; l++)
			s->lane[l][i] = a[l];
	}
}

/* Combines the lanes of vector i and takes the result into the binary counter
 * as kv_count does; returns what all chunks come to. */
KV_INLINE V
NAME(fold_column)(int64_t i, int64_t chunks, struct NAME(scratch) *s)
{
	V a[KV_LANES], v;
	int level = 0;

	for (int l = 0; l < KV_LANES; l++)
		a[l] = s->lane[l][i];
	v = OP()(OP()(OP()(a[0], a[4]), OP()(a[2], a[6])),
	    OP()(OP()(a[1], a[5]), OP()(a[3], a[7])));
	for (; !(chunks & 1); chunks >>= 1)
		v = OP()(s->level[level++][i], v);
	s->level[level][i] = v;
	while (chunks >>= 1) {
		level++;
		if (chunks & 1)
			v = OP()(s->level[level][i], v);
	}
	return v;
}

KV_INLINE void
NAME(fold_columns)(const struct columns *c, int wide, struct NAME(scratch) *s)
{
	V none, v;
	T *y = c->y, empty = OP(_fold)(0, 0, 0, &none);

	for (int64_t i = 0; i < c->count && c->n == 0; i++)
		NAME(kv_store)(y + columns_at(c, i), NAME(kv_splat)(empty),
		    wide ? KV_LANES : c->k);
	for (int64_t j = 0, chunks = 1; j < c->n; chunks++) {
		int64_t end = c->n - j < KV_CHUNK ? c->n : j + KV_CHUNK;
		int new = 1;

		for (; j + 2 * KV_LANES <= end; j += 2 * KV_LANES, new = 0)
			NAME(take_rows)(c, j, 2, 0, new, none, wide, s);
		for (; j + KV_LANES <= end; j += KV_LANES, new = 0)
			NAME(take_rows)(c, j, 1, 0, new, none, wide, s);
		if (j < end)
			NAME(take_rows)(c, j, 0, (int)(end - j), new, none,
			    wide, s);
		j = end;
		for (int64_t i = 0; i < c->count; i++) {
			v = NAME(fold_column)(i, chunks, s);
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

		if (c.k == KV_LANES)
			NAME(fold_columns)(&c, 1, scratch);
		else
			NAME(fold_columns)(&c, 0, scratch);
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
#undef V
#undef NAME
#undef OP
