/* SPDX-License-Identifier: MIT */
/* Values of the command line. The numbers of rand: were computed by another
 * program (splitmix64 in Python, seed 7). */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/argument.h"

Suite *runtime_argument_suite(void);

static struct arena arena;

static struct value
read_value(const char *text)
{
	struct value v = { 0 };
	struct diag d;

	diag_init(&d);
	ck_assert_msg(!argument_value(&arena, text, &v, &d), "%s", text);
	diag_release(&d);
	return v;
}

START_TEST(argument__random)
{
	static const float f[] = { -0.8813624382019043f, -3.865694046020508f,
		3.206085205078125f, 0.6634421348571777f, -0.380465030670166f,
		-2.0045480728149414f };
	static const double d[] = { -0.8813620128698281, -3.865693643774751,
		3.2060854448550673 };
	struct value v = read_value("rand:2x3:float32:7");

	ck_assert_str_eq(v.langtype, "[2,3]float32");
	ck_assert_mem_eq(v.body, f, sizeof(f));
	v = read_value("rand:3:float64:7");
	ck_assert_str_eq(v.langtype, "[3]float64");
	ck_assert_mem_eq(v.body, d, sizeof(d));
	v = read_value("rand:2:float16:7");
	ck_assert_str_eq(v.langtype, "[2]float16");
	ck_assert_mem_eq(v.body, ((const uint16_t[]){ 0xbb0d, 0xc3bb }), 4);
	v = read_value("rand:2:bfloat16:7");
	ck_assert_mem_eq(v.body, ((const uint16_t[]){ 0xbf62, 0xc077 }), 4);
	v = read_value("bfloat16([1.0,-2.5])");
	ck_assert_mem_eq(v.body, ((const uint16_t[]){ 0x3f80, 0xc020 }), 4);
}
END_TEST

START_TEST(argument__literals)
{
	struct value v = read_value("-1");

	ck_assert_str_eq(v.langtype, "int64");
	ck_assert_int_eq(*(const int64_t *)v.body, -1);
	v = read_value("2.5e1");
	ck_assert_str_eq(v.langtype, "float64");
	ck_assert_double_eq(*(const double *)v.body, 25);
	v = read_value("true");
	ck_assert_str_eq(v.langtype, "bool");
	ck_assert_int_eq(*(const uint8_t *)v.body, 1);
	v = read_value("[1, 0,-3]");
	ck_assert_str_eq(v.langtype, "[3]int64");
	ck_assert_int_eq(((const int64_t *)v.body)[2], -3);
}
END_TEST

/* The highest bits of the numbers behind those of argument__random. */
START_TEST(argument__random_integers)
{
	static const int8_t i8[] = { 99, 4, -26, -107 };
	static const uint16_t u16[] = { 25547, 1100, 59032, 38202 };
	static const int64_t i64[] = { 7191089600892374487, 309689372594955804 };
	static const uint8_t b[] = { 0, 0, 1, 1 };
	struct value v = read_value("rand:2x2:int8:7");

	ck_assert_str_eq(v.langtype, "[2,2]int8");
	ck_assert_mem_eq(v.body, i8, sizeof(i8));
	v = read_value("rand:4:uint16:7");
	ck_assert_mem_eq(v.body, u16, sizeof(u16));
	v = read_value("rand:2:int64:7");
	ck_assert_mem_eq(v.body, i64, sizeof(i64));
	v = read_value("rand:4:bool:7");
	ck_assert_str_eq(v.langtype, "[4]bool");
	ck_assert_mem_eq(v.body, b, sizeof(b));
}
END_TEST

START_TEST(argument__kinds)
{
	static const int8_t i8[] = { 127, -128 };
	static const uint64_t u64[] = { UINT64_MAX, 0 };
	struct value v = read_value("int8([127, -128])");

	ck_assert_str_eq(v.langtype, "[2]int8");
	ck_assert_mem_eq(v.body, i8, sizeof(i8));
	v = read_value("uint64([18446744073709551615,0])");
	ck_assert_str_eq(v.langtype, "[2]uint64");
	ck_assert_mem_eq(v.body, u64, sizeof(u64));
	v = read_value("uint16(65535)");
	ck_assert_str_eq(v.langtype, "uint16");
	ck_assert_uint_eq(*(const uint16_t *)v.body, 65535);
	v = read_value("float32([1,2])");
	ck_assert_str_eq(v.langtype, "[2]float32");
	ck_assert_float_eq(((const float *)v.body)[1], 2);
	v = read_value("float32(0.5)");
	ck_assert_float_eq(*(const float *)v.body, 0.5f);
	v = read_value("bool([true,false])");
	ck_assert_str_eq(v.langtype, "[2]bool");
}
END_TEST

START_TEST(argument__refused)
{
	static const char *const bad[] = { "", "x", "[", "[]", "[1", "[1,]",
		"[1,2.5]", "1 2", "--1", "rand:", "rand:2x:float32:7",
		"rand:2:int7:7", "rand:2:float32", "rand:2:float32:7:8",
		"rand:2:float32:x", "rand:-2:float32:7",
		"rand:99999999999x99999999999:float32:7", "/nowhere/x.npy",
		"int8(128)", "int8([0,-129])", "uint8(-1)", "uint64(-1)",
		"uint32(4294967296)", "int8(1.0)", "int8(true)", "bool(1)",
		"uint64(18446744073709551616)", "int7(1)", "int8(1", "int8()",
		"int8(1))", "(1)" };
	struct value v;
	struct diag d;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		diag_init(&d);
		ck_assert_msg(
		    argument_value(&arena, bad[i], &v, &d), "%s", bad[i]);
		ck_assert_int_eq(d.errors, 1);
		diag_release(&d);
	}
}
END_TEST

START_TEST(argument__npy_round_trip)
{
	char path[] = "/tmp/kvaot-test-XXXXXX", npy[64];
	struct value v = read_value("rand:2x3:float64:9"), w;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	unlink(path);
	snprintf(npy, sizeof(npy), "%s.npy", path);
	ck_assert_int_eq(argument_write(npy, &v), 0);
	w = read_value(npy);
	ck_assert_str_eq(w.langtype, "[2,3]float64");
	ck_assert_mem_eq(w.body, v.body, v.n);
	unlink(npy);
}
END_TEST

Suite *
runtime_argument_suite(void)
{
	Suite *s = suite_create("runtime_argument");
	TCase *c = tcase_create("argument");

	tcase_add_test(c, argument__random);
	tcase_add_test(c, argument__literals);
	tcase_add_test(c, argument__random_integers);
	tcase_add_test(c, argument__kinds);
	tcase_add_test(c, argument__refused);
	tcase_add_test(c, argument__npy_round_trip);
	suite_add_tcase(s, c);
	return s;
}
