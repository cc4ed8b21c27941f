/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

Suite *base_file_suite(void);

static char dir[] = "/tmp/kvaot-t-XXXXXX";
static struct arena arena;

static void
setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void
teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(remove_tree(dir), 0);
	ck_assert(!file_exists(dir));
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	arena_release(&arena);
}

static void
put(const char *path, const char *text)
{
	ck_assert_int_eq(file_write(path, text, strlen(text), false), 0);
}

static void
check_text(const char *path, const char *want)
{
	struct str got;

	ck_assert_int_eq(file_read(&arena, path, &got), 0);
	ck_assert_str_eq(got.p, want);
	ck_assert_uint_eq(got.n, strlen(want));
}

static void
check_names(char **names, size_t n, const char *want)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		buf_printf(&b, "%s ", names[i]);
	ck_assert_str_eq(buf_str(&b).p, want);
	buf_release(&b);
}

START_TEST(file__write_replaces_and_leaves_nothing_else)
{
	char **names;
	size_t n;

	put("a", "old");
	check_text("a", "old");
	ck_assert_int_eq(file_write("a", "new text", 8, true), 0);
	check_text("a", "new text");
	put("empty", "");
	check_text("empty", "");
	ck_assert_int_eq(dir_list(&arena, ".", NULL, &names, &n), 0);
	check_names(names, n, "a empty ");
}
END_TEST

START_TEST(file__write_keeps_readers_of_the_old_bytes)
{
	char text[4] = "";
	FILE *f;

	put("a", "old");
	f = fopen("a", "r");
	ck_assert_ptr_nonnull(f);
	put("a", "new");
	ck_assert_uint_eq(fread(text, 1, 3, f), 3);
	ck_assert_str_eq(text, "old");
	fclose(f);
}
END_TEST

