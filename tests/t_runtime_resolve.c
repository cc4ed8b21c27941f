/* SPDX-License-Identifier: MIT */
/*
 * Which rows run: every kernel of the library adds a number of its own, so
 * that a result says what was chosen.
 */
#include "tests/t_runtime.h"

Suite *runtime_resolve_suite(void);

/* Rows kernels: out = in + c along n; and one value a row. */
#define K_ADD(name, c) "F(" name ") { (void)s;\n" \
	"for (int64_t r = 0; r < dim[0]; r++) for (int64_t i = 0; i < dim[1]; " \
	"i++)\n((float *)ptr[1])[r * dim[3] + i] = ((float *)ptr[0])" \
	"[r * dim[2] + i] + " c ";\nreturn 0; }\n"

static const char kernels[] = K_HEAD
K_ADD("plus1", "1") K_ADD("plus100", "100") K_ADD("plus200", "200")
K_ADD("plus300", "300")
"F(first) { (void)s; for (int64_t r = 0; r < dim[0]; r++) "
"((float *)ptr[1])[r * dim[3]] = ((float *)ptr[0])[r * dim[2]];\n"
"return 0; }\n"
"F(base) { (void)s; for (int64_t i = 0; i < dim[3]; i++) "
"((float *)ptr[1])[i] = ((float *)ptr[0])[i];\nreturn dim[2] != 1; }\n"
K_TABLE(K_ENTRY("", "float32", "KVK_ROWS", 1, 1, "plus1")
K_ENTRY("", "float32", "KVK_ROWS", 1, 1, "plus100")
K_ENTRY("", "float32", "KVK_ROWS", 1, 1, "plus200")
K_ENTRY("", "float32", "KVK_ROWS", 1, 1, "plus300")
K_ENTRY("", "float32", "KVK_ROWS", 1, 1, "first")
K_ENTRY("deepx/t·relu", "float32", "KVK_MAP", 1, 1, "base"));

/*
 * d·f leaves its input as it is; .1 adds 100 to anything along the last axis;
 * .2 adds 200 to 64 columns, 300 to exactly 2x64, then 1 in a second kernel.
 */
static const char functions[] =
"lib d {\n"
"	rwfunc f(A:[*]float32|[*]float64, axis:int64|[]int64) -> "
"(B:[*]float32|[*]float64) {\n"
"		deepx/t·relu(A) -> B\n"
"	}\n"
"	rwfunc f.1(A:[*]float32|[*]float64, axis:int64|[]int64) -> "
"(B:[*]float32|[*]float64) {\n"
"		d·f.1.k0(A) -> B\n"
"	}\n"
"	rwfunc f.2(A:[*]float32|[*]float64, axis:int64|[]int64) -> "
"(B:[*]float32|[*]float64) {\n"
"		d·f.2.k0(A) -> t\n"
"		d·f.2.k1(t) -> B\n"
"	}\n"
"	rwfunc g(A:[*]float32) -> (B:[*]float32) {\n"
"		f(A, -1) -> B\n"
"	}\n"
"	rwfunc plain(A:[*]float32) -> (B:[*]float32) {\n"
"		deepx/t·relu(A) -> B\n"
"	}\n"
"	rwfunc h(A:[*]float32) -> (B:[*]float32) {\n"
"		plain(A) -> B\n"
"	}\n"
"	rwfunc h.1(A:[*]float32) -> (B:[*]float32) {\n"
"		println(A)\n"
"		g(A) -> t\n"
"		xv·reshape(t, 2, 2) -> u\n"
"		d·h.1.k0(u) -> v\n"
"		B = v\n"
"	}\n"
"	rwfunc acc(A:[*]float32) -> (B:[*]float32) {\n"
"		deepx/t·relu(B) -> B\n"
"	}\n"
"	rwfunc acc.1(A:[*]float32) -> (B:[*]float32) {\n"
"		d·acc.1.k0(B) -> B\n"
"	}\n"
"	rwfunc twice(A:[*]float32) -> (B:[*]float32) {\n"
"		B = A\n"
"		acc(A) -> B\n"
"	}\n"
"	rwfunc twice.1(A:[*]float32) -> (B:[*]float32) {\n"
"		B = A\n"
"		acc(A) -> B\n"
"		d·f.2.k1(B) -> B\n"
"	}\n"
"}\n";

