/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>

#include "kv/kv.h"

Suite *kv_parse_suite(void);

static struct arena arena;
static struct diag diag;

static void
set_up(void)
{
	arena_init(&arena);
	diag_init(&diag);
}

static void
tear_down(void)
{
	diag_release(&diag);
	arena_release(&arena);
}

static struct kv_file *
parse(const char *text)
{
	return kv_parse(&arena, "f.kv", str_of(text), &diag);
}

static void
first_error_is(const char *text, const char *want)
{
	char got[300];

	parse(text);
	diag_first(&diag, got, sizeof(got));
	ck_assert_str_eq(got, want);
}

START_TEST(parse__entries_in_order_of_appearance)
{
	const char **names;
	struct kv_file *f = parse("lib a { rwfunc g() { }\n f()\n lib b { f() "
	    "} }\nf(); lib a { f() }");

	ck_assert_int_eq(diag.errors, 0);
	ck_assert_uint_eq(kv_entries(f, &names), 3);
	ck_assert_str_eq(names[0], "a·init");
	ck_assert_str_eq(names[1], "a/b·init");
	ck_assert_str_eq(names[2], "init");
}
END_TEST

START_TEST(parse__library_has_no_entry)
{
	const char **names;

	ck_assert_uint_eq(kv_entries(parse("rwfunc f() { }"), &names), 0);
}
END_TEST

START_TEST(parse__missing_brace_names_what_is_open)
{
	first_error_is("lib a {\n rwfunc f() {\n  g()\n",
	    "f.kv:4:1: expected RBRACE to close rwfunc f of line 2, got the "
	    "end of the file");
}
END_TEST

START_TEST(parse__call_stays_on_one_line)
{
	first_error_is("f(a,\n b)", "f.kv:1:5: expected an expression, got "
	    "the end of the line");
}
END_TEST

START_TEST(parse__function_inside_function_is_refused)
{
	first_error_is("rwfunc f() {\n  rwfunc g() { }\n}", "f.kv:2:3: rwfunc "
	    "inside a function — is a `}` missing above? Declare it outside");
}
END_TEST

START_TEST(parse__label_may_stand_above_its_block)
{
	parse("rwfunc f() {\n  loop:\n  {\n g()\n }\n h()\n}");
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

START_TEST(parse__else_after_newline_belongs_to_if)
{
	parse("rwfunc f() {\n if (a) {\n }\n else if (b) {\n }\n else {\n }\n "
	    "h()\n}");
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

START_TEST(parse__bad_condition_skips_the_whole_if)
{
	parse("rwfunc f() {\n if (a b) {\n g(\n }\n else if (c) {\n }\n else {"
	    "\n }\n h()\n}");
	ck_assert_int_eq(diag.errors, 1);
}
END_TEST

START_TEST(parse__broken_signature_skips_its_body)
{
	parse("rwfunc f(a:int64,\n ) x {\n if (a) { }\n}\nrwfunc g() { }");
	ck_assert_int_eq(diag.errors, 1);
	ck_assert_int_eq(diag.item[0].loc.line, 2);
}
END_TEST

START_TEST(parse__deep_nesting_is_an_error)
{
	struct buf b = { 0 };
	int i;

	for (i = 0; i < 100000; i++)
		buf_puts(&b, i % 2 ? "(" : "[");
	parse(b.p);
	ck_assert_int_eq(diag.errors, 1);
	for (i = 0; i < 5000; i++)
		buf_puts(&b, "\nlib a {");
	parse(b.p);
	buf_release(&b);
}
END_TEST

static const char sample[] =
    "lib d { // c\n rwir o(a:[*]any, n:int32|[]int64...) -> (c:[2,.]any)\n"
    " rwfunc s(A:[*]float32) -> (B:[*]float32) {\n  d·o(A, [1], true) -> m\n"
    "  x:[2,2]float32 = [[1, 2.5], [-3, 4]]; e = p(q(m), \"é\\n\")\n"
    "  y:[3]bool = [true...] /* /* */ */\n  (a, b:int8) = f()\n"
    "  if (a) { return } else if (!b) { v[i, 0] = -w[1] + √2 × 3 } else { }\n"
    "  for (i:int8 in [1, z]) { while (i ≤ 2 && j) { break }\n continue }\n"
    "  l:\n{ None -> /u/x }; '/p' -> q; k = '1' == \"a\"\n"
    " } }\ns(r#\"x\"#) -> _\n";

/* Every text ends the parse, is no crash, and nothing is written when there
 * was an error. */
static void
try_text(const char *text, size_t n)
{
	struct space *space = space_new();
	struct diag d;
	int r;

	diag_init(&d);
	r = kv_layout_text(space, "f.kv", (struct str){ text, n }, &d);
	ck_assert_int_eq(r, d.errors ? -1 : 0);
	ck_assert_int_eq(space_count(space) > 0, r == 0);
	diag_release(&d);
	space_free(space);
}

START_TEST(parse__every_truncation_ends)
{
	size_t n;

	for (n = 0; n < sizeof(sample); n++)
		try_text(sample, n);
}
END_TEST

START_TEST(parse__every_changed_byte_ends)
{
	char text[sizeof(sample)];
	size_t i;
	int c;

	for (i = 0; i + 1 < sizeof(sample); i++) {
		memcpy(text, sample, sizeof(sample));
		for (c = 0; c < 256; c++) {
			text[i] = (char)c;
			try_text(text, sizeof(sample) - 1);
		}
	}
}
END_TEST

START_TEST(parse__every_missing_or_doubled_byte_ends)
{
	char text[sizeof(sample) + 1];
	size_t i;

	for (i = 0; i + 1 < sizeof(sample); i++) {
		memcpy(text, sample, i);
		memcpy(text + i, sample + i + 1, sizeof(sample) - i - 1);
		try_text(text, sizeof(sample) - 2);
		memcpy(text, sample, i + 1);
		memcpy(text + i + 1, sample + i, sizeof(sample) - i);
		try_text(text, sizeof(sample));
	}
}
END_TEST

Suite *
kv_parse_suite(void)
{
	Suite *s = suite_create("kv_parse");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, parse__entries_in_order_of_appearance);
	tcase_add_test(tc, parse__library_has_no_entry);
	tcase_add_test(tc, parse__missing_brace_names_what_is_open);
	tcase_add_test(tc, parse__call_stays_on_one_line);
	tcase_add_test(tc, parse__function_inside_function_is_refused);
	tcase_add_test(tc, parse__label_may_stand_above_its_block);
	tcase_add_test(tc, parse__else_after_newline_belongs_to_if);
	tcase_add_test(tc, parse__bad_condition_skips_the_whole_if);
	tcase_add_test(tc, parse__broken_signature_skips_its_body);
	tcase_add_test(tc, parse__deep_nesting_is_an_error);
	tcase_add_test(tc, parse__every_truncation_ends);
	tcase_add_test(tc, parse__every_changed_byte_ends);
	tcase_add_test(tc, parse__every_missing_or_doubled_byte_ends);
	suite_add_tcase(s, tc);
	return s;
}
