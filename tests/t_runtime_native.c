/* SPDX-License-Identifier: MIT */
/* The ops of the language: values by kvlang.md 3.2 and by hand. */
#include "tests/t_runtime.h"

Suite *runtime_native_suite(void);

/* Hides from layout what it could refuse: id's result may be anything. */
static const char head[] =
"rwfunc id(a:any) -> (b:any) {\n\tb = a\n}\nrwfunc test() {\n";

/* One program after the other, in one runtime over an empty library. */
struct bench {
	struct testlib t;
	struct testrun r;
};

static void
bench_open(struct bench *b)
{
	testlib_init(&b->t);
	testlib_publish(&b->t);
	testrun_open(&b->r, &b->t, (struct runtime_options){ 0 });
	ck_assert_msg(b->r.rt != NULL, "%s", b->r.error);
}

static void
bench_close(struct bench *b)
{
	testrun_close(&b->r);
	testlib_release(&b->t);
}

/* want: what the body prints, or "!" and its error without the place. */
static void
expect(struct bench *b, const char *body, const char *want)
{
	char *program = arena_printf(&b->t.arena, "%s%s\n}\n", head, body);
	const char *at;
	int rc;

	diag_release(&b->r.diag);
	diag_init(&b->r.diag);
	rewind(b->r.out);
	rc = testrun_program(&b->r, program);
	b->r.out_text[b->r.out_n] = '\0';
	if (*want != '!') {
		ck_assert_msg(rc == 0, "%s: %s", body, b->r.error);
		ck_assert_msg(strcmp(b->r.out_text, want) == 0,
		    "%s: expected %s, found %s", body, want, b->r.out_text);
		return;
	}
	at = strchr(b->r.error, ' ');
	ck_assert_msg(rc && at && strcmp(at + 1, want + 1) == 0,
	    "%s: expected %s, found %s", body, want, b->r.error);
}

struct row {
	const char *expr, *want;
};

/* Each expression is printed, and each failure is that of line 5. */
static void
expect_rows(const struct row *row, size_t n)
{
	struct bench b;
	size_t i;

	bench_open(&b);
	for (i = 0; i < n; i++)
		expect(&b, arena_printf(&b.t.arena, "print(%s)",
		    row[i].expr), row[i].want);
	bench_close(&b);
}

#define ROWS(...) do { \
	static const struct row rows[] = { __VA_ARGS__ }; \
	expect_rows(rows, sizeof(rows) / sizeof(*rows)); \
} while (0)

START_TEST(number__kinds)
{
	ROWS(
	    { "7 + 3", "10" }, { "7 - 10", "-3" }, { "6 × 7", "42" },
	    { "7 ÷ 2", "3" }, { "-7 ÷ 2", "-3" }, { "-7 % 3", "-1" },
	    { "7 % -3", "1" }, { "7.5 ÷ 2", "3.75" }, { "1 + 2.5", "3.5" },
	    { "9223372036854775807 + 1", "-9223372036854775808" },
	    { "int8(127) + int8(1)", "-128" },
	    { "int8(-128) ÷ int8(-1)", "-128" },
	    { "(-9223372036854775807 - 1) ÷ -1", "-9223372036854775808" },
	    { "(-9223372036854775807 - 1) % -1", "0" },
	    { "uint8(200) + uint8(100)", "44" },
	    { "uint8(1) - uint8(2)", "255" },
	    { "uint64(0) - uint64(1)", "18446744073709551615" },
	    { "(uint64(0) - uint64(1)) ÷ uint64(2)", "9223372036854775807" },
	    /* Mixed: the wider; another sign: the next signed width. */
	    { "xv·langtype(int8(1) + int32(1))", "int32" },
	    { "xv·langtype(int8(1) + uint8(1))", "int16" },
	    { "xv·langtype(uint16(1) + int8(1))", "int32" },
	    { "xv·langtype(uint32(1) + int8(1))", "int64" },
	    { "xv·langtype(uint64(1) + int64(1))", "int64" },
	    { "xv·langtype(uint8(1) + uint16(1))", "uint16" },
	    { "xv·langtype(1 + float32(1))", "float32" },
	    { "xv·langtype(float32(1) + 1.0)", "float64" },
	    { "xv·langtype(float16(1) + 1)", "float16" },
	    { "xv·langtype(float16(1) + bfloat16(1))", "float32" },
	    { "xv·langtype(bfloat16(1) + float32(1))", "float32" },
	    { "xv·langtype(float16(1) + 1.0)", "float64" },
	    { "uint8(200) + int8(-100)", "100" },
	    /* Even lies 2048, above 2^11; 257 becomes 256. */
	    { "float16(2048) + float16(1)", "2048.0" },
	    { "float16(0) + 2051", "2052.0" },
	    { "bfloat16(257) == 256", "true" },
	    { "float16(0.1) × float16(3)", "0.2998" },
	    { "float16(65504) + float16(16)", "inf" },
	    { "-float16(1.5)", "-1.5" },
	    /* 2^24 + 1 is no float32, and to even is down. */
	    { "16777217 + float32(0)", "16777216.0" },
	    { "float32(16777216) + float32(1)", "16777216.0" },
	    { "float32(0.1) × float32(3)", "0.3" },
	    { "0.1 + 0.2", "0.30000000000000004" });
}
END_TEST

