/* SPDX-License-Identifier: MIT */
#include "runtime/blas.h"

#include <pthread.h>
#include <string.h>
#include <xmmintrin.h>

#include "runtime/cpu.h"
#include "space/manifest.h"

/*
 * A BLAS library has one number of threads for the whole process, and what it
 * computes depends on it: products run at the same time only if they want the
 * same number. threads: that of those that run.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	struct blas_library lib;
	bool open;
	int threads, running;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.idle = PTHREAD_COND_INITIALIZER };

/* A fork waits for the products: their threads do not exist in the child. */
static void
before_fork(void)
{
	pthread_mutex_lock(&shared.lock);
	while (shared.running > 0)
		pthread_cond_wait(&shared.idle, &shared.lock);
}

static void
after_fork(void)
{
	pthread_mutex_unlock(&shared.lock);
}

static void
in_child(void)
{
	/* Nobody waits here, whatever the parent's threads did. */
	shared.idle = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	after_fork();
}

int
blas_load(char why[BLAS_WHY])
{
	unsigned former = _mm_getcsr();
	int rc = 0;

	pthread_mutex_lock(&shared.lock);
	if (!shared.open) {
		rc = blas_open(&shared.lib, why);
		cpu_leave(former);
		/* After the library's own handler, so that ours goes first. */
		if (!rc && pthread_atfork(before_fork, after_fork, in_child)) {
			strcpy(why, "no memory to watch for forks");
			rc = -1;
		}
		shared.open = !rc;
	}
	pthread_mutex_unlock(&shared.lock);
	return rc;
}

static void
begin(int threads)
{
	pthread_mutex_lock(&shared.lock);
	while (shared.running > 0 && shared.threads != threads)
		pthread_cond_wait(&shared.idle, &shared.lock);
	/* The program may have set another one. */
	if (shared.running == 0 && shared.lib.set_threads)
		shared.lib.set_threads(threads);
	shared.threads = threads;
	shared.running++;
	pthread_mutex_unlock(&shared.lock);
}

static void
end(void)
{
	pthread_mutex_lock(&shared.lock);
	if (--shared.running == 0)
		pthread_cond_broadcast(&shared.idle);
	pthread_mutex_unlock(&shared.lock);
}

#define GEMM(name, T) \
	static int \
	name(const struct kvk_blas *k, int64_t rows, int64_t columns, \
	    int64_t inner, const T *a, const T *b, T *c) \
	{ \
		int m = (int)rows, n = (int)columns, l = (int)inner; \
		unsigned former = _mm_getcsr(); \
		\
		if (rows < 1 || columns < 1 || inner < 1 || m != rows || \
		    n != columns || l != inner) \
			return KVK_DIM; \
		begin(((const struct blas *)k)->threads); \
		shared.lib.name(BLAS_ROW_MAJOR, BLAS_NO_TRANS, BLAS_NO_TRANS, \
		    m, n, l, 1, a, l, b, n, 0, c, n); \
		end(); \
		cpu_leave(former); \
		return KVK_OK; \
	}

GEMM(sgemm, float)
GEMM(dgemm, double)

void
blas_init(struct blas *b, int threads)
{
	*b = (struct blas){ .k = { .abi = KVK_ABI,
		.size = sizeof(struct kvk_blas), .sgemm = sgemm,
		.dgemm = dgemm }, .threads = threads };
}

/* BLAS has floats only. */
bool
blas_needed(const struct manifest_row *m)
{
	return strcmp(m->author, "cblas") == 0 && dtype_is_float(m->dtype) &&
	    !dtype_is_half(m->dtype);
}
