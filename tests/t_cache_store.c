/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/receipt.h"
#include "cache/store.h"
#include "tests/cache_help.h"

Suite *cache_store_suite(void);

/* SHA-256 of "abc", FIPS 180-4 example. */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

enum { WRITERS = 8, ROUNDS = 12, BIG = 300000 };

START_TEST(publish__stores_under_the_digest)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), hex[SHA256_HEX + 1];
	char *path = path_join(&a, dir, "objects/ba/" ABC ".so");
	struct stat st;

	ck_assert(!store_object_good(dir, ABC, 3));
	ck_assert_int_eq(store_publish(dir, "abc", 3, hex), 0);
	ck_assert_str_eq(hex, ABC);
	ck_assert_str_eq(store_object_path(&a, dir, ABC), path);
	ck_assert_str_eq(help_read(&a, path).p, "abc");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0444);
	ck_assert(store_object_good(dir, ABC, 3));
	ck_assert(!store_object_good(dir, ABC, 4));
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

START_TEST(publish__replaces_a_damaged_object)
{
	static const char *const damage[] = { "", "ab", "abd", "abcd" };
	struct arena a = { 0 };
	char *dir = help_dir(&a), hex[SHA256_HEX + 1], *path;
	struct str text;
	struct diag d;

	path = store_object_path(&a, dir, ABC);
	help_write(&a, path_join(&a, dir, "objects/ba"), ABC ".so",
	    damage[_i]);
	ck_assert(!store_object_good(dir, ABC, 3));
	diag_init(&d);
	ck_assert_int_eq(store_object_read(&a, dir, ABC, &text, &d), -1);
	ck_assert_int_eq(d.errors, 1);
	diag_release(&d);
	ck_assert_int_eq(store_publish(dir, "abc", 3, hex), 0);
	ck_assert_str_eq(help_read(&a, path).p, "abc");
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

static char *
big_object(struct arena *a, int round)
{
	char *p = arena_alloc(a, BIG);

	memset(p, 'a' + round, BIG);
	return p;
}

static _Noreturn void
write_all(const char *dir)
{
	struct arena a = { 0 };
	char hex[SHA256_HEX + 1];
	int i, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		bad |= store_publish(dir, big_object(&a, i), BIG, hex) != 0;
		bad |= store_count(dir, "compile", hex) != 0;
	}
	arena_release(&a);
	_exit(bad);
}

/* Looks at every object while it is written: absent or whole. */
static int
watch(const char *dir, char hex[][SHA256_HEX + 1])
{
	struct arena a = { 0 };
	int i, seen = 0;

	for (i = 0; i < ROUNDS; i++) {
		if (file_exists(store_object_path(&a, dir, hex[i]))) {
			ck_assert(store_object_good(dir, hex[i], BIG));
			seen++;
		}
	}
	arena_release(&a);
	return seen;
}

START_TEST(publish__eight_writers_leave_whole_objects_only)
{
	char hex[ROUNDS][SHA256_HEX + 1], **left;
	struct arena a = { 0 };
	char *dir = help_dir(&a);
	pid_t pid[WRITERS];
	int i, status;
	struct str stats;
	size_t n;

	for (i = 0; i < ROUNDS; i++)
		sha256_hex(big_object(&a, i), BIG, hex[i]);
	for (i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			write_all(dir);
		ck_assert_int_gt(pid[i], 0);
	}
	while (watch(dir, hex) < ROUNDS)
		continue;
	for (i = 0; i < WRITERS; i++) {
		ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(watch(dir, hex), ROUNDS);
	ck_assert_int_eq(
	    dir_walk(&a, path_join(&a, dir, "objects"), NULL, &left, &n), 0);
	ck_assert_uint_eq(n, ROUNDS);
	stats = help_read(&a, path_join(&a, dir, "stats"));
	ck_assert_uint_eq(
	    stats.n, WRITERS * ROUNDS * (strlen("compile ") + 64 + 1));
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

START_TEST(lookup__finds_only_whole_receipts_of_that_action)
{
	struct receipt r = { .size = 3 }, got;
	struct arena a = { 0 };
	char *dir = help_dir(&a), other[] = ABC;

	memcpy(r.action, ABC, sizeof(r.action));
	memcpy(r.object, ABC, sizeof(r.object));
	ck_assert_int_eq(store_lookup(dir, ABC, &got), 1);
	ck_assert_int_eq(store_record(dir, &r), 0);
	ck_assert_int_eq(store_lookup(dir, ABC, &got), 0);
	ck_assert_str_eq(got.object, ABC);
	ck_assert_uint_eq(got.size, 3);
	/* The same text under another action's name is a foreign receipt. */
	other[63] = 'e';
	ck_assert_int_eq(help_run("cp '%s/actions/ba/" ABC
				  "' '%s/actions/ba/%s'",
			     dir, dir, other),
	    0);
	ck_assert_int_eq(store_lookup(dir, other, &got), 1);
	help_write(&a, path_join(&a, dir, "actions/ba"), ABC, "kvreceipt 1\n");
	ck_assert_int_eq(store_lookup(dir, ABC, &got), 1);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

Suite *
cache_store_suite(void)
{
	Suite *s = suite_create("cache_store");
	TCase *t = tcase_create("store");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, publish__stores_under_the_digest);
	tcase_add_loop_test(t, publish__replaces_a_damaged_object, 0, 4);
	tcase_add_test(t, publish__eight_writers_leave_whole_objects_only);
	tcase_add_test(t, lookup__finds_only_whole_receipts_of_that_action);
	suite_add_tcase(s, t);
	return s;
}
