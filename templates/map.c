/* SPDX-License-Identifier: MIT */
/* @match class=map|view+ dtype=any */
/*
 * Chains of elementwise operations over operands that broadcast. The three
 * outer extents are walked like an odometer; along the innermost one every
 * operand has the step 0 or 1. An operand with the step 0 is read from a vector
 * of copies of its element, so that one loop serves both. A file may hold the
 * loops of several dtypes; `names` then gives each its own.
 */
/* @begin include */
#define KV_WIDE
#include "vec/add.h"
/* @end include */
#include "vec/base.h"

/* Elements of the innermost extent that are one item of the parallel loop. */
#define BLOCK 4096

struct call {
	void *const *ptr;
	const int64_t *dim;
	int64_t blocks; /* in one innermost extent */
	int past;       /* whether stores pass the caches by */
};

/* Where an operand is at the outer indices at[0..2] and the inner index i. */
static inline int64_t
offset(const struct call *c, const int64_t *at, int64_t i, int operand)
{
	const int64_t *step = c->dim + 4 + 4 * operand;

	return at[0] * step[0] + at[1] * step[1] + at[2] * step[2] +
	    i * step[3];
}

/* The step of an operand along the innermost extent. */
static inline int64_t
inner(const struct call *c, int operand)
{
	return c->dim[4 + 4 * operand + 3];
}

/* @each dtype */
/* @begin names */
/* @end names */
/* A run of elements along the innermost extent: operands and steps. */
struct run {
	/* @begin params */
	const float *p0, *p1;
	int64_t s0, s1;
	float *q0;
	int past;
	/* @end params */
};

/* The elements [i, i + k) of a run. */
KV_INLINE void
step(struct run *w, int64_t i, int k)
{
	/* @begin load */
	v8f v0 = kv_load_f32(w->p0 + i * w->s0, k);
	v8f v1 = kv_load_f32(w->p1 + i * w->s1, k);
	/* @end load */
	/* @begin body */
	v8f v2 = kv_add_f32(v0, v1);
	/* @end body */
	/* @begin store */
	kv_store_past_f32(w->q0 + i, v2, k, w->past);
	/* @end store */
}

/* The n elements from inner index `first` on. */
static int
run(const struct call *c, const int64_t *at, int64_t first, int64_t n)
{
	struct run w;
	int64_t i = 0;

	/* @begin bind */
	float b0[KV_LANES], b1[KV_LANES];

	w.s0 = inner(c, 0);
	w.p0 = (const float *)c->ptr[0] + offset(c, at, first, 0);
	w.p0 = w.s0 ? w.p0 : kv_fill_f32(b0, w.p0);
	w.s1 = inner(c, 1);
	w.p1 = (const float *)c->ptr[1] + offset(c, at, first, 1);
	w.p1 = w.s1 ? w.p1 : kv_fill_f32(b1, w.p1);
	w.q0 = (float *)c->ptr[2] + offset(c, at, first, 2);
	w.past = c->past && kv_past_at(w.q0, sizeof *w.q0);
	/* @end bind */
	for (; n - i >= KV_LANES; i += KV_LANES)
		step(&w, i, KV_LANES);
	if (i < n)
		step(&w, i, (int)(n - i));
	/* @begin check */
	/* @end check */
	return KVK_OK;
}

static int
piece(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct call *c = ctx;
	const int64_t *extent = c->dim;
	int64_t block = lo % c->blocks, outer = lo / c->blocks;
	int64_t at[3] = { outer / extent[2] / extent[1],
		outer / extent[2] % extent[1], outer % extent[2] };

	(void)scratch;
	for (int64_t item = lo; item < hi; item++) {
		int64_t first = block * BLOCK, left = extent[3] - first;
		int code = run(c, at, first, left < BLOCK ? left : BLOCK);

		if (code != KVK_OK)
			return code;
		if (++block < c->blocks)
			continue;
		block = 0;
		if (++at[2] < extent[2])
			continue;
		at[2] = 0;
		if (++at[1] < extent[1])
			continue;
		at[1] = 0;
		at[0]++;
	}
	if (c->past)
		kv_past_end();
	return KVK_OK;
}

static int
kernel(void *const *ptr, const int64_t *dim, const struct kvk_stream *stream)
{
	struct call c = { ptr, dim, (dim[3] + BLOCK - 1) / BLOCK, 0 };
	int64_t items = dim[0] * dim[1] * dim[2] * c.blocks;
	/* About 16,384 elements a piece. */
	int64_t grain = dim[3] < BLOCK ? 4 * BLOCK / (dim[3] + 1) + 1 : 4;

	/* @begin past */
	c.past = kv_past(ptr, 2, 1, dim, sizeof(float));
	/* @end past */
	return stream->par(stream, items, grain, piece, &c);
}

/* @end each */
static const struct kvk_entry entries[] = {
	/* @begin table */
	{
		.abi = KVK_ABI,
		.size = sizeof(struct kvk_entry),
		.opcode = "",
		.langtypes = "any,any->any",
		.dtype = "float32",
		.isa = K_ISA,
		.cls = KVK_MAP,
		.nin = 2,
		.nout = 1,
		.alias = 3,
		.scratch = 0,
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
