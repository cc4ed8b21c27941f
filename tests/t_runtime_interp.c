/* SPDX-License-Identifier: MIT */
/* Programs over a small library of hand-made back ends. */
#include "tests/t_runtime.h"

Suite *runtime_interp_suite(void);

/* A map over 4 extents and two inputs, one over one input, reductions. */
#define K_MAP2(name, T, expr) "F(" name ") { const int64_t *a = dim + 4, " \
	"*b = dim + 8, *c = dim + 12; (void)s;\n" \
	"for (int64_t i = 0; i < dim[0]; i++) for (int64_t j = 0; j < dim[1]; " \
	"j++)\nfor (int64_t k = 0; k < dim[2]; k++) for (int64_t l = 0; l < " \
	"dim[3]; l++) {\n" T " x = ((" T " *)ptr[0])[i*a[0]+j*a[1]+k*a[2]+" \
	"l*a[3]], y = ((" T " *)ptr[1])[i*b[0]+j*b[1]+k*b[2]+l*b[3]];\n" \
	"((" T " *)ptr[2])[i*c[0]+j*c[1]+k*c[2]+l*c[3]] = " expr "; }\n" \
	"return 0; }\n"
#define K_MOVE "F(move) { const int64_t *a = dim + 4, *c = dim + 8; (void)s;" \
	"\nfor (int64_t i = 0; i < dim[0]; i++) for (int64_t j = 0; j < " \
	"dim[1]; j++)\nfor (int64_t k = 0; k < dim[2]; k++) for (int64_t l = " \
	"0; l < dim[3]; l++)\n((float *)ptr[1])[i*c[0]+j*c[1]+k*c[2]+l*c[3]] " \
	"= ((float *)ptr[0])[i*a[0]+j*a[1]+k*a[2]+l*a[3]];\nreturn 0; }\n"
#define K_REDUCE(name, O, start, step) "F(" name ") { (void)s;\n" \
	"for (int64_t i = 0; i < dim[0]; i++) for (int64_t j = 0; j < dim[2]; " \
	"j++) {\nfloat *x = (float *)ptr[0] + i * dim[1] * dim[2] + j, v = " \
	"0; " O " r = " start ";\nfor (int64_t k = 0; k < dim[1]; k++) { float " \
	"e = x[k * dim[2]]; " step " }\n((" O " *)ptr[1])[i * dim[2] + j] = r; " \
	"(void)v; }\nreturn 0; }\n"

static const char kernels[] = K_HEAD
K_MAP2("add32", "float", "x + y")
K_MAP2("add64", "double", "x + y")
K_MOVE
K_REDUCE("sum", "float", "0", "r += e;")
K_REDUCE("argmax", "int64_t", "0", "if (k == 0 || e > v) { v = e; r = k; }")
"F(div0) { (void)ptr; (void)dim; (void)s; return KVK_DIV0; }\n"
K_TABLE(K_ENTRY("deepx/t·add", "float32", "KVK_MAP", 2, 1, "add32")
K_ENTRY("deepx/t·add", "float64", "KVK_MAP", 2, 1, "add64")
K_ENTRY("deepx/t·reshape", "float32", "KVK_MAP", 1, 1, "move")
K_ENTRY("deepx/t·broadcastTo", "float32", "KVK_MAP", 1, 1, "move")
K_ENTRY("deepx/t·sum", "float32", "KVK_REDUCE", 1, 1, "sum")
K_ENTRY("deepx/t·argmax", "float32", "KVK_REDUCE", 1, 1, "argmax")
K_ENTRY("deepx/t·div", "float32", "KVK_MAP", 2, 1, "div0"));

static const char abstract[] =
"lib deepx {\n"
"	rwir argmax(A:[*]float32, axis:int64|[]int64, keepdims:bool) -> "
"(B:[*]int64)\n"
"}\n"
"lib u {\n\trwfunc f(a:int64) -> (b:int64) {\n\t\tb = a\n\t}\n}\n";

static void
make_library(struct testlib *t)
{
	const char *o;

	testlib_init(t);
	o = testlib_object(t, kernels);
	testlib_backend(t, "deepx/t·add", DT_FLOAT32, "map", o, 0);
	testlib_backend(t, "deepx/t·add", DT_FLOAT64, "map", o, 1);
	testlib_backend(t, "deepx/t·reshape", DT_FLOAT32, "map", o, 2);
	testlib_backend(t, "deepx/t·broadcastTo", DT_FLOAT32, "map", o, 3);
	testlib_backend(t, "deepx/t·sum", DT_FLOAT32, "reduce", o, 4);
	testlib_backend(t, "deepx/t·argmax", DT_FLOAT32, "reduce", o, 5);
	testlib_backend(t, "deepx/t·div", DT_FLOAT32, "map", o, 6);
	testlib_lay(t, "lib/deepx.kv", abstract);
	testlib_publish(t);
}

