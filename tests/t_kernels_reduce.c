/* SPDX-License-Identifier: MIT */
/*
 * The hand-written reductions of kernels/miaobyte against a literal scalar
 * version of the one reduction order: bit for bit, both instruction sets,
 * guard pages around input and output.
 *
 * Linked with base/isa.c and ten objects, each a kernel file compiled as the
 * kernels are, plus -Dkvk_table=NAME so that the tables do not collide:
 *
 *   kernels/miaobyte/sum.c        -march=x86-64     sum_base_table
 *                                 -march=x86-64-v3  sum_v3_table
 *   kernels/miaobyte/mean.c       -march=x86-64     mean_base_table
 *                                 -march=x86-64-v3  mean_v3_table
 *   kernels/miaobyte/reducemax.c  -march=x86-64     reducemax_base_table
 *                                 -march=x86-64-v3  reducemax_v3_table
 *   kernels/miaobyte/argmax.c     -march=x86-64     argmax_base_table
 *                                 -march=x86-64-v3  argmax_v3_table
 *   kernels/miaobyte/argmin.c     -march=x86-64     argmin_base_table
 *                                 -march=x86-64-v3  argmin_v3_table
 */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KVK_NO_STDINT
#include "include/kvk.h"
#include "base/isa.h"
#include "runtime/dims.h"

Suite *kernels_reduce_suite(void);

extern const struct kvk_table sum_base_table, sum_v3_table;
extern const struct kvk_table mean_base_table, mean_v3_table;
extern const struct kvk_table reducemax_base_table, reducemax_v3_table;
extern const struct kvk_table argmax_base_table, argmax_v3_table;
extern const struct kvk_table argmin_base_table, argmin_v3_table;

/* From ARGMAX on they give indices. */
enum op { SUM, MEAN, MAX, ARGMAX, ARGMIN, NOPS };
enum { CHUNK = 2048, LANES = 8, ROOM = 14 << 20, MARGIN = 64, PAGE = 4096 };

static const struct kvk_table *const tables[NOPS][2] = {
	{ &sum_base_table, &sum_v3_table },
	{ &mean_base_table, &mean_v3_table },
	{ &reducemax_base_table, &reducemax_v3_table },
	{ &argmax_base_table, &argmax_v3_table },
	{ &argmin_base_table, &argmin_v3_table },
};

static const int64_t lengths[] = { 0, 1, 7, 8, 9, 17, 2047, 2048, 2049, 4097,
	6145, 10241 };
static const int64_t inners[] = { 1, 2, 7, 8, 9, 33 };
enum { NLENGTHS = sizeof lengths / sizeof *lengths,
	NINNERS = sizeof inners / sizeof *inners };

/* A stream that runs all items as one piece, or every grain as a piece of its
 * own, last one first. The scratch of a piece is poisoned. */
struct pieces {
	struct kvk_stream stream;
	const struct kvk_entry *entry;
	int many;
	int64_t n; /* dim's n, for the size of the scratch */
};

static int
par(const struct kvk_stream *stream, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	const struct pieces *p = (const struct pieces *)stream;
	size_t size = (size_t)(p->entry->scratch + p->entry->scratch_n * p->n);
	int rc = KVK_OK;

	ck_assert_int_ge(grain, 1);
	if (n == 0)
		return KVK_OK;
	if (!p->many)
		grain = n;
	for (int64_t lo = (n - 1) / grain * grain; lo >= 0 && rc == KVK_OK;
	     lo -= grain) {
		size_t room = (size + 63) / 64 * 64;
		char *scratch = aligned_alloc(64, room + 64);

		ck_assert_ptr_nonnull(scratch);
		memset(scratch, 0xee, room + 64);
		rc = body(ctx, lo, lo + grain < n ? lo + grain : n, scratch);
		for (size_t i = size; i < room + 64; i++)
			ck_assert_int_eq((unsigned char)scratch[i], 0xee);
		free(scratch);
	}
	return rc;
}