static void
make_library(struct testlib *t)
{
	const char *o;

	testlib_init(t);
	o = testlib_object(t, kernels);
	testlib_kernel(t, "d·f.1.k0", "d·f", 1, "*xn", "axis==-1", "rows",
	    "=0", o, 1);
	testlib_kernel(t, "d·acc.1.k0", "d·acc", 1, "*xn", "", "rows", "=0",
	    o, 1);
	testlib_kernel(t, "d·f.2.k0", "d·f", 2, "*x64", "axis==-1", "rows",
	    "=0", o, 2);
	testlib_kernel(t, "d·f.2.k0", "d·f", 2, "2x64", "axis==-1", "rows",
	    "=0", o, 3);
	testlib_kernel(t, "d·f.2.k1", "d·f", 2, "*xn", "", "rows", "=0", o, 0);
	testlib_kernel(t, "d·h.1.k0", "d·h", 1, "2x2", "", "rows", "keep(0)",
	    o, 4);
	testlib_backend(t, "deepx/t·relu", DT_FLOAT32, "map", o, 5);
	testlib_lay(t, "lib/d.kv", functions);
	testlib_versions(t, "d·f", 2);
	testlib_versions(t, "d·h", 1);
	testlib_versions(t, "d·acc", 1);
	testlib_versions(t, "d·twice", 1);
	testlib_publish(t);
}

/* Calls a function with zeros of that many rows and columns and the axis
 * (none when axis is -9); the first element of the result, or -1. */
static double
call(struct testrun *r, const char *name, int64_t rows, int64_t cols,
    int64_t axis)
{
	static const float zeros[4096];
	struct shape s = { 2, { rows, cols } };
	struct value v = { .langtype = "[]float32", .dtype = DT_FLOAT32,
		.shape = s, .body = zeros, .n = (size_t)(rows * cols) * 4 };
	struct value a = { .langtype = "int64", .dtype = DT_INT64,
		.body = &axis, .n = 8 };
	struct cell *in[2], *out;
	double result = -1;

	diag_release(&r->diag);
	diag_init(&r->diag);
	in[0] = runtime_value(r->rt, &v);
	in[1] = runtime_value(r->rt, &a);
	if (!runtime_call(r->rt, name, in, axis == -9 ? 1 : 2, &out, 1,
	    &r->diag)) {
		result = ((const float *)runtime_body(out)->body)[0];
		runtime_release(r->rt, out);
	}
	runtime_release(r->rt, in[0]);
	runtime_release(r->rt, in[1]);
	fflush(r->err);
	fflush(r->out);
	diag_first(&r->diag, r->error, sizeof(r->error));
	return result;
}

static void
start(struct testlib *t, struct testrun *r, struct runtime_options opt)
{
	make_library(t);
	testrun_open(r, t, opt);
	ck_assert_msg(r->rt != NULL, "%s", r->error);
}

static void
end(struct testlib *t, struct testrun *r)
{
	testrun_close(r);
	testlib_release(t);
}

START_TEST(resolve__highest_that_fits)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 201);
	ck_assert_double_eq(call(&r, "d·f", 2, 64, -1), 301);
	ck_assert_double_eq(call(&r, "d·f", 2, 64, 1), 301);
	ck_assert_double_eq(call(&r, "d·f", 3, 5, -1), 100);
	ck_assert_double_eq(call(&r, "d·f", 3, 5, 0), 0);
	/* Again, now that decisions are remembered. */
	ck_assert_double_eq(call(&r, "d·f", 3, 5, 0), 0);
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 201);
	end(&t, &r);
}
END_TEST

