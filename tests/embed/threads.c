/* SPDX-License-Identifier: MIT */
/*
 * usage: threads LIBRARY ANOTHER [CALLS]
 * 8 threads call softmax through two libraries; one of them is opened anew,
 * switched and closed all the while. Every result must have the bytes of the
 * first one, and the control register must stay as it is.
 */
#include <kvaot.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

enum { THREADS = 8, ROWS = 5, COLS = 67, N = ROWS * COLS };

/* A library and its function bound for the shape of this test. */
struct opened {
	struct kvaotLib *lib;
	const struct kvaotFn *fn;
	struct kvaotBound *bound;
};

static _Atomic(struct opened *) current;
static _Atomic(struct opened *) in_use[THREADS];
static struct opened fixed;
static atomic_int done, wrong;
static long calls = 10000;
static const char *path;
static int64_t axis = -1;
static float x[N], expected[N];

static const struct kvaotTensor tensors[2] = {
	{ .size = sizeof(struct kvaotTensor), .dtype = KVAOT_FLOAT32,
	    .rank = 2, .dim = { ROWS, COLS }, .data = x },
	{ .size = sizeof(struct kvaotTensor), .dtype = KVAOT_INT64,
	    .data = &axis },
};

static void
must(int code, const char *err)
{
	if (code == KVAOT_OK)
		return;
	fprintf(stderr, "threads: %s\n", err);
	exit(1);
}

static void
open_library(struct opened *o, const char *from, uint32_t flags)
{
	struct kvaotOptions opt = { .size = sizeof(opt), .flags = flags,
		.threads = 2 };
	char err[512];

	must(kvaotOpen(from, &opt, &o->lib, err, sizeof(err)), err);
	must(kvaotFind(o->lib, "deepx:softmax", &o->fn, err, sizeof(err)), err);
	must(kvaotBind(o->fn, tensors, 2, &o->bound, err, sizeof(err)), err);
}

static void
close_library(struct opened *o)
{
	kvaotClose(o->lib);
	kvaotUnbind(o->bound);
}

/* The present library, which the swapper leaves open until in_use[i] names
 * another one. */
static struct opened *
take_current(int i)
{
	struct opened *o;

	do {
		o = atomic_load(&current);
		atomic_store(&in_use[i], o);
	} while (atomic_load(&current) != o);
	return o;
}

static void
call(const struct opened *o, int bound)
{
	float y[N] = { 0 };
	struct kvaotTensor out = { .size = sizeof(out),
		.dtype = KVAOT_FLOAT32, .rank = 2, .dim = { ROWS, COLS },
		.data = y };
	const void *from[2] = { x, &axis };
	void *to[1] = { y };
	char err[512];

	if (bound)
		must(kvaotRun(o->bound, from, to, err, sizeof(err)), err);
	else
		must(kvaotCall(o->fn, tensors, 2, &out, 1, err, sizeof(err)),
		    err);
	if (memcmp(y, expected, sizeof(y)) != 0)
		atomic_fetch_add(&wrong, 1);
}

/* Binding goes on while others bind and call. */
static void
bind_anew(void)
{
	struct opened o = fixed;
	char err[512];

	must(kvaotFind(o.lib, "deepx:softmax.1", &o.fn, err, sizeof(err)), err);
	must(kvaotBind(o.fn, tensors, 2, &o.bound, err, sizeof(err)), err);
	call(&o, 1);
	kvaotUnbind(o.bound);
}

/* So does opening. */
static void
open_anew(void)
{
	struct opened o;

	open_library(&o, path, 0);
	call(&o, 1);
	close_library(&o);
}

static void *
caller(void *arg)
{
	int i = (int)(intptr_t)arg;
	unsigned mode = i % 2 ? 0x9fc0u : 0x1f80u;
	long k;

	_mm_setcsr(mode);
	for (k = 0; k < calls; k++) {
		if (k % 2) {
			call(&fixed, k % 4 == 1);
		} else {
			call(take_current(i), k % 4 == 0);
			atomic_store(&in_use[i], NULL);
		}
		if (k % 100 == 0)
			bind_anew();
		if (k % 2500 == 0)
			open_anew();
		if (_mm_getcsr() != mode)
			atomic_fetch_add(&wrong, 1);
	}
	atomic_fetch_add(&done, 1);
	return NULL;
}

/* Switches to a new library; the old one is closed when its calls are done. */
static void
swap(const char *from, uint32_t flags)
{
	struct opened *o = malloc(sizeof(*o)), *old;
	int i;

	if (!o)
		exit(1);
	open_library(o, from, flags);
	old = atomic_exchange(&current, o);
	for (i = 0; i < THREADS && old; i++) {
		while (atomic_load(&in_use[i]) == old)
			sched_yield();
	}
	if (old)
		close_library(old);
	free(old);
}

int
main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int i, swaps = 0;

	if (argc < 3)
		return 2;
	if (argc > 3)
		calls = atol(argv[3]);
	for (i = 0; i < N; i++)
		x[i] = (float)(i * 37 % 101) / 8 - 6;
	path = argv[1];
	open_library(&fixed, path, 0);
	must(kvaotRun(fixed.bound, (const void *[]){ x, NULL },
	    (void *[]){ expected }, NULL, 0), "the first call");
	swap(argv[2], 0);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, caller,
		    (void *)(intptr_t)i))
			return 3;
	}
	/* By its base it gives the same bytes. */
	while (atomic_load(&done) < THREADS)
		swap(argv[2], swaps++ % 2 ? 0 : KVAOT_BASE);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	close_library(atomic_load(&current));
	free(atomic_load(&current));
	close_library(&fixed);
	printf("%d threads, %ld calls each, %d swaps, %d wrong\n", THREADS,
	    calls, swaps, atomic_load(&wrong));
	return atomic_load(&wrong) != 0 || swaps == 0;
}
