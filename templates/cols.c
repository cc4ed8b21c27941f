/* SPDX-License-Identifier: MIT */
/* @match class=map|view|reduce(axis)+ need=reduce */
/*
 * Chains over [outer][n][inner] with reductions along n, the axis in the
 * middle. The chain is cut into phases: what a reduction gives is known from
 * the next phase on.
 *
 * A tile is WIDTH adjacent columns of one outer index. It goes through phase
 * after phase, each of which takes it row by row, so that whole cache lines
 * are used. Element j of a column goes into lane j mod 8 as everywhere
 * (vec/reduce.h), so each vector of columns has 8 accumulators; they lie in
 * memory, since as many are in use at once as a tile has vectors.
 */
/* @begin include */
#include "vec/div.h"
#include "vec/expshift.h"
#include "vec/reducemax.h"
#include "vec/sum.h"
/* @end include */
#include "vec/base.h"
#include "vec/reduce.h"

/* Columns and vectors of a tile, and the rows that are taken at once: what
 * depends on a column's values alone is computed once for them. More rows do
 * not fit into a set of the cache where they are a power of two apart. */
#define WIDTH KVK_COLS_WIDTH
#define VECS (WIDTH / KV_LANES)
#define ROWS 4

/* What a piece of work starts with. */
struct call {
	void *const *ptr;
	const int64_t *dim;
	int64_t tiles; /* of one outer index */
};

/* For each vector of a tile the lanes and the binary counter of each reduction
 * of a phase, and the values that belong to its columns. */
struct sums {
	/* @begin sums */
	v8f a0[KV_LANES][VECS];
	v8f c0[KV_COLS_LEVELS][VECS];
	v8f r1[VECS];
	v8f r3[VECS];
	/* @end sums */
};

/* The values that belong to the columns of one vector. */
struct held {
	/* @begin held */
	v8f r1;
	v8f r3;
	/* @end held */
};

/* A tile and where its operands are. Of its `vecs` vectors the last one holds
 * `k` columns. What a row needs next is `ahead` bytes further on. */
struct tile {
	int64_t n, inner, chunks, vecs, width, ahead;
	int k, last;
	struct sums *sums;
	/* @begin params */
	const float *p0;
	float *q0;
	/* @end params */
};

/* Vector v of a row of a tile: its first element is i in operands, s in
 * scratch memory; it has k elements, which go into lane l. */
struct spot {
	int64_t i, s, v;
	int l, k;
};

KV_INLINE void
fetch(const struct tile *w, const void *p)
{
	__builtin_prefetch((const void *)((uint64_t)p + (uint64_t)w->ahead));
}

KV_INLINE void
fetch_out(const struct tile *w, void *p)
{
	__builtin_prefetch((void *)((uint64_t)p + (uint64_t)w->ahead), 1);
}

/*
 * A phase. hold: the values of columns that its steps need. step: the elements
 * of one spot. close: before the first chunk, after every chunk, and after the
 * last one with `last` set.
 */
/* @each phase */
KV_INLINE void
/* @begin hold */
hold0(const struct tile *w, struct spot at, struct held *h)
/* @end hold */
{
	(void)w, (void)at, (void)h;
	/* @begin get */
	/* @end get */
}

KV_INLINE void
/* @begin step */
step0(const struct tile *w, const struct held *h, struct spot at)
/* @end step */
{
	(void)h;
	/* @begin load */
	fetch(w, w->p0 + at.i);
	v8f v0 = kv_load_f32(w->p0 + at.i, at.k);
	/* @end load */
	/* @begin body */
	/* @end body */
	/* @begin combine */
	w->sums->a0[at.l][at.v] = kv_reducemax_f32(w->sums->a0[at.l][at.v], v0);
	/* @end combine */
	/* @begin store */
	/* @end store */
}

KV_INLINE void
/* @begin close */
close0(const struct tile *w, struct spot at)
/* @end close */
{
	(void)at;
	/* @begin fold */
	w->sums->r1[at.v] = kv_reducemax_cols_f32(&w->sums->c0[0][at.v], w->chunks, w->n, &w->sums->a0[0][at.v], VECS);
	/* @end fold */
	if (!w->last)
		return;
	/* @begin finish */
	/* @end finish */
}