/* What a program prints on stdout, or "error: …" with its first error. */
static void
expect(const char *program, const char *want)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_msg(r.rt != NULL, "%s", r.error);
	if (testrun_program(&r, program))
		ck_assert_msg(*want == '!' && strstr(r.error, want + 1),
		    "expected %s\nfound %s", want, r.error);
	else
		ck_assert_str_eq(r.out_text, want);
	testrun_close(&r);
	testlib_release(&t);
}

START_TEST(print__values)
{
	expect("println(1, 2.5, true, \"ab\")\nprint(1)\nprint(2, 3)\n",
	    "1 2.5 true ab\n123");
	expect("x:[2,2]float32 = [1.0, 2.5, -3.0, 0.1]\nprintln(x)\n",
	    "[[1.0, 2.5], [-3.0, 0.1]]\n");
	expect("println(never)\n", "None\n");
	expect("println(1) -> x\n", "!prog.kv:1");
}
END_TEST

START_TEST(call__backends_broadcast)
{
	expect("a:[2,3]float32 = [1,2,3,4,5,6]\n"
	    "b:[3]float32 = [10,20,30]\n"
	    "deepx/t·add(a, b) -> c\nprintln(c)\n",
	    "[[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]\n");
	/* Scalars become the tensor's dtype. */
	expect("a:[2]float32 = [1,2]\ndeepx/t·add(a, 0.5) -> c\n"
	    "deepx/t·add(1, c) -> c\nprintln(c)\n", "[2.5, 3.5]\n");
	expect("deepx/t·add(1.5, 2) -> c\nprintln(c)\n", "3.5\n");
	expect("a:[2]float64 = [1,2]\ndeepx/t·add(a, a) -> c\nprintln(c)\n",
	    "[2.0, 4.0]\n");
}
END_TEST

START_TEST(call__reductions)
{
	const char *head = "a:[2,3]float32 = [1,2,3,4,5,9]\n";
	static const struct { const char *call, *out; } row[] = {
		{ "sum(a, 0, false)", "[5.0, 7.0, 12.0]\n" },
		{ "sum(a, 1, false)", "[6.0, 18.0]\n" },
		{ "sum(a, -1, true)", "[[6.0], [18.0]]\n" },
		{ "sum(a, [0], true)", "[[5.0, 7.0, 12.0]]\n" },
		{ "argmax(a, 1, false)", "[2, 2]\n" },
		{ "sum(a, 2, false)", "!out of range" },
		{ "sum(a, -3, false)", "!out of range" },
		{ "sum(a, [0, 1], false)", "[24.0]\n" },
		{ "sum(a, [-1, 0], true)", "[[24.0]]\n" },
		{ "sum(a, [0, -2], false)", "!axis -2 appears twice" },
		{ "sum(a, 1.0, false)", "!arg 2 (axis): expected" },
		{ "sum(a, 1, 0)", "!arg 3 (keepdims): expected bool" },
		{ "sum(a, 1)", "!expects 3 args, got 2" },
	};
	char program[200];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(*row); i++) {
		snprintf(program, sizeof(program),
		    "%sdeepx/t·%s -> y\nprintln(y)\n", head, row[i].call);
		expect(program, row[i].out);
	}
}
END_TEST

START_TEST(call__views)
{
	expect("a:[2,3]float32 = [1,2,3,4,5,6]\n"
	    "deepx/t·reshape(a, [3,2]) -> b\nprintln(b)\n"
	    "c:[2,1]float32 = [7,8]\n"
	    "deepx/t·broadcastTo(c, [2,2]) -> d\nprintln(d)\n"
	    "xv·reshape(a, 6) -> e\nprintln(e)\n"
	    "xv·reshape(a, 1, 3, 2) -> e\nprintln(e)\n",
	    "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]\n"
	    "[[7.0, 7.0], [8.0, 8.0]]\n"
	    "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]\n"
	    "[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]\n");
	expect("a:[2]float32 = [1,2]\ndeepx/t·reshape(a, [3]) -> b\n",
	    "!prog.kv:2:1: TypeError: deepx/t·reshape: cannot reshape");
	expect("a:[2]float32 = [1,2]\nxv·reshape(a, 3) -> b\n",
	    "!IndexError: xv·reshape: cannot reshape 2 elements into [3]");
	expect("a:[2]float32 = [1,2]\nxv·reshape(a, -2) -> b\n",
	    "!negative dim -2");
}
END_TEST

