/* SPDX-License-Identifier: MIT */
/* The floating-point control register, equal before and after every load and
 * call of the runtime and of libkvaot, whatever an object does when it is
 * loaded; and the kernels compute denormals whatever the caller has set. */
#include "tests/t_runtime_kvaot.h"

#include <fcntl.h>
#include <xmmintrin.h>

#include "runtime/load.h"

Suite *runtime_cpu_suite(void);

/* By Intel's manual: the value at power on; with FTZ (bit 15) and DAZ (bit 6);
 * rounding towards zero (bits 13 and 14); an exception unmasked and flags set. */
static const unsigned modes[] = { 0x1f80u, 0x9fc0u, 0x7f80u, 0x1ebfu };

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

/* Its constructor turns everything that it can the other way. */
#define K_CONSTRUCTOR "static volatile int ran;\n" \
	"__attribute__((constructor)) static void begin(void)\n" \
	"{ __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() ^ 0xe040u); " \
	"ran = 1; }\n"
/* One operand times 1, which flushing to zero would change. */
#define K_TIMES_ONE "static const volatile float one = 1;\n" \
	"F(kernel) { const float *a = ptr[0]; float *o = ptr[1]; (void)s;\n" \
	"for (int64_t i = 0; i < dim[0] * dim[1] * dim[2] * dim[3]; i++)\n" \
	"o[i] = a[i] * one;\nreturn ran ? KVK_OK : KVK_RANGE; }\n"

static const char turning[] = K_HEAD K_CONSTRUCTOR K_TIMES_ONE
K_TABLE(K_ENTRY("deepx/t·abs", "float32", "KVK_MAP", 1, 1, "kernel"));
static const char plain[] = K_HEAD "enum { ran = 1 };\n" K_TIMES_ONE
K_TABLE(K_ENTRY("deepx/t·relu", "float32", "KVK_MAP", 1, 1, "kernel"));

static void
make_turning(struct testlib *t)
{
	testlib_init(t);
	testlib_backend(t, "deepx/t·abs", DT_FLOAT32, "map",
	    testlib_object(t, turning), 0);
	testlib_backend(t, "deepx/t·relu", DT_FLOAT32, "map",
	    testlib_object(t, plain), 0);
	testlib_lay(t, "lib/d.kv", "lib d {\n"
	    "	rwfunc f(A:[*]float32) -> (B:[*]float32) {\n"
	    "		deepx/t·abs(A) -> t\n"
	    "		deepx/t·relu(t) -> B\n	}\n}\n");
	testlib_publish(t);
}

/* What is mapped stays mapped, so that each mode takes an object of its own. */
START_TEST(load__keeps_the_register)
{
	const float one = 1;
	float out = 0;
	void *ptr[] = { (void *)&one, &out };
	const int64_t dim[4] = { 1, 1, 1, 1 };
	const struct kvk_entry *e;
	const struct object *o;
	const char *digest;
	struct testlib t;
	struct diag d;
	unsigned after;
	int dir;

	testlib_init(&t);
	diag_init(&d);
	digest = testlib_object(&t, arena_printf(&t.arena, "%s"
	    "__attribute__((used)) static const int mode = %d;\n", turning,
	    _i));
	dir = open(testlib_folder(&t), O_RDONLY | O_DIRECTORY);
	_mm_setcsr(modes[_i]);
	o = object_get(dir, digest, &d);
	after = _mm_getcsr();
	_mm_setcsr(0x1f80u);
	ck_assert_uint_eq(after, modes[_i]);
	ck_assert_ptr_nonnull(o);
	e = object_entry(o, 0, &d);
	ck_assert_ptr_nonnull(e);
	ck_assert_int_eq(e->fn(ptr, dim, NULL), KVK_OK);
	close(dir);
	diag_release(&d);
	testlib_release(&t);
}
END_TEST

