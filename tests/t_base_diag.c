/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"

Suite *base_diag_suite(void);

/* Makes a folder of its own for a test and goes there, so that messages have
 * short names. */
static void
enter(char *dir)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static char *
printed(struct diag *d, int with_info)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	ck_assert_ptr_nonnull(f);
	diag_print(d, f, with_info);
	fclose(f);
	return text;
}

static void
check_print(struct diag *d, int with_info, const char *want)
{
	char *got = printed(d, with_info);

	ck_assert_str_eq(got, want);
	free(got);
}

START_TEST(diag__sorts_and_keeps_one_of_a_kind)
{
	struct diag d;
	char file[] = "/nowhere/b.kv";

	diag_init(&d);
	ck_assert_int_eq(diag_error(&d, (struct loc){ file, 2, 9 }, "x %d",
	    5), -1);
	diag_error(&d, (struct loc){ "/nowhere/b.kv", 2, 3 }, "second");
	diag_error(&d, (struct loc){ "/nowhere/b.kv", 10, 1 }, "last");
	diag_error(&d, (struct loc){ "/nowhere/b.kv", 2, 3 }, "and third");
	diag_error(&d, (struct loc){ "/nowhere/b.kv", 2, 3 }, "second");
	diag_warn(&d, (struct loc){ "/nowhere/b.kv", 2, 3 }, "second");
	diag_error(&d, (struct loc){ "/nowhere/a.kv", 0, 0 }, "whole file");
	diag_info(&d, (struct loc){ "/nowhere/a.kv", 7, 0 }, "a line");
	diag_error(&d, no_loc, "no place");
	file[9] = 'X'; /* the name was copied */
	ck_assert_uint_eq(d.n, 8);
	ck_assert_int_eq(d.errors, 6);
	check_print(&d, 0,
	    "error: no place\n"
	    "error: /nowhere/a.kv: whole file\n"
	    "error: /nowhere/b.kv:2:3: second\n"
	    "error: /nowhere/b.kv:2:3: and third\n"
	    "warning: /nowhere/b.kv:2:3: second\n"
	    "error: /nowhere/b.kv:2:9: x 5\n"
	    "error: /nowhere/b.kv:10:1: last\n");
	diag_release(&d);
}
END_TEST

START_TEST(diag__infos_only_when_asked)
{
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(diag_info(&d, no_loc, "fyi"), -1);
	ck_assert_int_eq(diag_warn(&d, no_loc, "careful"), -1);
	ck_assert_int_eq(d.errors, 0);
	check_print(&d, 0, "warning: careful\n");
	check_print(&d, 1, "info: fyi\nwarning: careful\n");
	diag_release(&d);
}
END_TEST

START_TEST(diag__shows_line_and_caret)
{
	static const char text[] = "first\n\tx = \xc3\xa9 + y\nlast";
	char dir[] = "/tmp/kvaot-t-XXXXXX";
	struct diag d;

	enter(dir);
	ck_assert_int_eq(file_write("s.kv", text, strlen(text),
	    false), 0);
	diag_init(&d);
	/* y is byte 11 of line 2; a tab and the two bytes of é are before. */
	diag_error(&d, (struct loc){ "s.kv", 2, 11 }, "no y");
	diag_error(&d, (struct loc){ "s.kv", 3, 5 }, "end");
	diag_error(&d, (struct loc){ "s.kv", 3, 0 }, "no col");
	diag_error(&d, (struct loc){ "s.kv", 3, 99 }, "beyond");
	diag_error(&d, (struct loc){ "s.kv", 9, 1 }, "no line");
	check_print(&d, 0,
	    "error: s.kv:2:11: no y\n"
	    "\tx = \xc3\xa9 + y\n"
	    "\t        ^\n"
	    "error: s.kv:3: no col\n"
	    "last\n"
	    "error: s.kv:3:5: end\n"
	    "last\n"
	    "    ^\n"
	    "error: s.kv:3:99: beyond\n"
	    "last\n"
	    "error: s.kv:9:1: no line\n");
	diag_release(&d);
	ck_assert_int_eq(remove_tree(dir), 0);
}
END_TEST

