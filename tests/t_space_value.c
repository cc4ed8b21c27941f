/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "space/value.h"

Suite *space_value_suite(void);

START_TEST(dtype__names_and_sizes)
{
	static const struct {
		enum dtype t;
		const char *name;
		size_t size;
		bool is_float;
	} want[] = {
		{ DT_BOOL, "bool", 1, false }, { DT_INT8, "int8", 1, false },
		{ DT_INT16, "int16", 2, false }, { DT_INT32, "int32", 4, false },
		{ DT_INT64, "int64", 8, false }, { DT_UINT8, "uint8", 1, false },
		{ DT_UINT16, "uint16", 2, false },
		{ DT_UINT32, "uint32", 4, false },
		{ DT_UINT64, "uint64", 8, false },
		{ DT_FLOAT32, "float32", 4, true },
		{ DT_FLOAT64, "float64", 8, true },
		{ DT_FLOAT16, "float16", 2, true },
		{ DT_BFLOAT16, "bfloat16", 2, true },
	};
	size_t i;

	ck_assert_uint_eq(sizeof(want) / sizeof(want[0]), N_DTYPES - 1);
	for (i = 0; i < N_DTYPES - 1; i++) {
		ck_assert_str_eq(dtype_name(want[i].t), want[i].name);
		ck_assert_int_eq(dtype_of(str_of(want[i].name)), want[i].t);
		ck_assert_uint_eq(dtype_size(want[i].t), want[i].size);
		ck_assert_int_eq(dtype_is_float(want[i].t), want[i].is_float);
	}
	ck_assert_str_eq(dtype_name(DT_NONE), "-");
	ck_assert_uint_eq(dtype_size(DT_NONE), 0);
	ck_assert_int_eq(dtype_of(str_of("-")), DT_NONE);
	ck_assert_int_eq(dtype_of(str_of("int")), DT_NONE);
	ck_assert_int_eq(dtype_of(str_of("float64 ")), DT_NONE);
}
END_TEST

START_TEST(shape__counts_or_overflows)
{
	const int64_t big = (int64_t)1 << 31;
	struct shape s = { 0 };

	ck_assert_int_eq(shape_count(&s, 8), 1);
	s = (struct shape){ 3, { 2, 3, 4 } };
	ck_assert_int_eq(shape_count(&s, 8), 24);
	s = (struct shape){ 2, { 2, -1 } };
	ck_assert_int_eq(shape_count(&s, 8), -1);
	s = (struct shape){ 2, { 0, -1 } };
	ck_assert_int_eq(shape_count(&s, 8), -1);
	s = (struct shape){ 3, { big, big, big } };
	ck_assert_int_eq(shape_count(&s, 1), -1);
	s = (struct shape){ 4, { big, big, big, 0 } };
	ck_assert_int_eq(shape_count(&s, 8), 0);
	s = (struct shape){ 2, { big, big } };
	ck_assert_int_eq(shape_count(&s, 1), (int64_t)1 << 62);
	ck_assert_int_eq(shape_count(&s, 2), -1);
}
END_TEST

START_TEST(shape__text_and_equality)
{
	struct shape a = { 2, { 2, 3 } }, b = a, c = { 3, { 2, 3, 1 } };
	char text[200];
	int i;

	shape_text(&a, text);
	ck_assert_str_eq(text, "[2,3]");
	shape_text(&(struct shape){ 0 }, text);
	ck_assert_str_eq(text, "");
	shape_text(&(struct shape){ 1, { 0 } }, text);
	ck_assert_str_eq(text, "[0]");
	ck_assert(shape_eq(&a, &b));
	ck_assert(!shape_eq(&a, &c));
	b.dim[1] = 4;
	ck_assert(!shape_eq(&a, &b));
	for (i = 0, c.rank = MAX_RANK; i < MAX_RANK; i++)
		c.dim[i] = INT64_MAX;
	shape_text(&c, text);
	ck_assert_uint_eq(strlen(text), 8 * 19 + 9);
}
END_TEST

