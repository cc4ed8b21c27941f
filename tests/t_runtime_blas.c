/* SPDX-License-Identifier: MIT */
/* Which BLAS library is opened, and matrix products through it. Each test opens
 * its own: it runs in a process of its own. */
#include "tests/t_runtime.h"

#include <pthread.h>
#include <sys/wait.h>
#include <xmmintrin.h>

#include "runtime/blas.h"

Suite *runtime_blas_suite(void);

enum { M = 131, N = 77, K = 203, CALLERS = 4, ROUNDS = 30 };

static void
expect_none(const char *name, const char *words)
{
	struct blas_library l;
	char why[BLAS_WHY];

	setenv("KVAOT_BLAS", name, 1);
	ck_assert_int_eq(blas_open(&l, why), -1);
	ck_assert_msg(strstr(why, "KVAOT_BLAS cannot be used") &&
	    strstr(why, words) && strstr(why, "libopenblas0-pthread"), "%s",
	    why);
}

START_TEST(open__takes_only_what_the_user_names)
{
	expect_none("/nowhere", "/nowhere: cannot open shared object file");
	expect_none("libm.so.6", "libm.so.6: it lacks cblas_sgemm");
}
END_TEST

START_TEST(open__finds_openblas)
{
	struct blas_library l;
	char why[BLAS_WHY];

	unsetenv("KVAOT_BLAS");
	ck_assert_msg(!blas_open(&l, why), "%s", why);
	ck_assert_ptr_nonnull(strstr(l.file, "libopenblas"));
	ck_assert_ptr_nonnull(strstr(l.config, "OpenBLAS "));
	ck_assert(l.set_threads != NULL);
	setenv("KVAOT_BLAS", "", 1);
	ck_assert_msg(!blas_open(&l, why), "%s", why);
	setenv("KVAOT_BLAS", l.file, 1);
	ck_assert_msg(!blas_open(&l, why), "%s", why);
}
END_TEST

/*
 * A library that is none: a product is the number of threads before and after a
 * while, and the control register changes.
 */
static const char fake[] =
"#include <time.h>\n"
"#include <xmmintrin.h>\n"
"static int threads;\n"
"void openblas_set_num_threads(int n) { threads = n; }\n"
"const char *openblas_get_config(void) { return CONFIG; }\n"
"#define GEMM(name, T) void name(int o, int ta, int tb, int m, int n, int k, \\\n"
"    T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, \\\n"
"    int ldc) { struct timespec t = { 0, 300000 }; \\\n"
"	_mm_setcsr(0x9fc0); c[0] = (T)threads; nanosleep(&t, 0); \\\n"
"	c[1] = (T)threads; }\n"
"GEMM(cblas_sgemm, float)\n"
"GEMM(cblas_dgemm, double)\n";

/* Makes it with that configuration text and lets KVAOT_BLAS name it. */
static void
use_fake(struct testlib *t, const char *config)
{
	const char *cc = getenv("KVAOT_CC"), *c = testlib_path(t, "b.c");
	const char *so = testlib_path(t, "b.so");

	ck_assert_int_eq(file_write(c, fake, strlen(fake), false), 0);
	ck_assert_int_eq(system(arena_printf(&t->arena, "%s -w -fPIC -shared "
	    "-DCONFIG='\"%s\"' -o %s %s", cc ? cc : "clang-19", config, so,
	    c)), 0);
	setenv("KVAOT_BLAS", so, 1);
}

START_TEST(open__refuses_64_bit_integers)
{
	struct blas_library l;
	char why[BLAS_WHY];
	struct testlib t;

	testlib_init(&t);
	use_fake(&t, "OpenBLAS 0.3 USE64BITINT");
	ck_assert_int_eq(blas_open(&l, why), -1);
	ck_assert_msg(strstr(why, "b.so: it counts in 64-bit integers"), "%s",
	    why);
	testlib_release(&t);
}
END_TEST

static void
load(void)
{
	char why[BLAS_WHY];

	ck_assert_msg(!blas_load(why), "%s", why);
}

START_TEST(load__tries_again)
{
	char why[BLAS_WHY];

	setenv("KVAOT_BLAS", "/nowhere", 1);
	ck_assert_int_eq(blas_load(why), -1);
	unsetenv("KVAOT_BLAS");
	load();
}
END_TEST