START_TEST(resolve__inside_functions)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·g", 3, 64, -9), 201);
	ck_assert_double_eq(call(&r, "d·g", 3, 5, -9), 100);
	end(&t, &r);
}
END_TEST

START_TEST(resolve__explicit_version)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ .base = true });
	ck_assert_double_eq(call(&r, "d·f", 2, 64, -1), 0);
	ck_assert_double_eq(call(&r, "d·f.1", 2, 64, -1), 100);
	ck_assert_double_eq(call(&r, "d·f.2", 2, 64, -1), 301);
	ck_assert_double_eq(call(&r, "d·g", 3, 64, -9), 0);
	/* An explicit version never becomes another one. */
	ck_assert_double_eq(call(&r, "d·f.2", 2, 5, -1), -1);
	ck_assert_msg(strstr(r.error, "lib/d.kv:9:3: RuntimeError: no kernel "
	    "of d·f.2.k0 fits: operand 1 of `*x64`"), "%s", r.error);
	end(&t, &r);
}
END_TEST

/* .1 of h prints, calls, reshapes: its kernel fits only what becomes 2x2. */
START_TEST(resolve__shapes_are_followed)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ .trace = true });
	ck_assert_double_eq(call(&r, "d·h", 1, 4, -9), 100);
	ck_assert_str_eq(r.out_text, "[[0.0, 0.0, 0.0, 0.0]]\n");
	ck_assert_double_eq(call(&r, "d·h", 1, 6, -9), 0);
	ck_assert_ptr_nonnull(strstr(r.err_text, "trace: d·h.1 does not fit: "
	    "IndexError: xv·reshape: cannot reshape 6 elements into [2,2]\n"));
	ck_assert_ptr_nonnull(strstr(r.err_text,
	    "trace: d·h -> base (float32 1x6; no version fits)\n"));
	end(&t, &r);
}
END_TEST

/* A write holds its destination's value: acc adds to it, and its version is
 * found through the shape of that value, also in a function that is followed. */
START_TEST(resolve__writes_have_values)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·twice", 3, 5, -9), 101);
	end(&t, &r);
}
END_TEST

START_TEST(trace__choices)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ .trace = true });
	call(&r, "d·f", 3, 5, -1);
	ck_assert_msg(strstr(r.err_text, "trace: d·f.2 does not fit: "
	    "RuntimeError: no kernel of d·f.2.k0 fits: operand 1 of `*x64` "
	    "does not fit dims [3,5]\n"
	    "trace: d·f -> d·f.1 (float32 3x5)\n"
	    "trace: d·f.1.k0 row float32 *xn axis==-1 isa x86-64 object ") ==
	    r.err_text, "%s", r.err_text);
	end(&t, &r);
}
END_TEST

START_TEST(strict__no_version_is_an_error)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ .strict = true });
	ck_assert_double_eq(call(&r, "d·f", 3, 5, 0), -1);
	ck_assert_msg(strstr(r.error, "no version of d·f fits this call") &&
	    strstr(r.error, "guard") == NULL &&
	    strstr(r.error, "d·f.2"), "%s", r.error);
	ck_assert_double_eq(call(&r, "d·f", 3, 5, 1), 100);
	/* Without any version there is nothing to miss. */
	ck_assert_double_eq(call(&r, "d·plain", 3, 5, -9), 0);
	end(&t, &r);
}
END_TEST