START_TEST(value_tensor__has_its_langtype)
{
	struct arena a = { 0 };
	float body[6] = { 0 };
	struct shape s = { 2, { 2, 3 } };
	struct value v = value_tensor(&a, DT_FLOAT32, &s, body);

	ck_assert_str_eq(v.langtype, "[2,3]float32");
	ck_assert_uint_eq(v.n, 24);
	ck_assert_ptr_eq(v.body, body);
	ck_assert_int_eq(value_check(&v, NULL), 0);
	v = value_tensor(&a, DT_INT64, &(struct shape){ 0 }, body);
	ck_assert_str_eq(v.langtype, "int64");
	ck_assert_uint_eq(v.n, 8);
	arena_release(&a);
}
END_TEST

START_TEST(value_tensor__of_impossible_shape_is_a_bug)
{
	struct arena a = { 0 };
	struct shape s = { 1, { -1 } };

	value_tensor(&a, DT_INT8, &s, NULL);
}
END_TEST

START_TEST(value_check__parses_numeric_langtypes)
{
	struct value v = value_text("[2,0,3]int16", "", 0);
	char why[120];

	ck_assert_int_eq(value_check(&v, why), 0);
	ck_assert_int_eq(v.dtype, DT_INT16);
	ck_assert(shape_eq(&v.shape, &(struct shape){ 3, { 2, 0, 3 } }));
	v = value_text("uint8", "x", 1);
	ck_assert_int_eq(value_check(&v, why), 0);
	ck_assert_int_eq(v.dtype, DT_UINT8);
	ck_assert_int_eq(v.shape.rank, 0);
	v = value_text("[1,1,1,1,1,1,1,2]bool", "xy", 2);
	ck_assert_int_eq(value_check(&v, why), 0);
	ck_assert_int_eq(v.shape.rank, 8);
}
END_TEST

START_TEST(value_check__lets_other_langtypes_pass)
{
	static const char *const other[] = { "", "rwir", "rwfunc",
		"rwir|rwfunc", "def rwir", "def langtype", "[3]char/utf8",
		"[]char/utf8", "*float64", "[2]int32·char", "float64|float32" };
	struct value v;
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		v = value_text(other[i], "abc", 3);
		v.dtype = DT_INT8;
		ck_assert_msg(value_check(&v, NULL) == 0, "%s", other[i]);
		ck_assert_int_eq(v.dtype, DT_NONE);
	}
}
END_TEST

START_TEST(value_check__refuses_bad_dims_and_lengths)
{
	static const char *const bad[] = { "[]float64", "[.]float64",
		"[-1]float64", "[01]float64", "[ 1]float64", "[1,]float64",
		"[,1]float64", "[1", "[1,1,1,1,1,1,1,1,1]float64",
		"[9223372036854775808]int8", "[9223372036854775807]int16",
		"[4294967296,4294967296]int8", "[2]float64", "float32",
		"[0]float64" };
	struct value v;
	char why[120];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v = value_text(bad[i], "12345678", 8);
		why[0] = '\0';
		ck_assert_msg(value_check(&v, why) == -1, "%s", bad[i]);
		ck_assert_msg(strncmp(why, "expected ", 9) == 0, "%s", why);
		ck_assert_int_eq(value_check(&v, NULL), -1);
	}
	v = value_text("[2]float64", "", 0);
	ck_assert_int_eq(value_check(&v, why), -1);
	ck_assert_str_eq(why, "expected 16 bytes for [2]float64, found 0");
}
END_TEST

/* The result of one converted element, read back as `type`. */
#define CONVERT(type, to, from_type, from, x) __extension__ ({ \
	from_type in_ = (x); \
	type out_ = 77; \
	ck_assert_int_eq(dtype_convert(to, &out_, from, &in_, 1), 0); \
	out_; \
})

