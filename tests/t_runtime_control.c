/* SPDX-License-Identifier: MIT */
/* Control flow, paths, None, strings and variadic functions as they run. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/file.h"
#include "tests/t_runtime.h"

Suite *runtime_control_suite(void);

/* What a program prints, or "!" and its first error from its end on. */
static void
expect_rows(struct testlib *t, const char *program, const char *want)
{
	struct testrun r;
	const char *at;

	testlib_publish(t);
	testrun_open(&r, t, (struct runtime_options){ 0 });
	ck_assert_msg(r.rt != NULL, "%s", r.error);
	if (testrun_program(&r, program)) {
		at = strstr(r.error, want + 1);
		ck_assert_msg(*want == '!' && at && !at[strlen(want + 1)],
		    "expected %s\nfound %s", want, r.error);
	} else {
		ck_assert_str_eq(r.out_text, want);
	}
	testrun_close(&r);
}

static void
expect(const char *program, const char *want)
{
	struct testlib t;

	testlib_init(&t);
	expect_rows(&t, program, want);
	testlib_release(&t);
}

/* kvlang.md 4.7: sums i·i + k for i from 1 to n. */
START_TEST(while__sumsq)
{
	const char *lib = "lib demo {\n"
	    "\trwfunc sumsq(n:int64, k:int64) -> (acc:int64) {\n"
	    "\t\t0 -> acc\n\t\ti = 1\n\t\twhile (i <= n) {\n"
	    "\t\t\tacc + i × i + k -> acc\n\t\t\ti + 1 -> i\n\t\t}\n\t}\n}\n";
	char program[600];

	snprintf(program, sizeof(program), "%srwfunc test() {\n"
	    "\tdemo·sumsq(3, 10) -> a\n\tdemo·sumsq(0, 10) -> b\n"
	    "\tdemo·sumsq(100, 0) -> c\n\tprintln(a, b, c)\n}\n", lib);
	expect(program, "44 0 338350\n");
}
END_TEST

START_TEST(if__branches)
{
	expect("rwfunc f(n:int64) -> (r:[]char/utf32) {\n"
	    "\tif (n < 0) {\n\t\tr = \"neg\"\n\t} else if (n == 0) {\n"
	    "\t\tr = \"zero\"\n\t} else {\n\t\tr = \"pos\"\n\t}\n"
	    "\tif (n == 7) {\n\t\tr = \"seven\"\n\t\treturn\n\t}\n"
	    "\tr + \"!\" -> r\n}\n"
	    "rwfunc test() {\n\tprintln(f(-1), f(0), f(5), f(7))\n}\n",
	    "neg! zero! pos! seven\n");
}
END_TEST

START_TEST(loops__break_continue)
{
	expect("rwfunc test() {\n\ts = 0\n\tfor (x in [5, 1, 8, 3, 9, 2]) {\n"
	    "\t\tif (x == 1) {\n\t\t\tcontinue\n\t\t}\n"
	    "\t\tif (x == 9) {\n\t\t\tbreak\n\t\t}\n"
	    "\t\ts + x -> s\n\t}\n\tprintln(s)\n"
	    "\tn = 0\n\ti = 0\n\twhile (i < 4) {\n\t\tj = 0\n"
	    "\t\twhile (true) {\n\t\t\tif (j >= i) {\n\t\t\t\tbreak\n\t\t\t}\n"
	    "\t\t\tj + 1 -> j\n\t\t\tn + 1 -> n\n\t\t}\n\t\ti + 1 -> i\n\t}\n"
	    "\tprintln(n)\n"
	    "\tfor (c in \"héy\") {\n\t\tprint(c, \".\")\n\t}\n}\n",
	    "16\n6\nh.é.y.");
}
END_TEST