/* 6 axes of which none merge: the runtime loops the two outer ones. */
START_TEST(call__more_axes_than_the_table)
{
	expect("a:[2,1,2,1,2,1]float32 = [0,1,2,3,4,5,6,7]\n"
	    "b:[1,2,1,2,1,2]float32 = [0,10,20,30,40,50,60,70]\n"
	    "deepx/t·add(a, b) -> c\n"
	    "deepx/t·reshape(c, [8,8]) -> d\nprintln(d)\n",
	    "[[0.0, 10.0, 1.0, 11.0, 20.0, 30.0, 21.0, 31.0], "
	    "[2.0, 12.0, 3.0, 13.0, 22.0, 32.0, 23.0, 33.0], "
	    "[40.0, 50.0, 41.0, 51.0, 60.0, 70.0, 61.0, 71.0], "
	    "[42.0, 52.0, 43.0, 53.0, 62.0, 72.0, 63.0, 73.0], "
	    "[4.0, 14.0, 5.0, 15.0, 24.0, 34.0, 25.0, 35.0], "
	    "[6.0, 16.0, 7.0, 17.0, 26.0, 36.0, 27.0, 37.0], "
	    "[44.0, 54.0, 45.0, 55.0, 64.0, 74.0, 65.0, 75.0], "
	    "[46.0, 56.0, 47.0, 57.0, 66.0, 76.0, 67.0, 77.0]]\n");
}
END_TEST

START_TEST(errors__types)
{
	expect("a:[2]float32 = [1,2]\nb:[2]float64 = [1,2]\n"
	    "deepx/t·add(a, b) -> c\n",
	    "!prog.kv:3:1: TypeError: deepx/t·add arg 2 (B): expected float32 "
	    "as the other operands, got [2]float64");
	expect("a:[2]float32 = [1,2]\nb:[3]float32 = [1,2,3]\n"
	    "deepx/t·add(a, b) -> c\n", "!do not broadcast");
	expect("a:[2]int32 = [1,2]\ndeepx/t·add(a, 1) -> c\n",
	    "!deepx/t·add has no kernel of int32 that may run here; it has "
	    "float32 for x86-64, float64 for x86-64");
	expect("a:[2]float32 = [1,2]\ndeepx/t·add(a, \"x\") -> c\n",
	    "!arg 2 (B): expected a number or tensor");
	expect("a:[2]float32 = [1,2]\ndeepx/t·add(a, nothing) -> c\n",
	    "!arg 2: expected a value, got None");
	expect("a:[2]float32 = [1,2]\ndeepx/t·add(a, a) -> b, c\n",
	    "!expects 1 writes, got 2");
	expect("a:[2]float32 = [1,2]\ndeepx/t·div(a, a) -> b\n",
	    "!ZeroDivisionError: division by zero (deepx/t·div)");
}
END_TEST

START_TEST(errors__unbound)
{
	expect("a:[3]float32 = [1,5,2]\n\ndeepx·argmax(a, 0, false) -> m\n"
	    "println(m)\n",
	    "!prog.kv:3:1: UnboundOpError: deepx·argmax: abstract op has no "
	    "bound back end; run the compiler "
	    "(抽象算子未绑定后端，需先经编译器): `kvaot run prog.kv`");
}
END_TEST

START_TEST(errors__names)
{
	expect("foo·bar(1) -> x\n",
	    "!prog.kv:1:1: NameError: rwfunc not found: foo·bar");
	expect("rwfunc f() -> () {\n\tf()\n}\nf()\n",
	    "!RecursionError: stack overflow: depth=257 pc=/lib/f");
	expect("u·f(1, 2) -> x\n",
	    "!TypeError: u·f expects 1 args, got 2");
	expect("u·f(1) -> x, y\n",
	    "!TypeError: u·f expects 1 writes, got 2");
	expect("u·f(1.5) -> x\n",
	    "!TypeError: u·f arg 1 (a): expected int64, got float64");
	expect("u·f(z) -> x\n",
	    "!TypeError: u·f arg 1 (a): expected int64, got None");
}
END_TEST

