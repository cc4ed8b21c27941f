/* SPDX-License-Identifier: MIT */
/*
 * What the reductions of miaobyte share: how [outer][n][inner] is cut into
 * work for the threads, where the n elements are, and their tables.
 *
 * With inner = 1 an item of work is a row, and several rows run at once; where
 * the reduced axes are not adjacent, pieces of rows are gathered first. Else
 * it is a block of columns of one outer index: each vector holds 8 columns,
 * each column is reduced by itself. The last vector of a block ends at its
 * last column and may overlap the vector before it, which computes the same
 * twice instead of masking. Only where all columns are fewer than 8 does a
 * vector reach past them, into the next rows, and at the end of the tensor it
 * is loaded in part.
 */
#ifndef MIAOBYTE_REDUCE_H
#define MIAOBYTE_REDUCE_H

#include "vec/base.h"
#include "vec/int.h"

/* Rows at once, vectors of a column block (a last block has up to 7 columns
 * more, so that none has fewer than 8), and elements of a row that are gathered
 * at once: whole vectors, and a chunk is whole pieces. */
enum { ROWS = 4, BLOCK = 64, VECS = BLOCK + 1, PIECE = 256 };

/* axes, outside: the runs of axes that are reduced and those that outer goes
 * over, as in kvk.h: how many, then the extent and the step of each. */
struct reduction {
	const void *x;
	void *y;
	int64_t outer, n, inner, blocks;
	const int64_t *axes, *outside;
};

/* Where element j of runs of axes is. */
static inline int64_t
axes_at(const int64_t *axes, int64_t j)
{
	int64_t at = 0;

	for (int64_t i = axes[0] - 1; i > 0; j /= axes[1 + 2 * i], i--)
		at += j % axes[1 + 2 * i] * axes[2 + 2 * i];
	return at + j * axes[2];
}

/* A way along the elements of runs of axes in row-major order: element j is at
 * `at`, and `left` elements of the innermost run are still to come. */
struct walk {
	const int64_t *axes;
	int64_t first, j, at, left;
};

KV_INLINE struct walk
walk_begin(const int64_t *axes, int64_t first)
{
	return (struct walk){ axes, first, 0, first, axes[2 * axes[0] - 1] };
}

KV_INLINE int64_t
walk_step(const struct walk *w)
{
	return w->axes[2 * w->axes[0]];
}

/* Goes on by m <= left elements. */
KV_INLINE void
walk_skip(struct walk *w, int64_t m)
{
	w->j += m;
	w->at += m * walk_step(w);
	w->left -= m;
	if (w->left == 0) {
		w->at = w->first + axes_at(w->axes, w->j);
		w->left = w->axes[2 * w->axes[0] - 1];
	}
}

/* Where the elements of the next rows are; only at[0] where there is a single
 * run, for they are walk_step() apart then. */
KV_INLINE void
walk_take(struct walk *w, int64_t *at, int rows, int single)
{
	at[0] = w->at;
	if (single && rows > 0)
		walk_skip(w, rows);
	for (int i = 0; i < rows && !single; i++) {
		at[i] = w->at;
		walk_skip(w, 1);
	}
}

/* Copies the next n elements of `size` bytes, where the innermost run has the
 * step 1. */
static inline void
walk_copy(struct walk *w, void *to, const void *from, int64_t n, int64_t size)
{
	while (n > 0) {
		int64_t m = n < w->left ? n : w->left;

		__builtin_memcpy(to, (const char *)from + w->at * size,
		    (uint64_t)(m * size));
		to = (char *)to + m * size;
		walk_skip(w, m);
		n -= m;
	}
}

/* The columns of one item: `count` vectors beginning at x, of which vector c
 * begins at column columns_at(c); y is where the first result goes. */
struct columns {
	const void *x;
	void *y;
	const int64_t *axes;
	int64_t n, count, last;
	int64_t safe; /* elements at x that lie inside the tensor */
	int k;        /* columns a vector holds: 8, or all if there are fewer */
};

KV_INLINE int64_t
columns_at(const struct columns *c, int64_t i)
{
	return i * KV_LANES < c->last ? i * KV_LANES : c->last;
}

