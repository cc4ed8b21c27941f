/* SPDX-License-Identifier: MIT */
/*
 * bench: how fast softmax is, next to its unfused form, to a plain copy of the
 * same bytes and to ONNX Runtime. All of them run in turn in one process, a
 * slice of time each, so that a ratio compares times of the same moment.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fatal.h"
#include "base/file.h"
#include "bench/ort.h"
#include "runtime/argument.h"
#include "runtime/library.h"
#include "runtime/runtime.h"

enum { MAX_ROUNDS = 1001, SAMPLED_ROWS = 16, TRIES = 10 };

/* A slice lasts about this long, or one call. */
static const double SLICE_US = 500;

/* A result may be this many units of the last place off before it is wrong;
 * all come to less than 5 on these inputs. */
static const double MAX_ULPS = 64;

enum who { FUSED, BASE, COPY, PEER, N_WHO };

static const char *const who_name[N_WHO] = { "softmax.1", "softmax (base)",
	"copy", "ONNX Runtime" };

struct bench {
	struct runtime *rt[2]; /* FUSED and BASE */
	struct ort *ort;       /* NULL: no peer */
	int threads, rounds;
	const char *only; /* the one case to run, or NULL */
	struct arena arena;
	struct diag diag;
	struct buf json;
};

/* One shape and dtype. in is the body of a cell that ours read, out where the
 * copy and the peer write. */
struct run {
	struct bench *b;
	enum dtype dtype;
	int64_t rows, n;
	size_t size;
	struct cell *arg[2][2], *result[2];
	const void *in;
	void *out[N_WHO];
	struct ort_softmax *peer;
	int reps[N_WHO];
	double us[N_WHO][MAX_ROUNDS];
};

/* The middle of sorted numbers, and what 10 % of them are below and above. */
struct spread {
	double p10, median, p90;
};

static const char help[] =
"usage: bench [options]\n"
"\n"
"Measures softmax of a compiled library. The copy is made by one thread.\n"
"\n"
"  --lib=DIR      the library (else $KVAOT_LIB, or the one of the program)\n"
"  --ort=FILE     libonnxruntime.so.1, to be compared with\n"
"  --threads=N    threads of ours and of ONNX Runtime (1)\n"
"  --rounds=N     slices of each (31)\n"
"  --case=CASE    just one, e.g. 1024x1024:float32\n"
"  --json=FILE    also write the figures as JSON, one case a line; numbers\n"
"                 come as [10th percentile, median, 90th percentile]\n"
"  --help\n";

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct spread
spread_of(const double *x, int n)
{
	double s[MAX_ROUNDS];

	memcpy(s, x, (size_t)n * sizeof *s);
	qsort(s, (size_t)n, sizeof *s, by_value);
	return (struct spread){ s[n / 10], s[n / 2], s[n - 1 - n / 10] };
}

/* Copies with ordinary stores at every size; memcpy would not. */
#define COPY_WITH(name, bytes, ...)                                          \
	__VA_ARGS__ static void                                              \
	name(void *to, const void *from, size_t n)                           \
	{                                                                    \
		typedef char block __attribute__((vector_size(bytes),        \
		    aligned(1)));                                            \
		block *t = to;                                               \
		const block *f = from;                                       \
		for (size_t i = 0; i < n / sizeof *t; i += 4) {              \
			t[i] = f[i];                                         \
			t[i + 1] = f[i + 1];                                 \
			t[i + 2] = f[i + 2];                                 \
			t[i + 3] = f[i + 3];                                 \
			/* Keeps the loop from becoming a memcpy. */         \
			__asm__ volatile("" ::: "memory");                   \
		}                                                            \
	}                                                                    \
	struct name

COPY_WITH(copy_sse, 16, );
COPY_WITH(copy_avx, 32, __attribute__((target("avx"))));

_Noreturn static void
refuse(struct bench *b)
{
	diag_print(&b->diag, stderr, 0);
	exit(EXIT_REFUSED);
}

static void
call_ours(struct run *r, enum who who)
{
	struct runtime *rt = r->b->rt[who];

	runtime_release(rt, r->result[who]);
	if (runtime_call(rt, who == FUSED ? "deepx·softmax.1" :
	    "deepx·softmax", r->arg[who], 2, &r->result[who], 1, &r->b->diag))
		refuse(r->b);
}

static void
call(struct run *r, enum who who)
{
	switch (who) {
	case FUSED:
	case BASE:
		call_ours(r, who);
		return;
	case COPY:
		(__builtin_cpu_supports("avx") ? copy_avx : copy_sse)(
		    r->out[COPY], r->in, r->size);
		return;
	case PEER:
		ort_softmax_run(r->peer);
		return;
	case N_WHO:
		break;
	}
	BUG("nobody to call");
}

static bool
takes_part(const struct run *r, enum who who)
{
	return who != PEER || r->peer;
}

/* The largest error of a row, in units of the last place of the right result
 * in the row's dtype. */