/* Elements of any rank in row-major order, read when their turn comes. */
START_TEST(for__elements)
{
	expect("rwfunc id(a:any) -> (b:any) {\n\tb = a\n}\n"
	    "rwfunc test() {\n\tm:[2,3]float32 = [1, 2, 3, 4, 5, 6]\n"
	    "\ts:float32 = 0.0\n\tfor (x in m) {\n\t\ts + x -> s\n"
	    "\t\tprint(x, \" \")\n\t}\n\tprintln(s)\n"
	    "\tfor (x in id([[[1], [2]], [[3], [4]]])) {\n"
	    "\t\tprint(x, \" \")\n\t}\n"
	    "\te:[0]int8 = []\n\tfor (x in e) {\n\t\tprint(x)\n\t}\n"
	    "\ta = [1, 2]\n\tfor (x in a) {\n\t\tprint(x, \";\")\n"
	    "\t\ta[1] = 7\n\t}\n}\n",
	    "1.0 2.0 3.0 4.0 5.0 6.0 21.0\n1 2 3 4 1;7;");
	expect("rwfunc id(a:any) -> (b:any) {\n\tb = a\n}\n"
	    "rwfunc test() {\n\tfor (x in id(5)) {\n\t}\n}\n",
	    "!prog.kv:5:12: TypeError: for requires a compact array, got "
	    "int64");
	expect("rwfunc test() {\n\ta = [1, 2, 3]\n\tfor (x in a) {\n"
	    "\t\tarray·slice(a, 0, 1) -> a\n\t}\n}\n",
	    "!prog.kv:3:12: IndexError: for: index out of bounds");
}
END_TEST

struct canceller {
	struct runtime *rt;
	atomic_bool done;
};

/* A cancel before the call begins has no effect, so it comes again. */
static void *
cancel_often(void *arg)
{
	struct canceller *c = arg;

	while (!atomic_load(&c->done)) {
		runtime_cancel(c->rt);
		usleep(1000);
	}
	return NULL;
}

START_TEST(loops__cancelled)
{
	struct canceller c = { 0 };
	struct testlib t;
	struct testrun r;
	pthread_t thread;

	testlib_init(&t);
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	c.rt = r.rt;
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_often, &c), 0);
	ck_assert_int_eq(testrun_program(&r, "rwfunc test() {\n"
	    "\twhile (true) {\n\t}\n}\n"), -1);
	atomic_store(&c.done, true);
	pthread_join(thread, NULL);
	ck_assert_str_eq(r.error, "prog.kv:2:2: RuntimeError: cancelled");
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

START_TEST(branch__condition)
{
	expect("rwfunc test() {\n\tif (nothing) {\n\t\tprint(1)\n\t}\n}\n",
	    "!prog.kv:2:6: TypeError: None in branch condition");
	expect("rwfunc id(a:any) -> (b:any) {\n\tb = a\n}\n"
	    "rwfunc test() {\n\tx = id(1)\n\twhile (x) {\n\t}\n}\n",
	    "!prog.kv:6:9: TypeError: branch condition must be bool, got "
	    "int64");
	expect("rwfunc id(a:any) -> (b:any) {\n\tb = a\n}\n"
	    "rwfunc test() {\n\tx = id([true])\n\tif (x) {\n\t}\n}\n",
	    "!prog.kv:6:6: TypeError: branch condition must be bool, got "
	    "[1]bool");
}
END_TEST

static void
put_ref(struct testlib *t, int row, int col, const char *text)
{
	size_t n = strlen(text);
	char *body = arena_alloc(&t->arena, 5 + n);

	memcpy(body + 5, text, n);
	space_set(t->space, arena_printf(&t->arena, "/lib/m·f/[%d,%d]", row,
	    col), &(struct value){ .langtype = col ? "rwir" : "rwir|rwfunc",
	    .body = body, .n = 5 + n });
}

static void
put_int(struct testlib *t, int row, int col, int64_t i)
{
	space_set_i64(t->space, arena_printf(&t->arena, "/lib/m·f/[%d,%d]",
	    row, col), i);
}

/* A function m·f without parameters whose rows the test puts. */
static void
start_rows(struct testlib *t)
{
	testlib_init(t);
	space_set(t->space, "/lib/m·f/[0,0]", &(struct value){
	    .langtype = "rwfunc", .body = "\0\0\0\0\0", .n = 5 });
}

static void
end_rows(struct testlib *t, const char *want)
{
	expect_rows(t, "rwfunc test() {\n\tm·f()\n}\n", want);
	testlib_release(t);
}

/* 1 goto 4 · 2 println 2 · 3 return · 4 println 1 · 5 goto 2, and behind the
 * last row a function returns. */
