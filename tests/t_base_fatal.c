/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"

Suite *base_fatal_suite(void);

/* Runs f in a child; its exit code, and what it wrote to standard error. */
static int
run(void (*f)(void), char *text, size_t cap)
{
	int fd[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		dup2(fd[1], 2);
		close(fd[0]);
		close(fd[1]);
		f();
		_exit(99);
	}
	close(fd[1]);
	while ((got = read(fd[0], text + n, cap - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
env(void)
{
	fatal_program("kvtool");
	fatal("cannot open %s: %s", "x.kv", "gone");
}

static void
usage(void)
{
	usage_error("unknown option %s", "--foo");
}

static void
broken(void)
{
	BUG("count is %d", 3);
}

START_TEST(fatal__names_the_program_and_exits_3)
{
	char text[1000];

	ck_assert_int_eq(run(env, text, sizeof(text)), 3);
	ck_assert_str_eq(text, "kvtool: cannot open x.kv: gone\n");
}
END_TEST

START_TEST(usage_error__points_to_help_and_exits_2)
{
	char text[1000];

	ck_assert_int_eq(run(usage, text, sizeof(text)), 2);
	ck_assert_ptr_nonnull(strstr(text, "unknown option --foo\n"));
	ck_assert_ptr_nonnull(strstr(text, "--help"));
}
END_TEST

START_TEST(bug__names_the_place_and_exits_70)
{
	char text[1000];

	ck_assert_int_eq(run(broken, text, sizeof(text)), 70);
	ck_assert_ptr_nonnull(strstr(text, "t_base_fatal.c:"));
	ck_assert_ptr_nonnull(strstr(text, ": count is 3\n"));
	ck_assert_ptr_nonnull(strstr(text, "report"));
}
END_TEST

Suite *
base_fatal_suite(void)
{
	Suite *s = suite_create("base_fatal");
	TCase *t = tcase_create("fatal");

	tcase_add_test(t, fatal__names_the_program_and_exits_3);
	tcase_add_test(t, usage_error__points_to_help_and_exits_2);
	tcase_add_test(t, bug__names_the_place_and_exits_70);
	suite_add_tcase(s, t);
	return s;
}