static double
row_error(const struct run *r, const char *out, int64_t row)
{
	bool wide = r->dtype == DT_FLOAT64;
	const float *x = (const float *)r->in + row * r->n;
	const double *X = (const double *)r->in + row * r->n;
	const float *y = (const float *)(const void *)out + row * r->n;
	const double *Y = (const double *)(const void *)out + row * r->n;
	long double sum = 0, want;
	double worst = 0;
	int e;

	for (int64_t i = 0; i < r->n; i++)
		sum += expl(wide ? X[i] : x[i]);
	for (int64_t i = 0; i < r->n; i++) {
		want = expl(wide ? X[i] : x[i]) / sum;
		frexpl(want, &e);
		worst = fmax(worst, (double)fabsl(ldexpl((wide ? Y[i] : y[i]) -
		    want, (wide ? DBL_MANT_DIG : FLT_MANT_DIG) - e)));
	}
	return worst;
}

static void
check_result(const struct run *r, enum who who, const void *out)
{
	int64_t step = r->rows / SAMPLED_ROWS + 1;
	double worst = 0;

	for (int64_t row = 0; row < r->rows; row += step)
		worst = fmax(worst, row_error(r, out, row));
	printf("  %-14s within %.2f ulp\n", who_name[who], worst);
	/* NaN must not pass. */
	if (worst <= MAX_ULPS)
		return;
	fprintf(stderr, "bench: %s is wrong by %g units of the last place\n",
	    who_name[who], worst);
	exit(EXIT_REFUSED);
}

/* Before the time is taken: everybody computes softmax, and ours give the
 * same bytes. */
static void
check_results(struct run *r)
{
	const void *out[N_WHO] = { 0 };

	for (int who = 0; who < N_WHO; who++)
		if (takes_part(r, who))
			call(r, who);
	out[FUSED] = runtime_body(r->result[FUSED])->body;
	out[BASE] = runtime_body(r->result[BASE])->body;
	out[PEER] = r->out[PEER];
	for (int who = 0; who < N_WHO; who++)
		if (who != COPY && takes_part(r, who))
			check_result(r, who, out[who]);
	if (memcmp(out[FUSED], out[BASE], r->size) != 0) {
		fprintf(stderr, "bench: softmax.1 and its base differ\n");
		exit(EXIT_REFUSED);
	}
}

/* How often the system took a CPU away from this process. */
static long
disturbances(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		fatal("cannot read what this process has used: %m");
	return u.ru_nivcsw;
}

/* The time of one call, of as many as make a slice. A slice in which others
 * took the CPU is tried again; failing that, the fastest one counts. */
static double
slice(struct run *r, enum who who)
{
	double t, best = INFINITY;
	long before;

	/* What the one before left in the caches is not ours. */
	if (r->reps[who] > 1)
		call(r, who);
	for (int i = 0; i < TRIES; i++) {
		before = disturbances();
		t = now_us();
		for (int j = 0; j < r->reps[who]; j++)
			call(r, who);
		best = fmin(best, (now_us() - t) / r->reps[who]);
		if (disturbances() == before)
			break;
	}
	return best;
}

static void
measure(struct run *r)
{
	double us;

	for (int who = 0; who < N_WHO; who++) {
		if (!takes_part(r, who))
			continue;
		r->reps[who] = 1;
		us = slice(r, who);
		us = fmin(us, slice(r, who));
		if (us < SLICE_US)
			r->reps[who] = (int)(SLICE_US / us) + 1;
	}
	for (int i = 0; i < r->b->rounds; i++)
		for (int who = 0; who < N_WHO; who++)
			if (takes_part(r, who))
				r->us[who][i] = slice(r, who);
}

/* Times of who over those of ours, round by round. */
static struct spread
ratio_to(const struct run *r, enum who who)
{
	double q[MAX_ROUNDS];

	for (int i = 0; i < r->b->rounds; i++)
		q[i] = r->us[who][i] / r->us[FUSED][i];
	return spread_of(q, r->b->rounds);
}

static void
report(struct run *r)
{
	double count = (double)(r->rows * r->n);

	for (int who = 0; who < N_WHO; who++) {
		struct spread t, q;

		if (!takes_part(r, who))
			continue;
		t = spread_of(r->us[who], r->b->rounds);
		q = ratio_to(r, who);
		printf("  %-14s %10.2f us (%.2f to %.2f)  %.3f ns/element  "
		    "%.0f %% of copy  %.2f x ours (%.2f to %.2f)\n",
		    who_name[who], t.median, t.p10, t.p90,
		    t.median * 1e3 / count, 100 * ratio_to(r, COPY).median /
		    q.median, q.median, q.p10, q.p90);
		buf_printf(&r->b->json, "{\"op\":\"softmax\",\"dtype\":\"%s\","
		    "\"shape\":[%lld,%lld],\"threads\":%d,\"who\":\"%s\","
		    "\"us\":[%.3f,%.3f,%.3f],\"over_ours\":[%.4f,%.4f,%.4f]}"
		    "\n", dtype_name(r->dtype), (long long)r->rows,
		    (long long)r->n, r->b->threads, who_name[who], t.p10,
		    t.median, t.p90, q.p10, q.median, q.p90);
	}
}