START_TEST(goto__rows)
{
	struct testlib t;

	start_rows(&t);
	put_ref(&t, 1, 0, "goto");
	put_int(&t, 1, -1, 4);
	put_ref(&t, 2, 0, "println");
	put_int(&t, 2, -1, 2);
	put_ref(&t, 3, 0, "return");
	put_ref(&t, 4, 0, "println");
	put_int(&t, 4, -1, 1);
	put_ref(&t, 5, 0, "goto");
	put_int(&t, 5, -1, 2);
	end_rows(&t, "1\n2\n");

	start_rows(&t);
	put_ref(&t, 1, 0, "goto");
	put_int(&t, 1, -1, 2);
	put_ref(&t, 2, 0, "println");
	put_int(&t, 2, -1, 7);
	end_rows(&t, "7\n");
}
END_TEST

START_TEST(goto__malformed)
{
	struct testlib t;

	start_rows(&t);
	put_ref(&t, 1, 0, "goto");
	put_int(&t, 1, -1, 2);
	end_rows(&t, "!RuntimeError: no instruction at /lib/m·f/[2,0]");

	start_rows(&t);
	put_ref(&t, 1, 0, "goto");
	put_int(&t, 1, -1, 0);
	end_rows(&t, "!RuntimeError: no instruction at /lib/m·f/[0,0]");

	start_rows(&t);
	put_ref(&t, 1, 0, "goto");
	put_ref(&t, 1, -1, "there");
	end_rows(&t, "!RuntimeError: goto target is not an int64 irseq: read "
	    "1");

	start_rows(&t);
	put_ref(&t, 1, 0, "goto");
	end_rows(&t, "!RuntimeError: goto expects 1 irseq, got 0");

	start_rows(&t);
	put_ref(&t, 1, 0, "br");
	put_int(&t, 1, -1, 1);
	put_int(&t, 1, -2, 1);
	end_rows(&t, "!RuntimeError: br expects cond trueIrseq falseIrseq, "
	    "got 2");
}
END_TEST

/* Rows that no layout makes must not get around an op's arity. */
START_TEST(rows__arity)
{
	struct testlib t;

	start_rows(&t);
	put_ref(&t, 1, 0, "int64·add");
	put_int(&t, 1, -1, 1);
	put_ref(&t, 1, 1, "x");
	end_rows(&t, "!TypeError: binary op requires 2 inputs, got 1 (add)");

	start_rows(&t);
	put_ref(&t, 1, 0, "xv·at");
	put_int(&t, 1, -1, 1);
	put_ref(&t, 1, 1, "x");
	end_rows(&t, "!TypeError: xv·at expects at least 2 args, got 1");

	start_rows(&t);
	put_ref(&t, 1, 0, "abs");
	put_int(&t, 1, -1, 1);
	put_ref(&t, 1, 1, "x");
	put_ref(&t, 1, 2, "y");
	end_rows(&t, "!TypeError: abs expects 1 writes, got 2");
}
END_TEST

/* What stands in /lib under the name and is no function. */
START_TEST(names__no_function)
{
	struct testlib t;

	start_rows(&t);
	put_ref(&t, 1, 0, "m·op");
	space_set(t.space, "/lib/m·op", &(struct value){
	    .langtype = "def rwir", .body = "\0\0\0\0\0", .n = 5 });
	end_rows(&t, "!NameError: rwir 未注册/签名不匹配: m·op (the library "
	    "holds no kernel of it)");

	start_rows(&t);
	put_ref(&t, 1, 0, "m·seven");
	space_set_i64(t.space, "/lib/m·seven", 7);
	end_rows(&t, "!NameError: m·seven 不是 rwfunc (kind=int64)");

	start_rows(&t);
	put_ref(&t, 1, 0, "=");
	put_ref(&t, 1, 1, "x");
	end_rows(&t, "!RuntimeError: = expects 1 read, got 0");
}
END_TEST

/* The header of m·f: reads, writes, whether the last read is variadic. */
static void
put_head(struct testlib *t, const char body[5])
{
	space_set(t->space, "/lib/m·f/[0,0]", &(struct value){
	    .langtype = "rwfunc", .body = body, .n = 5 });
}