static void *
call_fake(void *threads)
{
	float one = 1, c[2];
	struct blas b;
	int i;

	blas_init(&b, (int)(intptr_t)threads);
	for (i = 0; i < ROUNDS; i++) {
		ck_assert_int_eq(b.k.sgemm(&b.k, 1, 1, 1, &one, &one, c),
		    KVK_OK);
		if (c[0] != (float)b.threads || c[1] != (float)b.threads)
			return "ran with the threads of another call";
	}
	return NULL;
}

START_TEST(gemm__runs_with_its_number_of_threads)
{
	pthread_t thread[CALLERS];
	struct testlib t;
	void *fault;
	int i;

	testlib_init(&t);
	use_fake(&t, "OpenBLAS fake");
	load();
	for (i = 0; i < CALLERS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, call_fake,
		    (void *)(intptr_t)(1 + i % 2)), 0);
	for (i = 0; i < CALLERS; i++) {
		ck_assert_int_eq(pthread_join(thread[i], &fault), 0);
		ck_assert_msg(!fault, "%s", (const char *)fault);
	}
	testlib_release(&t);
}
END_TEST

START_TEST(gemm__leaves_the_control_register)
{
	const unsigned modes[] = { 0x1f80, 0x7f80 };
	double one = 1, c[2];
	struct testlib t;
	struct blas b;
	int i;

	testlib_init(&t);
	use_fake(&t, "OpenBLAS fake");
	load();
	blas_init(&b, 1);
	for (i = 0; i < 2; i++) {
		_mm_setcsr(modes[i]);
		b.k.dgemm(&b.k, 1, 1, 1, &one, &one, c);
		ck_assert_uint_eq(_mm_getcsr(), modes[i]);
	}
	_mm_setcsr(0x1f80);
	testlib_release(&t);
}
END_TEST

START_TEST(gemm__2x2)
{
	const double a[] = { 1, 2, 3, 4 }, b[] = { 5, 6, 7, 8 };
	const float af[] = { 1, 2, 3, 4 }, bf[] = { 5, 6, 7, 8 };
	const double want[] = { 19, 22, 43, 50 };
	double c[4];
	float cf[4];
	struct blas k;
	int i;

	load();
	blas_init(&k, 1);
	memset(c, 0xff, sizeof(c));
	memset(cf, 0xff, sizeof(cf));
	ck_assert_int_eq(k.k.dgemm(&k.k, 2, 2, 2, a, b, c), KVK_OK);
	ck_assert_int_eq(k.k.sgemm(&k.k, 2, 2, 2, af, bf, cf), KVK_OK);
	for (i = 0; i < 4; i++)
		ck_assert_msg(c[i] == want[i] && (double)cf[i] == want[i],
		    "element %d is %g and %g", i, c[i], (double)cf[i]);
}
END_TEST

START_TEST(gemm__refuses_extents)
{
	const int64_t bad[] = { 0, -1, (int64_t)1 << 31, (int64_t)1 << 32 };
	double a = 3, c = 7;
	struct blas b;
	size_t i;

	load();
	blas_init(&b, 1);
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(
		    b.k.dgemm(&b.k, bad[i], 1, 1, &a, &a, &c), KVK_DIM);
		ck_assert_int_eq(
		    b.k.dgemm(&b.k, 1, bad[i], 1, &a, &a, &c), KVK_DIM);
		ck_assert_int_eq(
		    b.k.dgemm(&b.k, 1, 1, bad[i], &a, &a, &c), KVK_DIM);
	}
	ck_assert(c == 7);
}
END_TEST

/* Integers so small that each sum is exact, in any order. */
static float left[M * K], right[K * N];

static int
wrong_elements(int threads)
{
	static float c[M * N];
	struct blas b;
	int i, j, k, wrong = 0;

	blas_init(&b, threads);
	ck_assert_int_eq(b.k.sgemm(&b.k, M, N, K, left, right, c), KVK_OK);
	for (i = 0; i < M; i++) {
		for (j = 0; j < N; j++) {
			long sum = 0;

			for (k = 0; k < K; k++)
				sum += (i * 7 + k) % 17 * ((k * 5 + j) % 13);
			wrong += c[i * N + j] != (float)sum;
		}
	}
	return wrong;
}

