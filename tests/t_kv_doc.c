/* SPDX-License-Identifier: MIT */
#include "tests/t_kv.h"

#include "kv/ast.h"
#include "kv/doc.h"

Suite *kv_doc_suite(void);

/* What the comments say of the last function of a text. */
static void
doc_is(const char *text, const char *want)
{
	struct kv_file *file = kv_parse(&arena, "f.kv", str_of(text), &diag);
	const struct kv_func *f = file->funcs;
	struct buf out = { 0 };

	ck_assert_int_eq(file->errors, 0);
	while (f->next)
		f = f->next;
	kv_doc(file, f, &out);
	ck_assert_str_eq(arena_strndup(&arena, out.n ? out.p : "", out.n),
	    want);
	buf_release(&out);
}

START_TEST(doc__lines)
{
	doc_is("// One.\nrwfunc f() { }", "One.\n");
	doc_is("lib p {\n\t// One.\r\n\t//\n\t//  Two. \t\n\t//Three\n"
	    "\trwir f() -> () }", "One.\n\n Two.\nThree\n");
	doc_is("//\nrwfunc f() { }", "\n");
	doc_is("rwfunc g() { }\n// f\nrwfunc f() {\n// body\n}\n// after\n",
	    "f\n");
}
END_TEST

START_TEST(doc__blocks)
{
	doc_is("/* One. */\nrwfunc f() { }", "One.\n");
	doc_is("/*\n * One.\n *  Two.\n\n  Three *\n */\nrwfunc f() { }",
	    "One.\n Two.\n\nThree *\n");
	doc_is("/* a *//* b */\nrwfunc f() { }", "");
	doc_is("/* a */\n// b\nrwfunc f() { }", "a\nb\n");
}
END_TEST

/* Not what stands apart, or belongs to something else. */
START_TEST(doc__none)
{
	doc_is("rwfunc f() { }", "");
	doc_is("// file\n\nrwfunc f() { }", "");
	doc_is("// file\n\n// f\nrwfunc f() { }", "f\n");
	doc_is("// lib\nlib p { rwfunc f() { } }", "");
	doc_is("// lib\nlib p {\nrwfunc f() { } }", "");
	doc_is("lib p { // open\nrwfunc f() { } }", "");
	doc_is("lib p { // open\n// f\nrwfunc f() { } }", "f\n");
	doc_is("rwfunc g() { } // g\nrwfunc f() { }", "");
	doc_is("/* f */ rwfunc f() { }", "");
	doc_is("// g\nrwfunc g() { }\nrwfunc f() { }", "");
}
END_TEST

Suite *
kv_doc_suite(void)
{
	Suite *s = suite_create("kv_doc");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, doc__lines);
	tcase_add_test(tc, doc__blocks);
	tcase_add_test(tc, doc__none);
	suite_add_tcase(s, tc);
	return s;
}
