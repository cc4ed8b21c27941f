/* SPDX-License-Identifier: MIT */
#include <check.h>

#include "base/json.h"

Suite *base_json_suite(void);

START_TEST(json__nesting_and_commas)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };

	json_open(&j, NULL, '{');
	json_text(&j, "a", "x");
	json_open(&j, "b", '[');
	json_number(&j, NULL, -7);
	json_bool(&j, NULL, true);
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	json_text(&j, NULL, NULL);
	json_close(&j, ']');
	json_open(&j, "c", '[');
	json_close(&j, ']');
	json_bool(&j, "d", false);
	json_close(&j, '}');
	ck_assert_str_eq(out.p,
	    "{\"a\":\"x\",\"b\":[-7,true,{},null],\"c\":[],\"d\":false}");
	buf_release(&out);
}
END_TEST

/* RFC 8259, section 7: quote, backslash and what is below U+0020. */
START_TEST(json__escapes)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };

	json_text(&j, NULL, "a\"b\\c\n\x01/\x7f·é😀");
	ck_assert_str_eq(out.p, "\"a\\\"b\\\\c\\u000a\\u0001/\x7f·é😀\"");
	buf_release(&out);
}
END_TEST

/* Ill-formed by Unicode, table 3-7: a lone continuation, a cut sequence, an
 * overlong one, a surrogate, beyond U+10FFFF. */
START_TEST(json__not_utf8)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "\x80", "\"\\ufffd\"" },
		{ "a\xc3", "\"a\\ufffd\"" },
		{ "\xe2\x82z", "\"\\ufffd\\ufffdz\"" },
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
		{ "\xff", "\"\\ufffd\"" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = { 0 };
		struct json j = { .out = &out };

		json_text(&j, NULL, cases[i].in);
		ck_assert_str_eq(out.p, cases[i].want);
		buf_release(&out);
	}
}
END_TEST

Suite *
base_json_suite(void)
{
	Suite *s = suite_create("base_json");
	TCase *t = tcase_create("json");

	tcase_add_test(t, json__nesting_and_commas);
	tcase_add_test(t, json__escapes);
	tcase_add_test(t, json__not_utf8);
	suite_add_tcase(s, t);
	return s;
}