static void
set_matrices(void)
{
	int i, k;

	for (i = 0; i < M * K; i++)
		left[i] = (float)((i / K * 7 + i % K) % 17);
	for (k = 0; k < K * N; k++)
		right[k] = (float)((k / N * 5 + k % N) % 13);
}

START_TEST(gemm__by_threads_and_in_a_child)
{
	int status = -1;
	pid_t pid;

	set_matrices();
	load();
	ck_assert_int_eq(wrong_elements(2), 0);
	ck_assert_int_eq(wrong_elements(1), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(wrong_elements(2) ? 1 : 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(wrong_elements(2), 0);
}
END_TEST

START_TEST(needed__by_floats_of_cblas)
{
	struct manifest_row m = { .author = "cblas", .dtype = DT_FLOAT32 };

	ck_assert(blas_needed(&m));
	m.dtype = DT_INT32;
	ck_assert(!blas_needed(&m));
	m.dtype = DT_FLOAT16;
	ck_assert(!blas_needed(&m));
	m.dtype = DT_FLOAT64;
	ck_assert(blas_needed(&m));
	m.author = "miaobyte";
	ck_assert(!blas_needed(&m));
}
END_TEST

/* A kernel that needs the library, and one that must not get it. */
static const char kernels[] = K_HEAD
"F(product) { (void)dim; return s->blas->sgemm(s->blas, 1, 1, 1, ptr[0],\n"
"	ptr[1], ptr[2]); }\n"
"F(none) { (void)dim; *(float *)ptr[2] = s->blas ? 1 : 2; return KVK_OK; }\n"
K_TABLE(K_ENTRY("deepx/cblas·matmul", "float32", "KVK_OTHER", 2, 1, "product")
K_ENTRY("deepx/test·matmul", "float32", "KVK_OTHER", 2, 1, "none"));

static void
lay_products(struct testlib *t)
{
	const char *object;

	testlib_init(t);
	object = testlib_object(t, kernels);
	testlib_backend(t, "deepx/cblas·matmul", DT_FLOAT32, "other", object,
	    0);
	t->manifest.row[0].author = "cblas";
	testlib_backend(t, "deepx/test·matmul", DT_FLOAT32, "other", object,
	    1);
	testlib_publish(t);
}

static const char calls_both[] =
"rwfunc test() -> () {\n"
"	a:[1,1]float32 = [3.0]\n"
"	deepx/test·matmul(a, a) -> b\n"
"	println(b)\n"
"	deepx/cblas·matmul(a, a) -> c\n"
"	println(c)\n"
"}\n";

START_TEST(call__gets_the_library)
{
	struct testlib t;
	struct testrun r;

	lay_products(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_msg(!testrun_program(&r, calls_both), "%s", r.error);
	ck_assert_str_eq(r.out_text, "[[2.0]]\n[[9.0]]\n");
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

START_TEST(call__without_library)
{
	struct testlib t;
	struct testrun r;

	setenv("KVAOT_BLAS", "/nowhere", 1);
	lay_products(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_int_eq(testrun_program(&r, calls_both), -1);
	ck_assert_str_eq(r.out_text, "[[2.0]]\n");
	ck_assert_msg(strstr(r.error, "prog.kv:5:2: EnvironmentError: "
	    "deepx/cblas·matmul needs OpenBLAS: KVAOT_BLAS cannot be used ("
	    "/nowhere: ") == r.error, "%s", r.error);
	ck_assert(runtime_environment(r.rt));
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

Suite *
runtime_blas_suite(void)
{
	Suite *s = suite_create("runtime_blas");
	TCase *tc = tcase_create("blas");

	tcase_add_test(tc, open__takes_only_what_the_user_names);
	tcase_add_test(tc, open__finds_openblas);
	tcase_add_test(tc, open__refuses_64_bit_integers);
	tcase_add_test(tc, load__tries_again);
	tcase_add_test(tc, gemm__runs_with_its_number_of_threads);
	tcase_add_test(tc, gemm__leaves_the_control_register);
	tcase_add_test(tc, gemm__2x2);
	tcase_add_test(tc, gemm__refuses_extents);
	tcase_add_test(tc, gemm__by_threads_and_in_a_child);
	tcase_add_test(tc, needed__by_floats_of_cblas);
	tcase_add_test(tc, call__gets_the_library);
	tcase_add_test(tc, call__without_library);
	suite_add_tcase(s, tc);
	return s;
}
