/* SPDX-License-Identifier: MIT */
/* kvaot fmt and kvaot vet, run in a folder of their own. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "gen/command.h"

Suite *gen_cmd_text_suite(void);

static const char bad[] = "rwfunc  f( ){g(1)}", good[] =
    "rwfunc f() -> () {\n\tg(1)\n}\n";

static char dir[] = "/tmp/kvaot-t-XXXXXX";
static struct arena arena;

static void
set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void
tear_down(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(remove_tree(dir), 0);
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	arena_release(&arena);
}

static void
put(const char *path, const char *text)
{
	ck_assert_int_eq(make_parents(path), 0);
	ck_assert_int_eq(file_write(path, text, strlen(text), false), 0);
}

static void
holds(const char *path, const char *want)
{
	struct str got;

	ck_assert_int_eq(file_read(&arena, path, &got), 0);
	ck_assert_str_eq(got.p, want);
}

/* Points a standard descriptor at a file; the old one. */
static int
redirect(int fd, const char *path, int flags)
{
	int old = dup(fd), new = open(path, flags, 0600);

	ck_assert_int_ge(old, 0);
	ck_assert_int_ge(new, 0);
	ck_assert_int_eq(dup2(new, fd), fd);
	close(new);
	return old;
}

static void
restore(int fd, int old)
{
	ck_assert_int_eq(dup2(old, fd), fd);
	close(old);
}

/* Runs `words`; what it prints is in the files out and err. */
static int
run(const struct command *c, const char *words)
{
	enum { CREATE = O_WRONLY | O_CREAT | O_TRUNC };
	struct str rest = str_of(words), word;
	char *argv[8];
	int argc = 0, out, err, code;

	while (str_next(&rest, ' ', &word))
		argv[argc++] = arena_strndup(&arena, word.p, word.n);
	argv[argc] = NULL;
	fflush(stdout);
	out = redirect(1, "../out", CREATE);
	err = redirect(2, "../err", CREATE);
	code = c->run(argc, argv);
	fflush(stdout);
	restore(1, out);
	restore(2, err);
	return code;
}

/* The command works in a folder beside what it prints. */
static void
enter(void)
{
	ck_assert_int_eq(make_dirs("in"), 0);
	ck_assert_int_eq(chdir("in"), 0);
}

START_TEST(fmt__rewrites_what_changes)
{
	struct stat before, after;

	enter();
	put("a/b.kv", bad);
	put("a/c.kv", good);
	put("a/d.txt", bad);
	ck_assert_int_eq(chmod("a/b.kv", 0640), 0);
	ck_assert_int_eq(stat("a/c.kv", &before), 0);
	ck_assert_int_eq(run(&command_fmt, "fmt a"), 0);
	holds("a/b.kv", good);
	holds("a/d.txt", bad);
	holds("../out", "");
	holds("../err", "");
	ck_assert_int_eq(stat("a/c.kv", &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(stat("a/b.kv", &after), 0);
	ck_assert_uint_eq(after.st_mode & 07777, 0640);
}
END_TEST

START_TEST(fmt__check_changes_nothing)
{
	enter();
	put("a/b.kv", bad);
	put("a/c.kv", good);
	put("d.kv", bad);
	ck_assert_int_eq(run(&command_fmt, "fmt --check a d.kv"), 1);
	holds("a/b.kv", bad);
	holds("../out", "a/b.kv\nd.kv\n");
	ck_assert_int_eq(run(&command_fmt, "fmt --check a/c.kv"), 0);
	holds("../out", "");
}
END_TEST

START_TEST(fmt__links_stay_links)
{
	struct stat st;

	enter();
	put("a/b.kv", bad);
	ck_assert_int_eq(symlink("a/b.kv", "l.kv"), 0);
	ck_assert_int_eq(run(&command_fmt, "fmt l.kv"), 0);
	ck_assert_int_eq(lstat("l.kv", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	holds("a/b.kv", good);
}
END_TEST

START_TEST(fmt__leaves_errors_alone)
{
	enter();
	put("a.kv", "x = (");
	put("b.kv", bad);
	ck_assert_int_eq(run(&command_fmt, "fmt a.kv b.kv none.kv"), 1);
	holds("a.kv", "x = (");
	holds("b.kv", good);
	holds("../err", "error: a.kv: a file with errors is not formatted\n"
	    "error: a.kv:1:6: expected an expression, got the end of the "
	    "file\nx = (\n     ^\n"
	    "error: none.kv: cannot read: No such file or directory\n");
}
END_TEST

START_TEST(fmt__dash_is_a_filter)
{
	int in;

	enter();
	put("a.kv", bad);
	in = redirect(0, "a.kv", O_RDONLY);
	ck_assert_int_eq(run(&command_fmt, "fmt -"), 0);
	restore(0, in);
	holds("../out", good);
	holds("a.kv", bad);
}
END_TEST

START_TEST(vet__reports_each_file)
{
	enter();
	put("a/b.kv", "x = 1 + true\n");
	put("a/c.kv", "lib p {\n\trwfunc f() -> () {\n\t}\n}\n");
	put("a/d.kv", "lib p {\n\trwfunc f() -> () {\n\t}\n}\n");
	ck_assert_int_eq(run(&command_vet, "vet a"), 1);
	holds("../err", "error: a/b.kv:1:9: TypeError: expected numeric, got "
	    "bool\nx = 1 + true\n        ^\n");
	ck_assert_int_eq(run(&command_vet, "vet a/c.kv a/d.kv"), 0);
	holds("../err", "");
}
END_TEST

Suite *
gen_cmd_text_suite(void)
{
	Suite *s = suite_create("gen_cmd_text");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, fmt__rewrites_what_changes);
	tcase_add_test(tc, fmt__check_changes_nothing);
	tcase_add_test(tc, fmt__links_stay_links);
	tcase_add_test(tc, fmt__leaves_errors_alone);
	tcase_add_test(tc, fmt__dash_is_a_filter);
	tcase_add_test(tc, vet__reports_each_file);
	suite_add_tcase(s, tc);
	return s;
}
