/* SPDX-License-Identifier: MIT */
/*
 * Matrix products, for one dtype; included once for each, with
 *   T, V           element and vector
 *   NAME(f)        f with the dtype's suffix, as in f_f32
 *   MADD(a, b, c)  a b + c, of vectors
 *
 * An element of the product starts from 0 and adds its terms in the order of k,
 * one MADD each, whichever way is taken and however the work is cut. What is
 * unfinished waits in the result, which loses no bits. So the bytes depend
 * on a row of the left and a column of the right matrix alone.
 *
 * Two ways. gemm_block works on a block of the result: the columns of the right
 * matrix lie in scratch as panels as wide as a tile, a few rows of the left
 * beside them, and each tile of the result is held in registers while it goes
 * through a block of k. gemm_stream has few rows and reads the right matrix
 * where it is, once.
 */
#ifndef VEC_GEMM_H
#define VEC_GEMM_H

#include "vec/base.h"

/* Rows of a tile: it fills the vector registers, but for a few. It is even, and
 * so are all tiles. */
#if KV_LANES == 16
#define GEMM_ROWS 14
#elif defined __FMA__
#define GEMM_ROWS 6
#else
#define GEMM_ROWS 2
#endif

/*
 * What is in scratch at once: bytes of a line of k elements, and of one of
 * columns. The rows of a tile stay in the L1 cache, the panels in the L2 cache,
 * which CPUs with AVX-512 have more of. Rows are a bit further apart than they
 * are long, or all would meet in a few lines of the cache.
 */
enum { GEMM_DEEP = KV_LANES * 128, GEMM_WIDE = KV_LANES * 128 };

/* Of gemm_stream: bytes of a strip of columns, and rows of the right matrix at
 * once. */
enum { GEMM_STRIP = 2048, GEMM_STREAM = 8 };

/*
 * c = a b with m x k and k x n elements; an element is its matrix's row times
 * `row` plus its column times `col` further on than the matrix. c is row-major.
 */
struct gemm {
	int64_t m, n, k;
	int64_t a_row, a_col, b_row, b_col;
};

/* A block of the result: rows and columns. */
struct gemm_part {
	int64_t i, rows, j, cols;
};

/* A step on the way to turn KV_LANES vectors v: in each square of 2 s lanes
 * the off-diagonal squares of s are exchanged. */
#define GEMM_A(s, i) ((i) & (s) ? KV_LANES + (i) - (s) : (i))
#define GEMM_B(s, i) ((i) & (s) ? KV_LANES + (i) : (i) + (s))
#define GEMM_8(F, s, i) \
	F(s, i), F(s, i + 1), F(s, i + 2), F(s, i + 3), F(s, i + 4), \
	F(s, i + 5), F(s, i + 6), F(s, i + 7)
#if KV_LANES == 16
#define GEMM_ALL(F, s) GEMM_8(F, s, 0), GEMM_8(F, s, 8)
#else
#define GEMM_ALL(F, s) GEMM_8(F, s, 0)
#endif
#define GEMM_TURN(s) \
	for (int i = 0; i < KV_LANES; i++) \
		if (!(i & (s))) { \
			V a = __builtin_shufflevector(v[i], v[i + (s)], \
			    GEMM_ALL(GEMM_A, s)); \
			\
			v[i + (s)] = __builtin_shufflevector(v[i], \
			    v[i + (s)], GEMM_ALL(GEMM_B, s)); \
			v[i] = a; \
		}

KV_INLINE int64_t
gemm_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* n cut into as many parts of about the same size, `most` or fewer. */
KV_INLINE int64_t
gemm_cut(int64_t n, int64_t most)
{
	int64_t parts = (n + most - 1) / most;

	return (n + parts - 1) / parts;
}

#endif

#define GEMM_K ((int)(GEMM_DEEP / sizeof(T)))
#define GEMM_STEP (GEMM_K + 16)
#define GEMM_VECS (sizeof(T) < 8 ? 2 : 1)
#define GEMM_COLS (GEMM_VECS * KV_LANES)
#define GEMM_N ((int)(GEMM_WIDE / sizeof(T)))

struct NAME(gemm_scratch) {
	T b[GEMM_K * GEMM_N];
	T a[GEMM_ROWS * GEMM_STEP];
	T tile[GEMM_ROWS * GEMM_COLS];
} __attribute__((aligned(64)));

