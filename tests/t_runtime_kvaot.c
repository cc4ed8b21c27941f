/* SPDX-License-Identifier: MIT */
/* libkvaot's libraries and functions: opening, finding, options, hooks, the
 * control register, fork. */
#include "tests/t_runtime_kvaot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <xmmintrin.h>

Suite *runtime_kvaot_suite(void);

START_TEST(describe__parameters)
{
	struct kvaotSignature s = { .size = sizeof(s) };
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 2, 3, NULL),
		tensor(KVAOT_BOOL, -1, -1, NULL) };
	struct kvaotTensor out[2] = { tensor(0, -1, -1, NULL),
		tensor(0, -1, -1, NULL) };
	struct embedding e;

	setup(&e, NULL);
	ck_assert_int_eq(kvaotDescribe(find(&e, "d·f"), &s, NULL, 0), 0);
	ck_assert_str_eq(s.name, "d·f");
	ck_assert_uint_eq(s.nin * 10 + s.nout, 21);
	ck_assert_str_eq(s.param[1].name, "axis");
	ck_assert_str_eq(s.param[1].type, "int64");
	ck_assert_str_eq(s.param[2].type, "[*]float32|[*]float64");
	ck_assert_int_eq(
	    kvaotDescribe(find(&e, "deepx/t:sum"), &s, NULL, 0), 0);
	ck_assert_uint_eq(s.nin, 3);
	ck_assert_str_eq(s.param[2].name, "keepdims");
	ck_assert_int_eq(kvaotShapes(find(&e, "d·both"),
	    (struct kvaotTensor[]){ in[0], tensor(KVAOT_FLOAT32, 3, -1, NULL) },
	    2, out, 2, e.err, sizeof(e.err)), 0);
	ck_assert_int_eq(out[1].rank, 2);
	ck_assert_int_eq(out[1].dim[0] * 10 + out[1].dim[1], 23);
	teardown(&e);
}
END_TEST

START_TEST(refuse__names)
{
	const struct kvaotFn *fn = NULL;
	struct embedding e;
	static const struct { const char *name, *words; } row[] = {
		{ "d·nothing", "no function or back end d·nothing" },
		{ "d·f.1.k0", "no function or back end d·f.1.k0" },
		{ "deepx·sum", "UnboundOpError: deepx·sum: abstract op has no "
		    "bound back end" },
		{ "deepx:sum", "the library has deepx/t·sum" },
	};
	size_t i;

	setup(&e, NULL);
	for (i = 0; i < sizeof(row) / sizeof(*row); i++) {
		ck_assert_int_eq(kvaotFind(e.h, row[i].name, &fn, e.err,
		    sizeof(e.err)), KVAOT_REFUSED);
		ck_assert_msg(strstr(e.err, row[i].words), "%s", e.err);
	}
	ck_assert_ptr_null(fn);
	ck_assert_int_eq(kvaotFind(e.h, NULL, &fn, e.err, 10), -1);
	ck_assert_str_eq(e.err, "kvaotFind");
	teardown(&e);
}
END_TEST

/* What the hooks were asked for. */
struct hooks {
	atomic_int allocs, live, pieces, pars, denied;
	char log[4096];
};

static void *
hook_alloc(void *ctx, size_t n)
{
	struct hooks *h = ctx;

	if (atomic_load(&h->denied))
		return NULL;
	atomic_fetch_add(&h->allocs, 1);
	atomic_fetch_add(&h->live, 1);
	return aligned_alloc(64, n);
}

static void
hook_release(void *ctx, void *p, size_t n)
{
	struct hooks *h = ctx;

	ck_assert_uint_eq(n % 64, 0);
	atomic_fetch_sub(&h->live, 1);
	free(p);
}

static void
hook_log(void *ctx, const char *line)
{
	struct hooks *h = ctx;

	strncat(h->log, line, sizeof(h->log) - strlen(h->log) - 2);
	strcat(h->log, "\n");
}

/* In reverse order, so that a piece that needs one before it would show. */
static void
hook_par(void *ctx, int64_t n, void (*piece)(void *job, int64_t i), void *job)
{
	struct hooks *h = ctx;
	unsigned own = _mm_getcsr();

	atomic_fetch_add(&h->pars, 1);
	_mm_setcsr(own | 0x8040u);
	while (n-- > 0) {
		atomic_fetch_add(&h->pieces, 1);
		piece(job, n);
		ck_assert_uint_eq(_mm_getcsr(), own | 0x8040u);
	}
	_mm_setcsr(own);
}