static void
put_param(struct testlib *t, int col, const char *name)
{
	char *body = arena_printf(&t->arena, "%s any", name);

	body[strlen(name)] = '\0';
	space_set(t->space, arena_printf(&t->arena, "/lib/m·f.[0,%d]", col),
	    &(struct value){ .langtype = "def langtype", .body = body,
	    .n = strlen(name) + 4 });
}

#define MALFORMED(why) "!RuntimeError: /lib/m·f is not laid out as expected: " \
    why "; lay it out or build it again"

START_TEST(functions__malformed)
{
	struct testlib t;

	start_rows(&t);
	put_head(&t, "\1\0\0\0");
	end_rows(&t, MALFORMED("a parameter definition is missing"));

	start_rows(&t);
	put_head(&t, "\1\0\1\0");
	put_param(&t, -1, "a");
	put_param(&t, 1, "a");
	end_rows(&t, MALFORMED("two parameters have one name"));

	start_rows(&t);
	put_head(&t, "\0\0\0\0\1");
	end_rows(&t, MALFORMED("it is variadic without a read"));

	start_rows(&t);
	put_ref(&t, 1, 0, "");
	end_rows(&t, MALFORMED("a row has no opcode"));

	start_rows(&t);
	put_head(&t, "\1\0\0\0\1");
	put_param(&t, -1, "a");
	put_ref(&t, 1, 0, "println");
	put_ref(&t, 1, -1, "a");
	put_int(&t, 1, -2, 1);
	end_rows(&t, "!RuntimeError: variadic param \"a\" can only be passed "
	    "on, as the last argument of a call");
}
END_TEST

START_TEST(writes__several)
{
	expect("rwfunc two(n:int64) -> (a:int64, b:int64) {\n\ta = n + 1\n"
	    "\tb = n + 2\n}\n"
	    "rwfunc test() {\n\t1 + 2 -> x, y\n\ttwo(x) -> y, x\n"
	    "\ttwo(9) -> _, z\n\tprintln(x, y, z)\n}\n", "5 4 11\n");
	/* A write begins with what its destination holds. */
	expect("rwfunc own() -> (t:int64) {\n\tt + 100 -> t\n}\n"
	    "rwfunc test() {\n\tv = 4\n\town() -> v\n\tprintln(v)\n}\n",
	    "104\n");
}
END_TEST

START_TEST(none__values)
{
	expect("rwfunc test() {\n\tx = 5\n\tx = None\n\tprintln(x, None)\n"
	    "\tif (x == None) {\n\t\tprintln(\"unset\")\n\t}\n}\n",
	    "None None\nunset\n");
	expect("rwfunc f(a:any) -> (b:any) {\n\tb = a\n}\n"
	    "rwfunc test() {\n\tf(x) -> y\n}\n",
	    "!TypeError: f arg 1 (a): expected any, got None");
}
END_TEST

START_TEST(paths__live_in_the_runtime)
{
	expect("rwfunc bump() {\n\t/count + 1 -> /count\n}\n"
	    "rwfunc test() {\n\t/count = 0\n\tbump()\n\tbump()\n"
	    "\tprintln(/count, /other)\n}\n", "2 None\n");
	/* An argument is kept though the path it came from changes. */
	expect("rwfunc f(a:[]int64) -> (b:[]int64) {\n\t/v = [7]\n\tb = a\n}\n"
	    "rwfunc test() {\n\t/v = [1, 2]\n\tf(/v) -> x\n"
	    "\tprintln(x, /v)\n\tf(x) -> /v\n\tprintln(/v)\n}\n",
	    "[1, 2] [7]\n[1, 2]\n");
	expect("rwfunc test() {\n\t/a/v = [1, 2]\n\tw = /a/v\n\tw[0] = 9\n"
	    "\tprintln(/a/v, w)\n}\n", "[1, 2] [9, 2]\n");
}
END_TEST

START_TEST(paths__opcode)
{
	expect("lib p {\n\trwfunc f(a:int64) -> (b:int64) {\n\t\tb = a × 2\n"
	    "\t}\n}\nrwfunc test() {\n\t/lib/p·f(4) -> x\n\tprintln(x)\n}\n",
	    "8\n");
	expect("rwfunc test() {\n\t/lib/p·none(4) -> x\n}\n",
	    "!NameError: rwfunc not found: p·none");
}
END_TEST

