/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/receipt.h"
#include "tests/cache_help.h"

Suite *cache_receipt_suite(void);

#define A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define B "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define GOOD "kvreceipt 1\naction " A "\nobject " B "\nsize 4711\n"

static int
parse(struct receipt *r, const char *text, size_t n, char *why, size_t cap)
{
	struct diag d;
	int ret;

	diag_init(&d);
	ret = receipt_parse(r, (struct str){ text, n }, "k.ok", &d);
	diag_first(&d, why, cap);
	ck_assert_int_eq(d.errors, ret ? 1 : 0);
	diag_release(&d);
	return ret;
}

START_TEST(parse__gives_the_three_facts)
{
	struct receipt r;
	char why[256];

	ck_assert_int_eq(parse(&r, GOOD, strlen(GOOD), why, sizeof(why)), 0);
	ck_assert_str_eq(r.action, A);
	ck_assert_str_eq(r.object, B);
	ck_assert_uint_eq(r.size, 4711);
}
END_TEST

START_TEST(parse__every_shorter_text_is_refused_by_name)
{
	struct receipt r;
	char why[256];
	size_t n;

	for (n = 0; n < strlen(GOOD); n++) {
		ck_assert_int_eq(parse(&r, GOOD, n, why, sizeof(why)), -1);
		ck_assert_ptr_nonnull(strstr(why, "k.ok"));
	}
}
END_TEST

START_TEST(parse__other_forms_are_refused)
{
	static const char *const bad[] = {
		GOOD "\n",
		GOOD "size 4711\n",
		"kvreceipt 2\naction " A "\nobject " B "\nsize 4711\n",
		"kvreceipt 1\nobject " B "\naction " A "\nsize 4711\n",
		"kvreceipt 1\naction " A "0\nobject " B "\nsize 4711\n",
		"kvreceipt 1\naction " A "\nobject F" B "\nsize 4711\n",
		"kvreceipt 1\naction " A "\nobject " B "\nsize 04711\n",
		"kvreceipt 1\naction " A "\nobject " B "\nsize -1\n",
		"kvreceipt 1\naction  " A "\nobject " B "\nsize 4711\n",
		"kvreceipt 1\r\naction " A "\nobject " B "\nsize 4711\n",
	};
	struct receipt r;
	char why[256];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(
		    parse(&r, bad[i], strlen(bad[i]), why, sizeof(why)) == -1,
		    "case %zu was taken", i);
}
END_TEST

START_TEST(write__touches_only_what_changes)
{
	struct receipt r = { A, B, 4711 };
	struct arena a = { 0 };
	char *dir = help_dir(&a), *path = path_join(&a, dir, "k.ok");
	struct stat st;
	struct str text;
	bool changed;

	ck_assert_int_eq(receipt_write(&r, path, &changed), 0);
	ck_assert(changed);
	text = help_read(&a, path);
	ck_assert_str_eq(text.p, GOOD);
	ck_assert_int_eq(help_run("touch -d 2001-01-01 '%s'", path), 0);
	ck_assert_int_eq(receipt_write(&r, path, &changed), 0);
	ck_assert(!changed);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert(st.st_mtime < 1000000000);
	r.size++;
	ck_assert_int_eq(receipt_write(&r, path, &changed), 0);
	ck_assert(changed);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

Suite *
cache_receipt_suite(void)
{
	Suite *s = suite_create("cache_receipt");
	TCase *t = tcase_create("receipt");

	tcase_add_test(t, parse__gives_the_three_facts);
	tcase_add_test(t, parse__every_shorter_text_is_refused_by_name);
	tcase_add_test(t, parse__other_forms_are_refused);
	tcase_add_test(t, write__touches_only_what_changes);
	suite_add_tcase(s, t);
	return s;
}
