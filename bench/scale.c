/* SPDX-License-Identifier: MIT */
/*
 * scale: what a library of many functions costs a program that uses it. Prints
 * a line `WHAT TAB BUDGET TAB MEASURED TAB UNIT TAB NOTE` for each figure, a
 * median; bench/scale.sh, which makes the library, prints them as a table.
 */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "base/fatal.h"
#include "base/file.h"
#include "include/kvaot.h"
#include "runtime/embed.h"
#include "runtime/call.h"

enum { ROUNDS = 31, CALLS = 500, FUNCTIONS = 33, MOST = 1001 };

extern char **environ;

static char err[512];

static const char help[] =
"usage: scale --lib=DIR --small=DIR [--functions=N]\n"
"\n"
"Measures a library whose functions scale·c0000, scale·c0001, … take two\n"
"float32 tensors of one shape and give one.\n"
"\n"
"  --lib=DIR      the library\n"
"  --small=DIR    one that has deepx·softmax and few others\n"
"  --functions=N  how many it has (1000)\n"
"  --help\n";

static double
read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double
now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof *x, by_value);
	return x[n / 2];
}

static void
put(const char *what, double budget, double measured, const char *unit)
{
	printf("%s\t%g\t%.3g\t%s\t\n", what, budget, measured, unit);
}

/* The same in ms, with the CPU's time, which does not wait for others. */
static void
put_ms(const char *what, double budget, double *wall, double *cpu)
{
	printf("%s\t%g\t%.3g\tms\tCPU %.3g ms\n", what, budget,
	    median(wall, ROUNDS), median(cpu, ROUNDS));
}

static void
must(int code)
{
	if (code)
		fatal("%s", err);
}

static struct kvaotLib *
open_library(const char *path)
{
	struct kvaotLib *lib;

	must(kvaotOpen(path, NULL, &lib, err, sizeof err));
	return lib;
}