START_TEST(paths__survive_calls)
{
	struct testlib t;
	struct testrun r;
	const char **entry;
	size_t n;

	testlib_init(&t);
	testlib_publish(&t);
	testrun_open(&r, &t, (struct runtime_options){ 0 });
	ck_assert_int_eq(testrun_program(&r, "/n = 40\n"), 0);
	ck_assert_int_eq(runtime_lay(r.rt, "b.kv",
	    str_of("/n + 2 -> /n\nprint(/n)\n"), &entry, &n, &r.diag), 0);
	ck_assert_int_eq(runtime_call(r.rt, entry[0], NULL, 0, NULL, 0,
	    &r.diag), 0);
	fflush(r.out);
	ck_assert_str_eq(r.out_text, "42");
	testrun_close(&r);
	testlib_release(&t);
}
END_TEST

/* Two runtimes over one folder are as two processes. */
START_TEST(paths__in_a_folder)
{
	char dir[] = "/tmp/kvpaths.XXXXXX", dsn[40];
	struct runtime_options opt = { .space = dsn };
	struct testlib t;
	struct testrun a, b;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(dsn, sizeof(dsn), "fs://%s", dir);
	testlib_init(&t);
	testlib_publish(&t);
	testrun_open(&a, &t, opt);
	testrun_open(&b, &t, opt);
	ck_assert_int_eq(testrun_program(&a, "/v = [1, 2]\n"
	    "rwfunc f(x:[]int64) {\n\t/v = [7]\n\tprintln(x, /v)\n}\n"), 0);
	ck_assert_int_eq(testrun_program(&b, "println(/v)\n/v = 3\n"), 0);
	ck_assert_str_eq(b.out_text, "[1, 2]\n");
	/* Read twice in a row while it changes, and held by a call. */
	ck_assert_int_eq(testrun_program(&a, "println(/v, /v, /none)\n"
	    "/v = [8]\nf(/v)\n/v = nothing\nprintln(/v)\n"), 0);
	ck_assert_str_eq(a.out_text, "3 3 None\n[8] [7]\nNone\n");
	/* There a value would stand in the place of a function. */
	ck_assert_int_eq(testrun_program(&a, "/lib/f = 1\n"), -1);
	ck_assert_ptr_nonnull(strstr(a.error, "/lib/f: a space keeps functions "
	    "below /lib; write to another path"));
	testrun_close(&a);
	testrun_close(&b);
	testlib_release(&t);
	ck_assert_int_eq(remove_tree(dir), 0);
}
END_TEST

START_TEST(variadic__arguments)
{
	const char *lib =
	    "rwfunc most(first:int64, more:int64...) -> (r:int64) {\n"
	    "\tmax(first, more) -> r\n}\n"
	    "rwfunc show(more:any...) {\n\tprintln(\"got\", more)\n}\n"
	    "rwfunc pass(more:any...) {\n\tshow(0, more)\n}\n"
	    "rwfunc test() {\n%s\n}\n";
	static const struct { const char *body, *want; } row[] = {
		{ "println(most(3, 9, 4), most(3, 2))", "9 3\n" },
		{ "show()\nshow(1)\nshow(1, \"a\", [2])",
		    "got\ngot 1\ngot 1 a [2]\n" },
		{ "pass()\npass(1, 2)", "got 0\ngot 0 1 2\n" },
		{ "show(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20)",
		    "got 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n" },
		{ "y = nothing\nshow(1, y)", "!TypeError: show arg 2 (more): "
		    "expected any, got None" },
		{ "/lib/most(1, /x) -> y", "!TypeError: most arg 2 (more): "
		    "expected int64, got None" },
	};
	char program[600];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(*row); i++) {
		snprintf(program, sizeof(program), lib, row[i].body);
		expect(program, row[i].want);
	}
}
END_TEST

START_TEST(recursion__depth)
{
	const char *lib = "rwfunc down(n:int64) -> (r:int64) {\n"
	    "\tif (n <= 1) {\n\t\tr = 1\n\t} else {\n"
	    "\t\tdown(n - 1) + 1 -> r\n\t}\n}\n"
	    "rwfunc test() {\n\tprintln(down(%d))\n}\n";
	char program[300];

	/* test is the first of 256. */
	snprintf(program, sizeof(program), lib, 255);
	expect(program, "255\n");
	snprintf(program, sizeof(program), lib, 256);
	expect(program, "!prog.kv:5:3: RecursionError: stack overflow: "
	    "depth=257 pc=/lib/down");
}
END_TEST

