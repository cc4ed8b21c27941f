/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "space/text.h"

Suite *space_text_suite(void);

static struct arena arena;
static struct buf out;

static void
tear_down(void)
{
	buf_release(&out);
	arena_release(&arena);
}

static const char *
display(struct value v)
{
	buf_clear(&out);
	value_display(&v, &out);
	return out.p;
}

static const char *
describe(struct value v)
{
	buf_clear(&out);
	value_describe(&v, &out);
	return out.p;
}

static struct value
scalar(enum dtype t, const void *body)
{
	static const struct shape rank0;

	return value_tensor(&arena, t, &rank0, body);
}

START_TEST(display__float64_as_python_repr)
{
	/* The texts are Python's repr(). */
	static const struct {
		double x;
		const char *text;
	} row[] = {
		{ 1, "1.0" }, { 100000, "100000.0" }, { 3e20, "3e+20" },
		{ 1.5e-7, "1.5e-07" }, { -0.0, "-0.0" }, { 0, "0.0" },
		{ 0.1, "0.1" }, { 0.0001, "0.0001" }, { 0.00001, "1e-05" },
		{ 1e15, "1000000000000000.0" }, { 1e16, "1e+16" },
		{ 123456789012345678.0, "1.2345678901234568e+17" },
		{ 5e-324, "5e-324" }, { 2.0 / 3, "0.6666666666666666" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ 9007199254740993.0, "9007199254740992.0" },
		{ -17.77777777777778, "-17.77777777777778" },
		{ 12345.678, "12345.678" }, { 1e22, "1e+22" },
		{ 123e14, "1.23e+16" }, { 9.5367431640625e-07,
		    "9.5367431640625e-07" }, { INFINITY, "inf" },
		{ -INFINITY, "-inf" }, { NAN, "nan" }, { -NAN, "nan" },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_str_eq(display(scalar(DT_FLOAT64, &row[i].x)),
		    row[i].text);
}
END_TEST

START_TEST(display__float32_reads_back_as_float32)
{
	static const struct {
		float x;
		const char *text;
	} row[] = {
		{ 0.1f, "0.1" }, { 3.14f, "3.14" }, { 16777216, "16777216.0" },
		{ 3.14159265f, "3.1415927" }, { 1.0f / 3, "0.33333334" },
		{ 3.4028235e38f, "3.4028235e+38" }, { 1.4e-45f, "1e-45" },
		{ 1e16f, "1e+16" }, { -2, "-2.0" },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_str_eq(display(scalar(DT_FLOAT32, &row[i].x)),
		    row[i].text);
}
END_TEST

START_TEST(display__halves_read_back)
{
	static const struct {
		enum dtype t;
		uint16_t x;
		const char *text;
	} row[] = {
		/* 0.1 is nearest to 0x2e66; 0.333 to 0x3554, 0.3333 to 0x3555. */
		{ DT_FLOAT16, 0x2e66, "0.1" }, { DT_FLOAT16, 0x3555, "0.3333" },
		{ DT_FLOAT16, 0x7bff, "65500.0" }, { DT_FLOAT16, 1, "6e-08" },
		{ DT_FLOAT16, 0xfc00, "-inf" }, { DT_FLOAT16, 0x7e00, "nan" },
		{ DT_BFLOAT16, 0x3dcd, "0.1" }, { DT_BFLOAT16, 0x4049, "3.14" },
		{ DT_BFLOAT16, 0x7f7f, "3.39e+38" },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_str_eq(display(scalar(row[i].t, &row[i].x)),
		    row[i].text);
}
END_TEST

START_TEST(display__integers_to_their_limits)
{
	static const uint64_t ones = UINT64_MAX, high = (uint64_t)1 << 63;

	ck_assert_str_eq(display(scalar(DT_INT8, &ones)), "-1");
	ck_assert_str_eq(display(scalar(DT_INT16, &ones)), "-1");
	ck_assert_str_eq(display(scalar(DT_INT32, &ones)), "-1");
	ck_assert_str_eq(display(scalar(DT_INT64, &high)),
	    "-9223372036854775808");
	ck_assert_str_eq(display(scalar(DT_UINT8, &ones)), "255");
	ck_assert_str_eq(display(scalar(DT_UINT16, &ones)), "65535");
	ck_assert_str_eq(display(scalar(DT_UINT32, &ones)), "4294967295");
	ck_assert_str_eq(display(scalar(DT_UINT64, &ones)),
	    "18446744073709551615");
}
END_TEST

START_TEST(display__arrays_nest_by_axis)
{
	static const int32_t v[] = { 1, 2, 3, 4, 5, 6 };
	static const struct shape s1 = { 1, { 1 } }, s2 = { 2, { 2, 3 } };
	static const struct shape s3 = { 3, { 3, 1, 2 } };
	static const struct shape none = { 2, { 2, 0 } };

	ck_assert_str_eq(display(value_tensor(&arena, DT_INT32, &s1, v)),
	    "[1]");
	ck_assert_str_eq(display(value_tensor(&arena, DT_INT32, &s2, v)),
	    "[[1, 2, 3], [4, 5, 6]]");
	ck_assert_str_eq(display(value_tensor(&arena, DT_INT32, &s3, v)),
	    "[[[1, 2]], [[3, 4]], [[5, 6]]]");
	ck_assert_str_eq(display(value_tensor(&arena, DT_INT32, &none, v)),
	    "[]");
}
END_TEST

START_TEST(display__bools_strings_none)
{
	static const uint32_t cp[] = { 'h', 0xe9, 0x20ac, 0x1d11e, 0xd800 };

	ck_assert_str_eq(display(scalar(DT_BOOL, "\1")), "true");
	ck_assert_str_eq(display(scalar(DT_BOOL, "\0")), "false");
	ck_assert_str_eq(display(value_text("[5]char/utf32", cp, 20)),
	    "hé€𝄞\xef\xbf\xbd");
	ck_assert_str_eq(display(value_text("[3]char/utf8", "a\n\"", 3)),
	    "a\n\"");
	ck_assert_str_eq(display(value_text("", "", 0)), "None");
}
END_TEST

START_TEST(describe__one_line_for_each_kind)
{
	ck_assert_str_eq(describe(value_text("rwfunc", "\2\1\3\0\1", 5)),
	    "258 3 1");
	ck_assert_str_eq(describe(value_text("def rwir", "\2\0\1\0\0", 5)),
	    "2 1 0");
	ck_assert_str_eq(describe(value_text("rwir", "\0\0\0\0\0v0", 7)),
	    "v0");
	ck_assert_str_eq(describe(value_text("rwir|rwfunc", "\0\0\0\0\0f", 6)),
	    "f");
	ck_assert_str_eq(describe(value_text("def langtype", "a\0[]any", 7)),
	    "a:[]any");
	ck_assert_str_eq(describe(value_text("def langtype", "[]any", 5)),
	    "[]any");
	ck_assert_str_eq(describe(value_text("[6]char/utf8", "\"\\\n\t\1z", 6)),
	    "\"\\\"\\\\\\n\\t\\x01z\"");
	ck_assert_str_eq(describe(value_text("rwfunc", "x", 1)), "\"x\"");
}
END_TEST

START_TEST(describe__long_bodies_are_cut)
{
	static const int8_t v[40] = { 0 };
	static const struct shape s16 = { 1, { 16 } }, s17 = { 1, { 17 } };
	static const struct shape s2 = { 2, { 4, 10 } };
	char text[66], *want;

	ck_assert_str_eq(describe(value_tensor(&arena, DT_INT8, &s16, v)),
	    "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
	ck_assert_str_eq(describe(value_tensor(&arena, DT_INT8, &s17, v)),
	    "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, …]");
	ck_assert_str_eq(describe(value_tensor(&arena, DT_INT8, &s2, v)),
	    "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, …], …]");
	memset(text, 'x', 65);
	text[65] = '\0';
	want = arena_printf(&arena, "\"%.64s\"", text);
	ck_assert_str_eq(describe(value_text("[64]char/utf8", text, 64)),
	    want);
	want = arena_printf(&arena, "\"%.64s\"…", text);
	ck_assert_str_eq(describe(value_text("[65]char/utf8", text, 65)),
	    want);
}
END_TEST

START_TEST(print__lines_are_sorted_and_below_the_prefix)
{
	struct space *s = space_new();

	space_set_i64(s, "/b", 2);
	space_set_bool(s, "/a/y", true);
	space_set_text(s, "/a.x", "[1]char/utf8", "q");
	buf_clear(&out);
	space_print(s, "/a", &out);
	ck_assert_str_eq(out.p,
	    "/a.x\t[1]char/utf8\t\"q\"\n/a/y\tbool\ttrue\n");
	space_free(s);
}
END_TEST

Suite *
space_text_suite(void)
{
	Suite *s = suite_create("space_text");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, NULL, tear_down);
	tcase_add_test(tc, display__float64_as_python_repr);
	tcase_add_test(tc, display__float32_reads_back_as_float32);
	tcase_add_test(tc, display__halves_read_back);
	tcase_add_test(tc, display__integers_to_their_limits);
	tcase_add_test(tc, display__arrays_nest_by_axis);
	tcase_add_test(tc, display__bools_strings_none);
	tcase_add_test(tc, describe__one_line_for_each_kind);
	tcase_add_test(tc, describe__long_bodies_are_cut);
	tcase_add_test(tc, print__lines_are_sorted_and_below_the_prefix);
	suite_add_tcase(s, tc);
	return s;
}