/*
 * The tile at c, of rows `step` elements apart, goes on through k rows of the
 * panel b. first: it starts from 0; last: it is finished. a is what gemm_left
 * leaves.
 */
KV_INLINE void
NAME(gemm_rows)(const T *a, const T *b, T *c, int64_t step, int64_t k,
    int first, int last, int rows)
{
	V acc[GEMM_ROWS][GEMM_VECS], v[GEMM_VECS];

	_Pragma("clang loop unroll(full)")
	for (int r = 0; r < rows; r++)
		for (int x = 0; x < GEMM_VECS; x++) {
			T *at = c + r * step + x * KV_LANES;

			kv_fetch_out(at);
			acc[r][x] = first ? NAME(kv_splat)(0) :
			    NAME(kv_load)(at, KV_LANES);
		}
	for (; k > 0; k--, a++, b += GEMM_COLS) {
		for (int x = 0; x < GEMM_VECS; x++)
			v[x] = NAME(kv_load)(b + x * KV_LANES, KV_LANES);
		_Pragma("clang loop unroll(full)")
		for (int r = 0; r < rows; r++) {
			V one = NAME(kv_splat)(a[r * GEMM_STEP]);

			for (int x = 0; x < GEMM_VECS; x++)
				acc[r][x] = MADD(one, v[x], acc[r][x]);
		}
	}
	_Pragma("clang loop unroll(full)")
	for (int r = 0; r < rows; r++)
		for (int x = 0; x < GEMM_VECS; x++) {
			T *at = c + r * step + x * KV_LANES;

			if (last)
				NAME(kv_store)(at, acc[r][x], KV_LANES);
			else
				NAME(kv_put)(at, acc[r][x], KV_LANES);
		}
}

#define GEMM_TILE(rows) \
	KV_CALLED void \
	NAME(gemm_tile##rows)(const T *a, const T *b, T *c, int64_t step, \
	    int64_t k, int first, int last) \
	{ \
		NAME(gemm_rows)(a, b, c, step, k, first, last, rows); \
	}

GEMM_TILE(2)
#if GEMM_ROWS >= 6
GEMM_TILE(4)
GEMM_TILE(6)
#endif
#if GEMM_ROWS >= 14
GEMM_TILE(8)
GEMM_TILE(10)
GEMM_TILE(12)
GEMM_TILE(14)
#endif

#undef GEMM_TILE