/* @end each */
/* @each phase */
KV_INLINE void
/* @begin hold */
hold1(const struct tile *w, struct spot at, struct held *h)
/* @end hold */
{
	(void)w, (void)at, (void)h;
	/* @begin get */
	h->r1 = w->sums->r1[at.v];
	/* @end get */
}

KV_INLINE void
/* @begin step */
step1(const struct tile *w, const struct held *h, struct spot at)
/* @end step */
{
	(void)h;
	/* @begin load */
	fetch(w, w->p0 + at.i);
	fetch_out(w, w->q0 + at.i);
	v8f v0 = kv_load_f32(w->p0 + at.i, at.k);
	v8f v1 = h->r1;
	/* @end load */
	/* @begin body */
	v8f v2 = kv_expshift_f32(v0, v1);
	/* @end body */
	/* @begin combine */
	w->sums->a0[at.l][at.v] = kv_sum_f32(w->sums->a0[at.l][at.v], v2);
	/* @end combine */
	/* @begin store */
	kv_put_f32(w->q0 + at.i, v2, at.k);
	/* @end store */
}

KV_INLINE void
/* @begin close */
close1(const struct tile *w, struct spot at)
/* @end close */
{
	(void)at;
	/* @begin fold */
	w->sums->r3[at.v] = kv_sum_cols_f32(&w->sums->c0[0][at.v], w->chunks, w->n, &w->sums->a0[0][at.v], VECS);
	/* @end fold */
	if (!w->last)
		return;
	/* @begin finish */
	/* @end finish */
}

/* @end each */
/* @each phase */
KV_INLINE void
/* @begin hold */
hold2(const struct tile *w, struct spot at, struct held *h)
/* @end hold */
{
	(void)w, (void)at, (void)h;
	/* @begin get */
	h->r3 = w->sums->r3[at.v];
	/* @end get */
}

KV_INLINE void
/* @begin step */
step2(const struct tile *w, const struct held *h, struct spot at)
/* @end step */
{
	(void)h;
	/* @begin load */
	fetch(w, w->q0 + at.i);
	v8f v2 = kv_load_f32(w->q0 + at.i, at.k);
	v8f v3 = h->r3;
	/* @end load */
	/* @begin body */
	v8f v4 = kv_div_f32(v2, v3);
	/* @end body */
	/* @begin combine */
	/* @end combine */
	/* @begin store */
	kv_store_f32(w->q0 + at.i, v4, at.k);
	/* @end store */
}

KV_INLINE void
/* @begin close */
close2(const struct tile *w, struct spot at)
/* @end close */
{
	(void)at;
	/* @begin fold */
	/* @end fold */
	if (!w->last)
		return;
	/* @begin finish */
	/* @end finish */
}

/* @end each */
/* A value that is kept in scratch memory has a row of `width` elements for each
 * row of the tile. */
static inline void
bind(struct tile *w, const struct call *c, int64_t outer, int64_t first,
    struct sums *sums)
{
	w->sums = sums;
	/* @begin bind */
	w->ahead = ROWS * w->inner * (int64_t)sizeof(float);
	w->p0 = (const float *)c->ptr[0] + c->dim[3] * outer + first;
	w->q0 = (float *)c->ptr[1] + c->dim[4] * outer + first;
	/* @end bind */
}

/* What a phase does, which is known at compile time. */
KV_INLINE void
hold(const struct tile *w, int phase, struct spot at, struct held *h)
{
	/* @begin holds */
	if (phase == 0)
		hold0(w, at, h);
	if (phase == 1)
		hold1(w, at, h);
	if (phase == 2)
		hold2(w, at, h);
	/* @end holds */
}

KV_INLINE void
step(const struct tile *w, int phase, const struct held *h, struct spot at)
{
	/* @begin steps */
	if (phase == 0)
		step0(w, h, at);
	if (phase == 1)
		step1(w, h, at);
	if (phase == 2)
		step2(w, h, at);
	/* @end steps */
}

