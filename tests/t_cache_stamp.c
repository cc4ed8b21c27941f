/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "cache/receipt.h"
#include "cache/store.h"
#include "tests/cache_help.h"

Suite *cache_stamp_suite(void);

/* SHA-256 of "abc" (FIPS 180-4 example) and of "" (as sha256sum says). */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define NONE "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct place {
	struct arena a;
	char *dir, *conf, *stamp, *program;
};

static void
place_init(struct place *p, const char *settings)
{
	*p = (struct place){ 0 };
	unsetenv("KVAOT_CACHE");
	p->dir = help_dir(&p->a);
	p->conf = help_write(&p->a, p->dir, "stamp.conf", settings);
	p->stamp = path_join(&p->a, p->dir, "stamps/in");
	p->program = help_program(&p->a, "stamp");
	help_write(&p->a, p->dir, "lib/a.kv", "abc");
	help_write(&p->a, p->dir, "lib/deep/b.map", "");
	help_write(&p->a, p->dir, "lib/c.txt", "abc");
}

static void
place_release(struct place *p)
{
	ck_assert_int_eq(remove_tree(p->dir), 0);
	arena_release(&p->a);
}

/* Runs stamp, which must say nothing; then sets the stamp file's time back,
 * and says by the return value whether it was written. */
static bool
run(struct place *p)
{
	struct stat st;
	char *out;
	int status;

	out = help_output(
	    &p->a, &status, "%s '%s'", p->program, p->conf);
	ck_assert_str_eq(out, "");
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(stat(p->stamp, &st), 0);
	ck_assert_int_eq(help_run("touch -d 1999-01-01 '%s'", p->stamp), 0);
	return st.st_mtime > 1000000000;
}

START_TEST(stamp__holds_digests_and_names)
{
	struct place p;

	place_init(&p, "stamp\tin\ntree\tlib\t.kv\t.map\nfile\tlib/c.txt\n"
		       "file\tlib/none\ntree\tnowhere\n");
	ck_assert(run(&p));
	ck_assert_str_eq(help_read(&p.a, p.stamp).p,
	    ABC "\tlib/a.kv\n" NONE "\tlib/deep/b.map\n" ABC
		"\tlib/c.txt\n-\tlib/none\n");
	ck_assert(!run(&p));
	place_release(&p);
}
END_TEST

START_TEST(stamp__sees_content_changed_under_an_old_time)
{
	struct place p;

	place_init(&p, "stamp\tin\ntree\tlib\t.kv\n");
	ck_assert_int_eq(
	    help_run("touch -d 2001-01-01 '%s/lib/a.kv'", p.dir), 0);
	/* Twice, with a pause, so that the digest is remembered. */
	ck_assert(run(&p));
	ck_assert_int_eq(help_run("sleep 0.05"), 0);
	ck_assert(!run(&p));
	ck_assert_ptr_nonnull(
	    strstr(help_read(&p.a, path_join(&p.a, p.dir, "stamps/memo")).p,
		ABC));
	/* The same size, the same inode and the same mtime. */
	ck_assert_int_eq(help_run("printf abd >'%s/lib/a.kv' && "
				  "touch -d 2001-01-01 '%s/lib/a.kv'",
			     p.dir, p.dir),
	    0);
	ck_assert(run(&p));
	ck_assert_ptr_null(strstr(help_read(&p.a, p.stamp).p, ABC));
	place_release(&p);
}
END_TEST

START_TEST(stamp__ignores_new_times)
{
	struct place p;

	place_init(&p, "stamp\tin\ntree\tlib\t.kv\n");
	ck_assert(run(&p));
	ck_assert_int_eq(help_run("touch -d 2099-01-01 '%s/lib/a.kv'", p.dir),
	    0);
	ck_assert(!run(&p));
	help_write(&p.a, p.dir, "lib/z.kv", "");
	ck_assert(run(&p));
	ck_assert_int_eq(help_run("rm '%s/lib/z.kv'", p.dir), 0);
	ck_assert(run(&p));
	place_release(&p);
}
END_TEST

/* A clock that ran ahead: ninja compares times, so what changes must be newer
 * than what was made then. 4102444800 s is the year 2100. */