START_TEST(file__write_into_no_folder_fails)
{
	errno = 0;
	ck_assert_int_eq(file_write("none/a", "x", 1, false), -1);
	ck_assert_int_eq(errno, ENOENT);
	/* The temporary file is gone when the rename fails. */
	ck_assert_int_eq(make_dirs("folder/below"), 0);
	ck_assert_int_eq(file_write("folder", "x", 1, false), -1);
	ck_assert(errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST);
	ck_assert_int_eq(remove_tree("folder"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
}
END_TEST

START_TEST(file__read_of_large_files_pipes_and_proc)
{
	static char big[300000];
	struct str got;
	FILE *f;

	memset(big, 'x', sizeof(big) - 1);
	put("big", big);
	check_text("big", big);
	ck_assert_int_eq(file_read(&arena, "/proc/self/status", &got), 0);
	ck_assert(str_starts(got, "Name:"));
	ck_assert_int_eq(file_read(&arena, "none", &got), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(file_read(&arena, ".", &got), -1);
	ck_assert_int_eq(errno, EISDIR);
	f = popen("head -c 200000 big", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(file_read(&arena, arena_printf(&arena,
	    "/proc/self/fd/%d", fileno(f)), &got), 0);
	ck_assert_uint_eq(got.n, 200000);
	ck_assert_int_eq(memcmp(got.p, big, 200000), 0);
	ck_assert_int_eq(got.p[200000], '\0');
	pclose(f);
}
END_TEST

/* More than a pipe holds, so that neither side is done in one call. */
START_TEST(file__descriptors)
{
	static char big[300000];
	struct str got;
	int fd[2];
	pid_t pid;

	memset(big, 'y', sizeof(big));
	ck_assert_int_eq(pipe(fd), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(fd[0]);
		_exit(file_write_fd(fd[1], big, sizeof(big)) != 0);
	}
	close(fd[1]);
	ck_assert_int_eq(file_read_fd(&arena, fd[0], &got), 0);
	ck_assert_uint_eq(got.n, sizeof(big));
	ck_assert_int_eq(memcmp(got.p, big, sizeof(big)), 0);
	ck_assert_int_eq(file_read_fd(&arena, fd[0], &got), 0);
	ck_assert_uint_eq(got.n, 0);
	close(fd[0]);
	ck_assert_int_eq(file_read_fd(&arena, fd[0], &got), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_int_eq(file_write_fd(-1, big, 1), -1);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(file__update_leaves_equal_bytes_alone)
{
	struct stat before, after;
	bool changed = false;

	ck_assert_int_eq(file_update("a", "one", 3, &changed), 0);
	ck_assert(changed);
	ck_assert_int_eq(stat("a", &before), 0);
	ck_assert_int_eq(file_update("a", "one", 3, &changed), 0);
	ck_assert(!changed);
	ck_assert_int_eq(stat("a", &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(file_update("a", "two", 3, &changed), 0);
	ck_assert(changed);
	check_text("a", "two");
	ck_assert_int_eq(file_update("a", "two!", 4, NULL), 0);
	check_text("a", "two!");
}
END_TEST

START_TEST(dirs__made_with_parents)
{
	struct stat st;

	ck_assert_int_eq(make_dirs("a/b/c"), 0);
	ck_assert_int_eq(make_dirs("a/b/c"), 0);
	ck_assert_int_eq(make_dirs("a/b/d/"), 0);
	ck_assert_int_eq(make_parents("e/f/file"), 0);
	ck_assert_int_eq(make_parents("file"), 0);
	ck_assert_int_eq(make_parents("/file"), 0);
	ck_assert_int_eq(stat("a/b/c", &st), 0);
	ck_assert(S_ISDIR(st.st_mode));
	ck_assert_int_eq(stat("a/b/d", &st), 0);
	ck_assert_int_eq(stat("e/f", &st), 0);
	ck_assert(!file_exists("e/f/file"));
	put("a/file", "x");
	ck_assert_int_eq(make_dirs("a/file"), -1);
	ck_assert_int_eq(errno, ENOTDIR);
	ck_assert_int_eq(make_dirs("a/file/x"), -1);
	ck_assert_int_eq(errno, ENOTDIR);
	ck_assert_int_eq(dir_sync("a"), 0);
	ck_assert_int_eq(dir_sync("a/file"), -1);
}
END_TEST

START_TEST(dirs__listed_in_order)
{
	char **names;
	size_t n;

	ck_assert_int_eq(make_dirs("z/b"), 0);
	ck_assert_int_eq(make_dirs("z/a.kv"), 0);
	put("z/b.kv", "");
	put("z/a", "");
	put("z/b/B.kv", "");
	put("z/b/.kv", "");
	put("z/a.kv/x", "");
	ck_assert_int_eq(symlink("b", "z/link"), 0);
	ck_assert_int_eq(symlink("b.kv", "z/to.kv"), 0);
	ck_assert_int_eq(symlink("nothing", "z/dead.kv"), 0);
	ck_assert_int_eq(dir_list(&arena, "z", NULL, &names, &n), 0);
	check_names(names, n, "a a.kv b b.kv dead.kv link to.kv ");
	ck_assert_int_eq(dir_list(&arena, "z", ".kv", &names, &n), 0);
	check_names(names, n, "a.kv b.kv dead.kv to.kv ");
	ck_assert_int_eq(dir_walk(&arena, "z", ".kv", &names, &n), 0);
	check_names(names, n, "b.kv b/.kv b/B.kv to.kv ");
	ck_assert_int_eq(dir_walk(&arena, "z", NULL, &names, &n), 0);
	check_names(names, n, "a a.kv/x b.kv b/.kv b/B.kv to.kv ");
	ck_assert_int_eq(dir_list(&arena, "none", NULL, &names, &n), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(dir_walk(&arena, "none", NULL, &names, &n), -1);
	ck_assert_int_eq(make_dirs("y"), 0);
	ck_assert_int_eq(dir_list(&arena, "y", NULL, &names, &n), 0);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(remove_tree__takes_links_not_their_targets)
{
	ck_assert_int_eq(make_dirs("keep"), 0);
	put("keep/a", "x");
	ck_assert_int_eq(make_dirs("gone/b"), 0);
	put("gone/b/c", "x");
	ck_assert_int_eq(symlink("../keep", "gone/link"), 0);
	ck_assert_int_eq(remove_tree("gone"), 0);
	ck_assert(!file_exists("gone"));
	check_text("keep/a", "x");
	ck_assert_int_eq(remove_tree("gone"), 0);
	ck_assert_int_eq(symlink("keep", "link"), 0);
	ck_assert_int_eq(remove_tree("link"), 0);
	check_text("keep/a", "x");
	ck_assert_int_eq(remove_tree("keep/a"), 0);
	ck_assert(!file_exists("keep/a"));
}
END_TEST

START_TEST(path__joins_and_finds_the_executable)
{
	char *here = exe_dir(&arena), *exe;

	ck_assert_str_eq(path_join(&arena, "a", "b"), "a/b");
	ck_assert_str_eq(path_join(&arena, "a/", "b"), "a/b");
	ck_assert_str_eq(path_join(&arena, "/", "b"), "/b");
	ck_assert_ptr_nonnull(here);
	ck_assert_int_eq(here[0], '/');
	exe = path_join(&arena, here, program_invocation_short_name);
	ck_assert_msg(file_exists(exe), "%s", exe);
}
END_TEST

Suite *
base_file_suite(void)
{
	Suite *s = suite_create("base_file");
	TCase *t = tcase_create("file");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, file__write_replaces_and_leaves_nothing_else);
	tcase_add_test(t, file__write_keeps_readers_of_the_old_bytes);
	tcase_add_test(t, file__write_into_no_folder_fails);
	tcase_add_test(t, file__read_of_large_files_pipes_and_proc);
	tcase_add_test(t, file__descriptors);
	tcase_add_test(t, file__update_leaves_equal_bytes_alone);
	tcase_add_test(t, dirs__made_with_parents);
	tcase_add_test(t, dirs__listed_in_order);
	tcase_add_test(t, remove_tree__takes_links_not_their_targets);
	tcase_add_test(t, path__joins_and_finds_the_executable);
	suite_add_tcase(s, t);
	return s;
}