/* Memory with a guard page on either side. */
static char *
guarded(size_t size)
{
	char *p = mmap(NULL, size + 2 * PAGE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(p, MAP_FAILED);
	ck_assert_int_eq(mprotect(p + PAGE, size, PROT_READ | PROT_WRITE), 0);
	return p + PAGE;
}

static uint64_t
next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/*
 * Element i of a kind of data: 0 uniform, 1 any magnitude, 2 only zeros of
 * both signs and denormals, 3 magnitudes with a few NaN, 4 with infinities.
 */
static double
sample(int kind, bool f64, uint64_t *seed)
{
	uint64_t r = next(seed);
	double u = (double)(int64_t)r * 0x1p-63;
	double tiny = f64 ? 0x1p-1074 : 0x1p-149;
	int wide = f64 ? 300 : 30;

	if (kind == 2)
		return r % 3 ? (r & 8 ? 0.0 : -0.0) : u < 0 ? -tiny : 3 * tiny;
	if (kind == 3 && r % 509 == 0)
		return NAN;
	if (kind == 4 && r % 501 == 0)
		return r & 1024 ? INFINITY : -INFINITY;
	if (kind == 0)
		return u * 4;
	return ldexp(u, (int)(next(seed) % (unsigned)(2 * wide)) - wide);
}

static void
fill(char *x, int64_t count, bool f64, int kind, uint64_t seed)
{
	for (int64_t i = 0; i < count; i++) {
		double v = sample(kind, f64, &seed);
		float f = (float)v;
		uint64_t odd64 = 0xfff4000000abcdefu + (uint64_t)i;
		uint32_t odd32 = 0xffa0beefu + (uint32_t)i % 64;

		if (f64)
			memcpy(x + 8 * i, isnan(v) ? (void *)&odd64 : &v, 8);
		else
			memcpy(x + 4 * i, isnan(v) ? (void *)&odd32 : &f, 4);
	}
}

static double
element(const char *x, int64_t i, bool f64)
{
	double v;
	float f;

	if (f64) {
		memcpy(&v, x + 8 * i, 8);
		return v;
	}
	memcpy(&f, x + 4 * i, 4);
	return (double)f;
}

/* One step of a reduction. A float32 sum rounded from the float64 one is the
 * correctly rounded sum, as 53 >= 2·24 + 2; so is a quotient. */
static double
step(enum op op, bool f64, double a, double b)
{
	if (op == MAX)
		return a > b || a != a ? a : b;
	return f64 ? a + b : (double)(float)(a + b);
}

/* Lanes a and b, of which only those below `have` exist. */
static double
lanes2(enum op op, bool f64, const double *lane, int have, int a, int b)
{
	return b < have ? step(op, f64, lane[a], lane[b]) : lane[a];
}

static double
literal_chunk(enum op op, bool f64, const char *x, int64_t n, int64_t inner)
{
	int have = n < LANES ? (int)n : LANES;
	double lane[LANES], p[4];

	for (int64_t j = 0; j < n; j++) {
		double v = element(x, j * inner, f64);

		lane[j % 8] = j < 8 ? v : step(op, f64, lane[j % 8], v);
	}
	/* p: (0+4) (2+6) (1+5) (3+7), which exist as 0, 2, 1, 3 do. */
	for (int i = 0; i < 4 && i < have; i++)
		p[i] = lanes2(op, f64, lane, have, i, i + 4);
	if (have > 2)
		p[0] = step(op, f64, p[0], p[2]);
	if (have > 3)
		p[1] = step(op, f64, p[1], p[3]);
	return have > 1 ? step(op, f64, p[0], p[1]) : p[0];
}

static double
literal_reduce(enum op op, bool f64, const char *x, int64_t n, int64_t inner)
{
	double part[64];
	int64_t count = 0, size = f64 ? 8 : 4;

	if (n == 0)
		return op == MAX ? -INFINITY : 0;
	for (int64_t j = 0; j < n; j += CHUNK)
		part[count++] = literal_chunk(op, f64, x + j * inner * size,
		    n - j < CHUNK ? n - j : CHUNK, inner);
	while (count > 1) {
		for (int64_t i = 0; 2 * i < count; i++)
			part[i] = 2 * i + 1 < count ?
			    step(op, f64, part[2 * i], part[2 * i + 1]) :
			    part[2 * i];
		count = (count + 1) / 2;
	}
	return part[0];
}

static int64_t
naive_index(enum op op, bool f64, const char *x, int64_t n, int64_t inner)
{
	int64_t best = 0;

	for (int64_t j = 0; j < n; j++) {
		double v = element(x, j * inner, f64);

		if (isnan(v))
			return j;
		if (op == ARGMAX ? v > element(x, best * inner, f64) :
		    v < element(x, best * inner, f64))
			best = j;
	}
	return best;
}

/* The bits that the output must hold for one reduced column. */
static uint64_t
expected(enum op op, bool f64, const char *x, int64_t n, int64_t inner)
{
	uint64_t bits = 0;
	double v;
	float f;

	if (op >= ARGMAX)
		return (uint64_t)naive_index(op, f64, x, n, inner);
	v = literal_reduce(op, f64, x, n, inner);
	if (op == MEAN)
		v /= (double)n;
	if (isnan(v))
		return f64 ? 0x7ff8000000000000u : 0x7fc00000u;
	f = (float)v;
	if (f64)
		memcpy(&bits, &v, 8);
	else
		memcpy(&bits, &f, 4);
	return bits;
}

/* One case: what to reduce, where the data lies, and what must come out. */
struct job {
	enum op op;
	bool f64;
	int64_t outer, n, inner;
	int kind;
	char *in, *out; /* guarded areas */
	uint64_t *want;
};

/*
 * Runs an entry and compares. The data lies at the end of its guarded area, or
 * one element after the beginning, and so does the output.
 */
static void
run(const struct job *j, int isa, int many, bool at_end)
{
	const struct kvk_entry *e = &tables[j->op][isa]->entry[j->f64];
	int64_t size = j->f64 ? 8 : 4, osize = j->op >= ARGMAX ? 8 : size;
	int64_t bytes = j->outer * j->n * j->inner * size;
	int64_t obytes = j->outer * j->inner * osize;
	char *x = j->in + (at_end ? ROOM - bytes : size);
	char *y = j->out + (at_end ? ROOM - obytes : osize);
	int64_t dim[] = { j->outer, j->n, j->inner, 1, j->n, j->inner,
		1, j->outer, j->n * j->inner };
	void *ptr[2] = { x, y };
	struct pieces p = { { KVK_ABI, sizeof p.stream, par, NULL, NULL }, e,
		many, j->n };
	int rc;

	memset(y - (at_end ? MARGIN : osize), 0xa5,
	    (size_t)(obytes + (at_end ? MARGIN : osize + MARGIN)));
	rc = e->fn(ptr, dim, &p.stream);
	if (j->op >= ARGMAX && j->n == 0 && j->outer * j->inner > 0) {
		ck_assert_int_eq(rc, KVK_RANGE);
		return;
	}
	ck_assert_int_eq(rc, KVK_OK);
	for (int64_t i = 0; i < j->outer * j->inner; i++) {
		uint64_t got = 0;

		memcpy(&got, y + i * osize, (size_t)osize);
		ck_assert_msg(got == j->want[i], "%s %s %s [%ld,%ld,%ld] kind "
		    "%d many %d end %d: element %ld is %016lx, expected "
		    "%016lx", e->opcode, e->dtype, e->isa, (long)j->outer,
		    (long)j->n, (long)j->inner, j->kind, many, at_end, (long)i,
		    (unsigned long)got, (unsigned long)j->want[i]);
	}
	for (int64_t i = 1; i <= (at_end ? MARGIN : osize); i++)
		ck_assert_int_eq((unsigned char)y[-i], 0xa5);
	for (int64_t i = 0; i < (at_end ? 0 : MARGIN); i++)
		ck_assert_int_eq((unsigned char)y[obytes + i], 0xa5);
}

/* Makes the data and what must come out of it, then runs all variants. */
static void
run_all(struct job *j)
{
	int64_t size = j->f64 ? 8 : 4, count = j->outer * j->n * j->inner;
	int isas = isa_runs_here(isa_find("x86-64-v3")) ? 2 : 1;
	char *x = j->in + ROOM - count * size;

	fill(x, count, j->f64, j->kind, (uint64_t)(j->n + j->inner));
	for (int64_t i = 0; i < j->outer * j->inner; i++)
		j->want[i] = expected(j->op, j->f64, x +
		    (i / j->inner * j->n * j->inner + i % j->inner) * size,
		    j->n, j->inner);
	for (int isa = 0; isa < isas; isa++)
		run(j, isa, isa, true);
	memmove(j->in + size, x, (size_t)(count * size));
	for (int isa = 0; isa < isas; isa++)
		run(j, isa, !isa, false);
}

static void
all_shapes(enum op op, int64_t n)
{
	uint64_t want[5 * 33];
	struct job j = { .op = op, .n = n, .in = guarded(ROOM),
		.out = guarded(ROOM), .want = want };

	/* Short shapes with every kind of data, the others with one. */
	for (int i = 0; i < 2 * NINNERS; i++)
		for (j.outer = 0; j.outer <= 5; j.outer++)
			for (j.kind = 0; j.kind < 5; j.kind++) {
				j.f64 = i & 1;
				j.inner = inners[i / 2];
				if (n < 100 || (i + j.outer + j.kind) % 5 == 0)
					run_all(&j);
			}
}

START_TEST(sum__equals_the_literal_order)
{
	all_shapes(SUM, lengths[_i]);
}
END_TEST

START_TEST(mean__equals_the_literal_order)
{
	all_shapes(MEAN, lengths[_i]);
}
END_TEST

START_TEST(reducemax__equals_the_literal_order)
{
	all_shapes(MAX, lengths[_i]);
}
END_TEST

START_TEST(argmin__equals_a_naive_loop)
{
	all_shapes(ARGMIN, lengths[_i]);
}
END_TEST

START_TEST(argmax__equals_a_naive_loop)
{
	all_shapes(ARGMAX, lengths[_i]);
}
END_TEST

/*
 * Every set of axes of a shape. What each result is made of is found by going
 * through the input in row-major order and appending each element to the list
 * of the result whose kept indices it has.
 */
struct lists {
	int64_t count, n; /* results, elements of each */
	char *x;
};

static struct lists
lists_of(const char *x, const struct shape *s, const bool *reduced, int size)
{
	int64_t total = shape_count(s, 1), *have;
	struct lists l = { 1, 1, malloc((size_t)(total * size + 1)) };

	for (int i = 0; i < s->rank; i++)
		*(reduced[i] ? &l.n : &l.count) *= s->dim[i];
	have = calloc((size_t)l.count + 1, sizeof *have);
	for (int64_t e = 0; e < total; e++) {
		int64_t rest = e, result = 0, weight = 1;

		for (int i = s->rank - 1; i >= 0; rest /= s->dim[i], i--) {
			if (reduced[i])
				continue;
			result += rest % s->dim[i] * weight;
			weight *= s->dim[i];
		}
		memcpy(l.x + (result * l.n + have[result]++) * size,
		    x + e * size, (size_t)size);
	}
	free(have);
	return l;
}

static void
check_axes(enum op op, bool f64, const struct shape *s, const bool *reduced,
    char *x, char *y)
{
	int64_t size = f64 ? 8 : 4, osize = op >= ARGMAX ? 8 : size;
	int64_t bytes = shape_count(s, 1) * size;
	int isa = isa_runs_here(isa_find("x86-64-v3")) ? 1 : 0;
	const struct kvk_entry *e = &tables[op][isa]->entry[f64];
	struct lists l;
	struct dims d;

	x += ROOM - bytes;
	fill(x, shape_count(s, 1), f64, op == SUM ? 1 : 3, (uint64_t)bytes);
	l = lists_of(x, s, reduced, (int)size);
	dims_reduce(&d, s, reduced);
	y += ROOM - l.count * osize;
	for (int many = 0; many < 2; many++) {
		struct pieces p = { { KVK_ABI, sizeof p.stream, par, NULL,
			NULL }, e, many, d.n };
		void *ptr[2] = { x, y };
		int rc = e->fn(ptr, d.dim, &p.stream);

		if (op >= ARGMAX && l.n == 0 && l.count) {
			ck_assert_int_eq(rc, KVK_RANGE);
			continue;
		}
		ck_assert_int_eq(rc, KVK_OK);
		for (int64_t i = 0; i < l.count; i++) {
			uint64_t got = 0, want = expected(op, f64,
			    l.x + i * l.n * size, l.n, 1);
			char text[200];

			memcpy(&got, y + i * osize, (size_t)osize);
			shape_text(s, text);
			ck_assert_msg(got == want, "%s %s %s axes %d%d%d%d: "
			    "element %ld is %016lx, expected %016lx",
			    e->opcode, e->dtype, text, reduced[0], reduced[1],
			    reduced[2], reduced[3], (long)i,
			    (unsigned long)got, (unsigned long)want);
		}
	}
	free(l.x);
}

static void
check_subsets(const struct shape *s, char *x, char *y)
{
	for (int set = 0; set < 1 << s->rank; set++) {
		bool reduced[MAX_RANK];

		for (int i = 0; i < MAX_RANK; i++)
			reduced[i] = set >> i & 1;
		for (int op = 0; op < NOPS; op++)
			check_axes((enum op)op, set & 1, s, reduced, x, y);
	}
}

START_TEST(axes__every_set_of_small_shapes)
{
	static const int64_t extent[] = { 0, 1, 3, 9 };
	char *x = guarded(ROOM), *y = guarded(ROOM);
	struct shape s = { .rank = _i };

	for (int k = 0; k < 1 << (2 * _i); k++) {
		for (int i = 0; i < _i; i++)
			s.dim[i] = extent[k >> (2 * i) & 3];
		check_subsets(&s, x, y);
	}
}
END_TEST

/* More elements than a piece, a chunk and a segment, more axes than four. */
static const struct shape large[] = {
	{ 3, { 9, 7, 1000 } }, { 3, { 3, 5, 4099 } }, { 3, { 90, 4, 101 } },
	{ 4, { 70, 3, 65, 4 } }, { 4, { 5, 8, 520, 2 } },
	{ 4, { 9, 40, 7, 33 } }, { 6, { 3, 2, 5, 2, 7, 9 } },
	{ 8, { 3, 2, 4, 2, 3, 2, 5, 2 } },
};

START_TEST(axes__every_set_of_large_shapes)
{
	check_subsets(&large[_i], guarded(ROOM), guarded(ROOM));
}
END_TEST

/* Column blocks: several of them, and the narrow rests of one. */
START_TEST(wide_columns__equal_the_literal_order)
{
	static const int64_t wide[] = { 255, 256, 257, 263, 264, 520, 1030,
		2051 };
	static uint64_t want[2 * 2051];
	struct job j = { .n = 19, .inner = wide[_i], .in = guarded(ROOM),
		.out = guarded(ROOM), .want = want };

	for (int op = 0; op < NOPS; op++)
		for (int f64 = 0; f64 < 2; f64++)
			for (j.kind = 0; j.kind < 5; j.kind++) {
				j.op = (enum op)op;
				j.f64 = f64;
				j.outer = 1 + f64;
				run_all(&j);
			}
}
END_TEST

/*
 * Float32 sums where 2^24 swallows a single 1 but not a 2, worked by hand:
 * which ones meet before they meet 2^24 tells the order.
 */
static const struct {
	int64_t n, one[2];
	float sum;
} by_hand[] = {
	{ 8, { 2, 6 }, 0x1.000002p24f },       /* (0+4) + (2+6) */
	{ 8, { 2, 4 }, 0x1p24f },              /* 2 and 4 don't meet */
	{ 8, { 1, 5 }, 0x1.000002p24f },
	{ 8, { 1, 3 }, 0x1.000002p24f },       /* (1+5) + (3+7) */
	{ 8, { 2, 3 }, 0x1p24f },
	{ 16, { 8, 4 }, 0x1p24f },             /* 8 is in lane 0 */
	{ 16, { 2, 10 }, 0x1.000002p24f },     /* both in lane 2 */
	{ 4096, { 2048, 2056 }, 0x1.000002p24f }, /* a chunk of their own */
	{ 2048, { 8, 16 }, 0x1p24f },
	{ 6144, { 2048, 4096 }, 0x1p24f },     /* (c0+c1) + c2 */
	{ 8192, { 4096, 6144 }, 0x1.000002p24f }, /* (c0+c1) + (c2+c3) */
};

START_TEST(sum__order_worked_by_hand)
{
	static float x[8192];
	int64_t n = by_hand[_i].n, dim[] = { 1, n, 1, 1, n, 1, 1, 1, n };
	const struct kvk_entry *e = &sum_base_table.entry[0];
	struct pieces p = { { KVK_ABI, sizeof p.stream, par, NULL, NULL }, e,
		0, n };
	float y = 0;
	void *ptr[2] = { x, &y };

	memset(x, 0, sizeof x);
	x[0] = 0x1p24f;
	x[by_hand[_i].one[0]] = x[by_hand[_i].one[1]] = 1;
	ck_assert_int_eq(e->fn(ptr, dim, &p.stream), KVK_OK);
	ck_assert_float_eq(y, by_hand[_i].sum);
}
END_TEST

START_TEST(tables__say_what_they_hold)
{
	static const char *const name[NOPS] = { "deepx/miaobyte·sum",
		"deepx/miaobyte·mean", "deepx/miaobyte·reducemax",
		"deepx/miaobyte·argmax", "deepx/miaobyte·argmin" };
	static const char *const isa[2] = { "x86-64", "x86-64-v3" };

	for (int op = 0; op < NOPS; op++)
		for (int i = 0; i < 2; i++) {
			const struct kvk_table *t = tables[op][i];

			ck_assert_uint_eq(t->abi, KVK_ABI);
			ck_assert_uint_eq(t->n, 2);
			ck_assert_uint_eq(t->entry_size, sizeof *t->entry);
			ck_assert_str_eq(t->entry[0].dtype, "float32");
			ck_assert_str_eq(t->entry[1].dtype, "float64");
			for (int k = 0; k < 2; k++) {
				ck_assert_str_eq(t->entry[k].opcode, name[op]);
				ck_assert_str_eq(t->entry[k].isa, isa[i]);
				ck_assert_int_eq(t->entry[k].cls, KVK_REDUCE);
				ck_assert_int_eq(t->entry[k].nin, 1);
				ck_assert_int_eq(t->entry[k].nout, 1);
			}
		}
}
END_TEST

Suite *
kernels_reduce_suite(void)
{
	Suite *s = suite_create("kernels_reduce");
	TCase *t = tcase_create("reduce");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, tables__say_what_they_hold);
	tcase_add_loop_test(t, sum__order_worked_by_hand, 0,
	    sizeof by_hand / sizeof *by_hand);
	tcase_add_loop_test(t, sum__equals_the_literal_order, 0, NLENGTHS);
	tcase_add_loop_test(t, mean__equals_the_literal_order, 0, NLENGTHS);
	tcase_add_loop_test(t, reducemax__equals_the_literal_order, 0,
	    NLENGTHS);
	tcase_add_loop_test(t, argmax__equals_a_naive_loop, 0, NLENGTHS);
	tcase_add_loop_test(t, argmin__equals_a_naive_loop, 0, NLENGTHS);
	tcase_add_loop_test(t, axes__every_set_of_small_shapes, 0, 5);
	tcase_add_loop_test(t, axes__every_set_of_large_shapes, 0,
	    sizeof large / sizeof *large);
	tcase_add_loop_test(t, wide_columns__equal_the_literal_order, 0, 8);
	suite_add_tcase(s, t);
	return s;
}
