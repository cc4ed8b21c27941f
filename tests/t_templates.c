/* SPDX-License-Identifier: MIT */
/*
 * The samples in templates/ as kernels: softmax (rows.c, and cols.c along another
 * axis) against its ops run one after the other, add (map.c) against a scalar
 * loop, byte for byte.
 *
 * Linked with base/isa.c and six objects compiled as kernels are, with
 * -Dkvk_table=NAME so that the tables do not collide:
 *
 *   templates/map.c    -march=x86-64     map_base_table
 *                      -march=x86-64-v3  map_v3_table
 *                      -march=x86-64-v4  map_v4_table
 *   templates/rows.c   the same          rows_base_table and so on
 *   templates/cols.c   the same          cols_base_table and so on
 *
 * This file itself takes -ffp-contract=off -Wno-psabi -I kernels -I include.
 */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KVK_NO_STDINT
#include "vec/base.h"
#include "vec/expshift.h"
#include "base/isa.h"

Suite *templates_suite(void);

extern const struct kvk_table map_base_table, map_v3_table, map_v4_table;
extern const struct kvk_table rows_base_table, rows_v3_table, rows_v4_table;
extern const struct kvk_table cols_base_table, cols_v3_table, cols_v4_table;

enum { CHUNK = 2048, LONGEST = 10241, ROWS = 11, EDGE = 40 };

static uint64_t state;

static uint32_t
random_bits(void)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33);
}

/* Uniform in [-4, 4). */
static float
random_float(void)
{
	return (float)(random_bits() >> 7) * 0x1p-21F - 4;
}

static float
float_of(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof x);
	return x;
}

static _Alignas(64) char scratch[128 << 10];

/* A stream that runs everything as one piece or, with many set, every item as
 * a piece of its own, the last one first, with scratch memory of any content. */
struct pieces {
	struct kvk_stream stream;
	int many, cancel;
};

static int
par(const struct kvk_stream *stream, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	const struct pieces *p = (const void *)stream;

	ck_assert_int_ge(grain, 1);
	if (p->cancel)
		return KVK_CANCELLED;
	if (!p->many)
		return n ? body(ctx, 0, n, scratch) : KVK_OK;
	for (int64_t i = n; i > 0; i--) {
		int code;

		memset(scratch, 0xee, sizeof scratch);
		code = body(ctx, i - 1, i, scratch);
		if (code)
			return code;
	}
	return KVK_OK;
}

static struct pieces
pieces(int many)
{
	return (struct pieces){ { KVK_ABI, sizeof(struct kvk_stream), par, NULL,
		NULL }, many, 0 };
}

static int
runs_here(const struct kvk_table *table)
{
	return isa_runs_here(isa_find(table->entry->isa));
}

static float
canonical(float x)
{
	return x != x ? float_of(0x7fc00000) : x;
}

/* One op, one pass each. The reduction is the text of the order: lanes of a
 * chunk, tree over the lanes that got an element, chunks level by level. */
typedef float op_fn(float, float);

static float
plus(float a, float b)
{
	return a + b;
}

static float
greater(float a, float b)
{
	return a > b || a != a ? a : b;
}

static float
chunk_value(op_fn *op, const float *x, int64_t n)
{
	static const int pairs[7][2] = { { 0, 4 }, { 2, 6 }, { 0, 2 },
		{ 1, 5 }, { 3, 7 }, { 1, 3 }, { 0, 1 } };
	float lane[8];

	for (int64_t j = 0; j < n; j++)
		lane[j % 8] = j < 8 ? x[j] : op(lane[j % 8], x[j]);
	for (int i = 0; i < 7; i++)
		if (pairs[i][1] < n)
			lane[pairs[i][0]] = op(lane[pairs[i][0]],
			    lane[pairs[i][1]]);
	return lane[0];
}

static float
reduce(op_fn *op, const float *x, int64_t n, float empty)
{
	float value[LONGEST / CHUNK + 1];
	int count = 0;

	for (int64_t i = 0; i < n; i += CHUNK)
		value[count++] = chunk_value(op, x + i,
		    n - i < CHUNK ? n - i : CHUNK);
	for (; count > 1; count = (count + 1) / 2) {
		for (int i = 0; i < count / 2; i++)
			value[i] = op(value[2 * i], value[2 * i + 1]);
		if (count % 2)
			value[count / 2] = value[count - 1];
	}
	return canonical(n ? value[0] : empty);
}

