/* SPDX-License-Identifier: MIT */
/* libkvaot's calls: results, refusals by name, overlap, their cost. */
#include "tests/t_runtime_kvaot.h"

#include <math.h>
#include <time.h>

Suite *runtime_kvaot_run_suite(void);

/* [1,2;3,4] along the last axis: the version adds 100, the base the sum. */
START_TEST(run__version_and_base)
{
	static const float x[4] = { 1, 2, 3, 4 };
	static const float last[4] = { 101, 102, 103, 104 };
	static const float first[4] = { 5, 8, 7, 10 };
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 2, 2, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct kvaotTensor out = tensor(0, -1, -1, NULL);
	struct embedding e;
	struct kvaotBound *b;
	float y[4];

	setup(&e, NULL);
	b = bind(&e, "d:f", in, 2);
	ck_assert_int_eq(kvaotResult(b, 0, &out, NULL, 0), 0);
	ck_assert_int_eq(out.dtype, KVAOT_FLOAT32);
	ck_assert_int_eq(out.rank, 2);
	ck_assert_int_eq(out.dim[0] * 10 + out.dim[1], 22);
	run(&e, b, (const void *[]){ x, NULL }, (void *[]){ y });
	expect_floats(y, last, 4);
	kvaotUnbind(b);
	axis = 0;
	b = bind(&e, "d·f", in, 2);
	run(&e, b, (const void *[]){ x, &axis }, (void *[]){ y });
	expect_floats(y, first, 4);
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

START_TEST(run__copies_scalars_and_chains)
{
	static const float x[4] = { 1, 2, 3, 4 };
	static const float plus[4] = { 3.5f, 4.5f, 5.5f, 6.5f };
	static const float chained[4] = { 105, 107, 109, 111 };
	const double c = 2.5;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 2, 2, x),
		tensor(KVAOT_FLOAT64, -1, -1, &c) };
	struct embedding e;
	struct kvaotBound *b;
	float y[4], z[4];

	setup(&e, NULL);
	b = bind(&e, "d·scaled", in, 2);
	run(&e, b, (const void *[]){ x, &c }, (void *[]){ y, z });
	expect_floats(y, plus, 4);
	expect_floats(z, plus, 4);
	kvaotUnbind(b);
	b = bind(&e, "d·same", in, 1);
	run(&e, b, (const void *[]){ x }, (void *[]){ z });
	expect_floats(z, x, 4);
	kvaotUnbind(b);
	b = bind(&e, "d·flat", in, 1);
	run(&e, b, (const void *[]){ x }, (void *[]){ y });
	expect_floats(y, x, 4);
	kvaotUnbind(b);
	b = bind(&e, "d·chain", in, 1);
	run(&e, b, (const void *[]){ x }, (void *[]){ y });
	expect_floats(y, chained, 4);
	/* p, q, r and u are never all alive: two places of 64 bytes do. */
	ck_assert_uint_eq(b->tape.work, 128);
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

