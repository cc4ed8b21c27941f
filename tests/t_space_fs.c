/* SPDX-License-Identifier: MIT */
/* fs://DIR: values outlive the handle, names never meet, wrong files are
 * refused by name. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "space/fs.h"

Suite *space_fs_suite(void);

static struct arena arena;
static struct diag diag;
static struct fs fs;
static char *dir, *dsn;

static void
setup(void)
{
	char path[] = "/tmp/kvfs.XXXXXX";

	diag_init(&diag);
	ck_assert_ptr_nonnull(mkdtemp(path));
	dir = arena_strdup(&arena, path);
	dsn = arena_printf(&arena, "fs://%s", path);
	ck_assert_int_eq(fs_open(&fs, dsn, &diag), 0);
}

static void
teardown(void)
{
	fs_close(&fs);
	ck_assert_int_eq(remove_tree(dir), 0);
	diag_release(&diag);
	arena_release(&arena);
}

static int
set(const char *key, int64_t x)
{
	struct value v = { .langtype = "int64", .body = &x, .n = sizeof(x) };

	return fs_set(&fs, key, &v, &diag);
}

/* The int64 at a key; -1 when there is none. */
static int64_t
get(const char *key)
{
	const struct value *v;
	int64_t x = -1;

	ck_assert_int_eq(fs_get(&fs, key, &arena, &v, &diag), 0);
	if (v) {
		ck_assert_str_eq(v->langtype, "int64");
		ck_assert_int_eq(v->dtype, DT_INT64);
		ck_assert_uint_eq(v->n, sizeof(x));
		memcpy(&x, v->body, sizeof(x));
	}
	return x;
}

