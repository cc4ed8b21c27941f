/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/parts.h"
#include "tests/cache_help.h"

Suite *cache_parts_suite(void);

#define A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define B "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define HEAD "kvparts 1\naction " A "\nabi 1\nroute r\ntoolchain " B          \
	"\nisa i\nfeatures -\nflags -c x\nlink -s\n"
#define GOOD HEAD "text " A " kernel.c\ntext " B " 0/vec/a b.h\n"

static int
parse(struct arena *a, struct parts *p, const char *text, size_t n)
{
	char why[256];
	struct diag d;
	int ret;

	diag_init(&d);
	ret = parts_parse(p, a, (struct str){ text, n }, "w", &d);
	diag_first(&d, why, sizeof(why));
	ck_assert_int_eq(d.errors, ret ? 1 : 0);
	if (ret)
		ck_assert_ptr_nonnull(strstr(why, "w"));
	diag_release(&d);
	return ret;
}

START_TEST(parse__gives_each_part)
{
	struct arena a = { 0 };
	struct parts p;
	struct buf b = { 0 };

	ck_assert_int_eq(parse(&a, &p, GOOD, strlen(GOOD)), 0);
	ck_assert_str_eq(p.action, A);
	ck_assert_uint_eq(p.n, 9);
	ck_assert_str_eq(parts_get(&p, "flags"), "-c x");
	ck_assert_str_eq(parts_get(&p, "features"), "-");
	ck_assert_str_eq(parts_get(&p, "text kernel.c"), A);
	ck_assert_str_eq(parts_get(&p, "text 0/vec/a b.h"), B);
	ck_assert_ptr_null(parts_get(&p, "text other.h"));
	parts_format(&p, &b);
	ck_assert_str_eq(b.p, GOOD);
	buf_release(&b);
	arena_release(&a);
}
END_TEST

START_TEST(parse__every_shorter_text_is_refused)
{
	size_t n, whole = strlen(HEAD "text " A " kernel.c\n");
	struct arena a = { 0 };
	struct parts p;

	/* A text after the first may be missing. */
	for (n = 0; n < strlen(GOOD); n++)
		ck_assert_int_eq(parse(&a, &p, GOOD, n), n == whole ? 0 : -1);
	arena_release(&a);
}
END_TEST

START_TEST(parse__other_forms_are_refused)
{
	static const char *const bad[] = {
		GOOD "\n",
		GOOD "text " A " kernel.c\n",
		GOOD "text " A "\n",
		GOOD "text 0" A " z\n",
		GOOD "isa i\n",
		"kvparts 2\naction " A "\nabi 1\nroute r\ntoolchain " B
		"\nisa i\nfeatures -\nflags x\nlink -s\ntext " A " k\n",
		"kvparts 1\naction " A "\nroute r\nabi 1\ntoolchain " B
		"\nisa i\nfeatures -\nflags x\nlink -s\ntext " A " k\n",
		"kvparts 1\naction " A "\nabi 1\nroute r\ntoolchain x"
		"\nisa i\nfeatures -\nflags x\nlink -s\ntext " A " k\n",
		"kvparts 1\naction " A "\nabi 1\nroute r\ntoolchain " B
		"\nisa \nfeatures -\nflags x\nlink -s\ntext " A " k\n",
	};
	struct arena a = { 0 };
	struct parts p;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(parse(&a, &p, bad[i], strlen(bad[i])) == -1,
		    "case %zu was taken", i);
	arena_release(&a);
}
END_TEST

START_TEST(keep__writes_once_under_the_source_and_the_action)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), *path;
	struct stat before, after;
	struct parts p;

	ck_assert_int_eq(parse(&a, &p, GOOD, strlen(GOOD)), 0);
	ck_assert_int_eq(parts_keep(&p, dir, "some/where/k,0.c"), 0);
	path = path_join(&a, dir, "why/k,0.c/" A);
	ck_assert_str_eq(help_read(&a, path).p, GOOD);
	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert_int_eq(parts_keep(&p, dir, "k,0.c"), 0);
	ck_assert_int_eq(stat(path, &after), 0);
	ck_assert_int_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(parts_keep(&p, dir, "a\nb.c"), -1);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

Suite *
cache_parts_suite(void)
{
	Suite *s = suite_create("cache_parts");
	TCase *t = tcase_create("parts");

	tcase_add_test(t, parse__gives_each_part);
	tcase_add_test(t, parse__every_shorter_text_is_refused);
	tcase_add_test(t, parse__other_forms_are_refused);
	tcase_add_test(t, keep__writes_once_under_the_source_and_the_action);
	suite_add_tcase(s, t);
	return s;
}