/* Without elements nothing runs and NULL is a pointer. */
START_TEST(run__no_elements)
{
	struct kvaotTensor in = tensor(KVAOT_FLOAT32, 0, 3, NULL);
	struct embedding e;
	struct kvaotBound *b;

	setup(&e, NULL);
	b = bind(&e, "d·same", &in, 1);
	run(&e, b, (const void *[]){ NULL }, (void *[]){ NULL });
	kvaotUnbind(b);
	b = bind(&e, "d·bad", &in, 1);
	run(&e, b, (const void *[]){ NULL }, (void *[]){ NULL });
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

/* What is refused, and the words that say which parameter and why. */
START_TEST(refuse__by_name)
{
	static const float x[6];
	const int64_t axis = 0;
	const struct kvaotTensor f22 = tensor(KVAOT_FLOAT32, 2, 2, x),
	    f3 = tensor(KVAOT_FLOAT32, 3, -1, x),
	    i22 = tensor(KVAOT_INT32, 2, 2, NULL),
	    a = tensor(KVAOT_INT64, -1, -1, &axis),
	    unknown = tensor(KVAOT_INT64, -1, -1, NULL);
	struct kvaotTensor rank9 = f22, short1 = f22, negative = f22,
	    dtype99 = f22, huge = f22;
	const struct {
		const char *name;
		struct kvaotTensor in[2];
		uint32_t n;
		const char *words;
	} row[] = {
		{ "d·f", { i22, a }, 2, "d·f arg 1 (A): expected "
		    "[*]float32|[*]float64, got [2,2]int32" },
		{ "d·flat", { f3 }, 1,
		    "d·flat arg 1 (A): expected [2,2]float32, got [3]float32" },
		{ "d·both", { f22, f3 }, 2, "do not broadcast" },
		{ "d·f", { f22 }, 1, "d·f expects 2 args (A, axis), got 1" },
		{ "d·f", { f22, unknown }, 2,
		    "arg 2 (axis): expected a value known before the call" },
		{ "d·unset", { f22 }, 1, "result 1 (B) is not set" },
		{ "d·says", { f22 }, 1, "println prints" },
		{ "d·same", { rank9 }, 1, "arg 1 (A): expected a rank from 0 "
		    "to 8, found 9" },
		{ "d·same", { short1 }, 1, "arg 1 (A): its size must be" },
		{ "d·same", { negative }, 1, "at least 0, found -3" },
		{ "d·same", { dtype99 }, 1, "expected a dtype of kvaot.h, "
		    "found 99" },
		{ "d·same", { huge }, 1, "more bytes than there can be" },
		{ "deepx/t·sum", { f22, a }, 2, "deepx/t·sum expects 3 args "
		    "(A, axis, keepdims), got 2" },
	};
	struct kvaotTensor in[2];
	struct kvaotBound *b = NULL;
	struct embedding e;
	size_t i;

	setup(&e, NULL);
	for (i = 0; i < sizeof(row) / sizeof(*row); i++) {
		memcpy(in, row[i].in, sizeof(in));
		if (strstr(row[i].words, "found 9") && i == 7)
			in[0].rank = 9;
		in[0].size -= i == 8 ? 4 : 0;
		in[0].dim[1] = i == 9 ? -3 : in[0].dim[1];
		in[0].dtype = i == 10 ? 99 : in[0].dtype;
		in[0].dim[0] = i == 11 ? INT64_MAX / 2 : in[0].dim[0];
		ck_assert_int_eq(kvaotBind(find(&e, row[i].name), in,
		    row[i].n, &b, e.err, sizeof(e.err)), KVAOT_REFUSED);
		ck_assert_msg(strstr(e.err, row[i].words), "expected %s\n"
		    "found %s", row[i].words, e.err);
	}
	teardown(&e);
}
END_TEST

static void
expect_run_refused(struct embedding *e, const struct kvaotBound *b,
    const void *const *in, void *const *out, const char *words)
{
	ck_assert_int_eq(
	    kvaotRun(b, in, out, e->err, sizeof(e->err)), KVAOT_REFUSED);
	ck_assert_msg(strstr(e->err, words), "expected %s\nfound %s", words,
	    e->err);
}

START_TEST(refuse__pointers)
{
	int64_t axis = -1, other = 0;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 2, 2, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct embedding e;
	struct kvaotBound *b;
	float x[8] = { 1, 2, 3, 4 }, y[8];

	setup(&e, NULL);
	b = bind(&e, "d·f", in, 2);
	expect_run_refused(&e, b, (const void *[]){ NULL, NULL },
	    (void *[]){ y }, "d·f arg 1 (A): expected a pointer, got NULL");
	expect_run_refused(&e, b, (const void *[]){ x, NULL },
	    (void *[]){ NULL },
	    "d·f result 1 (B): expected a pointer, got NULL");
	expect_run_refused(&e, b, (const void *[]){ (char *)x + 2, NULL },
	    (void *[]){ y }, "arg 1 (A): the pointer is not aligned");
	expect_run_refused(&e, b, (const void *[]){ x, &other },
	    (void *[]){ y }, "arg 2 (axis): another value than it was bound");
	expect_run_refused(&e, b, NULL, (void *[]){ y }, "d·f: in is NULL");
	expect_run_refused(&e, b, (const void *[]){ x, NULL },
	    (void *[]){ x + 1 }, "result 1 (B): overlaps arg 1 (A)");
	expect_run_refused(&e, b, (const void *[]){ x + 3, NULL },
	    (void *[]){ x }, "result 1 (B): overlaps arg 1 (A)");
	/* The kernel allows its input's memory, and neighbours are none. */
	run(&e, b, (const void *[]){ x, &axis }, (void *[]){ x });
	expect_floats(x, (float[]){ 101, 102, 103, 104 }, 4);
	run(&e, b, (const void *[]){ x, &axis }, (void *[]){ x + 4 });
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

/* both: C = A + B, then D = C + A. A is read after C is there. */
START_TEST(run__overlap_over_several_kernels)
{
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 4, -1, NULL),
		tensor(KVAOT_FLOAT32, 4, -1, NULL) };
	struct kvaotTensor one = tensor(KVAOT_FLOAT32, 1, -1, NULL);
	float a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 10, 10, 10 }, c[4];
	int64_t axis = 0;
	struct embedding e;
	struct kvaotBound *k;

	setup(&e, NULL);
	k = bind(&e, "d·both", in, 2);
	expect_run_refused(&e, k, (const void *[]){ a, b },
	    (void *[]){ a, c }, "result 1 (C): overlaps arg 1 (A)");
	expect_run_refused(&e, k, (const void *[]){ a, b },
	    (void *[]){ c, c }, "result 2 (D): overlaps result 1 (C)");
	run(&e, k, (const void *[]){ a, b }, (void *[]){ b, a });
	expect_floats(b, (float[]){ 11, 12, 13, 14 }, 4);
	expect_floats(a, (float[]){ 12, 14, 16, 18 }, 4);
	kvaotUnbind(k);
	/* An input that is spread over the result is not the same memory. */
	in[1] = one;
	k = bind(&e, "d·both", in, 2);
	expect_run_refused(&e, k, (const void *[]){ a, c },
	    (void *[]){ c, b }, "result 1 (C): overlaps arg 2 (B)");
	kvaotUnbind(k);
	in[1] = tensor(KVAOT_INT64, -1, -1, &axis);
	in[0] = tensor(KVAOT_FLOAT32, 1, 4, NULL);
	k = bind(&e, "d·f", in, 2);
	run(&e, k, (const void *[]){ a, NULL }, (void *[]){ a });
	expect_floats(a, (float[]){ 24, 28, 32, 36 }, 4);
	kvaotUnbind(k);
	teardown(&e);
}
END_TEST