START_TEST(number__functions)
{
	ROWS(
	    { "pow(2, 10)", "1024.0" }, { "pow(2.0, 0.5)",
	    "1.4142135623730951" },
	    { "√9", "3.0" }, { "sqrt(float32(2))", "1.4142135623730951" },
	    { "exp(0)", "1.0" }, { "log(1)", "0.0" },
	    { "xv·langtype(exp(float32(1)))", "float64" },
	    { "-id(3)", "-3" }, { "-id(2.5)", "-2.5" },
	    { "neg(int8(-128))", "-128" },
	    { "abs(-3)", "3" }, { "abs(float32(-2.5))", "2.5" },
	    { "xv·langtype(abs(int8(-3)))", "int8" },
	    { "abs(uint8(200))", "200" },
	    { "sign(-2.5)", "-1" }, { "sign(0)", "0" },
	    { "sign(uint64(3))", "1" },
	    { "xv·langtype(sign(0.5))", "int64" },
	    { "max(1, 2)", "2" }, { "min(1, 2)", "1" },
	    { "max(1, 5, 3, 2)", "5" }, { "min(4, 2.5, 3)", "2.5" },
	    { "max(3, 2.5)", "3.0" }, { "max(-1, uint8(1))", "1" });
}
END_TEST

START_TEST(number__bits)
{
	ROWS(
	    { "3 & 5", "1" }, { "3 | 5", "7" }, { "3 ^ 5", "6" },
	    { "3 & 5 | 8", "1" }, { "1 << 62", "4611686018427387904" },
	    { "-8 >> 1", "-4" }, { "uint8(200) >> uint8(3)", "25" },
	    { "uint8(200) << uint8(1)", "144" },
	    { "(uint64(0) - uint64(1)) >> uint64(63)", "1" },
	    { "1 << 64", "!ValueError: shift count 64 is not within 0 to 63" },
	    { "1 << id(-1)", "!ValueError: shift count -1 is not within 0 to "
	    "63" },
	    { "id(true) & id(false)",
	    "!TypeError: expected integer, got bool" },
	    { "id(1.5) | 1", "!TypeError: expected integer, got float64" },
	    { "id(5.0) % 2", "!TypeError: expected integer, got float64" },
	    { "id(5) % 0", "!ZeroDivisionError: modulo by zero" });
}
END_TEST

