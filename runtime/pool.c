/* SPDX-License-Identifier: MIT */
#include "runtime/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fatal.h"
#include "runtime/cpu.h"

/* A worker looks for work about 50 us long before it sleeps: waking a sleeper
 * costs nearly as much. */
enum { SPINS = 1000, MAX_THREADS = 1024, PIECES_A_THREAD = 4 };

/* job.state: this bit while workers may enter, below it how many are in. */
#define OPEN (1u << 31)

typedef int body_fn(void *, int64_t, int64_t, void *);

struct job {
	body_fn *body;
	void *ctx;
	int64_t n, step;
	atomic_llong next;   /* first item nobody has taken */
	atomic_int code;     /* KVK_OK, or what stopped the loop */
	atomic_uint state;
};

struct worker {
	struct pool *pool;
	pthread_t thread;
	void *scratch;
	size_t cap;
};

/*
 * worker[0] is the caller. `alive` lies in a page that a child process finds
 * zeroed after fork: there the threads do not exist, and loops run inline.
 */
struct pool {
	int n;
	struct worker *worker;
	struct job job;
	atomic_bool busy, stop, cancelled;
	atomic_uint turn;    /* counts the loops offered */
	atomic_int sleepers;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	volatile int *alive;
	size_t page;
};

static void
run_pieces(struct pool *p, void *scratch)
{
	struct job *j = &p->job;
	long long lo, hi;
	int rc, ok;

	while (atomic_load(&j->code) == KVK_OK) {
		lo = atomic_fetch_add(&j->next, j->step);
		if (lo >= j->n)
			return;
		hi = j->n - lo < j->step ? j->n : lo + j->step;
		rc = atomic_load(&p->cancelled) ? KVK_CANCELLED :
		    j->body(j->ctx, lo, hi, scratch);
		ok = KVK_OK;
		if (rc != KVK_OK)
			atomic_compare_exchange_strong(&j->code, &ok, rc);
	}
}

/* A worker may wake after the loop it was called for has ended; then the job
 * is closed and must not be touched. */
static bool
job_enter(struct job *j)
{
	unsigned s = atomic_load(&j->state);

	while (s & OPEN) {
		if (atomic_compare_exchange_weak(&j->state, &s, s + 1))
			return true;
	}
	return false;
}

static void
wait_turn(struct pool *p, unsigned seen)
{
	int i;

	for (i = 0; i < SPINS; i++) {
		if (atomic_load(&p->turn) != seen || atomic_load(&p->stop))
			return;
		__builtin_ia32_pause();
	}
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add(&p->sleepers, 1);
	while (atomic_load(&p->turn) == seen && !atomic_load(&p->stop))
		pthread_cond_wait(&p->wake, &p->lock);
	atomic_fetch_sub(&p->sleepers, 1);
	pthread_mutex_unlock(&p->lock);
}

static void *
worker_main(void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;
	unsigned seen = 0;

	cpu_enter();
	while (!atomic_load(&p->stop)) {
		wait_turn(p, seen);
		seen = atomic_load(&p->turn);
		if (job_enter(&p->job)) {
			run_pieces(p, w->scratch);
			atomic_fetch_sub(&p->job.state, 1);
		}
	}
	return NULL;
}

static void
wake_all(struct pool *p)
{
	if (atomic_load(&p->sleepers) > 0) {
		pthread_mutex_lock(&p->lock);
		pthread_cond_broadcast(&p->wake);
		pthread_mutex_unlock(&p->lock);
	}
}

static void *
scratch_alloc(size_t n)
{
	return aligned_alloc(64, (n + 63) / 64 * 64);
}

static int
scratch_grow(struct worker *w, size_t n)
{
	if (w->cap >= n)
		return KVK_OK;
	free(w->scratch);
	w->cap = 0;
	w->scratch = scratch_alloc(n);
	if (!w->scratch)
		return KVK_NOMEM;
	w->cap = n;
	return KVK_OK;
}

/* Items a piece: a multiple of grain, a few pieces for each thread. */
static int64_t
piece_size(int64_t n, int64_t grain, int threads)
{
	int64_t pieces = (n - 1) / grain + 1;
	int64_t each = pieces / ((int64_t)threads * PIECES_A_THREAD);

	return (each > 1 ? each : 1) * grain;
}

/* Offers the loop to the workers, takes part, and waits until all who entered
 * have left. */
