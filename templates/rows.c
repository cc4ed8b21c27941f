/* SPDX-License-Identifier: MIT */
/* @match class=map|view|reduce(last)+ need=reduce */
/*
 * Chains over rows of n elements, with reductions along the row. The chain is
 * cut into phases: a phase goes over a row once, and what a reduction gives is
 * known from the next phase on.
 *
 * The phases run side by side in one loop, each on a row of its own: while a
 * row is in one phase, the next row is in the phase before it. So the phase
 * that computes hides the loads, stores and divisions of the others, and a row
 * is still in the cache when its next phase comes.
 *
 * What a later phase reads again waits in the result that is stored last. Where
 * the operands are more than caches hold, it waits in scratch memory, and results
 * are stored once, past the caches.
 */
/* @begin include */
#include "vec/div.h"
#include "vec/expshift.h"
#include "vec/reducemax.h"
#include "vec/sum.h"
/* @end include */
#include "vec/base.h"
#include "vec/reduce.h"

/*
 * The phases of the chain, and how many rows are in the same phase: more than
 * one keeps the steps of a row from waiting for each other where there is no
 * other phase to run meanwhile.
 */
/* @begin sizes */
#define PHASES 3
#define WIDTH 1
#define NIN 1
#define NOUT 1
#define FULL 1
typedef float element;
/* @end sizes */

/* Of how many bytes on the results of a call are stored past the caches: sooner
 * than those of maps, for rows that wait need none of them. And how long the rows
 * may be then. */
#define PAST (KV_PAST / 2)
#define LONGEST (32768 / (int64_t)sizeof(element))

/* Elements from one row in scratch memory to the next: not a whole number of
 * pages, or a load of one row would seem to need the store to another. */
#define APART(n) ((n) + 272)

/* Rows and phases are told apart at compile time, so that the fields of a row
 * live in registers. */
#define UNROLL _Pragma("clang loop unroll(full)")

/* What a piece of work starts with. */
struct call {
	void *const *ptr;
	const int64_t *dim;
	void *scratch;
	int past;
};

/* The binary counter of each reduction of a phase. */
struct count {
	/* @begin count */
	float c0[KV_LEVELS];
	/* @end count */
};

/* What changes from element to element: the accumulators of reductions, and
 * for each result whether it has NaNs (kv_mark). */
struct sums {
	/* @begin sums */
	v8f a0;
	v8f z0;
	/* @end sums */
};

/*
 * One row: where its operands are, the values that belong to the row, and the
 * sums of the phase it is in.
 */
struct row {
	int64_t n, chunks;
	int on, last;
	struct count *count;
	struct sums sums;
	/* @begin params */
	const float *p0;
	float *q0, *k0;
	float r1, r3;
	/* @end params */
};

/*
 * A phase. step: the elements [i, i + k) of the row. close: before the first
 * chunk, after every chunk, and after the last one with `last` set.
 */
/* @each phase */
KV_INLINE void
/* @begin step */
step0(struct row *w, int64_t i, int k, int past)
/* @end step */
{
	(void)past;
	if (!w->on)
		return;
	/* @begin load */
	kv_fetch(w->p0 + i);
	kv_fetch_out(w->k0 + i);
	v8f v0 = kv_load_f32(w->p0 + i, k);
	/* @end load */
	/* @begin body */
	/* @end body */
	/* @begin combine */
	w->sums.a0 = kv_reducemax_take_f32(w->sums.a0, v0, k);
	/* @end combine */
	/* @begin store */
	/* @end store */
}

KV_INLINE void
/* @begin close */
close0(struct row *w)
/* @end close */
{
	if (!w->on)
		return;
	/* @begin fold */
	w->r1 = kv_reducemax_fold_f32(w->count->c0, w->chunks, w->n,
	    &w->sums.a0);
	/* @end fold */
	if (!w->last)
		return;
	/* @begin finish */
	/* @end finish */
}