START_TEST(hooks__alloc_log_par)
{
	static float x[40][3], y[40][3];
	struct hooks h = { 0 };
	struct kvaotOptions o = { .size = sizeof(o), .ctx = &h, .threads = 2,
		.alloc = hook_alloc, .release = hook_release,
		.log = hook_log, .par = hook_par };
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 40, 3, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct embedding e;
	struct kvaotBound *b;
	int i;

	setup(&e, &o);
	ck_assert_msg(strstr(h.log, "open: ") && strstr(h.log, " 5 rows, isa"),
	    "%s", h.log);
	b = bind(&e, "d·f", in, 2);
	ck_assert_msg(strstr(h.log, "trace: d·f -> d·f.1 (float32 40x3)\n"),
	    "%s", h.log);
	ck_assert_msg(strstr(h.log, "trace: d·f.1.k0 row float32 *xn axis==-1"),
	    "%s", h.log);
	for (i = 0; i < 3; i++)
		run(&e, b, (const void *[]){ x, NULL }, (void *[]){ y });
	for (i = 0; i < 40 * 3; i++)
		ck_assert(y[i / 3][i % 3] == 100);
	/* 20 grains of 2 rows over 2 threads with 4 pieces each. */
	ck_assert_int_eq(atomic_load(&h.pars), 3);
	ck_assert_int_eq(atomic_load(&h.pieces), 3 * 10);
	ck_assert_int_gt(atomic_load(&h.allocs), 0);
	atomic_store(&h.denied, 1);
	ck_assert_int_eq(kvaotRun(b, (const void *[]){ x, NULL },
	    (void *[]){ y }, e.err, sizeof(e.err)), KVAOT_MEMORY);
	kvaotUnbind(b);
	teardown(&e);
	ck_assert_int_eq(atomic_load(&h.live), 0);
}
END_TEST

START_TEST(options__strict_base_and_sizes)
{
	struct kvaotOptions o = { .size = sizeof(o), .flags = KVAOT_BASE };
	struct { struct kvaotOptions o; uint64_t more; } next = {
		{ .size = sizeof(next) }, 0 };
	float x[4] = { 1, 2, 3, 4 }, y[4];
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 2, 2, x),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct kvaotBound *b = NULL;
	struct embedding e;
	struct kvaotLib *h;

	setup(&e, &o);
	b = bind(&e, "d·f", in, 2);
	run(&e, b, (const void *[]){ x, NULL }, (void *[]){ y });
	expect_floats(y, (float[]){ 4, 5, 10, 11 }, 4);
	kvaotUnbind(b);
	o.flags = KVAOT_STRICT;
	ck_assert_int_eq(
	    kvaotOpen(testlib_folder(&e.lib), &o, &h, NULL, 0), 0);
	kvaotClose(e.h);
	e.h = h;
	axis = 0;
	ck_assert_int_eq(kvaotBind(find(&e, "d·f"), in, 2, &b, e.err,
	    sizeof(e.err)), KVAOT_REFUSED);
	ck_assert_msg(strstr(e.err, "no version of d·f fits"), "%s", e.err);
	ck_assert_int_eq(
	    kvaotOpen(testlib_folder(&e.lib), &next.o, &h, e.err, 99), 0);
	kvaotClose(h);
	next.more = 1;
	ck_assert_int_eq(kvaotOpen(testlib_folder(&e.lib), &next.o, &h, e.err,
	    sizeof(e.err)), KVAOT_REFUSED);
	o.size = 8;
	ck_assert_int_eq(kvaotOpen(testlib_folder(&e.lib), &o, &h, e.err,
	    sizeof(e.err)), KVAOT_REFUSED);
	teardown(&e);
}
END_TEST