START_TEST(resolve__damaged_marks)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	testlib_versions(&t, "d·f", 3);
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), -1);
	ck_assert_msg(strstr(r.error, "version mark of d·f points to missing "
	    "d·f.3"), "%s", r.error);
	testrun_close(&r);
	/* A gap below the mark is none. */
	testlib_lay(&t, "x.kv", "lib d {\n\trwfunc f.3(A:[*]float32, axis:"
	    "int64) -> (B:[*]float32) {\n\t\tdeepx/t·relu(A) -> B\n\t}\n}\n");
	testlib_versions(&t, "d·f", 3);
	space_del_tree(t.space, "/lib/d·f.2/[0,0]");
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 0);
	testrun_close(&r);
	/* Another signature. */
	testlib_lay(&t, "x.kv", "lib d {\n\trwfunc f.3(A:[*]float32) -> "
	    "(B:[*]float32) {\n\t\tdeepx/t·relu(A) -> B\n\t}\n}\n");
	testlib_versions(&t, "d·f", 3);
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), -1);
	ck_assert_ptr_nonnull(strstr(r.error, "another signature"));
	end(&t, &r);
}
END_TEST

/* A program that replaces a function has no versions of it. */
START_TEST(lay__replaces_versions)
{
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 201);
	ck_assert_int_eq(testrun_program(&r, "lib d {\n\trwfunc f(A:[*]float32"
	    ", axis:int64) -> (B:[*]float32) {\n\t\td·f.1(A, axis) -> B\n"
	    "\t}\n}\nprintln(1)\n"), 0);
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 100);
	end(&t, &r);
}
END_TEST

/* Version 2 says another program than its base has. */
START_TEST(resolve__superseded_is_not_chosen)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	space_set_text(t.space, "/lib/d·f.2/‥base", "[7]char/utf8", "another");
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ .trace = true });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 100);
	ck_assert_msg(strstr(r.err_text, "trace: d·f.2 is not chosen: it is "
	    "superseded") != NULL, "%s", r.err_text);
	ck_assert_double_eq(call(&r, "d·f.2", 3, 64, -1), 201);
	testrun_close(&r);
	/* A version that does not say what it was made from is none either. */
	space_del_tree(t.space, "/lib/d·f.1/‥base");
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 0);
	testrun_close(&r);
	testrun_open(&r, &t, (struct runtime_options){ .strict = true });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), -1);
	ck_assert_msg(strstr(r.error, "--strict forbids its base: d·f.2: it is "
	    "superseded") != NULL, "%s", r.error);
	end(&t, &r);
}
END_TEST

static void
write_masked(struct testlib *t, const char *text)
{
	ck_assert_int_eq(file_write(testlib_path(t, "lib/masked"), text,
	    strlen(text), false), 0);
}

START_TEST(resolve__masked_is_not_chosen)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	write_masked(&t, "kvmasked 1\nd·f.2\n");
	testrun_open(&r, &t, (struct runtime_options){ .trace = true });
	ck_assert_msg(r.rt != NULL, "%s", r.error);
	ck_assert_double_eq(call(&r, "d·f", 2, 64, -1), 100);
	ck_assert_msg(strstr(r.err_text, "trace: d·f.2 is not chosen: it is "
	    "masked") != NULL, "%s", r.err_text);
	/* Who names a version gets it. */
	ck_assert_double_eq(call(&r, "d·f.2", 2, 64, -1), 301);
	/* What is open stays as it was opened. */
	write_masked(&t, "kvmasked 1\n");
	ck_assert_double_eq(call(&r, "d·f", 2, 64, -1), 100);
	testrun_close(&r);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 2, 64, -1), 301);
	testrun_close(&r);
	write_masked(&t, "kvmasked 1\nd·f.1\nd·f.2\n");
	testrun_open(&r, &t, (struct runtime_options){ .strict = true });
	ck_assert_double_eq(call(&r, "d·f", 2, 64, -1), -1);
	ck_assert_msg(strstr(r.error, "d·f.2: it is masked") != NULL, "%s",
	    r.error);
	end(&t, &r);
}
END_TEST

START_TEST(open__malformed_masked_is_refused)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	write_masked(&t, "kvmasked 1\nd·f.2\nd·f.1\n");
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_ptr_null(r.rt);
	ck_assert_msg(strstr(r.error, "masked:3:1: `d·f.1` does not come after")
	    != NULL, "%s", r.error);
	end(&t, &r);
}
END_TEST

