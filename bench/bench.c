/* SPDX-License-Identifier: MIT */
/*
 * bench: how fast functions of a compiled library are, next to their unfused
 * form, to what the machine can do and to libraries of others, all in turn in
 * one process.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/file.h"
#include "bench/buffer.h"
#include "bench/limit.h"
#include "bench/measure.h"
#include "runtime/argument.h"

/* What may be off, of the largest number of a row; some of the others look
 * numbers up that were rounded to 11 bits. */
static const double MAX_ERROR[2] = { 1e-5, 1e-13 }, MAX_ERROR_PEER = 5e-3;

static const int64_t shapes[][2] = { { 64, 128 }, { 1024, 1024 },
	{ 4096, 4096 } };

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static const struct {
	int64_t rows, n, k;
	double goal[2];
} products[] = {
#define PRODUCT(rows, n, k, ...) { rows, n, k, __VA_ARGS__ },
#include "bench/products.def"
#undef PRODUCT
};

enum { N_PRODUCTS = sizeof products / sizeof *products };

struct bench {
	void *who[N_WHO];
	const char *lib, *peers;
	int threads, rounds;
	const char *only; /* a pattern of labels, or NULL */
	const char *json_file, *table_file; /* or NULL */
	double fma; /* GFLOP/s of one thread, as limit_fma says */
	struct arena arena;
	struct buf json, table;
};

static const char help[] =
"usage: bench [options]\n"
"\n"
"Measures functions of a compiled library against others, in turns: their base,\n"
"memory read and written once by one thread (the limit), and the libraries that\n"
"bench/peers.sh has put into a folder. Prints each of them, then a table.\n"
"\n"
"  --lib=DIR      the library (else $KVAOT_LIB, or the one of the program)\n"
"  --peers=DIR    the libraries of others (none)\n"
"  --threads=N    threads of ours and of the others (1)\n"
"  --rounds=N     slices of each, fewer where they take long (31)\n"
"  --case=PATTERN only cases that match, e.g. 'softmax:float32:1024x1024' or\n"
"                 'gelu:*'\n"
"  --json=FILE    also write the figures as JSON, one candidate of a case a\n"
"                 line; numbers come as [10th percentile, median, 90th]\n"
"  --table=FILE   also write the table\n"
"  --help\n";

/* Extents with something in between; of products k is the last one. */
static const char *
shape_name(struct bench *b, const struct problem *p, char between)
{
	const char *two = arena_printf(&b->arena, "%lld%c%lld",
	    (long long)p->rows, between, (long long)p->n);

	return p->kind != CASE_matmul ? two : arena_printf(&b->arena,
	    "%s%c%lld", two, between, (long long)p->k);
}

/* Everybody computes the case, and ours gives the same bytes as its base. */
static void
check_results(struct run *r)
{
	const struct problem *p = &r->problem;
	const void *out[N_WHO][MAX_OUTPUTS] = { 0 };
	const char *letters = p->row->outputs;

	for (int who = 0; who < N_WHO; who++) {
		double error = 0, e;

		if (!r->job[who] || !who_is[who]->fetch)
			continue;
		who_is[who]->run(r->job[who]);
		who_is[who]->fetch(r->job[who], out[who]);
		for (int i = 0; letters[i]; i++) {
			e = problem_error(p, i, out[who][i]);
			/* NaN must not pass. */
			if (!(e <= error))
				error = e;
		}
		printf("  %-18s error %.1e\n", who_is[who]->name, error);
		if (!(error <= (who < FIRST_PEER ?
		    MAX_ERROR[p->dtype == DT_FLOAT64] : MAX_ERROR_PEER))) {
			fprintf(stderr, "bench: %s is wrong: %s is off by %g\n",
			    who_is[who]->name, p->row->name, error);
			exit(EXIT_REFUSED);
		}
	}
	for (int i = 0; r->job[BASE] && letters[i]; i++) {
		if (!memcmp(out[OURS][i], out[BASE][i],
		    problem_bytes(p, letters[i])))
			continue;
		fprintf(stderr, "bench: %s and its base differ\n",
		    p->row->function);
		exit(EXIT_REFUSED);
	}
}

/* The share of the limit, in percent: the faster one's time over that of who; of
 * products that of the fma of one thread. */
static double
share(const struct bench *b, const struct run *r, int who)
{
	const struct problem *p = &r->problem;
	int limit = measured_best(r, LIMIT, FIRST_PEER);

	if (p->kind == CASE_matmul)
		return 0.2 * (double)(p->rows * p->n * p->k) / b->fma /
		    measured(r, who).median;
	return limit < 0 ? 0 : 100 * measured_ratio(r, limit).median /
	    measured_ratio(r, who).median;
}