/* A kernel that does not allow its input's memory is taken at its word, also
 * where the elements would fit. */
START_TEST(refuse__overlap_that_the_kernel_does_not_allow)
{
	int64_t axis = 1;
	uint8_t keep = 1;
	struct kvaotTensor in[3] = { tensor(KVAOT_FLOAT32, 4, 1, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis),
		tensor(KVAOT_BOOL, -1, -1, &keep) };
	float a[4] = { 1, 2, 3, 4 }, s[4];
	struct embedding e;
	struct kvaotBound *k;

	setup(&e, NULL);
	k = bind(&e, "deepx/t·sum", in, 3);
	run(&e, k, (const void *[]){ a, NULL, NULL }, (void *[]){ s });
	expect_floats(s, a, 4);
	expect_run_refused(&e, k, (const void *[]){ a, NULL, NULL },
	    (void *[]){ a },
	    "deepx/t·sum result 1 (B): overlaps arg 1 (A), which this call "
	    "does not allow");
	kvaotUnbind(k);
	teardown(&e);
}
END_TEST

START_TEST(call__checks_results)
{
	float x[4] = { 1, 2, 3, 4 }, y[4];
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 2, 2, x),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct kvaotTensor out = tensor(KVAOT_FLOAT32, 2, 2, y);
	const struct kvaotFn *f;
	struct embedding e;
	int i;

	setup(&e, NULL);
	f = find(&e, "d·f");
	/* More kinds of call than are kept. */
	for (i = 0; i < 3 * EMBED_CALLS; i++) {
		in[0].dim[0] = out.dim[0] = i % 3;
		axis = i < 100 ? -1 : -1 - i % 2;
		ck_assert_msg(kvaotCall(f, in, 2, &out, 1, e.err,
		    sizeof(e.err)) == 0, "%s", e.err);
		if (i % 3 == 2 && axis == -1)
			expect_floats(
			    y, (float[]){ 101, 102, 103, 104 }, 4);
		if (i % 3 == 2 && axis == -2)
			expect_floats(y, (float[]){ 5, 8, 7, 10 }, 4);
	}
	out.dim[1] = 3;
	ck_assert_int_eq(kvaotCall(f, in, 2, &out, 1, e.err, sizeof(e.err)),
	    KVAOT_REFUSED);
	ck_assert_str_eq(e.err, "TypeError: d·f result 1 (B): expected "
	    "[2,2]float32, got [2,3]float32");
	out = tensor(KVAOT_FLOAT64, 2, 2, y);
	ck_assert_int_eq(kvaotCall(f, in, 2, &out, 1, e.err, sizeof(e.err)),
	    KVAOT_REFUSED);
	in[0].data = NULL;
	ck_assert_int_eq(kvaotCall(f, in, 2, &out, 1, e.err, sizeof(e.err)),
	    KVAOT_REFUSED);
	ck_assert_msg(strstr(e.err, "d·f arg 1 (A): expected data"), "%s",
	    e.err);
	ck_assert_int_eq(kvaotCall(f, in, 2, &out, 2, e.err, sizeof(e.err)),
	    KVAOT_REFUSED);
	teardown(&e);
}
END_TEST

