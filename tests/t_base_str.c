/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"

Suite *base_str_suite(void);

#define A10 "a%2Fa%2Fa%2Fa%2Fa%2Fa%2Fa%2Fa%2Fa%2Fa%2F"
#define B10 "bbbbbbbbbb"
#define B100 B10 B10 B10 B10 B10 B10 B10 B10 B10 B10

START_TEST(str__compares_bytes_and_length)
{
	struct str s = { "abcdef", 3 };

	ck_assert(str_is(s, "abc"));
	ck_assert(!str_is(s, "abcd"));
	ck_assert(!str_is(s, "ab"));
	ck_assert(!str_is(s, "abd"));
	ck_assert(str_starts(s, "ab"));
	ck_assert(str_starts(s, ""));
	ck_assert(!str_starts(s, "abcd"));
	ck_assert(str_eq(s, str_of("abc")));
	ck_assert(str_eq((struct str){ NULL, 0 }, str_of("")));
}
END_TEST

/* The fields of a text, each in brackets. */
static void
check_fields(const char *text, const char *want)
{
	struct str rest = str_of(text), field;
	struct buf got = { 0 };
	int i;

	while (str_next(&rest, ',', &field))
		buf_printf(&got, "[%.*s]", (int)field.n, field.p);
	for (i = 0; i < 3; i++)
		ck_assert(!str_next(&rest, ',', &field));
	ck_assert_str_eq(buf_str(&got).p, want);
	buf_release(&got);
}

START_TEST(str_next__gives_every_field_once)
{
	check_fields("", "");
	check_fields("a", "[a]");
	check_fields("a,b", "[a][b]");
	check_fields("a,", "[a][]");
	check_fields(",", "[][]");
	check_fields(",,", "[][][]");
	check_fields(",a", "[][a]");
	check_fields("ab,,cd", "[ab][][cd]");
}
END_TEST

START_TEST(str_u64__is_strict)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "01",
		"00", "0x1", "18446744073709551616", "99999999999999999999",
		"1a" };
	unsigned long long v = 7;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!str_u64(str_of(bad[i]), &v), "%s", bad[i]);
	ck_assert(str_u64(str_of("0"), &v) && v == 0);
	ck_assert(str_u64(str_of("10"), &v) && v == 10);
	ck_assert(str_u64(str_of("18446744073709551615"), &v));
	ck_assert(v == ULLONG_MAX);
}
END_TEST

START_TEST(str_i64__is_strict)
{
	static const char *const bad[] = { "", "-", "--1", "-0", "-01", "+1",
		"9223372036854775808", "-9223372036854775809" };
	long long v = 7;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!str_i64(str_of(bad[i]), &v), "%s", bad[i]);
	ck_assert(str_i64(str_of("0"), &v) && v == 0);
	ck_assert(str_i64(str_of("-12"), &v) && v == -12);
	ck_assert(str_i64(str_of("9223372036854775807"), &v));
	ck_assert(v == LLONG_MAX);
	ck_assert(str_i64(str_of("-9223372036854775808"), &v));
	ck_assert(v == LLONG_MIN);
}
END_TEST

START_TEST(buf__grows_and_stays_ended)
{
	struct buf b = { 0 };
	int i;

	ck_assert_str_eq(buf_str(&b).p, "");
	buf_puts(&b, "");
	ck_assert_uint_eq(b.n, 0);
	for (i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i % 10);
	buf_putc(&b, '!');
	buf_put(&b, "x\0y", 3);
	ck_assert_uint_eq(b.n, 2004);
	ck_assert_int_eq(memcmp(b.p, "0,1,2,3,4,5,6,7,8,9,0,", 22), 0);
	ck_assert_int_eq(memcmp(b.p + 1998, "9,!x\0y", 7), 0);
	buf_clear(&b);
	ck_assert_str_eq(b.p, "");
	buf_release(&b);
	ck_assert_ptr_null(b.p);
}
END_TEST

/* Texts that fit what is left of a buffer, just do not, and are far longer. */
START_TEST(buf__prints_at_every_place)
{
	char text[300];

	for (int n = 0; n < 300; n++)
		for (int before = 0; before < 130; before++) {
			struct buf b = { 0 };

			memset(text, 'y', sizeof(text));
			for (int i = 0; i < before; i++)
				buf_putc(&b, 'x');
			buf_printf(&b, "%.*s", n, text);
			ck_assert_uint_eq(b.n, (size_t)(before + n));
			ck_assert_uint_eq(strlen(b.p), b.n);
			ck_assert_uint_eq(strspn(b.p, "x"), (size_t)before);
			ck_assert_uint_eq(strspn(b.p + before, "y"), (size_t)n);
			buf_release(&b);
		}
}
END_TEST