START_TEST(call__functions)
{
	/* Bare names mean the caller's package first, then /lib. */
	expect("lib p {\n\trwfunc f(a:int64) -> (b:int64, c:int64) {\n"
	    "\t\tg(a) -> b\n\t\tc = 7\n\t}\n"
	    "\trwfunc g(a:int64) -> (b:int64) {\n\t\tb = a\n\t}\n}\n"
	    "rwfunc g(a:int64) -> (b:int64) {\n\tb = 99\n}\n"
	    "p·f(3) -> x, y\ng(3) -> z\nprintln(x, y, z)\n", "3 7 99\n");
	/* A write starts with what its destination holds. */
	expect("rwfunc acc(x:[]float32) -> (sum:[]float32) {\n"
	    "\tdeepx/t·add(sum, x) -> sum\n}\n"
	    "one:[2]float32 = [1,2]\ntotal:[2]float32 = [10,20]\n"
	    "acc(one) -> total\nacc(one) -> total\nprintln(total, one)\n",
	    "[12.0, 24.0] [1.0, 2.0]\n");
	expect("rwfunc inc(x:[]float32) -> (y:[]float32) {\n"
	    "\tdeepx/t·add(x, 1) -> y\n\tdeepx/t·add(x, y) -> y\n}\n"
	    "v:[1]float32 = [3]\ninc(v) -> v\nprintln(v)\n", "[7.0]\n");
	expect("rwfunc f() -> (a:int64, b:int64) {\n\ta = 1\n\tb = 2\n}\n"
	    "f() -> _, x\nprintln(x)\n", "2\n");
	expect("rwfunc test() {\n\tprintln(5)\n}\n", "5\n");
}
END_TEST

