/* SPDX-License-Identifier: MIT */
/*
 * A kernel, neg of float32, with a fault for each number FAULT, 0 none:
 * tests/checkk.sh sees that checkk finds each. Of a row, 8 elements at a time,
 * then the rest.
 */
#include "kvk.h"

#ifndef FAULT
#define FAULT 0
#endif
#define NEG(x) (FAULT == 9 ? -(x) : (x) != (x) ? __builtin_nanf("") : \
	FAULT == 10 && (x) < 0x1p-126f && (x) > -0x1p-126f ? (x) * 0 : \
	FAULT == 17 && (x) == 0 ? 0 : -(x))

typedef float v8 __attribute__((vector_size(32)));

struct rows {
	const float *in;
	float *out;
	const int64_t *dim;
};

static volatile float sink;

static void
eight(const float *in, float *out)
{
	float v[8];

	if (FAULT == 8)
		*(volatile v8 *)v = *(const v8 *)in;
	else
		__builtin_memcpy(v, in, sizeof v);
	for (int i = 0; i < 8; i++)
		out[i] = NEG(v[i]);
}

/* n elements from element i on; step is 0 or 1. */
static void
row(const float *in, float *out, int64_t i, int64_t n, int64_t step)
{
	int64_t rest = (n - i) % 8;

	if (FAULT == 12 && n > 9)
		out[9] = 0;
	for (; step && i + 8 <= n; i += 8)
		eight(in + i, out + i);
	for (; i < n; i++) {
		int64_t k = FAULT == 5 && rest > 1 && i + 2 == n ? i + 1 : i;

		out[i] = NEG(in[k * step]);
	}
	if (FAULT == 1)
		out[n] = 0;
	if (FAULT == 3)
		sink = in[n * step + !step];
	if (FAULT == 15 && n == 128)
		out[127] = 0;
	if (FAULT == 16 && (uint64_t)out % 16 == 4 && n)
		out[0] = 0;
}

/* Elements of the one row, else whole rows. */
static int
body(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct rows *r = ctx;
	const int64_t *dim = r->dim;

	if (FAULT == 13)
		((char *)scratch)[64] = 1;
	if (dim[0] * dim[1] * dim[2] == 1) {
		row(r->in, r->out, FAULT == 7 ? 0 : lo, hi, dim[7]);
		if (FAULT == 7 && lo && dim[7])
			r->out[0] = r->in[0];
		return KVK_OK;
	}
	for (int64_t i = lo; i < hi; i++) {
		int64_t a = i / dim[2] / dim[1], b = i / dim[2] % dim[1];
		int64_t c = i % dim[2];

		row(r->in + a * dim[4] + b * dim[5] + c * dim[6],
		    r->out + a * dim[8] + b * dim[9] + c * dim[10], 0, dim[3],
		    dim[7]);
	}
	return KVK_OK;
}

static int
neg(void *const *ptr, const int64_t *dim, const struct kvk_stream *stream)
{
	struct rows r = { ptr[0], ptr[1], dim };
	int64_t rows = dim[0] * dim[1] * dim[2];

	if (FAULT == 2)
		r.out[-1] = 0;
	if (FAULT == 4)
		sink = r.in[-1];
	if (FAULT == 6 && dim[3] == 37)
		*(volatile int *)8 = 0;
	if (FAULT == 11 && rows * dim[3] > 0)
		*(float *)ptr[0] = 1;
	if (FAULT == 14)
		for (;;)
			sink = 0;
	if (FAULT == 18)
		return KVK_RANGE;
	if (FAULT == 20)
		sink = (float)((int)dim[3] + 0x7fffffff);
	return rows == 1 ? stream->par(stream, dim[3], 16, body, &r) :
	    stream->par(stream, rows, 1, body, &r);
}

/* At a higher level, which the lowest one does not agree with. */
static int
neg_v3(void *const *ptr, const int64_t *dim, const struct kvk_stream *stream)
{
	int rc = neg(ptr, dim, stream);

	if (FAULT == 19 && dim[3] == 70)
		((float *)ptr[1])[69] = -0.0f;
	return rc;
}

#define ENTRY(level, f) \
	{ .abi = KVK_ABI, .size = sizeof(struct kvk_entry), \
	  .opcode = "deepx/scratch·neg", .langtypes = "[*]float32->[*]float32", \
	  .dtype = "float32", .isa = level, .cls = KVK_MAP, .nin = 1, .nout = 1, \
	  .alias = 1, .scratch = 64, .fn = f }

static const struct kvk_entry entries[] = {
	ENTRY("x86-64", neg), ENTRY("x86-64-v3", neg_v3),
};

extern const struct kvk_table kvk_table;
__attribute__((visibility("default")))
const struct kvk_table kvk_table = { KVK_ABI, sizeof(struct kvk_table),
	sizeof entries / sizeof *entries, sizeof(struct kvk_entry), entries };