START_TEST(convert__integers_wrap)
{
	ck_assert_int_eq(CONVERT(int8_t, DT_INT8, int64_t, DT_INT64, 300),
	    44);
	ck_assert_int_eq(CONVERT(uint8_t, DT_UINT8, int64_t, DT_INT64, -1),
	    255);
	ck_assert_int_eq(CONVERT(int64_t, DT_INT64, int8_t, DT_INT8, -5),
	    -5);
	ck_assert_int_eq(CONVERT(int64_t, DT_INT64, uint8_t, DT_UINT8, 200),
	    200);
	ck_assert_int_eq(CONVERT(int32_t, DT_INT32, uint32_t, DT_UINT32,
	    0xffffffff), -1);
	ck_assert_uint_eq(CONVERT(uint64_t, DT_UINT64, int16_t, DT_INT16,
	    -1), UINT64_MAX);
	ck_assert_int_eq(CONVERT(int16_t, DT_INT16, uint16_t, DT_UINT16,
	    0x8000), -32768);
	ck_assert_int_eq(CONVERT(int64_t, DT_INT64, uint64_t, DT_UINT64,
	    UINT64_MAX), -1);
}
END_TEST

START_TEST(convert__floats_truncate_and_saturate)
{
#define TO(type, to, x) CONVERT(type, to, double, DT_FLOAT64, x)
	ck_assert_int_eq(TO(int32_t, DT_INT32, 2.9), 2);
	ck_assert_int_eq(TO(int32_t, DT_INT32, -2.9), -2);
	ck_assert_int_eq(TO(int8_t, DT_INT8, 127.9), 127);
	ck_assert_int_eq(TO(int8_t, DT_INT8, 128), 127);
	ck_assert_int_eq(TO(int8_t, DT_INT8, -128.9), -128);
	ck_assert_int_eq(TO(int8_t, DT_INT8, -1e9), -128);
	ck_assert_int_eq(TO(uint8_t, DT_UINT8, -0.5), 0);
	ck_assert_int_eq(TO(uint8_t, DT_UINT8, -7), 0);
	ck_assert_int_eq(TO(uint8_t, DT_UINT8, 255.9), 255);
	ck_assert_int_eq(TO(uint8_t, DT_UINT8, 1e300), 255);
	ck_assert_int_eq(TO(int64_t, DT_INT64, 1e30), INT64_MAX);
	ck_assert_int_eq(TO(int64_t, DT_INT64, -1e30), INT64_MIN);
	ck_assert_int_eq(TO(int64_t, DT_INT64, 9.2e18), 9200000000000000000);
	ck_assert_uint_eq(TO(uint64_t, DT_UINT64, 1e30), UINT64_MAX);
	ck_assert_uint_eq(TO(uint64_t, DT_UINT64, 1e19),
	    10000000000000000000u);
	ck_assert_int_eq(TO(int16_t, DT_INT16, (double)NAN), 0);
	ck_assert_int_eq(TO(int16_t, DT_INT16, (double)INFINITY), 32767);
	ck_assert_int_eq(TO(int16_t, DT_INT16, -(double)INFINITY), -32768);
	ck_assert_int_eq(CONVERT(int32_t, DT_INT32, float, DT_FLOAT32,
	    -1.5f), -1);
#undef TO
}
END_TEST