KV_INLINE void
close(struct tile *w, int phase, int64_t chunks, int last)
{
	w->chunks = chunks;
	w->last = last;
	for (int64_t v = 0; v < w->vecs; v++) {
		struct spot at = { .v = v };

		at.k = v == w->vecs - 1 ? w->k : KV_LANES;
		/* @begin closes */
		if (phase == 0)
			close0(w, at);
		if (phase == 1)
			close1(w, at);
		if (phase == 2)
			close2(w, at);
		/* @end closes */
	}
}

/* Takes rows j to end - 1 of vector v through the phase. */
KV_INLINE void
vector(const struct tile *w, int phase, int64_t v, int64_t j, int64_t end,
    int k)
{
	struct held h;
	struct spot at = { j * w->inner + v * KV_LANES,
		j * w->width + v * KV_LANES, v, (int)(j % KV_LANES), k };

	hold(w, phase, at, &h);
	for (; j < end; j++) {
		step(w, phase, &h, at);
		at.i += w->inner;
		at.s += w->width;
		at.l = (at.l + 1) % KV_LANES;
	}
}

/* Takes the tile through a phase. It is copied, so that its fields live in
 * registers. */
KV_INLINE void
pass(const struct tile *tile, int phase)
{
	struct tile copy = *tile, *w = &copy;

	close(w, phase, 0, w->n == 0);
	for (int64_t j = 0, chunks = 0, end; j < w->n; j = end) {
		int64_t whole = w->vecs - (w->k != KV_LANES);

		end = w->n - j < ROWS ? w->n : j + ROWS;
		for (int64_t v = 0; v < whole; v++)
			vector(w, phase, v, j, end, KV_LANES);
		if (whole < w->vecs)
			vector(w, phase, whole, j, end, w->k);
		if (end == w->n || end % KV_CHUNK == 0)
			close(w, phase, ++chunks, end == w->n);
	}
}

/* @begin passes */
KV_CALLED void
pass0(const struct tile *w)
{
	pass(w, 0);
}

KV_CALLED void
pass1(const struct tile *w)
{
	pass(w, 1);
}

KV_CALLED void
pass2(const struct tile *w)
{
	pass(w, 2);
}
/* @end passes */

static int
piece(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct call *c = ctx;
	struct tile tile, *w = &tile;

	/* @begin dims */
	w->n = c->dim[1];
	/* @end dims */
	w->inner = c->dim[2];
	for (; lo < hi; lo++) {
		int64_t first = lo % c->tiles * WIDTH, left = w->inner - first;

		if (left > WIDTH)
			left = WIDTH;
		w->width = w->inner < WIDTH ? w->inner : WIDTH;
		w->vecs = (left + KV_LANES - 1) / KV_LANES;
		w->k = (int)(left - (w->vecs - 1) * KV_LANES);
		bind(w, c, lo / c->tiles, first, scratch);
		/* @begin phases */
		pass0(w);
		pass1(w);
		pass2(w);
		/* @end phases */
	}
	return KVK_OK;
}

static int
kernel(void *const *ptr, const int64_t *dim, const struct kvk_stream *stream)
{
	struct call c = { ptr, dim, (dim[2] + WIDTH - 1) / WIDTH };
	int64_t width = dim[2] < WIDTH ? dim[2] : WIDTH;

	/* About 16,384 elements a piece. */
	return stream->par(stream, dim[0] * c.tiles,
	    16384 / ((dim[1] + 1) * (width + 1)) + 1, piece, &c);
}

static const struct kvk_entry entries[] = {
	/* @begin table */
	{
		.abi = KVK_ABI,
		.size = sizeof(struct kvk_entry),
		.opcode = "",
		.langtypes = "any->any",
		.dtype = "float32",
		.isa = K_ISA,
		.cls = KVK_COLS,
		.nin = 1,
		.nout = 1,
		.alias = 1,
		.scratch = sizeof(struct sums),
		.scratch_n = 0,
		.fn = kernel,
	},
	/* @end table */
};

extern const struct kvk_table kvk_table;
__attribute__((visibility("default")))
const struct kvk_table kvk_table = {
	.abi = KVK_ABI,
	.size = sizeof(struct kvk_table),
	.n = sizeof entries / sizeof *entries,
	.entry_size = sizeof *entries,
	.entry = entries,
};