static void
softmax_row(float *y, const float *x, int64_t n)
{
	float m = reduce(greater, x, n, -INFINITY), s;

	for (int64_t i = 0; i < n; i += 8) {
		int k = n - i < 8 ? (int)(n - i) : 8;

		kv_store_f32(y + i, kv_expshift_f32(kv_load_f32(x + i, k),
		    kv_splat_f32(m)), k);
	}
	s = reduce(plus, y, n, 0);
	for (int64_t i = 0; i < n; i++)
		y[i] = canonical(y[i] / s);
}

/* Row r of the input; every row is special in a way of its own. */
static void
fill_row(float *x, int64_t n, int64_t r)
{
	static const uint32_t odd[ROWS] = { 0, 0x7fc12345, 0xff800001,
		0x7f800000, 0xff800000, 0x80000000, 0x00000007, 0x4be4e1c0,
		0x7f61b1e6, 0xff61b1e6, 0 };

	for (int64_t i = 0; i < n; i++)
		x[i] = r == 4 || r == 5 ? float_of(odd[r]) : random_float();
	if (n && odd[r])
		x[random_bits() % (uint64_t)n] = float_of(odd[r]);
	/* Masked elements, and ones that underflow. */
	if (r == 10)
		for (int64_t i = 0; i < n; i++)
			x[i] = i % 3 ? x[i] * 40 : -INFINITY;
}

/* Where operands begin: at an address of no alignment but that of an element,
 * and where whole vectors may pass the caches by, which those of large calls do
 * (configure sets KV_PAST). */
enum { ANYWHERE = EDGE + 1, ALIGNED = 48 };

/* The operands of one call: rows of n elements every `step` elements, the first
 * at element `at`, between canaries. */
struct rows {
	int64_t n, step, at;
	size_t size;
	float *in, *out, *want;
};

static struct rows
make_rows(int64_t n, int64_t gap, int64_t at)
{
	struct rows t = { .n = n, .step = n + gap, .at = at };

	t.size = (size_t)(ROWS * t.step + 2 * ALIGNED + 15) / 16 * 64;
	t.in = aligned_alloc(64, t.size);
	t.out = aligned_alloc(64, t.size);
	t.want = aligned_alloc(64, t.size);
	ck_assert(t.in && t.out && t.want);
	memset(t.in, 0x5a, t.size);
	for (int64_t r = 0; r < ROWS; r++)
		fill_row(t.in + at + r * t.step, n, r);
	memcpy(t.want, t.in, t.size);
	for (int64_t r = 0; r < ROWS; r++)
		softmax_row(t.want + at + r * t.step, t.in + at + r * t.step,
		    n);
	return t;
}

static void
free_rows(struct rows *t)
{
	free(t->in);
	free(t->out);
	free(t->want);
}

static void
check_softmax(struct rows *t, const struct kvk_table *table, int many,
    int in_place)
{
	struct pieces s = pieces(many);
	int64_t dim[4] = { ROWS, t->n, t->step, t->step };
	float *out = t->out + t->at;
	void *ptr[2] = { in_place ? out : t->in + t->at, out };

	if (!runs_here(table))
		return;
	memcpy(t->out, t->in, t->size);
	if (!in_place)
		for (int64_t r = 0; r < ROWS; r++)
			memset(out + r * t->step, 0x77,
			    (size_t)t->n * sizeof(float));
	ck_assert_uint_le((size_t)table->entry->scratch, sizeof scratch);
	ck_assert_int_eq(table->entry->fn(ptr, dim, &s.stream), KVK_OK);
	ck_assert_msg(memcmp(t->out, t->want, t->size) == 0,
	    "%s, n = %d, step %d, %s, %s", table->entry->isa, (int)t->n,
	    (int)t->step, many ? "a piece a row" : "one piece",
	    in_place ? "in place" : "apart");
}