START_TEST(open__image_file_and_faults)
{
	struct kvaotOptions o = { .size = sizeof(o), .isa = "pentium" };
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 1, 1, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct kvaotLib *h = NULL;
	struct kvaotBound *b = NULL;
	struct embedding e;
	float x = 1, y;
	char **names;
	size_t n;

	setup(&e, NULL);
	kvaotClose(e.h);
	ck_assert_msg(kvaotOpen(testlib_path(&e.lib, "lib/current/image"),
	    NULL, &e.h, e.err, sizeof(e.err)) == 0, "%s", e.err);
	b = bind(&e, "d·f", in, 2);
	/* A bound call keeps its library. */
	kvaotClose(e.h);
	run(&e, b, (const void *[]){ &x, NULL }, (void *[]){ &y });
	ck_assert(y == 101);
	kvaotUnbind(b);
	ck_assert_int_eq(kvaotOpen(e.lib.dir, NULL, &h, e.err, 512),
	    KVAOT_LIBRARY);
	ck_assert_msg(strstr(e.err, "holds no published library"), "%s",
	    e.err);
	ck_assert_int_eq(kvaotOpen(testlib_folder(&e.lib), &o, &h, e.err, 512),
	    KVAOT_LIBRARY);
	ck_assert_msg(strstr(e.err, "unknown isa pentium"), "%s", e.err);
	ck_assert_ptr_null(h);
	/* Objects are missed when they are needed, by their names. */
	ck_assert_int_eq(dir_list(&e.lib.arena, testlib_path(&e.lib,
	    "lib/obj"), NULL, &names, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(testlib_object(&e.lib, "int x;") == NULL, 0);
	teardown(&(struct embedding){ .lib = e.lib });
}
END_TEST

START_TEST(bind__object_absent)
{
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 1, 1, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct kvaotTensor out = tensor(0, -1, -1, NULL);
	struct kvaotBound *b = NULL;
	struct embedding e;

	setup(&e, NULL);
	remove_tree(testlib_path(&e.lib, "lib/obj"));
	/* Shapes need no kernel. */
	ck_assert_int_eq(kvaotShapes(
	    find(&e, "d·f"), in, 2, &out, 1, e.err, sizeof(e.err)), 0);
	ck_assert_int_eq(kvaotBind(find(&e, "d·f"), in, 2, &b, e.err,
	    sizeof(e.err)), KVAOT_LIBRARY);
	ck_assert_msg(strncmp(e.err, "obj/", 4) == 0 &&
	    strstr(e.err, "No such file"), "%s", e.err);
	teardown(&e);
}
END_TEST

/* Open, bind, run and shapes leave the register as it is, and a caller's flush
 * to zero does not get to the kernel. */
START_TEST(run__control_register)
{
	const float denormal = 1e-40f;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 1, -1, NULL),
		tensor(KVAOT_FLOAT32, 1, -1, NULL) };
	static const unsigned mode[] = { 0x1f80u, 0x9fc0u, 0x7fbfu, 0x1fa0u };
	float zero = 0, out[2];
	struct embedding e;
	struct kvaotBound *b;
	size_t i;

	make_library(&e.lib);
	for (i = 0; i < sizeof(mode) / sizeof(*mode); i++) {
		_mm_setcsr(mode[i]);
		ck_assert_int_eq(kvaotOpen(testlib_folder(&e.lib), NULL, &e.h,
		    e.err, sizeof(e.err)), 0);
		ck_assert_uint_eq(_mm_getcsr(), mode[i]);
		b = bind(&e, "d·both", in, 2);
		ck_assert_uint_eq(_mm_getcsr(), mode[i]);
		run(&e, b, (const void *[]){ &denormal, &zero },
		    (void *[]){ &out[0], &out[1] });
		ck_assert_uint_eq(_mm_getcsr(), mode[i]);
		ck_assert_int_eq(memcmp(&out[0], &denormal, 4), 0);
		kvaotUnbind(b);
		kvaotClose(e.h);
		ck_assert_uint_eq(_mm_getcsr(), mode[i]);
	}
	_mm_setcsr(0x1f80u);
	testlib_release(&e.lib);
}
END_TEST

/* A child calls, binds and closes what its parent opened, with threads. */
START_TEST(fork__child_goes_on)
{
	static float x[4000][3], y[4000][3];
	struct kvaotOptions o = { .size = sizeof(o), .threads = 3 };
	int64_t axis = -1;
	struct kvaotTensor in[2] = { tensor(KVAOT_FLOAT32, 4000, 3, NULL),
		tensor(KVAOT_INT64, -1, -1, &axis) };
	struct embedding e;
	struct kvaotBound *b, *c;
	int status;
	pid_t pid;

	setup(&e, &o);
	b = bind(&e, "d·f", in, 2);
	run(&e, b, (const void *[]){ x, NULL }, (void *[]){ y });
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		alarm(20);
		memset(y, 0, sizeof(y));
		run(&e, b, (const void *[]){ x, NULL }, (void *[]){ y });
		c = bind(&e, "d·f.1", in, 2);
		kvaotUnbind(c);
		kvaotUnbind(b);
		kvaotClose(e.h);
		_exit(y[3999][2] == 100 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	run(&e, b, (const void *[]){ x, NULL }, (void *[]){ y });
	kvaotUnbind(b);
	teardown(&e);
}
END_TEST

static atomic_int enough;

static void *
bind_always(void *arg)
{
	struct kvaotTensor in = tensor(KVAOT_FLOAT32, 2, 2, NULL);
	const struct timespec pause = { 0, 20000 };
	struct embedding *e = arg;

	/* Without pauses a fork might wait for the lock for ever: it is not fair. */
	while (!atomic_load(&enough)) {
		kvaotUnbind(bind(e, "d·chain", &in, 1));
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* The child must not find the lock taken by a thread that it does not have. */
START_TEST(fork__while_another_thread_binds)
{
	struct kvaotTensor in = tensor(KVAOT_FLOAT32, 2, 2, NULL);
	struct embedding e;
	pthread_t thread;
	int status, i;
	pid_t pid;

	setup(&e, NULL);
	ck_assert_int_eq(pthread_create(&thread, NULL, bind_always, &e), 0);
	for (i = 0; i < 50; i++) {
		pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			alarm(20);
			kvaotUnbind(bind(&e, "d·chain", &in, 1));
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	atomic_store(&enough, 1);
	pthread_join(thread, NULL);
	teardown(&e);
}
END_TEST

Suite *
runtime_kvaot_suite(void)
{
	Suite *s = suite_create("runtime_kvaot");
	TCase *c = tcase_create("kvaot");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, describe__parameters);
	tcase_add_test(c, refuse__names);
	tcase_add_test(c, hooks__alloc_log_par);
	tcase_add_test(c, options__strict_base_and_sizes);
	tcase_add_test(c, open__image_file_and_faults);
	tcase_add_test(c, bind__object_absent);
	tcase_add_test(c, run__control_register);
	tcase_add_test(c, fork__child_goes_on);
	tcase_add_test(c, fork__while_another_thread_binds);
	suite_add_tcase(s, c);
	return s;
}