START_TEST(number__errors)
{
	ROWS(
	    { "\"hello\" + id(3)",
	    "!TypeError: expected numeric, got char/utf32" },
	    { "1 + id(\"a\")", "!TypeError: expected numeric, got char/utf32" },
	    { "id(true) + 1", "!TypeError: expected numeric, got bool" },
	    { "id([1,2]) × 2", "!TypeError: expected numeric, got [2]int64; "
	    "ops on whole tensors are deepx·add and others" },
	    { "nothing + 1", "!TypeError: None in arithmetic" },
	    { "1 ÷ id(0)", "!ZeroDivisionError: division by zero" },
	    { "1.5 ÷ id(0.0)", "!ZeroDivisionError: division by zero" },
	    { "log(id(0))", "!ValueError: log of non-positive number" },
	    { "log(id(-1.5))", "!ValueError: log of non-positive number" },
	    { "sqrt(id(\"x\"))", "!TypeError: expected numeric, got "
	    "char/utf32" },
	    { "-id(uint8(1))", "!TypeError: cannot negate unsigned uint8" },
	    { "max(1, id(\"b\"))", "!TypeError: max/min requires numeric, got "
	    "int64 and char/utf32" },
	    { "min(1, nothing)", "!TypeError: None in arithmetic" });
}
END_TEST

START_TEST(compare__values)
{
	ROWS(
	    { "1 < 2", "true" }, { "2 <= 2", "true" }, { "2 > 2", "false" },
	    { "3 >= 2.5", "true" }, { "1 == 1.0", "true" },
	    { "1 != 2", "true" },
	    /* No wrap between signs. */
	    { "id(-1) < uint64(1)", "true" },
	    { "uint64(1) > id(-1)", "true" },
	    { "(uint64(0) - uint64(1)) == id(-1)", "false" },
	    { "(uint64(0) - uint64(1)) > 1", "true" },
	    { "\"abc\" < \"abd\"", "true" }, { "\"ab\" < \"abc\"", "true" },
	    { "\"a\" == char/utf8(\"a\")", "true" },
	    { "\"é\" > \"z\"", "true" },
	    { "true == true", "true" }, { "false < true", "true" },
	    { "nothing == None", "true" }, { "id(0) == None", "false" },
	    { "id(0) != None", "true" }, { "nothing != None", "false" },
	    { "nothing < id(1)", "!TypeError: None in comparison" },
	    { "id(1) == id(true)",
	    "!TypeError: cannot compare int64 with bool" },
	    { "id(1) < id(\"a\")",
	    "!TypeError: cannot compare int64 with char/utf32" },
	    { "id([1,2]) == id([1,2])",
	    "!TypeError: cannot compare [2]int64 with [2]int64" });
}
END_TEST

START_TEST(compare__nan)
{
	struct bench b;

	bench_open(&b);
	/* Nothing is in order with what is no number. */
	expect(&b, "sqrt(id(-1.0)) -> n\nprint(n == n, n != n, n < 1, n > 1, "
	    "n <= n, n >= n, max(1.0, n), min(n, 1))",
	    "falsetruefalsefalsefalsefalsenannan");
	bench_close(&b);
}
END_TEST

START_TEST(logic__values)
{
	ROWS(
	    { "true && false", "false" }, { "true || false", "true" },
	    { "!true", "false" }, { "true && !false", "true" },
	    { "id(1) && true", "!TypeError: expected bool, got int64" },
	    { "!nothing", "!TypeError: expected bool, got None" },
	    { "true || id(\"x\")",
	    "!TypeError: expected bool, got char/utf32" });
}
END_TEST

START_TEST(cast__values)
{
	ROWS(
	    { "int8(300)", "44" }, { "uint8(-1)", "255" },
	    { "int64(2.9)", "2" }, { "int64(-2.9)", "-2" },
	    { "float32(0.1)", "0.1" }, { "float64(float32(0.1))",
	    "0.10000000149011612" },
	    { "uint64(-1)", "18446744073709551615" },
	    { "bool(true)", "true" },
	    { "int32(id([1.5,-2.5]))", "[1, -2]" },
	    { "xv·langtype(char/utf8(\"hé\"))", "[3]char/utf8" },
	    { "xv·langtype(char/ascii(\"hi\"))", "[2]char/ascii" },
	    { "char/utf32(char/utf8(\"hé\"))", "hé" },
	    { "int64(nothing)", "!TypeError: cannot cast None" },
	    { "char/utf8(nothing)", "!TypeError: cannot cast None" },
	    { "bool(id(1))", "!TypeError: expected bool, got int64" },
	    { "int64(id(true))", "!TypeError: expected numeric, got bool" },
	    { "int64(id(\"1\"))",
	    "!TypeError: expected numeric, got char/utf32" },
	    { "char/utf8(id(1))",
	    "!TypeError: char/utf8 requires a string, got int64" },
	    { "char/ascii(id(\"hé\"))",
	    "!TypeError: char/ascii cannot hold U+00E9" });
}
END_TEST