/* @end each */
/* @each phase */
KV_INLINE void
/* @begin step */
step1(struct row *w, int64_t i, int k, int past)
/* @end step */
{
	(void)past;
	if (!w->on)
		return;
	/* @begin load */
	v8f v0 = kv_load_f32(w->p0 + i, k);
	v8f v1 = kv_splat_f32(w->r1);
	/* @end load */
	/* @begin body */
	v8f v2 = kv_expshift_f32(v0, v1);
	/* @end body */
	/* @begin combine */
	w->sums.a0 = kv_sum_take_f32(w->sums.a0, v2, k);
	/* @end combine */
	/* @begin store */
	kv_put_f32(w->k0 + i, v2, k);
	/* @end store */
}

KV_INLINE void
/* @begin close */
close1(struct row *w)
/* @end close */
{
	if (!w->on)
		return;
	/* @begin fold */
	w->r3 = kv_sum_fold_f32(w->count->c0, w->chunks, w->n,
	    &w->sums.a0);
	/* @end fold */
	if (!w->last)
		return;
	/* @begin finish */
	/* @end finish */
}

/* @end each */
/* @each phase */
KV_INLINE void
/* @begin step */
step2(struct row *w, int64_t i, int k, int past)
/* @end step */
{
	(void)past;
	if (!w->on)
		return;
	/* @begin load */
	v8f v2 = kv_load_f32(w->k0 + i, k);
	v8f v3 = kv_splat_f32(w->r3);
	/* @end load */
	/* @begin body */
	v8f v4 = kv_div_f32(v2, v3);
	/* @end body */
	/* @begin combine */
	/* @end combine */
	/* @begin store */
	kv_put_past_f32((past ? w->q0 : w->k0) + i, v4, k, past);
	w->sums.z0 = kv_mark_f32(w->sums.z0, v4);
	/* @end store */
}

KV_INLINE void
/* @begin close */
close2(struct row *w)
/* @end close */
{
	if (!w->on)
		return;
	/* @begin fold */
	kv_canon_f32(&w->sums.z0, w->chunks, w->last, w->q0, w->n);
	/* @end fold */
	if (!w->last)
		return;
	/* @begin finish */
	/* @end finish */
}

/* @end each */
/*
 * A value that is kept in scratch memory has n elements for each of the
 * PHASES * WIDTH rows under way: row modulo that number tells which. Those that
 * wait there only if results go past the caches come last.
 */
static inline void
bind(struct row *w, const struct call *c, int64_t row, int64_t n)
{
	element *under_way = (element *)c->scratch + row % (PHASES * WIDTH) *
	    APART(n);
	int64_t next = PHASES * WIDTH * APART(n);

	(void)under_way, (void)next;
	w->n = n;
	/* @begin bind */
	w->p0 = (const float *)c->ptr[0] + c->dim[2] * row;
	w->q0 = (float *)c->ptr[1] + c->dim[3] * row;
	w->k0 = c->past ? under_way + 0 * PHASES * WIDTH * n + 0 * next : w->q0;
	/* @end bind */
}

/* The elements [i, i + k) of every row, each in its phase. */
KV_INLINE void
step(struct row *const w[PHASES], int64_t i, int k, int past)
{
	UNROLL
	for (int r = 0; r < WIDTH; r++) {
		/* @begin steps */
		step0(&w[0][r], i, k, past);
		step1(&w[1][r], i, k, past);
		step2(&w[2][r], i, k, past);
		/* @end steps */
	}
}

KV_CALLED void
close(struct row *const w[PHASES], int64_t chunks, int last)
{
	UNROLL
	for (int r = 0; r < WIDTH; r++) {
		UNROLL
		for (int p = 0; p < PHASES; p++) {
			w[p][r].chunks = chunks;
			w[p][r].last = last;
		}
		/* @begin closes */
		close0(&w[0][r]);
		close1(&w[1][r]);
		close2(&w[2][r]);
		/* @end closes */
	}
}

/* All whole vectors of a chunk. The rows are copied, so that their fields live
 * in registers. */