START_TEST(names__near)
{
	const char *lib = "lib p {\n\trwfunc average(a:int64) -> (b:int64) {\n"
	    "\t\tb = a\n\t}\n\trwfunc g() {\n\t\t%s\n\t}\n}\n"
	    "rwfunc test() {\n\tp·g()\n}\n";
	static const struct { const char *call, *want; } row[] = {
		{ "avrage(1) -> x", "!prog.kv:6:3: NameError: rwfunc not "
		    "found: avrage; did you mean average?" },
		{ "p·avreage(1) -> x", "!NameError: rwfunc not found: "
		    "p·avreage; did you mean p·average?" },
		{ "prinltn(1)", "!NameError: rwfunc not found: prinltn; did "
		    "you mean println?" },
		{ "quite_else(1)", "!NameError: rwfunc not found: "
		    "quite_else" },
	};
	char program[300];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(*row); i++) {
		snprintf(program, sizeof(program), lib, row[i].call);
		expect(program, row[i].want);
	}
}
END_TEST

/* A version whose rows branch does not fit; one that does not is taken though
 * its base branches. */
START_TEST(versions__branches)
{
	struct testlib t;

	testlib_init(&t);
	testlib_lay(&t, "lib/m.kv", "lib m {\n"
	    "\trwfunc f(a:int64) -> (b:int64) {\n\t\tb = 1\n"
	    "\t\tif (a > 0) {\n\t\t\tb = 2\n\t\t}\n\t}\n"
	    "\trwfunc f.1(a:int64) -> (b:int64) {\n\t\tb = 10\n\t}\n"
	    "\trwfunc f.2(a:int64) -> (b:int64) {\n\t\tb = 20\n"
	    "\t\tif (a > 0) {\n\t\t\tb = 21\n\t\t}\n\t}\n}\n");
	testlib_versions(&t, "m·f", 2);
	expect_rows(&t, "rwfunc test() {\n\tprintln(m·f(1))\n}\n", "10\n");
	testlib_release(&t);
}
END_TEST

/* Scalars by ops of the language do not hide what a version gives. */
START_TEST(versions__scalars)
{
	struct testlib t;

	testlib_init(&t);
	testlib_lay(&t, "lib/m.kv", "lib m {\n"
	    "\trwfunc f(a:int64) -> (b:float64) {\n\t\tb = 1.0\n\t}\n"
	    "\trwfunc f.1(a:int64) -> (b:float64) {\n"
	    "\t\ta + 1 -> c\n\t\tc × 0.5 -> b\n\t}\n}\n");
	testlib_versions(&t, "m·f", 1);
	expect_rows(&t, "rwfunc test() {\n\tprintln(m·f(2))\n}\n", "1.5\n");
	testlib_release(&t);
}
END_TEST

Suite *
runtime_control_suite(void)
{
	Suite *s = suite_create("runtime_control");
	TCase *c = tcase_create("control");

	tcase_add_test(c, while__sumsq);
	tcase_add_test(c, if__branches);
	tcase_add_test(c, loops__break_continue);
	tcase_add_test(c, for__elements);
	tcase_add_test(c, loops__cancelled);
	tcase_add_test(c, branch__condition);
	tcase_add_test(c, goto__rows);
	tcase_add_test(c, goto__malformed);
	tcase_add_test(c, rows__arity);
	tcase_add_test(c, names__no_function);
	tcase_add_test(c, functions__malformed);
	tcase_add_test(c, writes__several);
	tcase_add_test(c, none__values);
	tcase_add_test(c, paths__live_in_the_runtime);
	tcase_add_test(c, paths__opcode);
	tcase_add_test(c, paths__survive_calls);
	tcase_add_test(c, paths__in_a_folder);
	tcase_add_test(c, variadic__arguments);
	tcase_add_test(c, recursion__depth);
	tcase_add_test(c, names__near);
	tcase_add_test(c, versions__branches);
	tcase_add_test(c, versions__scalars);
	suite_add_tcase(s, c);
	return s;
}