START_TEST(array__making)
{
	ROWS(
	    { "[id(1), 2, 3]", "[1, 2, 3]" },
	    { "[id([1, 2]), [3, 4]]", "[[1, 2], [3, 4]]" },
	    { "array(id(1.5))", "[1.5]" },
	    { "[id(1), 2.5]", "!TypeError: array: mixed kinds int64 and "
	    "float64" },
	    { "[id(\"a\")]", "!TypeError: a compact array [...] cannot hold "
	    "char/utf32" },
	    { "[id([1, 2]), [3]]", "!TypeError: array: rows of different "
	    "dims, [2]int64 and [1]int64" },
	    { "array()", "!TypeError: array: no elements, so no kind; declare "
	    "one, as in x:[0]float64 = []" },
	    { "array·fill(\"[2,2]int32\", 5)", "[[5, 5], [5, 5]]" },
	    { "array·fill(\"[2]float32\", 1)", "[1.0, 1.0]" },
	    { "array·fill(\"[2]bool\")", "[false, false]" },
	    { "array·fill(\"[2]bool\", 1)", "!TypeError: array·fill: expected "
	    "an element of bool, got int64" },
	    { "array·fill(\"[.]int64\", 1)", "!TypeError: array·fill arg 1: "
	    "expected a type with all dims known, as in \"[2,3]int64\", got "
	    "[.]int64" },
	    { "array·fill(\"[1]int8\", 300)",
	    "!ValueError: array·fill: 300 does not fit int8" },
	    { "array·append([1, 2], 3)", "[1, 2, 3]" },
	    { "array·append(id([1.5]), 2)", "[1.5, 2.0]" },
	    { "array·append(id([1]), 2.5)", "!TypeError: array·append: "
	    "expected an element of int64, got float64" },
	    { "array·append(id([1]), true)", "!TypeError: array·append: "
	    "expected an element of int64, got bool" },
	    { "array·append(id(1), 2)", "!TypeError: array·append requires a "
	    "compact array, got int64" },
	    { "array·slice([1, 2, 3, 4], 1, 3)", "[2, 3]" },
	    { "array·slice([[1, 2], [3, 4], [5, 6]], 1, 3)",
	    "[[3, 4], [5, 6]]" },
	    { "array·slice([1, 2], 1, 1)", "[]" },
	    { "array·slice([1, 2], 1, 3)", "!IndexError: array·slice: bounds "
	    "[1:3] out of range (len=2)" },
	    { "array·slice([1, 2], -1, 1)", "!IndexError: array·slice: bounds "
	    "[-1:1] out of range (len=2)" });
}
END_TEST