static void
measure_open(const char *path)
{
	double wall[ROUNDS], cpu[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		struct kvaotLib *lib;
		double start = now_ns();
		double used = read_clock(CLOCK_PROCESS_CPUTIME_ID);

		lib = open_library(path);
		cpu[i] = (read_clock(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e-6;
		wall[i] = (now_ns() - start) * 1e-6;
		kvaotClose(lib);
	}
	put_ms("open the library", 10, wall, cpu);
}

static const struct kvaotFn *
find(struct kvaotLib *lib, int i)
{
	const struct kvaotFn *fn;
	char name[32];

	snprintf(name, sizeof name, "scale·c%04d", i);
	must(kvaotFind(lib, name, &fn, err, sizeof err));
	return fn;
}

static struct kvaotTensor
tensor(int64_t rows, int64_t n, void *data)
{
	return (struct kvaotTensor){ .size = sizeof(struct kvaotTensor),
		.dtype = KVAOT_FLOAT32, .rank = 2, .dim = { rows, n },
		.data = data };
}

/* Finding and calling what was never called: version, kernel and all are
 * decided, the object is read, checked and mapped. */
static void
measure_first(struct kvaotLib *lib, int functions)
{
	float a[4][8], b[4][8], c[4][8];
	struct kvaotTensor in[] = { tensor(4, 8, a), tensor(4, 8, b) };
	struct kvaotTensor out = tensor(4, 8, c);
	double t[MOST];
	int n = 0;

	for (int i = 0; i < 32; i++) {
		a[i / 8][i % 8] = (float)(i % 7 + 1);
		b[i / 8][i % 8] = (float)(i % 5 + 1);
	}
	for (int i = 0; i < functions && n < MOST; i += 7) {
		double start = now_ns();

		must(kvaotCall(find(lib, i), in, 2, &out, 1, err, sizeof err));
		t[n++] = (now_ns() - start) * 1e-3;
	}
	put("first call, 4x8", 300, median(t, n), "us");
}

/* The bare kernel of a bound call that is one kernel. */
struct bare {
	struct kvk_stream stream;
	const struct tape_step *step;
	void *scratch, *ptr[DIMS_OPERANDS];
	union scalar literal[DIMS_OPERANDS];
};

static int
run_here(const struct kvk_stream *s, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	(void)grain;
	return body(ctx, 0, n, ((const struct bare *)s)->scratch);
}

/* Literals are converted once, here; a bound call does it each time. */
static void
bare_init(struct bare *k, const struct kvaotBound *b, void *a, void *c)
{
	const struct tape_step *s = b->tape.step;

	if (b->tape.nstep != 1 || s->dims->nouter)
		fatal("%s is not one kernel", b->name);
	*k = (struct bare){ .stream = { .abi = KVK_ABI,
		.size = sizeof(struct kvk_stream), .par = run_here },
		.step = s, .scratch = aligned_alloc(64, b->scratch + 64) };
	if (!k->scratch)
		fatal("out of memory");
	for (int i = 0; i < s->nop; i++) {
		const struct tape_reg *r = &b->tape.reg[s->reg[i]];

		k->ptr[i] = r->place == PLACE_IN ? a : c;
		if (r->place != PLACE_CONST)
			continue;
		k->ptr[i] = &k->literal[i];
		if (dtype_convert(s->dtype[i], k->ptr[i], r->dtype, r->body, 1))
			fatal("%s has a literal of another type", b->name);
	}
}

/*
 * How much longer kvaotRun takes than the kernel alone, a call; both run in
 * turn. A bound call leaves the exception flags as they were: that they are
 * clear, and the kernel sets some, is the slower case and the one measured.
 */
static double
overhead(const struct kvaotFn *fn, int64_t rows, int64_t n)
{
	float a[64], c[64];
	struct kvaotTensor in[] = { tensor(rows, n, a), tensor(rows, n, a) };
	const void *from[] = { a, a };
	void *to[] = { c };
	struct kvaotBound *b;
	double t[ROUNDS];
	struct bare k;

	for (int i = 0; i < 64; i++)
		a[i] = (float)(i % 9) + 0.5f;
	must(kvaotBind(fn, in, 2, &b, err, sizeof err));
	bare_init(&k, b, a, c);
	for (int r = 0; r < ROUNDS; r++) {
		double start, middle;

		_mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK);
		start = now_ns();
		for (int i = 0; i < CALLS; i++)
			must(kvaotRun(b, from, to, err, sizeof err));
		middle = now_ns();
		for (int i = 0; i < CALLS; i++)
			if (k.step->fn(k.ptr, k.step->dims->dim, &k.stream))
				fatal("%s fails", k.step->opcode);
		t[r] = (2 * middle - start - now_ns()) / CALLS;
	}
	free(k.scratch);
	kvaotUnbind(b);
	return median(t, ROUNDS);
}

static void
measure_later(struct kvaotLib *lib, int functions)
{
	static const int64_t shape[][2] = { { 1, 1 }, { 4, 8 } };
	char what[64];

	for (int s = 0; s < 2; s++) {
		double t[FUNCTIONS];

		for (int i = 0; i < FUNCTIONS; i++)
			t[i] = overhead(find(lib, i * functions / FUNCTIONS),
			    shape[s][0], shape[s][1]);
		snprintf(what, sizeof what, "later calls over the kernel, "
		    "%dx%d", (int)shape[s][0], (int)shape[s][1]);
		put(what, 100, median(t, FUNCTIONS), "ns");
	}
}

/* From starting a program to the first byte that it prints, and the CPU's time
 * till its end. */
static void
start_ms(char *const *argv, double *wall, double *cpu)
{
	posix_spawn_file_actions_t actions;
	struct rusage u;
	int fd[2], status, bad;
	double start;
	char byte;
	pid_t pid;

	if (pipe(fd) || posix_spawn_file_actions_init(&actions) ||
	    posix_spawn_file_actions_adddup2(&actions, fd[1], 1) ||
	    posix_spawn_file_actions_addclose(&actions, fd[0]))
		fatal("cannot make a pipe: %s", strerror(errno));
	start = now_ns();
	bad = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	if (bad)
		fatal("cannot start %s: %s", argv[0], strerror(bad));
	close(fd[1]);
	bad = read(fd[0], &byte, 1) != 1;
	*wall = (now_ns() - start) * 1e-6;
	while (read(fd[0], &byte, 1) == 1)
		;
	close(fd[0]);
	posix_spawn_file_actions_destroy(&actions);
	if (wait4(pid, &status, 0, &u) != pid || status || bad)
		fatal("%s failed", argv[0]);
	*cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	    (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

static void
measure_start(const char *lib)
{
	struct arena a = { 0 };
	const char *exe = exe_dir(&a);
	char *argv[] = { path_join(&a, exe ? exe : ".", "kvrun"),
		arena_printf(&a, "--lib=%s", lib), "--entry=deepx:softmax",
		"--in=A=rand:4x8:float32:1", "--in=axis=-1", "--digest", NULL };
	double wall[ROUNDS], cpu[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		start_ms(argv, &wall[i], &cpu[i]);
	put_ms("kvrun, start to first result", 5, wall, cpu);
	arena_release(&a);
}

/* The value of --NAME=…, or NULL. */
static const char *
option(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

int
main(int argc, char **argv)
{
	unsigned long long functions = 1000;
	const char *lib = NULL, *small = NULL, *v;
	struct kvaotLib *l;

	fatal_program("scale");
	for (int i = 1; i < argc; i++) {
		if ((v = option(argv[i], "--lib")))
			lib = v;
		else if ((v = option(argv[i], "--small")))
			small = v;
		else if ((v = option(argv[i], "--functions")) &&
		    str_u64(str_of(v), &functions) && functions >= FUNCTIONS &&
		    functions <= 10000)
			continue;
		else if (strcmp(argv[i], "--help") == 0)
			exit(fputs(help, stdout) < 0 ? EXIT_ENV : EXIT_OK);
		else
			usage_error("unexpected argument: %s", argv[i]);
	}
	if (!lib || !small)
		usage_error("--lib=DIR or --small=DIR is missing");
	measure_open(lib);
	l = open_library(lib);
	measure_first(l, (int)functions);
	measure_later(l, (int)functions);
	kvaotClose(l);
	measure_start(small);
	if (fflush(stdout) || ferror(stdout))
		fatal("cannot write standard output: %s", strerror(errno));
	return EXIT_OK;
}
