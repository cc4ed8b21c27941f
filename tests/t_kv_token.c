/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>

#include "kv/token.h"

Suite *kv_token_suite(void);

static struct arena arena;
static struct diag diag;
static struct token *tok;
static size_t ntok;
static struct comment *comment;

static void
scan(const char *text)
{
	tok = token_scan(&arena, "f.kv", str_of(text), &diag, &ntok,
	    &comment);
}

static void
set_up(void)
{
	arena_init(&arena);
	diag_init(&diag);
}

static void
tear_down(void)
{
	comment = NULL;
	diag_release(&diag);
	arena_release(&arena);
}

/* The tokens as `NAME:text` joined by blanks, the end left out. */
static const char *
shown(const char *text)
{
	char *all = arena_strdup(&arena, "");
	size_t i;

	scan(text);
	for (i = 0; i + 1 < ntok; i++)
		all = arena_printf(&arena, "%s%s%s:%.*s", all, i ? " " : "",
		    token_name(tok[i].kind), (int)tok[i].text.n,
		    tok[i].text.p);
	ck_assert_int_eq(tok[ntok - 1].kind, TOK_EOF);
	return all;
}

START_TEST(scan__names_keep_slash_and_dot)
{
	ck_assert_str_eq(shown("deepx/miaobyte·argmax softmax.1"),
	    "IDENT:deepx/miaobyte DOT:· IDENT:argmax IDENT:softmax.1");
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

START_TEST(scan__longest_symbol_wins)
{
	ck_assert_str_eq(shown("a->b<=c<-1==√x"),
	    "IDENT:a ARROW:-> IDENT:b OPERATOR:<= IDENT:c OPERATOR:< "
	    "OPERATOR:- LITERAL:1 OPERATOR:== OPERATOR:√ IDENT:x");
}
END_TEST

START_TEST(scan__number_needs_digit_after_dot)
{
	ck_assert_str_eq(shown("[5...] 1.5e-3 1e5 7e"),
	    "LBRACK:[ LITERAL:5 ELLIPSIS:... RBRACK:] LITERAL:1.5e-3 "
	    "LITERAL:1e5 LITERAL:7 IDENT:e");
}
END_TEST

START_TEST(scan__separators_collapse)
{
	ck_assert_str_eq(shown("\n;\na ; \r\n // c\n;b"),
	    "IDENT:a NEWLINE:; IDENT:b");
}
END_TEST

START_TEST(scan__comments_nest_and_end_names)
{
	ck_assert_str_eq(shown("a/* /* x */ \n */b//c\nd/*"),
	    "IDENT:a IDENT:b NEWLINE:\n IDENT:d");
	ck_assert_int_eq(diag.errors, 1);
	ck_assert_int_eq(diag.item[0].loc.line, 3);
	ck_assert_int_eq(diag.item[0].loc.col, 2);
}
END_TEST

START_TEST(scan__comments_are_kept_in_order)
{
	static const char *const want[] = { "// a", "/* b\n /* c */ */",
		"//", "// d" };
	size_t i;

	scan("// a \t\r\nx /* b\n /* c */ */ //\n\"// no\" // d");
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		ck_assert_ptr_nonnull(comment);
		ck_assert(str_is(comment->text, want[i]));
		comment = comment->next;
	}
	ck_assert_ptr_null(comment);
}
END_TEST

START_TEST(scan__byte_order_mark_is_skipped)
{
	ck_assert_str_eq(shown("\xef\xbb\xbf" "ab"), "IDENT:ab");
	ck_assert_int_eq(tok[0].col, 1);
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

START_TEST(scan__quotes_are_single_or_double)
{
	scan("'a\\n\"\\'b' \"'\"");
	ck_assert_int_eq(ntok, 3);
	ck_assert(str_is(tok[0].string, "a\n\"'b"));
	ck_assert(str_is(tok[1].string, "'"));
	scan("\n 'x");
	ck_assert_int_eq(diag.item[0].loc.line, 2);
	ck_assert_str_eq(diag.item[0].text,
	    "unterminated string literal: expected a closing '");
}
END_TEST

START_TEST(scan__strings_resolve_escapes)
{
	scan("\"a\\n\\t\\\"\\\\\\q\\0\" r#\"\\n\"x\"#\nb");
	ck_assert_int_eq(ntok, 5);
	ck_assert_uint_eq(tok[0].string.n, 7);
	ck_assert_mem_eq(tok[0].string.p, "a\n\t\"\\q\0", 7);
	ck_assert_uint_eq(tok[1].string.n, 4);
	ck_assert_mem_eq(tok[1].string.p, "\\n\"x", 4);
	ck_assert_int_eq(tok[3].line, 2);
	ck_assert_int_eq(tok[3].col, 1);
}
END_TEST

START_TEST(scan__string_over_lines_is_at_its_quote)
{
	scan("a\n  \"x\ny\" b");
	ck_assert_int_eq(tok[2].line, 2);
	ck_assert_int_eq(tok[2].col, 3);
	ck_assert_int_eq(tok[3].line, 3);
	ck_assert_int_eq(tok[3].col, 4);
}
END_TEST

START_TEST(scan__keywords_only_as_whole_words)
{
	ck_assert_str_eq(shown("return returns if.1"),
	    "RETURN:return IDENT:returns IDENT:if.1");
}
END_TEST

START_TEST(scan__paths_start_with_slash)
{
	ck_assert_str_eq(shown("/lib/a·b / 2"),
	    "LITERAL:/lib/a DOT:· IDENT:b OPERATOR:/ LITERAL:2");
}
END_TEST

START_TEST(scan__not_utf8_is_one_error)
{
	scan("ab\nc\xff\xfe d");
	ck_assert_uint_eq(ntok, 1);
	ck_assert_int_eq(diag.errors, 1);
	ck_assert_int_eq(diag.item[0].loc.line, 2);
	ck_assert_int_eq(diag.item[0].loc.col, 2);
}
END_TEST

START_TEST(utf8_next__refuses_what_the_standard_does)
{
	/* RFC 3629: overlong, surrogate, above 10FFFF, cut, stray. */
	static const char *const bad[] = { "\xc0\x80", "\xe0\x80\x80",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "" };
	struct str s = str_of("\xe2\x82\xac\xf0\x9d\x84\x9e");
	size_t i;

	ck_assert_int_eq(utf8_next(&s), 0x20ac);
	ck_assert_int_eq(utf8_next(&s), 0x1d11e);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		s = str_of(bad[i]);
		ck_assert_int_eq(utf8_next(&s), -1);
	}
}
END_TEST

Suite *
kv_token_suite(void)
{
	Suite *s = suite_create("kv_token");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, scan__names_keep_slash_and_dot);
	tcase_add_test(tc, scan__longest_symbol_wins);
	tcase_add_test(tc, scan__number_needs_digit_after_dot);
	tcase_add_test(tc, scan__separators_collapse);
	tcase_add_test(tc, scan__comments_nest_and_end_names);
	tcase_add_test(tc, scan__comments_are_kept_in_order);
	tcase_add_test(tc, scan__byte_order_mark_is_skipped);
	tcase_add_test(tc, scan__quotes_are_single_or_double);
	tcase_add_test(tc, scan__strings_resolve_escapes);
	tcase_add_test(tc, scan__string_over_lines_is_at_its_quote);
	tcase_add_test(tc, scan__keywords_only_as_whole_words);
	tcase_add_test(tc, scan__paths_start_with_slash);
	tcase_add_test(tc, scan__not_utf8_is_one_error);
	tcase_add_test(tc, utf8_next__refuses_what_the_standard_does);
	suite_add_tcase(s, tc);
	return s;
}