/* What kvrun does: open, lay a program over the library, call, close. */
START_TEST(runtime__keeps_the_register)
{
	static const float denormal = 1e-40f;
	struct shape one = { 1, { 1 } };
	unsigned opened, laid, called, closed;
	struct cell *in, *out;
	const char **entry;
	struct testlib t;
	struct testrun r;
	struct value v;
	size_t n;
	float got;

	make_turning(&t);
	v = value_tensor(&t.arena, DT_FLOAT32, &one, &denormal);
	_mm_setcsr(modes[_i]);
	testrun_open(&r, &t, (struct runtime_options){ .threads = 2 });
	opened = _mm_getcsr();
	ck_assert_int_eq(runtime_lay(r.rt, "p.kv",
	    str_of("rwfunc g(A:[*]float32) -> (B:[*]float32) {\n"
		   "\td·f(A) -> B\n}\n"), &entry, &n, &r.diag), 0);
	laid = _mm_getcsr();
	in = runtime_value(r.rt, &v);
	ck_assert_int_eq(
	    runtime_call(r.rt, "g", &in, 1, &out, 1, &r.diag), 0);
	called = _mm_getcsr();
	memcpy(&got, runtime_body(out)->body, sizeof(got));
	runtime_release(r.rt, in);
	runtime_release(r.rt, out);
	testrun_close(&r);
	closed = _mm_getcsr();
	_mm_setcsr(0x1f80u);
	ck_assert_uint_eq(opened, modes[_i]);
	ck_assert_uint_eq(laid, modes[_i]);
	ck_assert_uint_eq(called, modes[_i]);
	ck_assert_uint_eq(closed, modes[_i]);
	ck_assert_int_eq(memcmp(&got, &denormal, sizeof(got)), 0);
	testlib_release(&t);
}
END_TEST

/* The first call loads, in Bind or in Call. */
START_TEST(kvaot__keeps_the_register)
{
	static const float denormal = 1e-40f;
	struct kvaotTensor in = tensor(KVAOT_FLOAT32, 1, -1, &denormal), out;
	struct kvaotTensor asked = tensor(KVAOT_FLOAT32, 1, -1, NULL);
	const unsigned mode = modes[_i % MODES];
	struct kvaotBound *b = NULL;
	const struct kvaotFn *fn;
	struct embedding e;
	unsigned after[5];
	float got = 0;
	int rc;

	make_turning(&e.lib);
	out = tensor(KVAOT_FLOAT32, 1, -1, &got);
	_mm_setcsr(mode);
	rc = kvaotOpen(testlib_folder(&e.lib), NULL, &e.h, e.err,
	    sizeof(e.err));
	after[0] = _mm_getcsr();
	ck_assert_msg(rc == 0, "%s", e.err);
	fn = find(&e, "d·f");
	if (_i < MODES) {
		b = bind(&e, "d·f", &asked, 1);
		after[1] = _mm_getcsr();
		run(&e, b, (const void *[]){ &denormal },
		    (void *[]){ &got });
	} else {
		rc = kvaotCall(fn, &in, 1, &out, 1, e.err, sizeof(e.err));
		after[1] = _mm_getcsr();
		ck_assert_msg(rc == 0, "%s", e.err);
	}
	after[2] = _mm_getcsr();
	kvaotUnbind(b);
	after[3] = _mm_getcsr();
	kvaotClose(e.h);
	after[4] = _mm_getcsr();
	_mm_setcsr(0x1f80u);
	for (rc = 0; rc < 5; rc++)
		ck_assert_uint_eq(after[rc], mode);
	ck_assert_int_eq(memcmp(&got, &denormal, sizeof(got)), 0);
	testlib_release(&e.lib);
}
END_TEST

Suite *
runtime_cpu_suite(void)
{
	Suite *s = suite_create("runtime_cpu");
	TCase *c = tcase_create("cpu");

	tcase_set_timeout(c, 30);
	tcase_add_loop_test(c, load__keeps_the_register, 0, MODES);
	tcase_add_loop_test(c, runtime__keeps_the_register, 0, MODES);
	tcase_add_loop_test(c, kvaot__keeps_the_register, 0, 2 * MODES);
	suite_add_tcase(s, c);
	return s;
}
