/* SPDX-License-Identifier: MIT */
/*
 * usage: products LIBRARY [nofork]
 * 4 threads multiply matrices by cblas through two handles of a library that
 * differ in their numbers of threads, while the process forks. Every product is
 * right, and the control register stays. Without a BLAS library it prints what
 * binding says.
 */
#include <kvaot.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { THREADS = 4, CALLS = 50, FORKS = 5, M = 61, K = 83, N = 47 };

static float a[M * K], b[K * N], expected[M * N];
static struct kvaotBound *bound[2];
static atomic_int wrong;

static void
must(int code, const char *err)
{
	if (code == KVAOT_OK)
		return;
	fprintf(stderr, "products: %d %s\n", code, err);
	exit(1);
}

static struct kvaotBound *
bind_product(const char *path, int threads)
{
	const struct kvaotOptions opt = { .size = sizeof(opt),
		.threads = threads };
	const struct kvaotTensor in[2] = {
		{ .size = sizeof(*in), .dtype = KVAOT_FLOAT32, .rank = 2,
		    .dim = { M, K }, .data = a },
		{ .size = sizeof(*in), .dtype = KVAOT_FLOAT32, .rank = 2,
		    .dim = { K, N }, .data = b },
	};
	const struct kvaotFn *fn;
	struct kvaotBound *made;
	struct kvaotLib *lib;
	char err[1024];

	must(kvaotOpen(path, &opt, &lib, err, sizeof(err)), err);
	must(kvaotFind(lib, "deepx/cblas:matmul", &fn, err, sizeof(err)), err);
	must(kvaotBind(fn, in, 2, &made, err, sizeof(err)), err);
	kvaotClose(lib);
	return made;
}

/* Small integers: their sums are exact in any order. */
static void
set_matrices(void)
{
	int i, j, k;

	for (i = 0; i < M * K; i++)
		a[i] = (float)(i * 7 % 19 - 9);
	for (i = 0; i < K * N; i++)
		b[i] = (float)(i * 5 % 23 - 11);
	for (i = 0; i < M; i++) {
		for (j = 0; j < N; j++) {
			long sum = 0;

			for (k = 0; k < K; k++)
				sum += ((i * K + k) * 7 % 19 - 9) *
				    ((k * N + j) * 5 % 23 - 11);
			expected[i * N + j] = (float)sum;
		}
	}
}

static int
multiply(const struct kvaotBound *product)
{
	const void *in[2] = { a, b };
	float c[M * N];
	void *out[1] = { c };

	return kvaotRun(product, in, out, NULL, 0) ||
	    memcmp(c, expected, sizeof(c));
}

static void *
caller(void *arg)
{
	int i = (int)(intptr_t)arg, k;
	unsigned mode = i % 2 ? 0x9fc0u : 0x1f80u;

	_mm_setcsr(mode);
	for (k = 0; k < CALLS; k++) {
		if (multiply(bound[(i + k) % 2]) || _mm_getcsr() != mode)
			atomic_fetch_add(&wrong, 1);
	}
	return NULL;
}

static void
fork_now(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(multiply(bound[1]) || multiply(bound[0]) ? 1 : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		atomic_fetch_add(&wrong, 1);
}

int
main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int i;

	if (argc < 2)
		return 2;
	set_matrices();
	bound[0] = bind_product(argv[1], 1);
	bound[1] = bind_product(argv[1], 2);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, caller,
		    (void *)(intptr_t)i))
			return 3;
	}
	for (i = 0; i < FORKS && argc == 2; i++)
		fork_now();
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	kvaotUnbind(bound[0]);
	kvaotUnbind(bound[1]);
	printf("%d products, %d wrong\n", THREADS * CALLS,
	    atomic_load(&wrong));
	return atomic_load(&wrong) != 0;
}