static int
run_parallel(struct pool *p, int64_t n, int64_t grain, body_fn *body,
    void *ctx)
{
	struct job *j = &p->job;
	int i;

	j->body = body;
	j->ctx = ctx;
	j->n = n;
	j->step = piece_size(n, grain, p->n);
	atomic_store(&j->next, 0);
	atomic_store(&j->code, KVK_OK);
	atomic_store(&j->state, OPEN);
	atomic_fetch_add(&p->turn, 1);
	wake_all(p);
	run_pieces(p, p->worker[0].scratch);
	atomic_fetch_and(&j->state, ~OPEN);
	for (i = 0; atomic_load(&j->state) != 0; i++) {
		if (i < SPINS)
			__builtin_ia32_pause();
		else
			sched_yield();
	}
	return atomic_load(&j->code);
}

/* A loop inside a piece runs in that piece's thread, with scratch of its
 * own: the thread's is in use. */
static int
run_nested(const struct pool_stream *st, int64_t n, body_fn *body, void *ctx)
{
	void *scratch = NULL;
	int rc;

	if (st->scratch && !(scratch = scratch_alloc(st->scratch)))
		return KVK_NOMEM;
	rc = body(ctx, 0, n, scratch);
	free(scratch);
	return rc;
}

static int
pool_par(const struct kvk_stream *s, int64_t n, int64_t grain, body_fn *body,
    void *ctx)
{
	const struct pool_stream *st = (const struct pool_stream *)s;
	struct pool *p = st->pool;
	int rc = KVK_OK, i, used;

	if (n <= 0)
		return KVK_OK;
	if (atomic_load(&p->cancelled))
		return KVK_CANCELLED;
	if (grain < 1)
		grain = 1;
	if (atomic_exchange(&p->busy, true))
		return run_nested(st, n, body, ctx);
	used = n <= grain || !*p->alive ? 1 : p->n;
	for (i = 0; i < used && rc == KVK_OK; i++)
		rc = scratch_grow(&p->worker[i], st->scratch);
	if (rc == KVK_OK && used == 1)
		rc = body(ctx, 0, n, p->worker[0].scratch);
	else if (rc == KVK_OK)
		rc = run_parallel(p, n, grain, body, ctx);
	atomic_store(&p->busy, false);
	return rc;
}

static int
cpu_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static int
start_workers(struct pool *p, int threads)
{
	int i, rc;

	for (i = 0; i < threads; i++)
		p->worker[i].pool = p;
	for (p->n = 1; p->n < threads; p->n++) {
		i = p->n;
		rc = pthread_create(
		    &p->worker[i].thread, NULL, worker_main, &p->worker[i]);
		if (rc) {
			errno = rc;
			return -1;
		}
	}
	return 0;
}

static int
map_alive(struct pool *p)
{
	void *m;

	p->page = (size_t)sysconf(_SC_PAGESIZE);
	m = mmap(NULL, p->page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return -1;
	p->alive = m;
	if (madvise(m, p->page, MADV_WIPEONFORK))
		return -1;
	*p->alive = 1;
	return 0;
}

struct pool *
pool_new(int threads)
{
	struct pool *p = calloc(1, sizeof(*p));
	int saved;

	if (threads <= 0)
		threads = cpu_count();
	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	if (p)
		p->worker = calloc((size_t)threads, sizeof(*p->worker));
	if (!p || !p->worker)
		fatal("out of memory for %d threads", threads);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	if (map_alive(p) || start_workers(p, threads)) {
		saved = errno;
		pool_free(p);
		errno = saved;
		return NULL;
	}
	return p;
}

static void
join_workers(struct pool *p)
{
	int i;

	atomic_store(&p->stop, true);
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (i = 1; i < p->n; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
}

void
pool_free(struct pool *p)
{
	int i;

	if (!p)
		return;
	/* In a forked child there is nobody to join. */
	if (p->alive && *p->alive)
		join_workers(p);
	for (i = 0; i < p->n; i++)
		free(p->worker[i].scratch);
	if (p->alive)
		munmap((void *)p->alive, p->page);
	free(p->worker);
	free(p);
}

int
pool_threads(const struct pool *p)
{
	return p->n;
}

void
pool_stream(struct pool *p, size_t scratch, struct pool_stream *out)
{
	*out = (struct pool_stream){
		.s = { .abi = KVK_ABI, .size = sizeof(struct kvk_stream),
		    .par = pool_par },
		.pool = p,
		.scratch = scratch,
	};
}

void
pool_cancel(struct pool *p)
{
	atomic_store(&p->cancelled, true);
}

bool
pool_cancelled(const struct pool *p)
{
	return atomic_load(&p->cancelled);
}

void
pool_rearm(struct pool *p)
{
	atomic_store(&p->cancelled, false);
}