/* The keys below a prefix, joined by blanks. */
static const char *
list(const char *prefix)
{
	struct buf b = { 0 };
	const char *text;
	char **key;
	size_t n, i;

	ck_assert_int_eq(fs_list(&fs, prefix, &arena, &key, &n, &diag), 0);
	for (i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", key[i]);
	text = arena_strdup(&arena, buf_str(&b).p);
	buf_release(&b);
	return text;
}

static void
ck_error(const char *text)
{
	char found[600];

	ck_assert_int_gt(diag.errors, 0);
	diag_first(&diag, found, sizeof(found));
	ck_assert_msg(strstr(found, text) != NULL, "%s lacks %s", found, text);
	diag_release(&diag);
	diag_init(&diag);
}

static char *
file(const char *name)
{
	return path_join(&arena, dir, name);
}

START_TEST(fs__values_outlive_the_handle)
{
	static const float body[2] = { 1.5f, -2 };
	const struct shape shape = { 2, { 2, 1 } };
	struct value w = value_tensor(&arena, DT_FLOAT32, &shape, body);
	const struct value *v;

	ck_assert_int_eq(set("/n", 7), 0);
	ck_assert_int_eq(set("/n", 8), 0);
	ck_assert_int_eq(fs_set(&fs, "/w", &w, &diag), 0);
	w = value_text("[3]char/utf8", "a\0b", 3);
	ck_assert_int_eq(fs_set(&fs, "/s", &w, &diag), 0);
	fs_close(&fs);
	ck_assert_int_eq(fs_open(&fs, dsn, &diag), 0);
	ck_assert_int_eq(get("/n"), 8);
	ck_assert_int_eq(get("/m"), -1);
	ck_assert_int_eq(fs_get(&fs, "/w", &arena, &v, &diag), 0);
	ck_assert_str_eq(v->langtype, "[2,1]float32");
	ck_assert_int_eq(v->shape.rank, 2);
	ck_assert_mem_eq(v->body, body, 8);
	ck_assert_int_eq(fs_get(&fs, "/s", &arena, &v, &diag), 0);
	ck_assert_mem_eq(v->body, "a\0b", 3);
}
END_TEST

START_TEST(fs__file_is_the_documented_one)
{
	static const char image[] = "kvimage\n" "\1\0\0\0"
	    "\1\0\0\0\0\0\0\0" "\6\0\0\0/a/·b" "\5\0" "int64"
	    "\x8\0\0\0\0\0\0\0" "\xfe\xff\xff\xff\xff\xff\xff\xff";
	uint8_t want[sizeof(image) - 1 + SHA256_LEN];
	struct str found;

	memcpy(want, image, sizeof(image) - 1);
	sha256_of(want, sizeof(image) - 1, want + sizeof(image) - 1);
	ck_assert_int_eq(set("/a/·b", -2), 0);
	ck_assert_int_eq(file_read(&arena, file("%2Fa%2F.b"), &found), 0);
	ck_assert_uint_eq(found.n, sizeof(want));
	ck_assert_mem_eq(found.p, want, sizeof(want));
	ck_assert_int_eq(file_read(&arena, file("kvspace"), &found), 0);
	ck_assert(str_is(found, "kvspace 1\n"));
}
END_TEST

START_TEST(fs__keys_never_share_a_file)
{
	char longer[2][400] = { { 0 } };
	const char *key[] = { "/a/b", "/a·b", "/a.b", "/a:b", "/a%2Fb", "/A/b",
		"/a/b/", "/a~", "/‥pc", "/x y\n", longer[0], longer[1] };
	const int n = sizeof(key) / sizeof(key[0]);
	int i;

	for (i = 0; i < 2; i++) {
		memset(longer[i], 'x', 398);
		longer[i][0] = '/';
		longer[i][397] = (char)('1' + i);
	}
	for (i = 0; i < n; i++)
		ck_assert_int_eq(set(key[i], i), 0);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(get(key[i]), i);
	ck_assert_str_eq(list("/a"),
	    "/a%2Fb /a.b /a/b /a/b/ /a:b /a~ /a·b");
	ck_assert_str_eq(list("/xxx"), arena_printf(&arena, "%s %s",
	    longer[0], longer[1]));
}
END_TEST

START_TEST(fs__delete_takes_what_is_below)
{
	const char *key[] = { "/a", "/a/b", "/a/b/c", "/a.x", "/a·x", "/ab",
		"/b" };
	size_t i;

	for (i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		ck_assert_int_eq(set(key[i], 1), 0);
	ck_assert_int_eq(fs_del_tree(&fs, "/a", &diag), 0);
	ck_assert_str_eq(list(""), "/a.x /ab /a·x /b");
	ck_assert_int_eq(fs_del_tree(&fs, "/none", &diag), 0);
}
END_TEST

START_TEST(fs__wrong_folders_are_refused)
{
	struct fs other;

	ck_assert_int_eq(fs_open(&other, "redis://x", &diag), -1);
	ck_error("expected a space fs://DIR, found `redis://x`");
	ck_assert_int_eq(fs_open(&other, "fs://", &diag), -1);
	ck_error("fs://DIR");
	ck_assert_int_eq(file_write(file("kvspace"), "kvspace 2\n", 10, false),
	    0);
	ck_assert_int_eq(fs_open(&other, dsn, &diag), -1);
	ck_error("/kvspace: expected the line `kvspace 1`");
	ck_assert_int_eq(unlink(file("kvspace")), 0);
	ck_assert_int_eq(file_write(file("thesis.txt"), "x", 1, false), 0);
	ck_assert_int_eq(fs_open(&other, dsn, &diag), -1);
	ck_error("found `thesis.txt`");
	ck_assert(!file_exists(file("kvspace")));
	ck_assert_int_eq(fs_open(&other, arena_printf(&arena,
	    "%s/thesis.txt", dsn), &diag), -1);
	ck_error("thesis.txt");
}
END_TEST

START_TEST(fs__damaged_files_are_refused_by_name)
{
	const struct value *v;
	struct str whole;
	char *bad;
	size_t i;

	ck_assert_int_eq(set("/k", 3), 0);
	ck_assert_int_eq(file_read(&arena, file("%2Fk"), &whole), 0);
	bad = arena_alloc(&arena, whole.n);
	for (i = 0; i < whole.n; i++) {
		ck_assert_int_eq(file_write(file("%2Fk"), whole.p, i, false),
		    0);
		ck_assert_int_eq(fs_get(&fs, "/k", &arena, &v, &diag), -1);
		ck_error("%2Fk: ");
		memcpy(bad, whole.p, whole.n);
		bad[i] = (char)~bad[i];
		ck_assert_int_eq(file_write(file("%2Fk"), bad, whole.n, false),
		    0);
		ck_assert_int_eq(fs_get(&fs, "/k", &arena, &v, &diag), -1);
		ck_error("%2Fk: ");
	}
	ck_assert_int_eq(file_write(file("%2Fl"), whole.p, whole.n, false), 0);
	ck_assert_int_eq(fs_get(&fs, "/l", &arena, &v, &diag), -1);
	ck_error("%2Fl: expected a file with the one key");
}
END_TEST

START_TEST(fs__strange_names_are_refused)
{
	static const char *const name[] = { "notes", "%2fk", "%2F", "%2Fk%",
		"%2Fk%00", "%2Fa%2", "%2F%61", ".k" };
	size_t n, i;
	char **key;

	ck_assert_int_eq(file_write(file(".tmp.1.0"), "x", 1, false), 0);
	ck_assert_str_eq(list(""), "");
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		ck_assert_int_eq(file_write(file(name[i]), "x", 1, false), 0);
		ck_assert_int_eq(fs_list(&fs, "", &arena, &key, &n, &diag),
		    -1);
		ck_error(arena_printf(&arena, "/%s: expected the name of a "
		    "key", name[i]));
		ck_assert_int_eq(unlink(file(name[i])), 0);
	}
}
END_TEST

START_TEST(fs__what_cannot_be_kept_is_refused)
{
	struct value v = { .langtype = "[3]int64", .body = "12345678", .n = 8 };

	ck_assert_int_eq(set("k", 1), -1);
	ck_error("expected a key that begins with `/`, found `k`");
	ck_assert_int_eq(set("", 1), -1);
	ck_error("found ``");
	ck_assert_int_eq(fs_set(&fs, "/k", &v, &diag), -1);
	ck_error("/k cannot be kept");
	ck_assert_str_eq(list(""), "");
}
END_TEST

START_TEST(fs__failed_write_keeps_the_old_value)
{
	struct rlimit limit;

	ck_assert_int_eq(set("/k", 1), 0);
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 40;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(set("/k", 2), -1);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_error("%2Fk: cannot write: ");
	ck_assert_int_eq(get("/k"), 1);
	ck_assert_str_eq(list(""), "/k");
}
END_TEST

START_TEST(fs__readers_see_whole_values)
{
	int status, i;
	pid_t pid;

	ck_assert_int_eq(set("/k", 0), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (i = 0; i < 100; i++)
			if (set("/k", i % 2))
				_exit(1);
		_exit(0);
	}
	do
		ck_assert_int_ge(get("/k"), 0);
	while (waitpid(pid, &status, WNOHANG) == 0);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(get("/k"), 1);
}
END_TEST

Suite *
space_fs_suite(void)
{
	Suite *s = suite_create("space_fs");
	TCase *t = tcase_create("fs");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, fs__values_outlive_the_handle);
	tcase_add_test(t, fs__file_is_the_documented_one);
	tcase_add_test(t, fs__keys_never_share_a_file);
	tcase_add_test(t, fs__delete_takes_what_is_below);
	tcase_add_test(t, fs__wrong_folders_are_refused);
	tcase_add_test(t, fs__damaged_files_are_refused_by_name);
	tcase_add_test(t, fs__strange_names_are_refused);
	tcase_add_test(t, fs__what_cannot_be_kept_is_refused);
	tcase_add_test(t, fs__failed_write_keeps_the_old_value);
	tcase_add_test(t, fs__readers_see_whole_values);
	suite_add_tcase(s, t);
	return s;
}