START_TEST(buf__every_length_ends_in_nul)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 1; i < 300; i++) {
		buf_putc(&b, 'a');
		ck_assert_uint_eq(b.n, i);
		ck_assert_uint_eq(strlen(b.p), i);
	}
	buf_release(&b);
}
END_TEST

START_TEST(hex__round_trips_and_refuses)
{
	unsigned char got[3];
	char text[7];

	hex_encode(text, "\x00\x9f\xff", 3);
	ck_assert_str_eq(text, "009fff");
	ck_assert(hex_decode(got, 3, str_of("009fff")));
	ck_assert_int_eq(memcmp(got, "\x00\x9f\xff", 3), 0);
	ck_assert(!hex_decode(got, 3, str_of("009FFF")));
	ck_assert(!hex_decode(got, 3, str_of("009ff")));
	ck_assert(!hex_decode(got, 3, str_of("009ffff")));
	ck_assert(!hex_decode(got, 3, str_of("009fff00")));
	ck_assert(!hex_decode(got, 3, str_of("00 fff")));
}
END_TEST

/* Values made with Python's hashlib. */
START_TEST(name_escape__is_as_designed)
{
	struct arena a = { 0 };

	ck_assert_str_eq(name_escape(&a, "deepx/miaobyte·softmax.1.k0"),
	    "deepx%2Fmiaobyte.softmax%2E1%2Ek0");
	ck_assert_str_eq(name_escape(&a, "a,b %é"), "a%2Cb%20%25%C3%A9");
	ck_assert_str_eq(name_escape(&a, "\xc2x"), "%C2x");
	ck_assert_str_eq(name_escape(&a, "A-Z_09~"), "A-Z_09%7E");
	ck_assert_str_eq(name_escape(&a, ""), "");
	arena_release(&a);
}
END_TEST

START_TEST(name_escape__shortens_over_200_bytes)
{
	struct arena a = { 0 };

	ck_assert_str_eq(name_escape(&a, B100 B100), B100 B100);
	ck_assert_str_eq(name_escape(&a, B100 B100 "b"),
	    B100 B10 B10 B10 "bbbbb~19f51486875f748c330c89b33c18650b8c50795ecb"
	    "be449374cf9eafdd73b3b4");
	ck_assert_str_eq(name_escape(&a, "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/"
	    "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/"
	    "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/"
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
	    A10 A10 A10 "a%2Fa%2Fa%2Fa%2~14db23067cceab3dbad7daf065fb678f707"
	    "b0e00f141cbe438348cd70aa641e1");
	arena_release(&a);
}
END_TEST

START_TEST(name_typed__colon_is_the_dot)
{
	struct arena a = { 0 };

	ck_assert_str_eq(name_typed(&a, "deepx:nn:softmax.1"),
	    "deepx\xc2\xb7nn\xc2\xb7softmax.1");
	ck_assert_str_eq(name_typed(&a, "deepx/ref\xc2\xb7" "add"),
	    "deepx/ref\xc2\xb7" "add");
	ck_assert_str_eq(name_typed(&a, ""), "");
	arena_release(&a);
}
END_TEST

START_TEST(name_split__cuts_at_the_last_dot)
{
	struct str pkg, name;

	name_split("deepx·nn·softmax", &pkg, &name);
	ck_assert(str_is(pkg, "deepx·nn"));
	ck_assert(str_is(name, "softmax"));
	name_split("softmax.1", &pkg, &name);
	ck_assert_uint_eq(pkg.n, 0);
	ck_assert(str_is(name, "softmax.1"));
	name_split("deepx·", &pkg, &name);
	ck_assert(str_is(pkg, "deepx"));
	ck_assert_uint_eq(name.n, 0);
}
END_TEST

Suite *
base_str_suite(void)
{
	Suite *s = suite_create("base_str");
	TCase *t = tcase_create("str");

	tcase_add_test(t, str__compares_bytes_and_length);
	tcase_add_test(t, buf__prints_at_every_place);
	tcase_add_test(t, str_next__gives_every_field_once);
	tcase_add_test(t, str_u64__is_strict);
	tcase_add_test(t, str_i64__is_strict);
	tcase_add_test(t, buf__grows_and_stays_ended);
	tcase_add_test(t, buf__every_length_ends_in_nul);
	tcase_add_test(t, hex__round_trips_and_refuses);
	tcase_add_test(t, name_escape__is_as_designed);
	tcase_add_test(t, name_escape__shortens_over_200_bytes);
	tcase_add_test(t, name_typed__colon_is_the_dot);
	tcase_add_test(t, name_split__cuts_at_the_last_dot);
	suite_add_tcase(s, t);
	return s;
}
