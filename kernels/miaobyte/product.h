/* SPDX-License-Identifier: MIT */
/*
 * The matrix product for one dtype: what vec/gemm.h computes, cut into work for
 * the threads. Included once for each, with what that header asks for,
 * and PRODUCT, which finds the matrices.
 *
 * An item of work is a block of a matrix of the result, or with few rows a strip
 * of columns.
 */
#include "ref/product.h"
#include "vec/gemm.h"

#ifndef MIAOBYTE_PRODUCT_H
#define MIAOBYTE_PRODUCT_H

/* Rows that are few; blocks that a matrix is cut into, and rows and columns that
 * a block has at least; terms of an item that are worth a thread. */
enum { FEW = 4, BLOCKS = 4, LEAST = 64, WORTH = 1 << 18 };

/* left, right: which operand is which. rows, cols: of a block; stream: it is a
 * strip. */
struct work {
	struct product p;
	struct gemm g;
	int left, right, stream;
	int64_t rows, cols, down, across;
};

/* A product with one column is one with one row, of the transposed matrices. */
static inline struct work
work_turned(const struct product *p)
{
	int turn = p->n == 1 && p->m > 1;
	struct gemm g = { p->m, p->n, p->k, p->a_row, p->a_col, p->b_row,
		p->b_col };
	struct gemm t = { p->n, p->m, p->k, p->b_col, p->b_row, p->a_col,
		p->a_row };

	return (struct work){ .p = *p, .g = turn ? t : g, .left = turn,
		.right = !turn };
}

/* most: columns of a block; a strip has as many as it may. */
static inline struct work
work_of(const struct product *p, int64_t matrices, int64_t most, int64_t strip)
{
	struct work w = work_turned(p);
	int64_t want = (BLOCKS + matrices - 1) / matrices;
	int64_t m = w.g.m, n = w.g.n, each = (n + want - 1) / want;

	w.stream = m <= FEW && w.g.b_col == 1;
	w.rows = m;
	w.cols = strip;
	if (!w.stream) {
		each = each < LEAST ? LEAST : (each + LEAST - 1) / LEAST * LEAST;
		w.cols = gemm_min(each, most);
		want = want / ((n + w.cols - 1) / w.cols);
		if (want > 1)
			w.rows = (m + want - 1) / want;
		w.rows = w.rows < LEAST ? LEAST : (w.rows + 1) & ~1;
	}
	w.down = (m + w.rows - 1) / w.rows;
	w.across = (n + w.cols - 1) / w.cols;
	return w;
}

static inline struct gemm_part
work_part(const struct work *w, int64_t item)
{
	int64_t i = item % w->down * w->rows;
	int64_t j = item / w->down % w->across * w->cols;

	return (struct gemm_part){ i, gemm_min(w->rows, w->g.m - i), j,
		gemm_min(w->cols, w->g.n - j) };
}

static inline int64_t
work_grain(const struct work *w)
{
	int64_t terms = w->rows * w->cols;

	return WORTH / (terms * w->g.k + 1) + 1;
}

#define PRODUCT_ENTRY(op, t, S, f) \
	{ .abi = KVK_ABI, .size = sizeof(struct kvk_entry), \
	  .opcode = "deepx/" AUTHOR "·" op, \
	  .langtypes = "[*]" t ",[*]" t "->[*]" t, .dtype = t, .isa = K_ISA, \
	  .cls = KVK_OTHER, .nin = 2, .nout = 1, \
	  .scratch = sizeof(struct gemm_scratch_##S), .fn = f },

#endif

static int
NAME(blocks)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct work *w = ctx;
	const struct product *p = &w->p;

	for (; lo < hi; lo++) {
		int64_t t = lo / (w->down * w->across);
		struct gemm_part part = work_part(w, lo);
		const T *at[2] = { (const T *)p->ptr[0] +
			product_at(p, p->a, t) * p->m * p->k,
			(const T *)p->ptr[1] +
			product_at(p, p->b, t) * p->k * p->n };
		const T *a = at[w->left], *b = at[w->right];
		T *c = (T *)p->ptr[2] + t * p->m * p->n;

		if (w->stream)
			NAME(gemm_stream)(&w->g, &part, a, b, c);
		else
			NAME(gemm_block)(&w->g, &part, a, b, c, scratch);
	}
	return KVK_OK;
}

static int
NAME(matmul)(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream)
{
	struct product p = PRODUCT(ptr, dim);
	int64_t count = ref_count(p.c), matrices;
	struct work w;

	if (count == 0)
		return KVK_OK;
	if (p.k == 0) {
		__builtin_memset(ptr[2], 0, sizeof(T) * (uint64_t)count);
		return KVK_OK;
	}
	matrices = count / (p.m * p.n);
	w = work_of(&p, matrices, GEMM_WIDE / sizeof(T),
	    GEMM_STRIP / sizeof(T));
	return stream->par(stream, matrices * w.down * w.across,
	    work_grain(&w), NAME(blocks), &w);
}
