/* SPDX-License-Identifier: MIT */
#include "bench/limit.h"

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/fatal.h"
#include "bench/buffer.h"
#include "bench/peer.h"

/*
 * One loop for each number of streams. The compiler must not see that only a
 * copy is made, nor drop what is read and not used.
 */
#define MOVE(name, reads, writes, store)                                     \
	__attribute__((target("avx2"))) static void                          \
	name(void *const *out, const void *const *in, size_t n)              \
	{                                                                    \
		__m256i v[4], *t0 = out[0], *t1 = out[1];                    \
		const __m256i *f0 = in[0], *f1 = in[1];                      \
		for (size_t i = 0; i < n / sizeof *v; i += 4) {              \
			for (int k = 0; k < 4; k++) {                        \
				v[k] = _mm256_loadu_si256(f0 + i + k);       \
				if (reads > 1)                               \
					v[k] = _mm256_xor_si256(v[k],        \
					    _mm256_loadu_si256(f1 + i + k)); \
				if (writes > 0)                              \
					store(t0 + i + k, v[k]);             \
				if (writes > 1)                              \
					store(t1 + i + k, v[k]);             \
			}                                                    \
			__asm__ volatile("" : : "x"(v[0]), "x"(v[1]),        \
			    "x"(v[2]), "x"(v[3]) : "memory");                \
		}                                                            \
	}                                                                    \
	struct name

MOVE(read_1, 1, 0, _mm256_storeu_si256);
MOVE(move_1_1, 1, 1, _mm256_storeu_si256);
MOVE(move_2_1, 2, 1, _mm256_storeu_si256);
MOVE(move_2_2, 2, 2, _mm256_storeu_si256);
MOVE(past_1_1, 1, 1, _mm256_stream_si256);
MOVE(past_2_1, 2, 1, _mm256_stream_si256);
MOVE(past_2_2, 2, 2, _mm256_stream_si256);

struct job {
	void (*move)(void *const *, const void *const *, size_t);
	size_t bytes;
	const void *in[2];
	void *out[2];
};

static void *
limit_open(const char *folder, int threads, char why[PEER_WHY])
{
	static int open;

	(void)folder;
	(void)threads;
	if (__builtin_cpu_supports("avx2"))
		return &open;
	snprintf(why, PEER_WHY, "this CPU has no AVX2");
	return NULL;
}

static struct job *
prepared(const struct problem *p)
{
	struct job *j = calloc(1, sizeof *j);
	int n = 0;

	if (!j)
		fatal("out of memory");
	j->bytes = problem_bytes(p, 'x');
	j->in[0] = p->x;
	j->in[1] = p->y;
	for (const char *c = p->row->outputs; *c; c++)
		if (*c == 'F' || *c == 'f')
			j->out[n++] = buffer_new(j->bytes);
	return j;
}

static void *
limit_prepare(void *peer, const struct problem *p)
{
	struct job *j;

	(void)peer;
	/* Of products memory is no limit. */
	if (p->kind == CASE_matmul)
		return NULL;
	j = prepared(p);
	j->move = !j->out[0] ? read_1 : !j->in[1] ? move_1_1 :
	    !j->out[1] ? move_2_1 : move_2_2;
	return j;
}

static void *
past_prepare(void *peer, const struct problem *p)
{
	struct job *j;

	(void)peer;
	if (p->kind == CASE_matmul ||
	    problem_bytes(p, p->row->outputs[0]) < problem_bytes(p, 'x'))
		return NULL;
	j = prepared(p);
	j->move = !j->in[1] ? past_1_1 : !j->out[1] ? past_2_1 : past_2_2;
	return j;
}

static void
limit_run(void *job)
{
	const struct job *j = job;

	j->move(j->out, j->in, j->bytes);
	_mm_sfence();
}

static void
limit_drop(void *job)
{
	struct job *j = job;

	buffer_free(j->out[0]);
	buffer_free(j->out[1]);
	free(j);
}

const struct peer peer_limit = { "limit", limit_open, limit_prepare, limit_run,
	NULL, limit_drop };
const struct peer peer_limit_past = { "limit, past caches", limit_open,
	past_prepare, limit_run, NULL, limit_drop };

/* As many chains that none waits for itself. */
enum { CHAINS = 10 };

__attribute__((target("avx2,fma"))) static void
fma_of_8(int64_t n)
{
	__m256 a[CHAINS], b = _mm256_set1_ps(0.5F);

	for (int k = 0; k < CHAINS; k++)
		a[k] = _mm256_set1_ps((float)k);
	for (int64_t i = 0; i < n; i++) {
		for (int k = 0; k < CHAINS; k++) {
			a[k] = _mm256_fmadd_ps(a[k], b, b);
			__asm__ volatile("" : "+x"(a[k]));
		}
	}
}

__attribute__((target("avx512f"))) static void
fma_of_16(int64_t n)
{
	__m512 a[CHAINS], b = _mm512_set1_ps(0.5F);

	for (int k = 0; k < CHAINS; k++)
		a[k] = _mm512_set1_ps((float)k);
	for (int64_t i = 0; i < n; i++) {
		for (int k = 0; k < CHAINS; k++) {
			a[k] = _mm512_fmadd_ps(a[k], b, b);
			__asm__ volatile("" : "+v"(a[k]));
		}
	}
}

double
limit_fma(void)
{
	const int64_t n = 200000;
	bool wide = __builtin_cpu_supports("avx512f");
	double best = 0, ns;
	struct timespec from, to;

	if (!__builtin_cpu_supports("fma"))
		return 0;
	for (int i = 0; i < 10; i++) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		(wide ? fma_of_16 : fma_of_8)(n);
		clock_gettime(CLOCK_MONOTONIC, &to);
		ns = (double)(to.tv_sec - from.tv_sec) * 1e9 +
		    (double)(to.tv_nsec - from.tv_nsec);
		best = fmax(best, (double)n * CHAINS * (wide ? 16 : 8) * 2 /
		    ns);
	}
	return best;
}