static void
report(struct bench *b, const struct run *r)
{
	const struct problem *p = &r->problem;
	double count = (double)(p->rows * p->n);

	for (int who = 0; who < N_WHO; who++) {
		struct spread t, q;

		if (!r->job[who])
			continue;
		t = measured(r, who);
		q = measured_ratio(r, who);
		printf("  %-18s %10.2f us (%.2f to %.2f)  %.3f ns/element  "
		    "%.0f %% of limit  %.2f x ours (%.2f to %.2f)\n",
		    who_is[who]->name, t.median, t.p10, t.p90,
		    t.median * 1e3 / count, share(b, r, who), q.median, q.p10,
		    q.p90);
		buf_printf(&b->json, "{\"case\":\"%s\",\"dtype\":\"%s\","
		    "\"shape\":[%s],\"threads\":%d,\"who\":\"%s\","
		    "\"us\":[%.3f,%.3f,%.3f],\"over_ours\":[%.4f,%.4f,%.4f]}"
		    "\n", p->row->name, dtype_name(p->dtype),
		    shape_name(b, p, ','), b->threads,
		    who_is[who]->name, t.p10, t.median, t.p90, q.p10, q.median,
		    q.p90);
	}
}

/* `| 1.25 met, OpenBLAS 1.31`: its time over ours is the goal of products. */
static void
put_product_goal(struct bench *b, const struct run *r, int shape)
{
	double goal = products[shape].goal[b->threads > 1];
	double ratio;

	if (!r->job[BLAS]) {
		buf_puts(&b->table, " - |\n");
		return;
	}
	ratio = measured_ratio(r, BLAS).median;
	if (goal > 0)
		buf_printf(&b->table, " %g %s, OpenBLAS %.2f |\n", goal,
		    ratio >= goal ? "met" : "missed", ratio);
	else
		buf_printf(&b->table, " OpenBLAS %.2f |\n", ratio);
}

/* `| 1.25 met`: only float32 has goals, and one thread where others' waking up
 * would be most of the time. */
static void
put_goal(struct bench *b, const struct problem *p, int shape, double ratio)
{
	double goal = p->row->goal[shape];

	if (p->dtype != DT_FLOAT32 || (shape == 0 && b->threads > 1))
		buf_puts(&b->table, " - |\n");
	else
		buf_printf(&b->table, " %g %s |\n", goal,
		    ratio < 0 ? "" : ratio >= goal ? "met" : "missed");
}

/* How far the goal of a case can be: the time of the best other over the limit's,
 * which is that of one thread. */
static void
put_reach(struct bench *b, const struct run *r, double ratio)
{
	if (ratio < 0 || b->threads > 1 || share(b, r, OURS) <= 0)
		buf_puts(&b->table, " - |");
	else
		buf_printf(&b->table, " %.2f |", 100 * ratio / share(b, r, OURS));
}

static void
tabulate(struct bench *b, const struct run *r, int shape)
{
	const struct problem *p = &r->problem;
	double us = measured(r, OURS).median;
	int best = measured_best(r, FIRST_PEER, N_WHO);
	struct spread q = { -1, -1, -1 };

	buf_printf(&b->table, "| %s | %s | %s | %d | %.4g | %.3f | %.0f %% |",
	    p->row->name, dtype_name(p->dtype), shape_name(b, p, 'x'), b->threads,
	    us, us * 1e3 / (double)(p->rows * p->n), share(b, r, OURS));
	if (r->job[BASE])
		buf_printf(&b->table, " %.2f |",
		    measured_ratio(r, BASE).median);
	else
		buf_puts(&b->table, " - |");
	if (best >= 0) {
		q = measured_ratio(r, best);
		buf_printf(&b->table, " %s %.4g | %.2f (%.2f to %.2f) |",
		    who_is[best]->name, measured(r, best).median, q.median,
		    q.p10, q.p90);
	} else {
		buf_puts(&b->table, " - | - |");
	}
	put_reach(b, r, q.median);
	if (p->kind == CASE_matmul)
		put_product_goal(b, r, shape);
	else
		put_goal(b, p, shape, q.median);
}

static void *
numbers(const struct problem *p, char letter, uint64_t seed)
{
	void *body;

	if (!strchr(p->row->inputs, letter))
		return NULL;
	body = buffer_new(problem_bytes(p, letter));
	argument_random(p->dtype, body, problem_count(p, letter), seed);
	return body;
}

static void
release_problem(struct problem *p)
{
	buffer_free((void *)(uintptr_t)p->x);
	buffer_free((void *)(uintptr_t)p->y);
	buffer_free((void *)(uintptr_t)p->g);
	buffer_free((void *)(uintptr_t)p->b);
	buffer_free((void *)(uintptr_t)p->left);
	buffer_free((void *)(uintptr_t)p->right);
}

static void
prepare(struct bench *b, struct run *r)
{
	struct problem *p = &r->problem;

	p->x = numbers(p, 'x', 7);
	p->y = numbers(p, 'y', 8);
	p->g = numbers(p, 'g', 9);
	p->b = numbers(p, 'b', 10);
	p->left = numbers(p, 'p', 11);
	p->right = numbers(p, 'q', 12);
	r->threads = b->threads;
	r->rounds = b->rounds;
	for (int who = 0; who < N_WHO; who++)
		if (b->who[who])
			r->job[who] = who_is[who]->prepare(b->who[who], p);
}