static void
check_all_softmax(int64_t n, int64_t gap, int64_t at)
{
	struct rows t = make_rows(n, gap, at);

	for (int i = 0; i < 4; i++) {
		check_softmax(&t, &rows_base_table, i & 1, i & 2);
		check_softmax(&t, &rows_v3_table, i & 1, i & 2);
		check_softmax(&t, &rows_v4_table, i & 1, i & 2);
	}
	free_rows(&t);
}

START_TEST(rows__softmax_is_its_composition)
{
	static const int64_t lengths[] = { 0, 1, 2, 7, 8, 9, 15, 16, 17, 100,
		2047, 2048, 2049, 4097, 6145, LONGEST };

	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
		check_all_softmax(lengths[l], (int64_t)l % 3, ANYWHERE);
}
END_TEST

/* Rows that wait in scratch memory, up to the longest that do, and others. */
START_TEST(rows__softmax_past_the_caches)
{
	static const int64_t lengths[] = { 8, 600, 1024, 2048, 2052, 4104, 8192,
		8200 };

	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		check_all_softmax(lengths[l], 0, ALIGNED);
		check_all_softmax(lengths[l], 8, ALIGNED);
		check_all_softmax(lengths[l], 4, ALIGNED);
	}
}
END_TEST

/* Against long double, so that both sides above cannot be wrong together. */
START_TEST(rows__softmax_is_right)
{
	enum { N = 1000 };
	static float x[N], y[N];
	struct pieces s = pieces(0);
	int64_t dim[4] = { 1, N, N, N };
	void *ptr[2] = { x, y };
	long double sum = 0, biggest = -INFINITY;

	for (int i = 0; i < N; i++) {
		x[i] = random_float() * 10;
		biggest = fmaxl(biggest, x[i]);
	}
	for (int i = 0; i < N; i++)
		sum += expl(x[i] - biggest);
	ck_assert_int_eq(rows_base_table.entry->fn(ptr, dim, &s.stream),
	    KVK_OK);
	for (int i = 0; i < N; i++) {
		long double want = expl(x[i] - biggest) / sum;

		ck_assert(fabsl(y[i] - want) <= 1e-6L * want + 0x1p-126L);
	}
}
END_TEST

/* [outer][n][inner], the columns by turns as special as the rows above. */
struct columns {
	int64_t outer, n, inner;
};

static const struct columns columns[] = {
	{ 1, 0, 5 }, { 2, 1, 3 }, { 3, 2, 1 }, { 2, 7, 8 }, { 1, 9, 17 },
	{ 0, 4, 4 }, { 2, 5, 0 }, { 3, 33, 7 }, { 2, 19, 520 },
	{ 1, 12, 1030 }, { 1, 2047, 3 }, { 2, 2048, 9 }, { 1, 2049, 11 },
	{ 1, 4099, 8 }, { 1, LONGEST, 5 },
};

static void
check_columns(const struct columns *c, const struct kvk_table *table,
    int many, int in_place, const float *in, float *got, const float *expected)
{
	struct pieces s = pieces(many);
	int64_t step = c->n * c->inner, dim[5] = { c->outer, c->n, c->inner,
		step, step };
	size_t size = (size_t)(c->outer * step + 2 * EDGE) * sizeof *in;
	void *ptr[2] = { in_place ? (void *)(got + EDGE + 1) :
		(void *)(uintptr_t)(in + EDGE + 1), got + EDGE + 1 };

	if (!runs_here(table))
		return;
	ck_assert_uint_le((size_t)table->entry->scratch, sizeof scratch);
	memcpy(got, in, size);
	ck_assert_int_eq(table->entry->fn(ptr, dim, &s.stream), KVK_OK);
	ck_assert_msg(memcmp(got, expected, size) == 0, "%s, [%d,%d,%d], %s, "
	    "%s", table->entry->isa, (int)c->outer, (int)c->n, (int)c->inner,
	    many ? "a piece a tile" : "one piece",
	    in_place ? "in place" : "apart");
}

