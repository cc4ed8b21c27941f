/* SPDX-License-Identifier: MIT */
/*
 * huge: calls with more than 2^31 elements through libkvaot. Of an operand only
 * the first and the last 2 MiB and those around element 2^31 have memory of
 * their own; all else of it is one piece of 2 MiB, mapped again and again. So a
 * result is looked at where it counts, and an index that does not fit meets a
 * guard page or another number.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/isa.h"
#include "include/kvaot.h"
#include "runtime/library.h"

static const char help[] =
"usage: huge --lib DIR [NAME...]\n"
"\n"
"Calls functions of a published library on tensors of more than 2^31 elements\n"
"(or these of them), at every instruction set level of the library and this CPU,\n"
"softmax at the best one, and looks at the results at both ends and around\n"
"element 2^31. Takes little memory, but some minutes.\n";

enum { PIECE = 2 << 20, PAGE = 4096, OWNS = 4, MOST_IN = 3, LEVELS = 8 };
#define LIMIT ((int64_t)1 << 31)
#define BEYOND (LIMIT + 7)
#define COUNT (LIMIT + 3 * PIECE + 5) /* elements of a long vector */

/* A tensor that ends right before a guard page. own: the pieces with memory of
 * their own; shared: a piece of all others, NULL when there are none. */
struct big {
	enum dtype dtype;
	struct shape shape;
	int64_t count, size;
	char *map, *p;
	int64_t own[OWNS];
	char *shared;
};

static void *
map(void *at, size_t n, int flags, int fd)
{
	void *p = mmap(at, n, at ? PROT_READ | PROT_WRITE : PROT_NONE,
	    flags | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, 0);

	if (p == MAP_FAILED)
		fatal("cannot map %zu bytes", n);
	return p;
}

static void
find_own(struct big *b)
{
	int64_t first = b->p - b->map;
	const int64_t at[OWNS] = { 0, LIMIT - 1, BEYOND, b->count - 1 };

	for (int i = 0; i < OWNS; i++)
		b->own[i] = at[i] < b->count ?
		    (first + at[i] * b->size) / PIECE : 0;
}

static bool
is_own(const struct big *b, int64_t piece)
{
	for (int i = 0; i < OWNS; i++)
		if (b->own[i] == piece)
			return true;
	return false;
}