/* h calls plain: a program that replaces plain gives h another meaning, which
 * its version does not have. acc is not touched by that. */
START_TEST(lay__replaced_callee_supersedes)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	space_set_text(t.space, "/lib/d·plain/‥program", "[7]char/utf8",
	    "another");
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·h", 1, 4, -9), 100);
	ck_assert_int_eq(testrun_program(&r, "lib d {\n\trwfunc plain(A:"
	    "[*]float32) -> (B:[*]float32) {\n\t\tf.1(A, -1) -> t\n"
	    "\t\tf.1(t, -1) -> B\n\t}\n}\nprintln(1)\n"), 0);
	ck_assert_double_eq(call(&r, "d·h", 1, 4, -9), 200);
	ck_assert_double_eq(call(&r, "d·twice", 3, 5, -9), 101);
	end(&t, &r);
}
END_TEST

START_TEST(resolve__dtype_without_rows)
{
	static const double zeros[64];
	struct shape s = { 1, { 64 } };
	int64_t axis = -1;
	struct value v = { .langtype = "[64]float64", .dtype = DT_FLOAT64,
		.shape = s, .body = zeros, .n = sizeof(zeros) };
	struct value a = { .langtype = "int64", .dtype = DT_INT64,
		.body = &axis, .n = 8 };
	struct cell *in[2], *out;
	struct testlib t;
	struct testrun r;

	start(&t, &r, (struct runtime_options){ 0 });
	in[0] = runtime_value(r.rt, &v);
	in[1] = runtime_value(r.rt, &a);
	ck_assert_int_eq(
	    runtime_call(r.rt, "d·f", in, 2, &out, 1, &r.diag), -1);
	diag_first(&r.diag, r.error, sizeof(r.error));
	ck_assert_ptr_nonnull(strstr(r.error,
	    "deepx/t·relu has no kernel of float64"));
	runtime_release(r.rt, in[0]);
	runtime_release(r.rt, in[1]);
	end(&t, &r);
}
END_TEST

/* A row that failed its certificate, or is for another CPU, never runs. */
START_TEST(resolve__unusable_rows)
{
	struct testlib t;
	struct testrun r;
	size_t i;

	make_library(&t);
	for (i = 0; i < t.manifest.n; i++) {
		struct manifest_row *m = &t.manifest.row[i];

		if (strcmp(m->opcode, "d·f.2.k0") == 0)
			m->cert = "failed";
		if (strcmp(m->opcode, "d·f.1.k0") == 0)
			m->isa = "pdp-11";
	}
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_double_eq(call(&r, "d·f", 3, 64, -1), 0);
	end(&t, &r);
}
END_TEST

Suite *
runtime_resolve_suite(void)
{
	Suite *s = suite_create("runtime_resolve");
	TCase *c = tcase_create("resolve");

	tcase_set_timeout(c, 30);
	tcase_add_test(c, resolve__highest_that_fits);
	tcase_add_test(c, resolve__inside_functions);
	tcase_add_test(c, resolve__explicit_version);
	tcase_add_test(c, resolve__shapes_are_followed);
	tcase_add_test(c, resolve__writes_have_values);
	tcase_add_test(c, trace__choices);
	tcase_add_test(c, strict__no_version_is_an_error);
	tcase_add_test(c, resolve__damaged_marks);
	tcase_add_test(c, lay__replaces_versions);
	tcase_add_test(c, resolve__dtype_without_rows);
	tcase_add_test(c, resolve__superseded_is_not_chosen);
	tcase_add_test(c, resolve__masked_is_not_chosen);
	tcase_add_test(c, open__malformed_masked_is_refused);
	tcase_add_test(c, lay__replaced_callee_supersedes);
	tcase_add_test(c, resolve__unusable_rows);
	suite_add_tcase(s, c);
	return s;
}