START_TEST(array__measures)
{
	ROWS(
	    { "ndarray·numel([[1, 2, 3], [4, 5, 6]])", "6" },
	    { "ndarray·dim([[1, 2, 3], [4, 5, 6]])", "2" },
	    { "ndarray·shape([[1, 2, 3], [4, 5, 6]])", "[2, 3]" },
	    { "ndarray·numel(5)", "1" }, { "ndarray·dim(5)", "0" },
	    { "ndarray·shape(5)", "[]" },
	    { "ndarray·numel(\"héé\")", "3" },
	    { "ndarray·dim(\"ab\")", "1" }, { "ndarray·shape(\"ab\")", "[2]" },
	    { "xv·bodylen([1, 2])", "16" }, { "xv·bodylen(true)", "1" },
	    { "xv·bodylen(\"ab\")", "8" },
	    { "xv·langtype([[1.5], [2.5]])", "[2,1]float64" },
	    { "xv·langtype(\"ab\")", "[2]char/utf32" },
	    { "xv·reinterpret(1, \"[8]uint8\")",
	    "[1, 0, 0, 0, 0, 0, 0, 0]" },
	    { "xv·reinterpret(1.0, \"int64\")", "4607182418800017408" },
	    { "xv·reinterpret(1, \"[2]uint8\")", "!IndexError: xv·reinterpret: "
	    "the type does not have the 8 bytes of int64" },
	    { "xv·reinterpret(id(int8(2)), \"bool\")", "!TypeError: "
	    "xv·reinterpret: int8 cannot become bool" },
	    { "ndarray·numel(nothing)", "!TypeError: ndarray·numel arg 1: "
	    "expected a value, got None" });
}
END_TEST

START_TEST(array__at)
{
	ROWS(
	    { "xv·at([5, 6, 7], 1)", "6" },
	    { "xv·at([[1, 2, 3], [4, 5, 6]], 1, 2)", "6" },
	    { "xv·at(\"héy\", 1)", "é" },
	    { "xv·at([5, 6], id(2))", "!IndexError: xv·at: index out of "
	    "bounds" },
	    { "xv·at([5, 6], id(-1))", "!IndexError: xv·at: index out of "
	    "bounds" },
	    { "xv·at(id([[1, 2], [3, 4]]), 1)", "!IndexError: xv·at: 2-dim "
	    "array needs 2 indices, got 1" },
	    { "xv·at(id(5), 0)", "!TypeError: xv·at requires a compact array, "
	    "got int64" },
	    { "xv·at([5], id(0.0))", "!TypeError: expected integer, got "
	    "float64" },
	    { "xv·at(\"abc\", 3)", "!IndexError: at: index 3 out of bounds "
	    "(char count=3)" },
	    { "xv·at(id(char/utf8(\"abc\")), 1)", "!TypeError: char/utf8 is "
	    "variable-width; index/code-point ops require char/utf32 or "
	    "char/ascii" });
}
END_TEST

START_TEST(array__set)
{
	struct bench b;

	bench_open(&b);
	expect(&b, "a:[4]int32 = [1,2,3,4]\n99 -> a[0]\na[3] = 7\nprint(a)",
	    "[99, 2, 3, 7]");
	/* Nobody else sees the change. */
	expect(&b, "a = [1, 2]\nb = a\na[0] = 5\nc = xv·set(a, 1, 6)\n"
	    "print(a, b, c)", "[5, 2][1, 2][5, 6]");
	expect(&b, "a = [1, 2]\nid(a) -> b\nb[0] = 5\nprint(a, b)",
	    "[1, 2][5, 2]");
	expect(&b, "i = 0\nwhile (i < 2) {\na = [1, 2]\na[i] = 9\nprint(a)\n"
	    "i + 1 -> i\n}", "[9, 2][1, 9]");
	expect(&b, "a:[2,2]float32 = []\na[1,0] = 3\na[0,1] = 0.5\nprint(a)",
	    "[[0.0, 0.5], [3.0, 0.0]]");
	expect(&b, "a = [1, 2]\na[id(2)] = 1",
	    "!IndexError: xv·set: index out of bounds");
	expect(&b, "a = [1, 2]\na[0] = id(1.5)\n", "!TypeError: xv·set: "
	    "expected an element of int64, got float64");
	expect(&b, "a:[1]uint8 = [1]\na[0] = id(-1)\n",
	    "!ValueError: xv·set: -1 does not fit uint8");
	expect(&b, "a:[1]int64 = [1]\na[0] = uint64(0) - uint64(1)\n",
	    "!ValueError: xv·set: 18446744073709551615 does not fit int64");
	bench_close(&b);
}
END_TEST