static void
big_new(struct big *b, enum dtype t, int rank, int64_t m, int64_t n)
{
	int64_t pieces;
	int fd = memfd_create("huge", MFD_CLOEXEC);

	*b = (struct big){ .dtype = t, .shape = { rank, { m, n } },
		.size = (int64_t)dtype_size(t) };
	b->count = shape_count(&b->shape, 8);
	pieces = (b->count * b->size + PIECE - 1) / PIECE;
	b->map = map(NULL, (size_t)pieces * PIECE + PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	b->p = b->map + pieces * PIECE - b->count * b->size;
	if (fd < 0 || ftruncate(fd, PIECE))
		fatal("cannot make a file in memory");
	find_own(b);
	for (int64_t i = 0; i < pieces; i++) {
		char *at = b->map + i * PIECE;

		if (is_own(b, i))
			map(at, PIECE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		else
			b->shared = map(at, PIECE, MAP_SHARED | MAP_POPULATE,
			    fd);
	}
	close(fd);
}

/* Calls f for each element that has memory of its own. */
static void
each_own(const struct big *b, void (*f)(const struct big *, int64_t, void *),
    void *ctx)
{
	for (int k = 0; k < OWNS; k++) {
		int64_t at = b->own[k] * PIECE - (b->p - b->map);
		int64_t lo = at > 0 ? (at + b->size - 1) / b->size : 0;
		int64_t hi = (at + PIECE) / b->size;

		if (k && b->own[k] == b->own[k - 1])
			continue;
		for (int64_t i = lo; i < hi && i < b->count; i++)
			f(b, i, ctx);
	}
}

static void
put(const struct big *b, int64_t i, int64_t v)
{
	dtype_convert(b->dtype == DT_BOOL ? DT_UINT8 : b->dtype,
	    b->p + i * b->size, DT_INT64, &v, 1);
}

static double
get(const struct big *b, int64_t i)
{
	double v;

	dtype_convert(DT_FLOAT64, &v, b->dtype == DT_BOOL ? DT_UINT8 :
	    b->dtype, b->p + i * b->size, 1);
	return v;
}

static void
put_any(const struct big *b, int64_t i, void *ctx)
{
	uint64_t z = (uint64_t)i * 0x9e3779b97f4a7c15u;

	(void)ctx;
	put(b, i, (int64_t)(z >> 40) % (b->dtype == DT_BOOL ? 2 : 1000));
}

/* Small whole numbers, other ones in every piece that is looked at. */
static void
fill(const struct big *b)
{
	int64_t first = b->shared ? (b->shared - b->p) / b->size : 0;

	each_own(b, put_any, NULL);
	for (int64_t i = 0; b->shared && i < PIECE / b->size; i++)
		put_any(b, first + i, NULL);
}

/* A call under test. want: what element i of the result must be; near: up to
 * such a part of it. */
struct call {
	const char *name;
	struct kvaotLib *lib;
	struct big in[MOST_IN], out;
	int nin;
	double (*want)(const struct call *, int64_t);
	double near;
	int64_t wrong; /* how many are not, and the first of them */
	int64_t at;
};

static void
look(const struct big *b, int64_t i, void *ctx)
{
	struct call *c = ctx;
	double got = get(b, i), want = c->want(c, i);

	if (fabs(got - want) <= c->near * fabs(want))
		return;
	if (c->wrong++ == 0)
		c->at = i;
}

static struct kvaotTensor
tensor(const struct big *b)
{
	struct kvaotTensor t = { .size = sizeof t,
		.dtype = (int32_t)b->dtype, .rank = b->shape.rank,
		.data = b->p };

	memcpy(t.dim, b->shape.dim, sizeof b->shape.dim);
	return t;
}

/* An operand that is small: the number v, or a vector of v and, unless that is
 * negative, w. */
static void
small(struct call *c, enum dtype t, int rank, int64_t v, int64_t w)
{
	static int64_t body[MOST_IN][2];
	struct big *b = &c->in[c->nin];
	const int64_t from[] = { v, w };

	*b = (struct big){ .dtype = t, .shape = { rank, { w < 0 ? 1 : 2 } },
		.p = (char *)body[c->nin++] };
	b->count = shape_count(&b->shape, 1);
	b->size = (int64_t)dtype_size(t);
	for (int64_t i = 0; i < b->count; i++)
		put(b, i, from[i]);
}

static void
input(struct call *c, enum dtype t, int rank, int64_t m, int64_t n)
{
	struct big *b = &c->in[c->nin++];

	big_new(b, t, rank, m, n);
	fill(b);
}

/* Calls the function; whether the results are right. */
static bool
run(struct call *c)
{
	struct kvaotTensor in[MOST_IN], out = tensor(&c->out);
	const struct kvaotFn *fn;
	char err[400] = "";

	for (int i = 0; i < c->nin; i++)
		in[i] = tensor(&c->in[i]);
	if (kvaotFind(c->lib, c->name, &fn, err, sizeof err) ||
	    kvaotCall(fn, in, (uint32_t)c->nin, &out, 1, err, sizeof err)) {
		printf("FAIL %s: %s\n", c->name, err);
		return false;
	}
	each_own(&c->out, look, c);
	if (c->wrong)
		printf("FAIL %s: %lld elements, the first is %lld: %g, "
		    "expected %g\n", c->name, (long long)c->wrong,
		    (long long)c->at, get(&c->out, c->at),
		    c->want(c, c->at));
	return c->wrong == 0;
}

static double
want_neg(const struct call *c, int64_t i)
{
	return -get(&c->in[0], i);
}

static void
set_neg(struct call *c)
{
	input(c, DT_FLOAT32, 1, COUNT, 0);
	big_new(&c->out, DT_FLOAT32, 1, COUNT, 0);
	c->want = want_neg;
}

/* A matrix of 2^16 rows, and one row. */
enum { ROWS = 1 << 16, COLS = (1 << 15) + 65 };

static double
want_add(const struct call *c, int64_t i)
{
	return get(&c->in[0], i) + (double)(i % COLS % 2 ? 3 : 5);
}

static void
set_add(struct call *c)
{
	input(c, DT_FLOAT32, 2, ROWS, COLS);
	input(c, DT_FLOAT32, 1, COLS, 0);
	for (int64_t i = 0; i < COLS; i++)
		put(&c->in[1], i, i % 2 ? 3 : 5);
	big_new(&c->out, DT_FLOAT32, 2, ROWS, COLS);
	c->want = want_add;
}

static double
want_equal(const struct call *c, int64_t i)
{
	return fabs(get(&c->in[0], i) - 500) <= 100;
}

static void
set_equal(struct call *c)
{
	input(c, DT_FLOAT32, 1, COUNT, 0);
	small(c, DT_FLOAT32, 0, 500, 0);
	small(c, DT_FLOAT32, 0, 100, 0);
	big_new(&c->out, DT_BOOL, 1, COUNT, 0);
	c->want = want_equal;
}

/* Zeros, and three ones where counting may go wrong. */
static void
three_ones(struct call *c, int rank, int64_t m, int64_t n)
{
	struct big *b = &c->in[c->nin++];

	big_new(b, DT_FLOAT32, rank, m, n);
	put(b, 0, 1);
	put(b, BEYOND, 1);
	put(b, b->count - 1, 1);
}

static double
want_three(const struct call *c, int64_t i)
{
	(void)c;
	(void)i;
	return 3;
}

static void
set_sum(struct call *c)
{
	three_ones(c, 1, COUNT, 0);
	small(c, DT_INT64, 0, 0, 0);
	small(c, DT_BOOL, 0, 0, 0);
	big_new(&c->out, DT_FLOAT32, 1, 1, 0);
	c->want = want_three;
}

/* Of 8 columns: ones in columns 0, 7, and the last one. */
enum { NARROW = 8 };

static double
want_columns(const struct call *c, int64_t i)
{
	(void)c;
	return (i == 0) + (i == BEYOND % NARROW) + (i == NARROW - 1);
}

static void
set_columns(struct call *c)
{
	three_ones(c, 2, COUNT / NARROW + 1, NARROW);
	small(c, DT_INT64, 0, 0, 0);
	small(c, DT_BOOL, 0, 0, 0);
	big_new(&c->out, DT_FLOAT32, 1, NARROW, 0);
	c->want = want_columns;
}

static double
want_last(const struct call *c, int64_t i)
{
	(void)i;
	return (double)(c->in[0].count - 2);
}

/* The largest number is the last but one. */
static void
set_argmax(struct call *c)
{
	three_ones(c, 1, COUNT, 0);
	put(&c->in[0], COUNT - 2, 2);
	small(c, DT_INT64, 0, 0, 0);
	small(c, DT_BOOL, 0, 0, 0);
	big_new(&c->out, DT_INT64, 1, 1, 0);
	c->want = want_last;
}

static double
want_row(const struct call *c, int64_t i)
{
	return get(&c->in[0], i / COLS);
}

static void
set_broadcast(struct call *c)
{
	input(c, DT_BOOL, 2, ROWS, 1);
	small(c, DT_INT64, 1, ROWS, COLS);
	big_new(&c->out, DT_BOOL, 2, ROWS, COLS);
	c->want = want_row;
}

static double
want_same(const struct call *c, int64_t i)
{
	return get(&c->in[0], i);
}

static void
set_reshape(struct call *c)
{
	input(c, DT_BOOL, 2, COLS, ROWS);
	small(c, DT_INT64, 1, ROWS, COLS);
	big_new(&c->out, DT_BOOL, 2, ROWS, COLS);
	c->want = want_same;
}

static double
want_turned(const struct call *c, int64_t i)
{
	return get(&c->in[0], i % ROWS * COLS + i / ROWS);
}

static void
set_transpose(struct call *c)
{
	input(c, DT_BOOL, 2, ROWS, COLS);
	small(c, DT_INT64, 1, 1, 0);
	big_new(&c->out, DT_BOOL, 2, COLS, ROWS);
	c->want = want_turned;
}

static double
want_index(const struct call *c, int64_t i)
{
	(void)c;
	return (double)(int32_t)(uint32_t)i;
}

/* Counts on from the least number after the largest. */
static void
set_arange(struct call *c)
{
	small(c, DT_INT64, 1, COUNT, -1);
	small(c, DT_INT32, 0, 0, 0);
	small(c, DT_INT32, 0, 1, 0);
	big_new(&c->out, DT_INT32, 1, COUNT, 0);
	c->want = want_index;
}

static double
want_float_index(const struct call *c, int64_t i)
{
	(void)c;
	return (double)(float)i;
}

static void
set_arange_float(struct call *c)
{
	small(c, DT_INT64, 1, COUNT, -1);
	small(c, DT_FLOAT32, 0, 0, 0);
	small(c, DT_FLOAT32, 0, 1, 0);
	big_new(&c->out, DT_FLOAT32, 1, COUNT, 0);
	c->want = want_float_index;
}

/* softmax along an axis, of zeros and two elements of -Inf. */
static void
set_softmax(struct call *c, int rank, int64_t m, int64_t n, int axis)
{
	const float far = -INFINITY;
	struct big *b = &c->in[c->nin++];

	big_new(b, DT_FLOAT32, rank, m, n);
	memcpy(b->p + BEYOND * 4, &far, 4);
	memcpy(b->p + (b->count - 1) * 4, &far, 4);
	small(c, DT_INT64, 0, axis, 0);
	big_new(&c->out, DT_FLOAT32, rank, m, n);
	c->near = 1e-6;
}

static double
want_share(const struct call *c, int64_t i)
{
	return get(&c->in[0], i) < 0 ? 0 : 1 / (double)(COUNT - 2);
}

static void
set_row(struct call *c)
{
	set_softmax(c, 1, COUNT, 0, -1);
	c->want = want_share;
}

/* Of two elements that share one, where the other one is. */
static double
half(const struct call *c, int64_t i, int64_t other)
{
	const struct big *in = &c->in[0];

	return get(in, i) < 0 ? 0 : get(in, other) < 0 ? 1 : 0.5;
}

static double
want_pair(const struct call *c, int64_t i)
{
	return half(c, i, i ^ 1);
}

static void
set_rows(struct call *c)
{
	set_softmax(c, 2, COUNT / 2 + 1, 2, -1);
	c->want = want_pair;
}

static double
want_column(const struct call *c, int64_t i)
{
	int64_t n = c->in[0].shape.dim[1];

	return half(c, i, i < n ? i + n : i - n);
}

static void
set_wide(struct call *c)
{
	set_softmax(c, 2, 2, COUNT / 2 + 1, 0);
	c->want = want_column;
}

/* Two of so many elements change no share that float32 would show. */
static double
want_tall(const struct call *c, int64_t i)
{
	return get(&c->in[0], i) < 0 ? 0 : 1 / (double)c->in[0].shape.dim[0];
}

static void
set_tall(struct call *c)
{
	set_softmax(c, 2, COUNT / NARROW + 1, NARROW, 0);
	c->want = want_tall;
}

/* slow: at the best level only. */
static const struct test {
	const char *name, *function;
	void (*set)(struct call *);
	bool slow;
} tests[] = {
	{ "map", "deepx/miaobyte·neg", set_neg, false },
	{ "map broadcast", "deepx/miaobyte·add", set_add, false },
	{ "map to bool", "deepx/miaobyte·equalscalar", set_equal, false },
	{ "rows, one", "deepx·softmax.1", set_row, true },
	{ "rows, many", "deepx·softmax.1", set_rows, true },
	{ "cols, wide", "deepx·softmax.1", set_wide, true },
	{ "cols, tall", "deepx·softmax.1", set_tall, true },
	{ "reduce", "deepx/miaobyte·sum", set_sum, false },
	{ "reduce columns", "deepx/miaobyte·sum", set_columns, false },
	{ "argmax", "deepx/miaobyte·argmax", set_argmax, false },
	{ "broadcastTo", "deepx/miaobyte·broadcastTo", set_broadcast, false },
	{ "reshape", "deepx/miaobyte·reshape", set_reshape, false },
	{ "transpose", "deepx/miaobyte·transpose", set_transpose, false },
	{ "arange", "deepx/miaobyte·arange", set_arange, false },
	{ "arange of floats", "deepx/miaobyte·arange", set_arange_float,
	    false },
};

/* In a child, so that a crash is one red line. */
static bool
run_test(const struct test *t, struct kvaotLib *lib, const char *level)
{
	struct call c = { .name = t->function, .lib = lib };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fatal("cannot start a process");
	if (pid == 0) {
		t->set(&c);
		if (!run(&c))
			exit(EXIT_REFUSED);
		printf("ok   %s, %s: %lld elements\n", t->name, level,
		    (long long)(c.in[0].count > c.out.count ? c.in[0].count :
		    c.out.count));
		exit(EXIT_OK);
	}
	if (waitpid(pid, &status, 0) != pid)
		fatal("lost a process");
	if (WIFSIGNALED(status))
		printf("FAIL %s, %s: killed by signal %d\n", t->name, level,
		    WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
}

static int
run_level(const char *path, const struct isa *isa, bool best,
    char *const *name, int n)
{
	struct kvaotOptions o = { .size = sizeof o, .threads = 1,
		.isa = isa->name };
	struct kvaotLib *lib;
	char err[400];
	int failed = 0, ran = 0;

	if (kvaotOpen(path, &o, &lib, err, sizeof err))
		fatal("%s", err);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		bool asked = n == 0;

		for (int k = 0; k < n; k++)
			asked |= strcmp(name[k], tests[i].name) == 0;
		if (!asked)
			continue;
		ran++;
		if (best || !tests[i].slow)
			failed += !run_test(&tests[i], lib, isa->name);
	}
	kvaotClose(lib);
	if (ran < n)
		usage_error("there is no such call");
	return failed;
}

/* The levels of this CPU that the library has kernels of, lowest first; how
 * many. */
static int
find_levels(const char *path, const struct isa **level)
{
	struct library l;
	struct diag d;
	int n = 0;

	diag_init(&d);
	if (library_open(&l, path, &d)) {
		diag_print(&d, stderr, 0);
		fatal("%s cannot be opened", path);
	}
	diag_release(&d);
	for (size_t i = 0; i < isa_count && n < LEVELS; i++) {
		bool has = false;

		for (size_t k = 0; k < l.manifest.n; k++)
			has |= strcmp(l.manifest.row[k].isa,
			    isa_table[i].name) == 0;
		if (has && isa_runs_here(&isa_table[i]))
			level[n++] = &isa_table[i];
	}
	library_close(&l);
	return n;
}

int
main(int argc, char **argv)
{
	const struct isa *level[LEVELS];
	int failed = 0, n;

	fatal_program("huge");
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	if (argc < 3 || strcmp(argv[1], "--lib") != 0)
		usage_error("expected --lib DIR");
	n = find_levels(argv[2], level);
	for (int i = 0; i < n; i++)
		failed += run_level(argv[2], level[i], i == n - 1, argv + 3,
		    argc - 3);
	printf("%d failed\n", failed);
	return failed || !n ? EXIT_REFUSED : EXIT_OK;
}