/* Item i. */
static inline struct columns
columns_of(const struct reduction *r, int64_t i, int64_t size, int64_t osize)
{
	int64_t width = BLOCK * KV_LANES;
	int64_t o = i / r->blocks, b = i % r->blocks;
	int64_t first = axes_at(r->outside, o) + b * width;
	int64_t cols = b == r->blocks - 1 ? r->inner - b * width : width;

	return (struct columns){
		.x = (const char *)r->x + first * size,
		.y = (char *)r->y + (o * r->inner + b * width) * osize,
		.axes = r->axes,
		.n = r->n,
		.count = (cols + KV_LANES - 1) / KV_LANES,
		.last = cols < KV_LANES ? 0 : cols - KV_LANES,
		.safe = r->outer * r->n * r->inner - first,
		.k = cols < KV_LANES ? (int)cols : KV_LANES,
	};
}

/* The vector at element i of the block. `wide` says that k is 8. */
KV_INLINE v8f
columns_load_f32(const struct columns *c, int64_t i, int wide)
{
	return kv_load_f32((const float *)c->x + i,
	    wide || i + KV_LANES <= c->safe ? KV_LANES : c->k);
}

KV_INLINE v8d
columns_load_f64(const struct columns *c, int64_t i, int wide)
{
	return kv_load_f64((const double *)c->x + i,
	    wide || i + KV_LANES <= c->safe ? KV_LANES : c->k);
}

#define COLUMNS_LOAD(S, T, V, U, M) \
	KV_INLINE V \
	columns_load_##S(const struct columns *c, int64_t i, int wide) \
	{ \
		return kv_load_##S((const T *)c->x + i, \
		    wide || i + KV_LANES <= c->safe ? KV_LANES : c->k); \
	}

KV_INTS(COLUMNS_LOAD)

typedef int piece_fn(void *ctx, int64_t lo, int64_t hi, void *scratch);

/* Runs rows or columns over all items, in pieces worth a thread's while. */
static inline int
reduction_run(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream, piece_fn *rows, piece_fn *columns)
{
	struct reduction r = { ptr[0], ptr[1], dim[0], dim[1], dim[2], 1,
		dim + 3, dim + 4 + 2 * dim[3] };
	int64_t items = r.outer, cost = r.n + 1, grain;

	if (r.outer == 0 || r.inner == 0)
		return KVK_OK;
	if (r.inner >= KV_LANES) {
		r.blocks += (r.inner - KV_LANES) / (BLOCK * KV_LANES);
		items *= r.blocks;
		cost *= BLOCK * KV_LANES;
	} else {
		cost *= r.inner;
	}
	grain = cost < 1 << 16 ? (1 << 16) / cost : 1;
	if (r.inner == 1)
		grain = (grain + ROWS - 1) / ROWS * ROWS;
	return stream->par(stream, items, grain,
	    r.inner == 1 ? rows : columns, &r);
}

#define AXES ",int32|int64|[]int32|[]int64,bool->"

#define REDUCE_ENTRY(name, type, out, function, memory) \
	{ .abi = KVK_ABI, .size = sizeof(struct kvk_entry), \
	  .opcode = "deepx/miaobyte·" name, \
	  .langtypes = "[*]" type AXES "[*]" out, .dtype = type, \
	  .isa = K_ISA, .cls = KVK_REDUCE, .nin = 1, .nout = 1, \
	  .scratch = memory, .fn = function }

/* The table of an op: kernel_f32, kernel_f64 and what scratch they need. */
#define REDUCE_TABLE(name, out32, out64) \
	static const struct kvk_entry entries[] = { \
		REDUCE_ENTRY(name, "float32", out32, kernel_f32, \
		    sizeof(struct scratch_f32)), \
		REDUCE_ENTRY(name, "float64", out64, kernel_f64, \
		    sizeof(struct scratch_f64)), \
	}; \
	extern const struct kvk_table kvk_table; \
	__attribute__((visibility("default"))) \
	const struct kvk_table kvk_table = { KVK_ABI, \
		sizeof(struct kvk_table), 2, sizeof(struct kvk_entry), entries }

#endif