START_TEST(run__kernel_fails)
{
	float x[1] = { 1 }, y[1];
	struct kvaotTensor in = tensor(KVAOT_FLOAT32, 1, -1, NULL);
	struct embedding e;
	struct kvaotBound *b;

	setup(&e, NULL);
	b = bind(&e, "d·bad", &in, 1);
	ck_assert_int_eq(kvaotRun(b, (const void *[]){ x }, (void *[]){ y },
	    e.err, sizeof(e.err)), KVAOT_FAILED);
	ck_assert_str_eq(e.err, "d·bad: ZeroDivisionError: division by zero "
	    "(deepx/t·div)");
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOW 1
#endif
#endif
#ifndef __OPTIMIZE__
#define SLOW 1
#endif

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The quickest of many short batches is that of an undisturbed machine. */
START_TEST(run__costs_little_over_the_kernel)
{
	enum { BATCHES = 300, CALLS = 200 };
	static float x[40], y[40];
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 4, 8, NULL),
		tensor(KVAOT_FLOAT32, 4, 8, NULL) };
	const void *from[2] = { x, x };
	void *to[1] = { y }, *ptr[3] = { x, x, y };
	double run_ns = 1e9, kernel_ns = 1e9, t;
	struct embedding e;
	struct kvaotBound *b;
	kvk_fn *volatile fn;
	int i, k;

	setup(&e, NULL);
	b = bind(&e, "deepx/t·add", in, 2);
	ck_assert_uint_eq(b->tape.nstep, 1);
	fn = b->tape.step[0].fn;
	for (i = 0; i < BATCHES; i++) {
		t = now_ns();
		for (k = 0; k < CALLS; k++)
			kvaotRun(b, from, to, e.err, sizeof(e.err));
		run_ns = fmin(run_ns, (now_ns() - t) / CALLS);
		t = now_ns();
		for (k = 0; k < CALLS; k++)
			fn(ptr, b->tape.step[0].dims->dim, NULL);
		kernel_ns = fmin(kernel_ns, (now_ns() - t) / CALLS);
	}
#ifndef SLOW
	ck_assert_msg(run_ns - kernel_ns < 100, "%.1f ns over a kernel of "
	    "%.1f ns", run_ns - kernel_ns, kernel_ns);
#endif
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

Suite *
runtime_kvaot_run_suite(void)
{
	Suite *s = suite_create("runtime_kvaot_run");
	TCase *c = tcase_create("run");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, run__version_and_base);
	tcase_add_test(c, run__copies_scalars_and_chains);
	tcase_add_test(c, run__no_elements);
	tcase_add_test(c, refuse__by_name);
	tcase_add_test(c, refuse__pointers);
	tcase_add_test(c, run__overlap_over_several_kernels);
	tcase_add_test(c, refuse__overlap_that_the_kernel_does_not_allow);
	tcase_add_test(c, call__checks_results);
	tcase_add_test(c, run__kernel_fails);
	tcase_add_test(c, run__costs_little_over_the_kernel);
	suite_add_tcase(s, c);
	return s;
}