/* Every column is a row that softmax_row knows. */
static void
softmax_columns(const struct columns *c, float *x, float *expected)
{
	static float row[LONGEST], result[LONGEST];

	for (int64_t i = 0; i < c->outer * c->inner; i++) {
		int64_t at = EDGE + 1 + i / c->inner * c->n * c->inner +
		    i % c->inner;

		fill_row(row, c->n, i % ROWS);
		softmax_row(result, row, c->n);
		for (int64_t j = 0; j < c->n; j++) {
			x[at + j * c->inner] = row[j];
			expected[at + j * c->inner] = result[j];
		}
	}
}

START_TEST(cols__softmax_is_its_composition)
{
	const struct columns *c = &columns[_i];
	size_t size = (size_t)(c->outer * c->n * c->inner + 2 * EDGE) *
	    sizeof(float);
	float *x = malloc(size), *y = malloc(size), *expected = malloc(size);

	ck_assert(x && y && expected);
	memset(x, 0x5a, size);
	memset(expected, 0x5a, size);
	softmax_columns(c, x, expected);
	for (int i = 0; i < 4; i++) {
		check_columns(c, &cols_base_table, i & 1, i & 2, x, y,
		    expected);
		check_columns(c, &cols_v3_table, i & 1, i & 2, x, y, expected);
		check_columns(c, &cols_v4_table, i & 1, i & 2, x, y, expected);
	}
	free(x);
	free(y);
	free(expected);
}
END_TEST

START_TEST(rows__no_rows_and_cancelled)
{
	float x = 1, y = 5;
	struct pieces s = pieces(0);
	int64_t dim[4] = { 0, 1, 1, 1 };
	void *ptr[2] = { &x, &y };

	ck_assert_int_eq(rows_base_table.entry->fn(ptr, dim, &s.stream),
	    KVK_OK);
	dim[0] = 1;
	s.cancel = 1;
	ck_assert_int_eq(rows_base_table.entry->fn(ptr, dim, &s.stream),
	    KVK_CANCELLED);
	ck_assert(y == 5);
}
END_TEST

/* Extents and the steps of the two inputs; the output is dense. */
struct shape {
	int64_t extent[4], a[4], b[4];
};

