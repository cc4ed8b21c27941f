/* SPDX-License-Identifier: MIT */
/* The loops of runtime/pool.c: every item once, cuts at multiples of the
 * grain, scratch, codes, cancelling, nesting, fork. */
#include <check.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "runtime/cpu.h"
#include "runtime/pool.h"

Suite *runtime_pool_suite(void);

/* The allocators of sanitizers end the program at an absurd size. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ALLOCATOR_STOPS 1
#endif
#endif

enum { N = 10007, GRAIN = 16 };

struct seen {
	const struct kvk_stream *s;
	struct pool *pool;
	atomic_int count[N];
	atomic_int pieces, bad, stop_at;
	size_t scratch;
};

static int
visit(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	struct seen *w = ctx;
	int64_t i;

	if (lo % GRAIN || (hi % GRAIN && hi != N) || lo >= hi)
		atomic_fetch_add(&w->bad, 1);
	if (w->scratch && ((uintptr_t)scratch % 64 || !scratch))
		atomic_fetch_add(&w->bad, 1);
	if (w->scratch)
		memset(scratch, (int)lo, w->scratch);
	for (i = lo; i < hi; i++)
		atomic_fetch_add(&w->count[i], 1);
	atomic_fetch_add(&w->pieces, 1);
	return KVK_OK;
}

static void
expect_all_once(const struct seen *w)
{
	int i;

	for (i = 0; i < N; i++)
		ck_assert_int_eq(atomic_load(&w->count[i]), 1);
	ck_assert_int_eq(atomic_load(&w->bad), 0);
}

static void
check_threads(int threads, int *pieces)
{
	struct pool *p = pool_new(threads);
	struct pool_stream s;
	struct seen *w = calloc(1, sizeof(*w));

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(pool_threads(p), threads);
	w->scratch = 1000;
	pool_stream(p, w->scratch, &s);
	ck_assert_int_eq(s.s.par(&s.s, N, GRAIN, visit, w), KVK_OK);
	expect_all_once(w);
	*pieces = atomic_load(&w->pieces);
	free(w);
	pool_free(p);
}

START_TEST(par__every_item_once)
{
	int pieces;

	check_threads(1, &pieces);
	ck_assert_int_eq(pieces, 1);
	check_threads(2, &pieces);
	ck_assert_int_gt(pieces, 1);
	check_threads(5, &pieces);
	ck_assert_int_gt(pieces, 1);
}
END_TEST

START_TEST(par__many_loops_with_sleep)
{
	struct pool *p = pool_new(3);
	struct seen *w = calloc(1, sizeof(*w));
	struct pool_stream s;
	int k, i;

	pool_stream(p, 0, &s);
	for (k = 1; k <= 300; k++) {
		ck_assert_int_eq(s.s.par(&s.s, N, GRAIN, visit, w), KVK_OK);
		if (k % 100 == 0)
			usleep(2000);
	}
	for (i = 0; i < N; i++)
		ck_assert_int_eq(atomic_load(&w->count[i]), 300);
	free(w);
	pool_free(p);
}
END_TEST

START_TEST(par__nothing_to_do)
{
	struct pool *p = pool_new(2);
	struct pool_stream s;

	pool_stream(p, 0, &s);
	ck_assert_int_eq(s.s.par(&s.s, 0, 1, visit, NULL), KVK_OK);
	pool_free(p);
}
END_TEST

static int
fail_late(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	(void)ctx;
	(void)scratch;
	return lo <= 500 && 500 < hi ? KVK_DIV0 : KVK_OK;
}

START_TEST(par__code_of_a_piece)
{
	int threads;

	for (threads = 1; threads <= 3; threads++) {
		struct pool *p = pool_new(threads);
		struct pool_stream s;

		pool_stream(p, 0, &s);
		ck_assert_int_eq(
		    s.s.par(&s.s, 1000, 1, fail_late, NULL), KVK_DIV0);
		ck_assert_int_eq(
		    s.s.par(&s.s, 500, 1, fail_late, NULL), KVK_OK);
		pool_free(p);
	}
}
END_TEST

static int
cancel_first(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	struct seen *w = ctx;

	(void)lo;
	(void)hi;
	(void)scratch;
	atomic_fetch_add(&w->pieces, 1);
	pool_cancel(w->pool);
	return KVK_OK;
}

START_TEST(cancel__stops_and_rearms)
{
	struct seen *w = calloc(1, sizeof(*w));
	struct pool_stream s;

	w->pool = pool_new(2);
	pool_stream(w->pool, 0, &s);
	ck_assert_int_eq(
	    s.s.par(&s.s, 1000, 1, cancel_first, w), KVK_CANCELLED);
	ck_assert_int_le(atomic_load(&w->pieces), 2);
	ck_assert_int_eq(
	    s.s.par(&s.s, N, GRAIN, visit, w), KVK_CANCELLED);
	pool_rearm(w->pool);
	ck_assert_int_eq(s.s.par(&s.s, N, GRAIN, visit, w), KVK_OK);
	expect_all_once(w);
	pool_free(w->pool);
	free(w);
}
END_TEST

static int
inner(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	struct seen *w = ctx;

	memset(scratch, 0, w->scratch);
	atomic_fetch_add(&w->pieces, (int)(hi - lo));
	return KVK_OK;
}

static int
outer(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	struct seen *w = ctx;
	char *mine = scratch;
	int rc;

	(void)lo;
	(void)hi;
	mine[0] = 7;
	rc = w->s->par(w->s, 10, 1, inner, w);
	if (mine[0] != 7)
		atomic_fetch_add(&w->bad, 1);
	return rc;
}

START_TEST(par__nested_has_its_own_scratch)
{
	struct pool *p = pool_new(2);
	struct seen *w = calloc(1, sizeof(*w));
	struct pool_stream s;

	w->scratch = 64;
	pool_stream(p, w->scratch, &s);
	w->s = &s.s;
	ck_assert_int_eq(s.s.par(&s.s, 2, 1, outer, w), KVK_OK);
	ck_assert_int_eq(atomic_load(&w->pieces), 20);
	ck_assert_int_eq(atomic_load(&w->bad), 0);
	free(w);
	pool_free(p);
}
END_TEST

static int
touch(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	(void)ctx;
	(void)lo;
	(void)hi;
	(void)scratch;
	return KVK_OK;
}

#ifndef ALLOCATOR_STOPS
START_TEST(par__no_memory_is_a_code)
{
	struct pool *p = pool_new(1);
	struct pool_stream s;

	pool_stream(p, (size_t)1 << 62, &s);
	ck_assert_int_eq(s.s.par(&s.s, 1, 1, touch, NULL), KVK_NOMEM);
	pool_free(p);
}
END_TEST
#endif

/* A child has no workers; its loops must still end. */
START_TEST(par__works_after_fork)
{
	struct pool *p = pool_new(3);
	struct seen *w = calloc(1, sizeof(*w));
	struct pool_stream s;
	int status, i, ok = 1;
	pid_t pid;

	pool_stream(p, 100, &s);
	ck_assert_int_eq(s.s.par(&s.s, N, GRAIN, touch, NULL), KVK_OK);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		alarm(10);
		if (s.s.par(&s.s, N, GRAIN, visit, w) != KVK_OK)
			_exit(2);
		for (i = 0; i < N; i++)
			ok &= atomic_load(&w->count[i]) == 1;
		pool_free(p);
		_exit(ok ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert_int_eq(s.s.par(&s.s, N, GRAIN, visit, w), KVK_OK);
	expect_all_once(w);
	free(w);
	pool_free(p);
}
END_TEST

static int
read_csr(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	atomic_int *bad = ctx;

	(void)lo;
	(void)hi;
	(void)scratch;
	usleep(100);
	/* FTZ is bit 15, DAZ bit 6, rounding bits 13 and 14. */
	if (_mm_getcsr() & 0xe040u)
		atomic_fetch_add(bad, 1);
	return KVK_OK;
}

START_TEST(cpu__register_set_and_restored)
{
	unsigned own = _mm_getcsr(), ftz = own | 0x8040u, former;
	struct pool_stream s;
	struct pool *p;
	atomic_int bad = 0;

	_mm_setcsr(ftz);
	p = pool_new(4);
	former = cpu_enter();
	pool_stream(p, 0, &s);
	ck_assert_int_eq(s.s.par(&s.s, 64, 1, read_csr, &bad), KVK_OK);
	cpu_leave(former);
	ck_assert_uint_eq(_mm_getcsr() & ~0x3fu, ftz & ~0x3fu);
	_mm_setcsr(own);
	ck_assert_int_eq(atomic_load(&bad), 0);
	pool_free(p);
}
END_TEST

START_TEST(isa__names)
{
	char why[200];

	ck_assert_str_eq(cpu_isa("x86-64", why)->name, "x86-64");
	ck_assert_ptr_eq(cpu_isa(NULL, why), isa_best());
	ck_assert_ptr_null(cpu_isa("z80", why));
	ck_assert_ptr_nonnull(strstr(why, "unknown isa z80"));
	ck_assert_ptr_nonnull(strstr(why, "x86-64-v3"));
}
END_TEST

Suite *
runtime_pool_suite(void)
{
	Suite *s = suite_create("runtime_pool");
	TCase *c = tcase_create("pool");

	tcase_set_timeout(c, 20);
	tcase_add_test(c, par__every_item_once);
	tcase_add_test(c, par__many_loops_with_sleep);
	tcase_add_test(c, par__nothing_to_do);
	tcase_add_test(c, par__code_of_a_piece);
	tcase_add_test(c, cancel__stops_and_rearms);
	tcase_add_test(c, par__nested_has_its_own_scratch);
#ifndef ALLOCATOR_STOPS
	tcase_add_test(c, par__no_memory_is_a_code);
#endif
	tcase_add_test(c, par__works_after_fork);
	tcase_add_test(c, cpu__register_set_and_restored);
	tcase_add_test(c, isa__names);
	suite_add_tcase(s, c);
	return s;
}