/* With an even number of rows. */
KV_INLINE void
NAME(gemm_tile)(const T *a, const T *b, T *c, int64_t step, int64_t k,
    int first, int last, int rows)
{
	switch (rows) {
#define GEMM_CASE(rows) \
	case rows: \
		NAME(gemm_tile##rows)(a, b, c, step, k, first, last); \
		break;
#if GEMM_ROWS >= 14
	GEMM_CASE(14)
	GEMM_CASE(12)
	GEMM_CASE(10)
	GEMM_CASE(8)
#endif
#if GEMM_ROWS >= 6
	GEMM_CASE(6)
	GEMM_CASE(4)
#endif
	GEMM_CASE(2)
#undef GEMM_CASE
	}
}

/* The same at the edge of the result, which has rows x cols elements there: the
 * tile is worked on in scratch. */
KV_CALLED void
NAME(gemm_edge)(struct NAME(gemm_scratch) *s, const T *b, T *c, int64_t step,
    int64_t k, int first, int last, int rows, int64_t cols)
{
	for (int r = 0; r < rows && !first; r++)
		for (int64_t x = 0; x < cols; x += KV_LANES)
			NAME(kv_put)(s->tile + r * GEMM_COLS + x,
			    NAME(kv_load)(c + r * step + x,
			    (int)gemm_min(cols - x, KV_LANES)), KV_LANES);
	NAME(gemm_tile)(s->a, b, s->tile, GEMM_COLS, k, first, last,
	    (rows + 1) & ~1);
	for (int r = 0; r < rows; r++)
		for (int64_t x = 0; x < cols; x += KV_LANES)
			NAME(kv_put)(c + r * step + x,
			    NAME(kv_load)(s->tile + r * GEMM_COLS + x, KV_LANES),
			    (int)gemm_min(cols - x, KV_LANES));
}

/* KV_LANES vectors, whose rows become columns. */
KV_INLINE void
NAME(gemm_turn)(V *v)
{
	GEMM_TURN(1)
	GEMM_TURN(2)
	GEMM_TURN(4)
#if KV_LANES == 16
	GEMM_TURN(8)
#endif
}

/* Rows of the left matrix from a on, k elements of each. An odd number gets
 * another one, which is the last of them or zeros. */
KV_INLINE void
NAME(gemm_left)(const struct gemm *g, T *to, const T *a, int rows, int64_t k)
{
	int64_t even = (rows + 1) & ~1, i = 0;
	V v[KV_LANES];

	if (g->a_col == 1) {
		for (; i + KV_LANES <= k; i += KV_LANES)
			for (int64_t r = 0; r < even; r++)
				NAME(kv_put)(to + r * GEMM_STEP + i,
				    NAME(kv_load)(a + gemm_min(r, rows - 1) *
				    g->a_row + i, KV_LANES), KV_LANES);
	} else if (g->a_row == 1) {
		for (; i + KV_LANES <= k; i += KV_LANES) {
			for (int64_t q = 0; q < KV_LANES; q++)
				v[q] = NAME(kv_load)(a + (i + q) * g->a_col,
				    rows);
			NAME(gemm_turn)(v);
			for (int64_t r = 0; r < even; r++)
				NAME(kv_put)(to + r * GEMM_STEP + i, v[r],
				    KV_LANES);
		}
	}
	for (; i < k; i++)
		for (int64_t r = 0; r < even; r++)
			to[r * GEMM_STEP + i] = a[gemm_min(r, rows - 1) *
			    g->a_row + i * g->a_col];
}

/* A panel from b on with cols columns, the others 0, rows lo to hi. */
KV_INLINE void
NAME(gemm_panel)(const struct gemm *g, T *to, const T *b, int64_t cols,
    int64_t lo, int64_t hi)
{
	const T *row = b + lo * g->b_row;

	to += lo * GEMM_COLS;
	for (; lo < hi; lo++, row += g->b_row, to += GEMM_COLS)
		for (int x = 0; x < GEMM_COLS; x += KV_LANES)
			NAME(kv_put)(to + x, cols >= x + KV_LANES ?
			    NAME(kv_load)(row + x, KV_LANES) : cols <= x ?
			    NAME(kv_splat)(0) :
			    NAME(kv_load)(row + x, (int)(cols - x)), KV_LANES);
}

/* The same of a matrix whose columns are in one piece. */
KV_INLINE void
NAME(gemm_panel_turned)(const struct gemm *g, T *to, const T *b, int64_t cols,
    int64_t k)
{
	for (int64_t i = 0; i < k; i += KV_LANES)
		for (int64_t x = 0; x < GEMM_COLS; x += KV_LANES) {
			int deep = (int)gemm_min(k - i, KV_LANES);
			V v[KV_LANES];

			for (int64_t q = 0; q < KV_LANES; q++)
				v[q] = x + q < cols ? NAME(kv_load)(b +
				    (x + q) * g->b_col + i, deep) :
				    NAME(kv_splat)(0);
			NAME(gemm_turn)(v);
			for (int64_t q = 0; q < KV_LANES && q < deep; q++)
				NAME(kv_put)(to + (i + q) * GEMM_COLS + x,
				    v[q], KV_LANES);
		}
}

/* The right matrix, k rows and n columns from b on, as panels. It is read a few
 * rows at a time, as far as they go, or the columns of a panel. */
KV_INLINE void
NAME(gemm_right)(const struct gemm *g, T *to, const T *b, int64_t k, int64_t n)
{
	if (g->b_col != 1) {
		for (int64_t j = 0; j < n; j += GEMM_COLS)
			NAME(gemm_panel_turned)(g, to + j * k, b + j * g->b_col,
			    gemm_min(n - j, GEMM_COLS), k);
		return;
	}
	for (int64_t lo = 0; lo < k; lo += 16)
		for (int64_t j = 0; j < n; j += GEMM_COLS)
			NAME(gemm_panel)(g, to + j * k, b + j,
			    gemm_min(n - j, GEMM_COLS), lo,
			    gemm_min(lo + 16, k));
}

/* The tiles of a block, k elements deep. */
KV_INLINE void
NAME(gemm_tiles)(const struct gemm *g, const struct gemm_part *p, const T *a,
    T *c, int64_t k, int first, int last, struct NAME(gemm_scratch) *s)
{
	int64_t pairs = (p->rows + 1) / 2;
	int64_t tiles = (2 * pairs + GEMM_ROWS - 1) / GEMM_ROWS;

	for (int64_t t = 0; t < tiles; t++) {
		int64_t i = t * pairs / tiles * 2;
		int rows = (int)(gemm_min((t + 1) * pairs / tiles * 2, p->rows)
		    - i);

		NAME(gemm_left)(g, s->a, a + i * g->a_row, rows, k);
		for (int64_t j = 0; j < p->cols; j += GEMM_COLS) {
			int64_t cols = gemm_min(p->cols - j, GEMM_COLS);
			T *at = c + i * g->n + j;

			if (cols == GEMM_COLS && rows % 2 == 0)
				NAME(gemm_tile)(s->a, s->b + j * k, at, g->n, k,
				    first, last, rows);
			else
				NAME(gemm_edge)(s, s->b + j * k, at, g->n, k,
				    first, last, rows, cols);
		}
	}
}

/* A block of at most GEMM_N columns; k is not 0. a, b, c: whole matrices. */
static inline void
NAME(gemm_block)(const struct gemm *g, const struct gemm_part *p, const T *a,
    const T *b, T *c, struct NAME(gemm_scratch) *s)
{
	int64_t deep = gemm_cut(g->k, GEMM_K);

	a += p->i * g->a_row;
	b += p->j * g->b_col;
	c += p->i * g->n + p->j;
	for (int64_t at = 0; at < g->k; at += deep) {
		int64_t k = gemm_min(deep, g->k - at);

		NAME(gemm_right)(g, s->b, b + at * g->b_row, k, p->cols);
		NAME(gemm_tiles)(g, p, a + at * g->a_col, c, k, at == 0,
		    at + k == g->k, s);
	}
}

/* k lanes of a row of c take `deep` rows of b, whose factors are f. What comes
 * next of b is asked for when it is read for the first time. */
KV_INLINE void
NAME(gemm_lanes)(const V *f, const T *b, T *c, int64_t step, int deep,
    int first, int last, int fetch, int k)
{
	V acc = first ? NAME(kv_splat)(0) : NAME(kv_load)(c, k);

	for (int64_t q = 0; q < deep; q++) {
		if (fetch)
			kv_fetch_out((T *)b + (q + GEMM_STREAM) * step);
		acc = MADD(f[q], NAME(kv_load)(b + q * step, k), acc);
	}
	if (last)
		NAME(kv_store)(c, acc, k);
	else
		NAME(kv_put)(c, acc, k);
}

KV_INLINE void
NAME(gemm_row)(const V *f, const T *b, T *c, int64_t step, int deep, int first,
    int last, int fetch, int64_t cols)
{
	int64_t j = 0;

	for (; j + KV_LANES <= cols; j += KV_LANES)
		NAME(gemm_lanes)(f, b + j, c + j, step, deep, first, last,
		    fetch, KV_LANES);
	if (j < cols)
		NAME(gemm_lanes)(f, b + j, c + j, step, deep, first, last, 0,
		    (int)(cols - j));
}

/* Columns of a product with few rows, of a right matrix whose rows are in one
 * piece; k is not 0. */
static inline void
NAME(gemm_stream)(const struct gemm *g, const struct gemm_part *p, const T *a,
    const T *b, T *c)
{
	V f[GEMM_STREAM];

	for (int64_t at = 0; at < g->k; at += GEMM_STREAM)
		for (int64_t i = 0; i < g->m; i++) {
			int deep = (int)gemm_min(g->k - at, GEMM_STREAM);
			const T *r = b + at * g->n + p->j;
			T *to = c + i * g->n + p->j;

			for (int64_t q = 0; q < deep; q++)
				f[q] = NAME(kv_splat)(a[i * g->a_row +
				    (at + q) * g->a_col]);
			if (at == 0 || at + deep == g->k)
				NAME(gemm_row)(f, r, to, g->n, deep, at == 0,
				    at + deep == g->k, 0, p->cols);
			else if (i == 0)
				NAME(gemm_row)(f, r, to, g->n, GEMM_STREAM, 0,
				    0, 1, p->cols);
			else
				NAME(gemm_row)(f, r, to, g->n, GEMM_STREAM, 0,
				    0, 0, p->cols);
		}
}

#undef GEMM_K
#undef GEMM_STEP
#undef GEMM_VECS
#undef GEMM_COLS
#undef GEMM_N