START_TEST(convert__to_float_rounds_once)
{
	/* One above half way between two floats: through double, which drops
	 * the one, it would round down. */
	int64_t x = ((int64_t)1 << 60) + ((int64_t)1 << 36) + 1;

	ck_assert_float_eq(CONVERT(float, DT_FLOAT32, int64_t, DT_INT64, x),
	    0x1.000002p60f);
	ck_assert_float_eq(CONVERT(float, DT_FLOAT32, uint64_t, DT_UINT64,
	    (uint64_t)x + ((uint64_t)1 << 63)), 0x1.2p63f);
	ck_assert_double_eq(CONVERT(double, DT_FLOAT64, uint64_t, DT_UINT64,
	    UINT64_MAX), 0x1p64);
	ck_assert_double_eq(CONVERT(double, DT_FLOAT64, int64_t, DT_INT64,
	    -3), -3);
	/* 0.1 to nearest: 0x3dcccccd. */
	ck_assert_float_eq(CONVERT(float, DT_FLOAT32, double, DT_FLOAT64,
	    0.1), 0x1.99999ap-4f);
	ck_assert_double_eq(CONVERT(double, DT_FLOAT64, float, DT_FLOAT32,
	    0.5f), 0.5);
	ck_assert(isinf(CONVERT(float, DT_FLOAT32, double, DT_FLOAT64,
	    1e300)));
	ck_assert_uint_eq(CONVERT(uint16_t, DT_FLOAT16, double, DT_FLOAT64,
	    0x1.002p0 + 0x1p-40), 0x3c01);
	ck_assert_uint_eq(CONVERT(uint16_t, DT_BFLOAT16, int64_t, DT_INT64,
	    -257), 0xc380);
	ck_assert_uint_eq(CONVERT(uint16_t, DT_BFLOAT16, uint64_t, DT_UINT64,
	    UINT64_MAX), 0x5f80);
	ck_assert_int_eq(CONVERT(int8_t, DT_INT8, uint16_t, DT_FLOAT16,
	    0xc100), -2);
	ck_assert_uint_eq(CONVERT(uint16_t, DT_FLOAT16, uint16_t, DT_BFLOAT16,
	    0x3f80), 0x3c00);
}
END_TEST

START_TEST(convert__bool_is_apart)
{
	uint8_t in[3] = { 0, 1, 1 }, out[3] = { 9, 9, 9 };

	ck_assert_int_eq(dtype_convert(DT_BOOL, out, DT_BOOL, in, 3), 0);
	ck_assert_int_eq(memcmp(in, out, 3), 0);
	ck_assert_int_eq(dtype_convert(DT_INT8, out, DT_BOOL, in, 3), -1);
	ck_assert_int_eq(dtype_convert(DT_BOOL, out, DT_INT8, in, 3), -1);
	ck_assert_int_eq(dtype_convert(DT_NONE, out, DT_NONE, in, 0), -1);
}
END_TEST

START_TEST(convert__arrays_of_any_alignment)
{
	unsigned char in[1 + 3 * 4], out[1 + 3 * 8];
	int32_t x[3] = { -1, 0, 70000 };
	double y[3];

	memcpy(in + 1, x, sizeof(x));
	ck_assert_int_eq(dtype_convert(DT_FLOAT64, out + 1, DT_INT32, in + 1,
	    3), 0);
	memcpy(y, out + 1, sizeof(y));
	ck_assert_double_eq(y[0], -1);
	ck_assert_double_eq(y[1], 0);
	ck_assert_double_eq(y[2], 70000);
}
END_TEST

Suite *
space_value_suite(void)
{
	Suite *s = suite_create("space_value");
	TCase *t = tcase_create("value");

	tcase_add_test(t, dtype__names_and_sizes);
	tcase_add_test(t, shape__counts_or_overflows);
	tcase_add_test(t, shape__text_and_equality);
	tcase_add_test(t, value_tensor__has_its_langtype);
	tcase_add_test(t, value_check__parses_numeric_langtypes);
	tcase_add_test(t, value_check__lets_other_langtypes_pass);
	tcase_add_test(t, value_check__refuses_bad_dims_and_lengths);
	tcase_add_test(t, convert__integers_wrap);
	tcase_add_test(t, convert__floats_truncate_and_saturate);
	tcase_add_test(t, convert__to_float_rounds_once);
	tcase_add_test(t, convert__bool_is_apart);
	tcase_add_test(t, convert__arrays_of_any_alignment);
	tcase_add_exit_test(t, value_tensor__of_impossible_shape_is_a_bug,
	    EXIT_BUG);
	suite_add_tcase(s, t);
	return s;
}