static void *
buffer(size_t n)
{
	void *p = aligned_alloc(64, (n + 63) / 64 * 64);

	if (!p)
		fatal("no memory for %zu bytes", n);
	/* Touched, so that no page is new while the time is taken. */
	memset(p, 0, n);
	return p;
}

static struct cell *
argument(struct run *r, enum who who, const struct value *v)
{
	struct cell *c = runtime_value(r->b->rt[who], v);

	if (!c)
		fatal("no memory for an argument of %zu bytes", v->n);
	return c;
}

static void
prepare(struct run *r)
{
	struct shape shape = { 2, { r->rows, r->n } }, scalar = { 0 };
	struct value tensor, axis;
	void *in;
	int32_t last = -1;

	r->size = (size_t)(r->rows * r->n) * dtype_size(r->dtype);
	in = buffer(r->size);
	argument_random(r->dtype, in, (size_t)(r->rows * r->n), 7);
	tensor = value_tensor(&r->b->arena, r->dtype, &shape, in);
	axis = value_tensor(&r->b->arena, DT_INT32, &scalar, &last);
	for (int who = FUSED; who <= BASE; who++) {
		r->arg[who][0] = argument(r, who, &tensor);
		r->arg[who][1] = argument(r, who, &axis);
	}
	free(in);
	r->in = runtime_body(r->arg[FUSED][0])->body;
	r->out[COPY] = buffer(r->size);
	r->out[PEER] = buffer(r->size);
	if (r->b->ort && r->dtype == DT_FLOAT32)
		r->peer = ort_softmax_new(r->b->ort, r->b->threads, r->rows,
		    r->n, r->in, r->out[PEER]);
}

static void
finish(struct run *r)
{
	ort_softmax_free(r->peer);
	for (int who = FUSED; who <= BASE; who++) {
		runtime_release(r->b->rt[who], r->arg[who][0]);
		runtime_release(r->b->rt[who], r->arg[who][1]);
		runtime_release(r->b->rt[who], r->result[who]);
	}
	free(r->out[COPY]);
	free(r->out[PEER]);
	free(r);
}

static void
run_shape(struct bench *b, enum dtype dtype, int64_t rows, int64_t n)
{
	struct run *r;

	if (b->only && strcmp(b->only, arena_printf(&b->arena,
	    "%lldx%lld:%s", (long long)rows, (long long)n,
	    dtype_name(dtype))))
		return;
	r = calloc(1, sizeof *r);
	if (!r)
		fatal("out of memory");
	r->b = b;
	r->dtype = dtype;
	r->rows = rows;
	r->n = n;
	printf("softmax %s %lldx%lld, threads: %d\n", dtype_name(dtype),
	    (long long)rows, (long long)n, b->threads);
	prepare(r);
	check_results(r);
	measure(r);
	report(r);
	fflush(stdout);
	finish(r);
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
parse(struct bench *b, int argc, char **argv, const char **lib,
    const char **ort, const char **json)
{
	const char *v;

	for (int i = 1; i < argc; i++) {
		if ((v = option(argv[i], "--lib")))
			*lib = v;
		else if ((v = option(argv[i], "--ort")))
			*ort = v;
		else if ((v = option(argv[i], "--json")))
			*json = v;
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

static void
open_runtimes(struct bench *b, const char *lib)
{
	struct runtime_options o = { .threads = b->threads, .out = stdout,
		.err = stderr };
	const char *tried;

	o.lib = library_find(&b->arena, lib, &tried);
	if (!o.lib)
		fatal("no library: expected --lib, $KVAOT_LIB or one of %s; "
		    "build one with `ninja -C out`", tried);
	for (int who = FUSED; who <= BASE; who++) {
		o.base = who == BASE;
		b->rt[who] = runtime_open(&o, &b->diag);
		if (!b->rt[who]) {
			diag_print(&b->diag, stderr, 0);
			exit(EXIT_ENV);
		}
	}
}

int
main(int argc, char **argv)
{
	static const int64_t shapes[][2] = { { 64, 128 }, { 1024, 1024 },
		{ 4096, 4096 } };
	struct bench b = { .threads = 1, .rounds = 31 };
	const char *lib = NULL, *ort = NULL, *json = NULL;

	fatal_program("bench");
	diag_init(&b.diag);
	parse(&b, argc, argv, &lib, &ort, &json);
	open_runtimes(&b, lib);
	if (ort)
		b.ort = ort_open(ort);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		run_shape(&b, DT_FLOAT32, shapes[i][0], shapes[i][1]);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		run_shape(&b, DT_FLOAT64, shapes[i][0], shapes[i][1]);
	if (json && file_write(json, b.json.p, b.json.n, false))
		fatal("cannot write %s: %m", json);
	ort_close(b.ort);
	runtime_close(b.rt[FUSED]);
	runtime_close(b.rt[BASE]);
	buf_release(&b.json);
	diag_release(&b.diag);
	arena_release(&b.arena);
	if (fflush(stdout) || ferror(stdout))
		fatal("cannot write standard output: %m");
	return EXIT_OK;
}