START_TEST(dump__format)
{
	struct testlib t;
	struct testrun r;

	make_library(&t);
	testrun_open(&r, &t, (struct runtime_options){ .dump = true });
	ck_assert_int_eq(testrun_program(&r, "a:[2]float32 = [1,2.5]\n"
	    "deepx/t·add(a, a) -> b\ndeepx/t·argmax(b, 0, false) -> c\n"), 0);
	ck_assert_str_eq(r.err_text, "[kvaot] deepx/t·add -> 2 5\n"
	    "[kvaot] deepx/t·argmax -> 1\n");
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

START_TEST(call__empty_axis)
{
	struct shape s = { 2, { 2, 0 } }, none = { 2, { 0, 3 } };
	struct testlib t;
	struct testrun r;
	struct cell *in, *out;
	struct value v;

	make_library(&t);
	testlib_lay(&t, "f.kv", "rwfunc f(A:[*]float32) -> (B:[*]int64) {\n"
	    "\tdeepx/t·argmax(A, 1, false) -> B\n}\n");
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	v = value_tensor(&t.arena, DT_FLOAT32, &none, "");
	in = runtime_value(r.rt, &v);
	ck_assert_int_eq(
	    runtime_call(r.rt, "f", &in, 1, &out, 1, &r.diag), 0);
	ck_assert_int_eq(runtime_body(out)->shape.rank, 1);
	ck_assert_int_eq(runtime_body(out)->shape.dim[0], 0);
	runtime_release(r.rt, in);
	runtime_release(r.rt, out);
	v = value_tensor(&t.arena, DT_FLOAT32, &s, "");
	in = runtime_value(r.rt, &v);
	ck_assert_int_eq(
	    runtime_call(r.rt, "f", &in, 1, &out, 1, &r.diag), -1);
	diag_first(&r.diag, r.error, sizeof(r.error));
	ck_assert_ptr_nonnull(strstr(r.error,
	    "f.kv:2:2: IndexError: deepx/t·argmax: axis 1 is empty"));
	runtime_release(r.rt, in);
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

/* What the manifest says of an entry must be so. */
START_TEST(errors__entry_disagrees)
{
	struct testlib t;
	struct testrun r;
	const char *o;

	testlib_init(&t);
	o = testlib_object(&t, kernels);
	testlib_backend(&t, "deepx/t·add", DT_FLOAT32, "map", o, 1);
	testlib_backend(&t, "deepx/t·sub", DT_FLOAT32, "map", o, 0);
	testlib_backend(&t, "deepx/t·mul", DT_FLOAT32, "map", o, 77);
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_int_eq(testrun_program(&r, "a:[1]float32 = [1]\n"
	    "deepx/t·add(a, a) -> b\n"), -1);
	ck_assert_ptr_nonnull(strstr(r.error, "dtype: found float64"));
	testrun_close(&r);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_int_eq(testrun_program(&r, "a:[1]float32 = [1]\n"
	    "deepx/t·sub(a, a) -> b\n"), -1);
	ck_assert_ptr_nonnull(strstr(r.error, "opcode: found deepx/t·add"));
	testrun_close(&r);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_int_eq(testrun_program(&r, "a:[1]float32 = [1]\n"
	    "deepx/t·mul(a, a) -> b\n"), -1);
	ck_assert_ptr_nonnull(strstr(r.error, "fewer entries"));
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

static void
expect_damage(struct testlib *t, const char *file, struct str bytes, size_t n)
{
	struct testrun r;

	ck_assert_int_eq(file_write(file, bytes.p, n, false), 0);
	testrun_open(&r, t, (struct runtime_options){ 0 });
	ck_assert_ptr_null(r.rt);
	ck_assert_msg(strstr(r.error, strrchr(file, '/')) != NULL, "%s",
	    r.error);
	testrun_close(&r);
}

static void
damage(const char *name)
{
	struct testlib t;
	struct testrun r;
	struct str bytes, copy;
	const char *file;
	char *p;
	size_t i;

	make_library(&t);
	file = testlib_path(&t, arena_printf(
	    &t.arena, "lib/current/%s", name));
	ck_assert_int_eq(file_read(&t.arena, file, &bytes), 0);
	for (i = 0; i < bytes.n; i += i < 40 ? 1 : 37)
		expect_damage(&t, file, bytes, i);
	copy.p = p = arena_alloc(&t.arena, bytes.n);
	copy.n = bytes.n;
	for (i = 0; i < bytes.n; i += i < 40 ? 1 : 29) {
		memcpy(p, bytes.p, bytes.n);
		p[i] ^= 0x20;
		expect_damage(&t, file, copy, bytes.n);
	}
	ck_assert_int_eq(file_write(file, bytes.p, bytes.n, false), 0);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_ptr_nonnull(r.rt);
	testrun_close(&r);
	testlib_release(&t);
}

START_TEST(open__damaged_image)
{
	damage("image");
}
END_TEST

START_TEST(open__damaged_manifest)
{
	damage("manifest");
}
END_TEST

/* A whole image of another library is as wrong as a damaged one. */
START_TEST(open__image_of_another_library)
{
	struct testlib t, other;
	struct testrun r;
	struct str bytes;

	make_library(&t);
	make_library(&other);
	testlib_lay(&other, "x.kv", "rwfunc x() {\n\tprintln(1)\n}\n");
	testlib_publish(&other);
	ck_assert_int_eq(file_read(&t.arena,
	    testlib_path(&other, "lib/current/image"), &bytes), 0);
	ck_assert_int_eq(file_write(testlib_path(&t, "lib/current/image"),
	    bytes.p, bytes.n, false), 0);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_ptr_null(r.rt);
	ck_assert_ptr_nonnull(strstr(r.error, "do not belong together"));
	testrun_close(&r);
	testlib_release(&t);
	testlib_release(&other);
}
END_TEST

START_TEST(open__absent)
{
	struct testlib t;
	struct testrun r;

	testlib_init(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_ptr_null(r.rt);
	ck_assert_ptr_nonnull(strstr(r.error, "holds no published library"));
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

Suite *
runtime_interp_suite(void)
{
	Suite *s = suite_create("runtime_interp");
	TCase *c = tcase_create("interp");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, print__values);
	tcase_add_test(c, call__backends_broadcast);
	tcase_add_test(c, call__reductions);
	tcase_add_test(c, call__views);
	tcase_add_test(c, call__more_axes_than_the_table);
	tcase_add_test(c, errors__types);
	tcase_add_test(c, errors__unbound);
	tcase_add_test(c, errors__names);
	tcase_add_test(c, call__functions);
	tcase_add_test(c, dump__format);
	tcase_add_test(c, call__empty_axis);
	tcase_add_test(c, errors__entry_disagrees);
	tcase_add_test(c, open__damaged_image);
	tcase_add_test(c, open__damaged_manifest);
	tcase_add_test(c, open__image_of_another_library);
	tcase_add_test(c, open__absent);
	suite_add_tcase(s, c);
	return s;
}