START_TEST(array__reshape)
{
	ROWS(
	    { "xv·reshape([1, 2, 3, 4, 5, 6], 2, 3)",
	    "[[1, 2, 3], [4, 5, 6]]" },
	    { "xv·reshape([1, 2], [2, 1])", "[[1], [2]]" },
	    { "xv·reshape([1, 2], 3)", "!IndexError: xv·reshape: cannot "
	    "reshape 2 elements into [3]" },
	    { "xv·reshape([1, 2], -2)", "!IndexError: xv·reshape: negative "
	    "dim -2" });
}
END_TEST

START_TEST(text__values)
{
	ROWS(
	    { "\"ab\" + \"cd\"", "abcd" },
	    { "string·concat(\"é\", char/utf8(\"ü\"))", "éü" },
	    { "xv·langtype(char/ascii(\"a\") + char/utf8(\"b\"))",
	    "[2]char/utf32" },
	    { "string·len(\"héy\")", "3" }, { "string·len(\"\")", "0" },
	    { "string·char(\"héy\", 1)", "é" },
	    { "string·ord(\"é\")", "233" },
	    { "string·cmp(\"a\", \"b\")", "-1" },
	    { "string·cmp(\"b\", \"ab\")", "1" },
	    { "string·cmp(\"ab\", \"ab\")", "0" },
	    { "string·find(\"banana\", \"nan\")", "2" },
	    { "string·find(\"banana\", \"x\")", "-1" },
	    { "string·find(\"ab\", \"\")", "0" },
	    { "string·slice(\"hello\", 1, 3)", "el" },
	    { "xv·langtype(string·slice(char/ascii(\"abc\"), 0, 2))",
	    "[2]char/ascii" });
}
END_TEST

START_TEST(text__errors)
{
	ROWS(
	    { "string·concat(id(1), id(true))", "!TypeError: string·concat "
	    "requires strings, got int64 and bool" },
	    { "string·char(id(1), 0)", "!TypeError: string·char requires "
	    "string and index" },
	    { "string·char(\"a\", id(\"b\"))", "!TypeError: string·char "
	    "requires string and index" },
	    { "string·char(\"abc\", 7)", "!IndexError: at: index 7 out of "
	    "bounds (char count=3)" },
	    { "string·ord(\"\")", "!IndexError: at: index 0 out of bounds "
	    "(char count=0)" },
	    { "string·slice(\"abc\", 2, 9)", "!IndexError: at: slice index "
	    "out of bounds (lo=2 hi=9 char count=3)" },
	    { "string·slice(\"abc\", 2, 1)", "!IndexError: at: slice index "
	    "out of bounds (lo=2 hi=1 char count=3)" },
	    { "string·len(id(char/utf8(\"a\")))", "!TypeError: char/utf8 is "
	    "variable-width; index/code-point ops require char/utf32 or "
	    "char/ascii" },
	    { "string·len(id(3))", "!TypeError: string·len requires a string, "
	    "got int64" });
}
END_TEST

START_TEST(print__forms)
{
	struct bench b;

	bench_open(&b);
	expect(&b, "println()\nprint()\nprintln(1, \"a\", None, 2.5)",
	    "\n1 a None 2.5\n");
	bench_close(&b);
}
END_TEST

Suite *
runtime_native_suite(void)
{
	Suite *s = suite_create("runtime_native");
	TCase *c = tcase_create("native");

	tcase_add_test(c, number__kinds);
	tcase_add_test(c, number__functions);
	tcase_add_test(c, number__bits);
	tcase_add_test(c, number__errors);
	tcase_add_test(c, compare__values);
	tcase_add_test(c, compare__nan);
	tcase_add_test(c, logic__values);
	tcase_add_test(c, cast__values);
	tcase_add_test(c, array__making);
	tcase_add_test(c, array__measures);
	tcase_add_test(c, array__at);
	tcase_add_test(c, array__set);
	tcase_add_test(c, array__reshape);
	tcase_add_test(c, text__values);
	tcase_add_test(c, text__errors);
	tcase_add_test(c, print__forms);
	suite_add_tcase(s, c);
	return s;
}