START_TEST(diag__reads_a_renamed_source_where_it_is)
{
	char dir[] = "/tmp/t_base_diag.XXXXXX";
	struct diag d;

	enter(dir);
	ck_assert_int_eq(file_write("real.kv", "one\ntwo\n", 8, false), 0);
	diag_init(&d);
	diag_source(&d, "lib/shown.kv", "real.kv");
	diag_error(&d, (struct loc){ "lib/shown.kv", 2, 1 }, "wrong");
	check_print(&d, 0, "error: lib/shown.kv:2:1: wrong\ntwo\n^\n");
	diag_release(&d);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(remove_tree(dir), 0);
}
END_TEST

START_TEST(diag__shows_no_data_as_a_line)
{
	static char text[1000];
	char dir[] = "/tmp/kvaot-t-XXXXXX";
	struct diag d;

	enter(dir);
	memset(text, 'x', sizeof(text));
	text[500] = '\n'; /* line 1 is too long to show, line 2 has a NUL */
	text[510] = '\0';
	text[520] = '\n';
	ck_assert_int_eq(file_write("data", text, 530, false), 0);
	diag_init(&d);
	diag_error(&d, (struct loc){ "data", 1, 1 }, "long");
	diag_error(&d, (struct loc){ "data", 2, 1 }, "binary");
	diag_error(&d, (struct loc){ "data", 3, 1 }, "text");
	check_print(&d, 0,
	    "error: data:1:1: long\n"
	    "error: data:2:1: binary\n"
	    "error: data:3:1: text\n"
	    "xxxxxxxxx\n"
	    "^\n");
	diag_release(&d);
	ck_assert_int_eq(remove_tree(dir), 0);
}
END_TEST

START_TEST(diag_first__is_the_first_error)
{
	struct diag d;
	char out[64], small[8];

	diag_init(&d);
	diag_first(&d, out, sizeof(out));
	ck_assert_str_eq(out, "");
	diag_warn(&d, no_loc, "w");
	diag_first(&d, out, sizeof(out));
	ck_assert_str_eq(out, "");
	diag_error(&d, (struct loc){ "z.kv", 4, 2 }, "expected )");
	diag_error(&d, (struct loc){ "a.kv", 1, 1 }, "later");
	diag_first(&d, out, sizeof(out));
	ck_assert_str_eq(out, "z.kv:4:2: expected )");
	diag_first(&d, small, sizeof(small));
	ck_assert_str_eq(small, "z.kv:4:");
	diag_release(&d);
}
END_TEST

/* The words of errno are glibc's. */
START_TEST(diag_env__says_what_to_do)
{
	static const struct { int fault; const char *want; } cases[] = {
		{ ENOSPC, "error: f: cannot write g: No space left on device; "
		    "make space there and do it again\n" },
		{ EROFS, "error: f: cannot write g: Read-only file system; let "
		    "this user write there, or choose another folder\n" },
		{ EIO, "error: f: cannot write g: Input/output error\n" },
	};
	struct diag d;

	diag_init(&d);
	errno = cases[_i].fault;
	ck_assert_int_eq(diag_env(&d, (struct loc){ "f", 0, 0 },
	    "cannot write %s", "g"), -1);
	ck_assert(d.env && d.errors == 1);
	check_print(&d, 0, cases[_i].want);
	diag_release(&d);
	ck_assert(!d.env);
	diag_error(&d, no_loc, "wrong");
	ck_assert(!d.env);
	diag_release(&d);
}
END_TEST

START_TEST(diag__empty_prints_nothing)
{
	struct diag d = { 0 };

	check_print(&d, 1, "");
	diag_release(&d);
}
END_TEST

Suite *
base_diag_suite(void)
{
	Suite *s = suite_create("base_diag");
	TCase *t = tcase_create("diag");

	tcase_add_test(t, diag__sorts_and_keeps_one_of_a_kind);
	tcase_add_test(t, diag__infos_only_when_asked);
	tcase_add_test(t, diag__shows_line_and_caret);
	tcase_add_test(t, diag__reads_a_renamed_source_where_it_is);
	tcase_add_test(t, diag__shows_no_data_as_a_line);
	tcase_add_test(t, diag_first__is_the_first_error);
	tcase_add_test(t, diag__empty_prints_nothing);
	tcase_add_loop_test(t, diag_env__says_what_to_do, 0, 3);
	suite_add_tcase(s, t);
	return s;
}