START_TEST(stamp__a_change_is_newer_than_ninja_knows)
{
	struct stat st;
	struct place p;

	place_init(&p, "stamp\tin\ntree\tlib\t.kv\n");
	help_write(&p.a, p.dir, ".ninja_log", "# ninja log v5\n"
	    "7\t276\t1796064104325299206\tobj/a.o\t79815e743395b604\n"
	    "2\t378\t4102444800999999999\tobj/b.o\t72b641fe7f6f4abc\n"
	    "2\t378\t1796064104425299210\tobj/c.o\t72b641fe7f6f4abc\n");
	ck_assert_int_eq(help_run("%s '%s'", p.program, p.conf), 0);
	ck_assert_int_eq(stat(p.stamp, &st), 0);
	ck_assert_int_eq(st.st_mtim.tv_sec, 4102444801);
	ck_assert_int_eq(st.st_mtim.tv_nsec, 0);
	ck_assert(run(&p));
	ck_assert(!run(&p));
	place_release(&p);
}
END_TEST

/* A receipt in k/ for an object "abc" in cache/; the receipt's path. */
static char *
add_receipt(struct place *p)
{
	struct receipt r = { .size = 3 };
	char *path = path_join(&p->a, p->dir, "k/deep/a.ok");

	memcpy(r.action, NONE, sizeof(r.action));
	ck_assert_int_eq(store_publish(path_join(&p->a, p->dir, "cache"),
			     "abc", 3, r.object),
	    0);
	ck_assert_int_eq(make_parents(path), 0);
	ck_assert_int_eq(receipt_write(&r, path, NULL), 0);
	return path;
}

/* Shell commands; $D is the test's folder. */
static const char *const damage[] = {
	"O=\"$D/cache/objects/ba/" ABC ".so\"; chmod u+w \"$O\"; "
	"printf abd >\"$O\"",
	"rm \"$D/cache/objects/ba/" ABC ".so\"",
	"echo more >>\"$D/k/deep/a.ok\"",
	"sed -i 's/size 3/size 4/' \"$D/k/deep/a.ok\"",
};

START_TEST(stamp__removes_a_receipt_without_its_object)
{
	struct place p;
	char *ok;

	place_init(&p, "stamp\tin\ntree\tlib\t.kv\ncache\tcache\n"
		       "receipts\tk\nreceipts\tabsent\n");
	ok = add_receipt(&p);
	run(&p);
	ck_assert(file_exists(ok));
	ck_assert_int_eq(help_run("sleep 0.05"), 0);
	run(&p);
	ck_assert(file_exists(ok));
	ck_assert_int_eq(help_run("D='%s'; %s", p.dir, damage[_i]), 0);
	run(&p);
	ck_assert(!file_exists(ok));
	place_release(&p);
}
END_TEST

static const struct {
	const char *settings, *place, *word;
} wrong[] = {
	{ "stamp\tin\nwhat\tlib\n", "stamp.conf:2", "'what'" },
	{ "file\ta\n", "stamp.conf:1", "'file'" },
	{ "\ntree\ta\nstamp\tin\n", "stamp.conf:2", "'tree'" },
	{ "toolchain\nstamp\tin\n", "stamp.conf:1", "'toolchain'" },
	{ "stamp\tin\nfile\n", "stamp.conf:2", "'file'" },
	{ "stamp\tin\nfile\ta\tb\n", "stamp.conf:2", "'file'" },
	{ "stamp\tmemo\n", "stamp.conf:1", "'stamp'" },
	{ "stamp\t../out\n", "stamp.conf:1", "'stamp'" },
	{ "stamp\t.\n", "stamp.conf:1", "'stamp'" },
	{ "cache\t\n", "stamp.conf:1", "'cache'" },
};

START_TEST(stamp__names_a_wrong_line)
{
	struct place p;
	char *out;
	int status;

	place_init(&p, wrong[_i].settings);
	out = help_output(&p.a, &status, "%s '%s'", p.program, p.conf);
	ck_assert_int_eq(status, 3);
	ck_assert_ptr_nonnull(strstr(out, wrong[_i].place));
	ck_assert_ptr_nonnull(strstr(out, wrong[_i].word));
	ck_assert(!file_exists(p.stamp));
	place_release(&p);
}
END_TEST

Suite *
cache_stamp_suite(void)
{
	Suite *s = suite_create("cache_stamp");
	TCase *t = tcase_create("stamp");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, stamp__holds_digests_and_names);
	tcase_add_test(t, stamp__sees_content_changed_under_an_old_time);
	tcase_add_test(t, stamp__ignores_new_times);
	tcase_add_test(t, stamp__a_change_is_newer_than_ninja_knows);
	tcase_add_loop_test(
	    t, stamp__removes_a_receipt_without_its_object, 0, 4);
	tcase_add_loop_test(t, stamp__names_a_wrong_line, 0,
	    sizeof(wrong) / sizeof(wrong[0]));
	suite_add_tcase(s, t);
	return s;
}