static const struct shape shapes[] = {
	{ { 1, 1, 1, 1 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ { 1, 1, 1, 17 }, { 0, 0, 0, 1 }, { 0, 0, 0, 1 } },
	{ { 1, 1, 1, 10000 }, { 0, 0, 0, 1 }, { 0, 0, 0, 0 } },
	{ { 1, 1, 3, 4099 }, { 0, 0, 4099, 1 }, { 0, 0, 1, 0 } },
	{ { 2, 3, 4, 5 }, { 60, 20, 5, 1 }, { 0, 4, 1, 0 } },
	{ { 2, 3, 4, 8 }, { 3, 1, 0, 0 }, { 32, 0, 8, 1 } },
	{ { 5, 1, 2, 9 }, { 0, 0, 0, 1 }, { 18, 0, 9, 1 } },
	{ { 2, 0, 4, 5 }, { 0, 20, 5, 1 }, { 0, 4, 1, 0 } },
	{ { 2, 3, 4, 0 }, { 0, 0, 0, 1 }, { 0, 0, 0, 1 } },
};
enum { NSHAPES = sizeof shapes / sizeof *shapes, MOST = 3 * 4099 };

static float in_a[MOST + EDGE], in_b[MOST + EDGE];
_Alignas(64) static float out[MOST + 2 * EDGE];
static float want[MOST + 2 * EDGE];

static int64_t
add_scalar(const struct shape *s, const float *a, const float *b, float *y)
{
	const int64_t *e = s->extent;
	int64_t n = e[0] * e[1] * e[2] * e[3];

	for (int64_t j = 0; j < n; j++) {
		int64_t at[4] = { j / (e[1] * e[2] * e[3]),
			j / (e[2] * e[3]) % e[1], j / e[3] % e[2], j % e[3] };
		int64_t i = 0, k = 0;

		for (int d = 0; d < 4; d++) {
			i += at[d] * s->a[d];
			k += at[d] * s->b[d];
		}
		y[j] = canonical(a[i] + b[k]);
	}
	return n;
}

static void
check_add(const struct shape *s, const struct kvk_table *table, int many,
    int from)
{
	struct pieces p = pieces(many);
	const int64_t *e = s->extent;
	int64_t dim[16] = { e[0], e[1], e[2], e[3], s->a[0], s->a[1], s->a[2],
		s->a[3], s->b[0], s->b[1], s->b[2], s->b[3], e[1] * e[2] * e[3],
		e[2] * e[3], e[3], 1 };
	void *ptr[3] = { in_a + 1, in_b + 3, out + from };

	if (!runs_here(table))
		return;
	memset(out, 0x3c, sizeof out);
	ck_assert_int_eq(table->entry->fn(ptr, dim, &p.stream), KVK_OK);
	ck_assert_msg(memcmp(out, want, sizeof out) == 0, "%s, shape %d, %d, "
	    "from %d", table->entry->isa, (int)(s - shapes), many, from);
}

START_TEST(map__add_broadcasts)
{
	for (int i = 0; i < MOST + EDGE; i++) {
		in_a[i] = i % 11 ? random_float() : float_of(0xffc00000 + 9);
		in_b[i] = i % 13 ? random_float() :
		    float_of(random_bits() * 2);
	}
	for (int i = 0; i < NSHAPES; i++) {
		for (int j = 0; j < 4; j++) {
			int many = j & 1, from = j & 2 ? ALIGNED : ANYWHERE;

			memset(want, 0x3c, sizeof want);
			add_scalar(&shapes[i], in_a + 1, in_b + 3, want + from);
			check_add(&shapes[i], &map_base_table, many, from);
			check_add(&shapes[i], &map_v3_table, many, from);
			check_add(&shapes[i], &map_v4_table, many, from);
		}
	}
}
END_TEST

START_TEST(map__add_in_place)
{
	struct pieces p = pieces(1);
	int64_t dim[16] = { 1, 1, 1, 9000, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1 };
	void *ptr[3] = { out, in_b, out };

	in_b[0] = 2.5F;
	for (int i = 0; i < 9000; i++)
		out[i] = (float)i;
	ck_assert_int_eq(map_base_table.entry->fn(ptr, dim, &p.stream), KVK_OK);
	for (int i = 0; i < 9000; i++)
		ck_assert(out[i] == (float)i + 2.5F);
}
END_TEST

START_TEST(table__describes_the_kernel)
{
	const struct kvk_entry *e = rows_v3_table.entry;

	ck_assert_uint_eq(rows_v3_table.abi, KVK_ABI);
	ck_assert_uint_eq(rows_v3_table.n, 1);
	ck_assert_uint_eq(rows_v3_table.entry_size, sizeof *e);
	ck_assert_str_eq(e->isa, "x86-64-v3");
	ck_assert_str_eq(e->opcode, "");
	ck_assert_int_eq(e->cls, KVK_ROWS);
	ck_assert_int_eq(e->nin, 1);
	ck_assert_int_eq(e->nout, 1);
	ck_assert_uint_eq(e->alias, 1);
	e = cols_v3_table.entry;
	ck_assert_int_eq(e->cls, KVK_COLS);
	ck_assert_uint_eq(e->alias, 1);
	e = map_base_table.entry;
	ck_assert_str_eq(e->isa, "x86-64");
	ck_assert_int_eq(e->cls, KVK_MAP);
	ck_assert_int_eq(e->nin, 2);
	ck_assert_uint_eq(e->alias, 3);
}
END_TEST

Suite *
templates_suite(void)
{
	Suite *s = suite_create("templates");
	TCase *t = tcase_create("all");

	suite_add_tcase(s, t);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, rows__softmax_is_its_composition);
	tcase_add_test(t, rows__softmax_past_the_caches);
	tcase_add_test(t, rows__softmax_is_right);
	tcase_add_loop_test(t, cols__softmax_is_its_composition, 0,
	    sizeof columns / sizeof *columns);
	tcase_add_test(t, rows__no_rows_and_cancelled);
	tcase_add_test(t, map__add_broadcasts);
	tcase_add_test(t, map__add_in_place);
	tcase_add_test(t, table__describes_the_kernel);
	return s;
}