KV_INLINE int64_t
vectors(struct row *const rows[PHASES], int64_t i, int64_t end, int past)
{
	struct row copy[PHASES][WIDTH], *w[PHASES];

	UNROLL
	for (int p = 0; p < PHASES; p++) {
		w[p] = copy[p];
		UNROLL
		for (int r = 0; r < WIDTH; r++)
			copy[p][r] = rows[p][r];
	}
	for (; end - i >= KV_LANES; i += KV_LANES)
		step(w, i, KV_LANES, past);
	UNROLL
	for (int p = 0; p < PHASES; p++) {
		UNROLL
		for (int r = 0; r < WIDTH; r++)
			rows[p][r].sums = copy[p][r].sums;
	}
	return i;
}

KV_CALLED int64_t
vectors_near(struct row *const rows[PHASES], int64_t i, int64_t end)
{
	return vectors(rows, i, end, 0);
}

KV_CALLED int64_t
vectors_past(struct row *const rows[PHASES], int64_t i, int64_t end)
{
	return vectors(rows, i, end, 1);
}

/* The last elements of a row, fewer than a vector has: then none pass. */
KV_CALLED void
rest(struct row *const rows[PHASES], int64_t i, int k)
{
	step(rows, i, k, 0);
}

/* Takes every row through the phase it is in; w[p] are the rows in phase p. */
static void
pass(struct row *const w[PHASES], int64_t n, int past)
{
	int64_t i = 0, chunks = 0, end;

	close(w, 0, n == 0);
	while (i < n) {
		end = n - i < KV_CHUNK ? n : i + KV_CHUNK;
		i = past ? vectors_past(w, i, end) : vectors_near(w, i, end);
		if (i < end)
			rest(w, i, (int)(end - i));
		i = end;
		close(w, ++chunks, i == n);
	}
}

static int
piece(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	struct call call = *(const struct call *)ctx, *c = &call;
	struct count count[PHASES][WIDTH];
	struct row rows[PHASES][WIDTH], *w[PHASES], *first;
	int64_t row = lo;
	int past = FULL && c->past;
	/* @begin dims */
	int64_t n = c->dim[1];
	/* @end dims */

	call.scratch = scratch;
	call.past = past;
	for (int p = 0; p < PHASES; p++) {
		w[p] = rows[p];
		for (int r = 0; r < WIDTH; r++) {
			rows[p][r].on = 0;
			rows[p][r].count = &count[p][r];
		}
	}
	while (row < hi + (PHASES - 1) * WIDTH) {
		first = w[PHASES - 1];
		for (int p = PHASES - 1; p > 0; p--)
			w[p] = w[p - 1];
		w[0] = first;
		for (int r = 0; r < WIDTH; r++, row++) {
			first[r].on = row < hi;
			if (row < hi)
				bind(&first[r], c, row, n);
		}
		pass(w, n, past);
	}
	if (past)
		kv_past_end();
	return KVK_OK;
}

/*
 * Whether results are stored past the caches: where all operands of full rows
 * are more than caches hold, no result is over an input, and all rows are whole
 * vectors that may pass.
 */
static int
goes_past(void *const *ptr, const int64_t *dim)
{
	int64_t bytes = 0;

	if (dim[1] > LONGEST || dim[1] % KV_LANES)
		return 0;
	for (int i = 0; i < NIN + NOUT; i++) {
		if (dim[2 + i] < dim[1])
			continue;
		bytes += dim[0] * dim[1] * (int64_t)sizeof(element);
		if (i >= NIN && (dim[2 + i] % KV_LANES ||
		    !kv_past_at(ptr[i], sizeof(element))))
			return 0;
	}
	for (int i = 0; i < NIN; i++)
		for (int o = NIN; o < NIN + NOUT; o++)
			if (ptr[i] == ptr[o])
				return 0;
	return bytes > PAST;
}

static int
kernel(void *const *ptr, const int64_t *dim, const struct kvk_stream *stream)
{
	struct call c = { ptr, dim, 0, goes_past(ptr, dim) };
	/* About 16,384 elements a piece, and rows enough to fill the phases. */
	int64_t rows = 16384 / (dim[1] + 1) + 4 * PHASES * WIDTH;

	return stream->par(stream, dim[0], rows, piece, &c);
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
		.cls = KVK_ROWS,
		.nin = 1,
		.nout = 1,
		.alias = 1,
		.scratch = 1 * PHASES * WIDTH * APART(LONGEST) * sizeof(element),
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