static void
run_case(struct bench *b, enum kind kind, enum dtype dtype, int shape)
{
	bool product = kind == CASE_matmul;
	struct problem p = { .kind = kind, .row = &cases[kind], .dtype = dtype,
		.rows = product ? products[shape].rows : shapes[shape][0],
		.n = product ? products[shape].n : shapes[shape][1],
		.k = product ? products[shape].k : 0 };
	const char *label = arena_printf(&b->arena, "%s:%s:%s", p.row->name,
	    dtype_name(dtype), shape_name(b, &p, 'x'));
	struct run *r;

	if (b->only && fnmatch(b->only, label, 0))
		return;
	r = calloc(1, sizeof *r);
	if (!r)
		fatal("out of memory");
	r->problem = p;
	printf("%s, threads: %d\n", label, b->threads);
	prepare(b, r);
	check_results(r);
	measure(r);
	report(b, r);
	tabulate(b, r, shape);
	fflush(stdout);
	for (int who = 0; who < N_WHO; who++)
		if (r->job[who])
			who_is[who]->drop(r->job[who]);
	release_problem(&r->problem);
	free(r);
}

static void
run_cases(struct bench *b)
{
	for (int kind = 0; kind < N_CASES; kind++)
		for (int shape = 0; shape < (kind == CASE_matmul ?
		    N_PRODUCTS : N_SHAPES); shape++)
			run_case(b, (enum kind)kind, DT_FLOAT32, shape);
	for (int shape = 0; shape < N_SHAPES; shape++)
		run_case(b, CASE_softmax, DT_FLOAT64, shape);
	for (int shape = 0; shape < N_SHAPES; shape++)
		run_case(b, CASE_layernorm, DT_FLOAT64, shape);
}

/* The value of --NAME=…, or NULL. */
static const char *
option(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static int
number(const char *name, const char *text, int most)
{
	unsigned long long n;

	if (!str_u64(str_of(text), &n) || n < 1 || n > (unsigned)most)
		usage_error("%s expects a number from 1 to %d, found %s", name,
		    most, text);
	return (int)n;
}

static void
parse(struct bench *b, int argc, char **argv)
{
	const char *v;

	for (int i = 1; i < argc; i++) {
		if ((v = option(argv[i], "--lib")))
			b->lib = v;
		else if ((v = option(argv[i], "--peers")))
			b->peers = v;
		else if ((v = option(argv[i], "--json")))
			b->json_file = v;
		else if ((v = option(argv[i], "--table")))
			b->table_file = v;
		else if ((v = option(argv[i], "--case")))
			b->only = v;
		else if ((v = option(argv[i], "--threads")))
			b->threads = number("--threads", v, 1024);
		else if ((v = option(argv[i], "--rounds")))
			b->rounds = number("--rounds", v, MAX_ROUNDS);
		else if (strcmp(argv[i], "--help") == 0)
			exit(fputs(help, stdout) < 0 ? EXIT_ENV : EXIT_OK);
		else
			usage_error("unknown option: %s", argv[i]);
	}
}

/* Ours must be there. */
static void
open_all(struct bench *b)
{
	char why[PEER_WHY];

	for (int who = 0; who < N_WHO; who++) {
		const char *folder = who < FIRST_PEER ? b->lib : b->peers;

		if (who >= FIRST_PEER && !folder)
			continue;
		b->who[who] = who_is[who]->open(folder, b->threads, why);
		if (!b->who[who] && who <= BASE)
			fatal("%s", why);
		if (!b->who[who])
			printf("without %s: %s\n", who_is[who]->name, why);
	}
}

static void
save(const char *file, const struct buf *text)
{
	if (file && file_write(file, text->p, text->n, false))
		fatal("cannot write %s: %m", file);
}

static void
finish(struct bench *b)
{
	struct buf table = { 0 };

	if (!b->table.n) {
		fprintf(stderr, "bench: no case matches %s\n", b->only);
		exit(EXIT_REFUSED);
	}
	buf_printf(&table, "Threads: %d. fma with one of them: %.0f GFLOP/s.\n\n"
	    "| case | dtype | shape | threads | ours us | ns/element | "
	    "of limit | base / ours | best other us | other / ours | "
	    "other / limit | goal |\n"
	    "|---|---|---|---|---|---|---|---|---|---|---|---|\n%s", b->threads,
	    b->fma, b->table.p);
	printf("\n%s\n", table.p);
	save(b->table_file, &table);
	save(b->json_file, &b->json);
	buf_release(&table);
}

int
main(int argc, char **argv)
{
	struct bench b = { .threads = 1, .rounds = 31 };

	fatal_program("bench");
	parse(&b, argc, argv);
	open_all(&b);
	b.fma = limit_fma();
	run_cases(&b);
	finish(&b);
	buf_release(&b.json);
	buf_release(&b.table);
	arena_release(&b.arena);
	if (fflush(stdout) || ferror(stdout))
		fatal("cannot write standard output: %m");
	return EXIT_OK;
}
