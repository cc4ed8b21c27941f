/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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

static struct arena arena;

static void
teardown(void)
{
	arena_release(&arena);
}

/* From memory of exactly n bytes, so that ASan sees an overrun. */
static const struct json_value *
parse(const char *text, size_t n, struct diag *d)
{
	char *copy = malloc(n + 1);
	const struct json_value *v;

	memcpy(copy, text, n);
	copy = realloc(copy, n ? n : 1);
	v = json_read(&arena, "x.json", (struct str){ copy, n }, d);
	free(copy);
	return v;
}

static const struct json_value *
parsed(const char *text)
{
	const struct json_value *v;
	struct diag d;
	char why[400];

	diag_init(&d);
	v = parse(text, strlen(text), &d);
	diag_first(&d, why, sizeof why);
	ck_assert_msg(v && !d.errors, "%s: %s", text, why);
	diag_release(&d);
	return v;
}

static void
check_refused(const char *text, const char *why)
{
	struct diag d;
	char first[400];

	diag_init(&d);
	ck_assert_msg(!parse(text, strlen(text), &d), "%s was taken", text);
	ck_assert_int_eq(d.errors, 1);
	diag_first(&d, first, sizeof first);
	ck_assert_str_eq(first, why);
	diag_release(&d);
}

START_TEST(json__reads_values_with_places)
{
	const struct json_value *v = parsed("{ \"a\": [1, -2.5e+3,\n"
	    "  true, false, null],\n\t\"b\":{}, \"\\u0063\": \"x\" }\n");
	const struct json_value *a = json_member(v, "a");
	int64_t n;

	ck_assert_int_eq(v->kind, JSON_OBJECT);
	ck_assert_uint_eq(v->n, 3);
	ck_assert_int_eq(a->kind, JSON_ARRAY);
	ck_assert_uint_eq(a->n, 5);
	ck_assert(json_int(a->first, &n) && n == 1);
	ck_assert_str_eq(a->first->next->text.p, "-2.5e+3");
	ck_assert(!json_int(a->first->next, &n));
	ck_assert_int_eq(a->first->next->next->loc.line, 2);
	ck_assert_int_eq(a->first->next->next->loc.col, 3);
	ck_assert_str_eq(a->first->next->next->text.p, "true");
	ck_assert_int_eq(json_member(v, "b")->kind, JSON_OBJECT);
	ck_assert_int_eq(json_member(v, "b")->loc.line, 3);
	ck_assert_int_eq(json_member(v, "b")->loc.col, 6);
	ck_assert_str_eq(json_member(v, "c")->text.p, "x");
	ck_assert_ptr_null(json_member(v, "d"));
	ck_assert_ptr_null(json_member(a, "a"));
	ck_assert_str_eq(json_what(a, &arena), "an array");
	ck_assert_str_eq(json_what(json_member(v, "c"), &arena),
	    "the text \"x\"");
}
END_TEST

/* RFC 8259, section 7: U+1D11E is the pair D834 DD1E. */
START_TEST(json__reads_texts)
{
	ck_assert_str_eq(parsed("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")->text.p,
	    "\"\\/\b\f\n\r\t");
	ck_assert_str_eq(parsed("\"\\u00e9\\u20AC\\ud834\\uDD1E\\u007f\"")
	    ->text.p, "é€\U0001D11E\x7f");
	ck_assert_str_eq(parsed("\"·😀\"")->text.p, "·😀");
}
END_TEST

START_TEST(json__refuses_what_is_not_json)
{
	check_refused("", "x.json:1:1: expected a value, found the end of the "
	    "text");
	check_refused("[1,]", "x.json:1:4: expected a value, found `]`");
	check_refused("[1 2]", "x.json:1:4: expected `,` or `]`, found `2`");
	check_refused("{\"a\" 1}", "x.json:1:6: expected `:`, found `1`");
	check_refused("{a:1}", "x.json:1:2: expected a text in quotes, found "
	    "`a`");
	check_refused("{\"a\":1,\n \"\\u0061\":2}",
	    "x.json:2:2: `a` stands here twice");
	check_refused("01", "x.json:1:2: expected the end of the text, found "
	    "`1`");
	check_refused("-", "x.json:1:2: expected a digit, found the end of the "
	    "text");
	check_refused("1.", "x.json:1:3: expected a digit, found the end of the "
	    "text");
	check_refused("+1", "x.json:1:1: expected a value, found `+`");
	check_refused("NaN", "x.json:1:1: expected a value, found `N`");
	check_refused("nul", "x.json:1:1: expected a value, found `n`");
	check_refused("[] é", "x.json:1:4: expected the end of the text, found "
	    "`é`");
	check_refused("\"a\nb\"", "x.json:1:3: expected a character of UTF-8 "
	    "or the end of the text, found the byte 0x0a");
	check_refused("\"\xc0\xaf\"", "x.json:1:2: expected a character of "
	    "UTF-8 or the end of the text, found the byte 0xc0");
	check_refused("\"\\x\"", "x.json:1:3: expected one of \"\\/bfnrtu after "
	    "a \\, found `x`");
	check_refused("\"\\u0000\"", "x.json:1:8: expected a character as "
	    "\\uXXXX, other than \\u0000, found `\"`");
	check_refused("\"\\udd1e\"", "x.json:1:8: expected a character as "
	    "\\uXXXX, other than \\u0000, found `\"`");
	check_refused("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "x.json:1:18: "
	    "expected fewer arrays in one another, found `1`");
}
END_TEST

START_TEST(json__cut_at_every_length_is_refused)
{
	static const char text[] = "{\"a\\ud834\\udd1e\":[1,\"é\",true,null]}";
	struct diag d;

	for (size_t n = 0; n < sizeof text - 1; n++) {
		diag_init(&d);
		ck_assert_msg(!parse(text, n, &d), "%zu bytes", n);
		ck_assert_int_eq(d.errors, 1);
		diag_release(&d);
	}
	parsed(text);
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
	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, json__reads_values_with_places);
	tcase_add_test(t, json__reads_texts);
	tcase_add_test(t, json__refuses_what_is_not_json);
	tcase_add_test(t, json__cut_at_every_length_is_refused);
	suite_add_tcase(s, t);
	return s;
}
