/* SPDX-License-Identifier: MIT */
/* Functions in a folder: stored whole, replaced whole, put over a tree. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "space/kept.h"

Suite *space_kept_suite(void);

static struct arena arena;
static struct diag diag;
static struct fs fs;
static char *dir;

static void
setup(void)
{
	char path[] = "/tmp/kvkept.XXXXXX";

	diag_init(&diag);
	ck_assert_ptr_nonnull(mkdtemp(path));
	dir = arena_strdup(&arena, path);
	ck_assert_int_eq(fs_open(&fs, arena_printf(&arena, "fs://%s", path),
	    &diag), 0);
}

static void
teardown(void)
{
	fs_close(&fs);
	ck_assert_int_eq(remove_tree(dir), 0);
	diag_release(&diag);
	arena_release(&arena);
}

/* A tree of `key=text` items, separated by blanks. */
static struct space *
tree(const char *items)
{
	struct space *s = space_new();
	char *text = arena_strdup(&arena, items), *item, *save = NULL;

	for (item = strtok_r(text, " ", &save); item;
	    item = strtok_r(NULL, " ", &save)) {
		char *eq = strchr(item, '=');

		*eq = '\0';
		space_set_text(s, item, "rwir", eq + 1);
	}
	return s;
}

/* The items of a tree below /lib, as tree() takes them. */
static const char *
items(const struct space *s)
{
	const struct value *v;
	struct buf b = { 0 };
	const char *key, *text;
	size_t it = 0;

	while ((key = space_next(s, "/lib", &it, &v)))
		buf_printf(&b, "%s%s=%.*s", b.n ? " " : "", key, (int)v->n,
		    (const char *)v->body);
	text = arena_strdup(&arena, buf_str(&b).p);
	buf_release(&b);
	return text;
}

static void
store(const char *what)
{
	struct space *s = tree(what);

	ck_assert_int_eq(kept_store(&fs, s, &diag), 0);
	space_free(s);
}

/* What a tree becomes under the functions of the folder. */
static void
loads(const char *before, const char *after)
{
	struct space *s = tree(before);

	ck_assert_int_eq(kept_load(&fs, s, "digest", &diag), 0);
	ck_assert_str_eq(items(s), after);
	space_free(s);
}

START_TEST(owner__of_each_kind_of_key)
{
	static const struct { const char *key; size_t n; } row[] = {
		{ "/lib/f/[0,0]", 6 },
		{ "/lib/f/[12,-3]", 6 },
		{ "/lib/f.[0,-1]", 6 },
		{ "/lib/f.src", 6 },
		{ "/lib/f/‥labels/a/[", 6 },
		{ "/lib/f", 6 },
		{ "/lib/f.1", 8 },
		{ "/lib/f.1.src", 8 },
		{ "/lib/f/g·h/[1,0]", 11 },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_msg(kept_owner(row[i].key) == row[i].n, "%s",
		    row[i].key);
}
END_TEST

START_TEST(remove__only_its_own_keys)
{
	struct space *s = tree("/lib/f=a /lib/f/[0,0]=b /lib/f/‥file=c "
	    "/lib/f.[0,-1]=d /lib/f.src=e /lib/f.1/[0,0]=f /lib/f/g·h=g "
	    "/lib/ff/[0,0]=h");

	kept_remove(s, "/lib/f");
	ck_assert_str_eq(items(s),
	    "/lib/f.1/[0,0]=f /lib/f/g·h=g /lib/ff/[0,0]=h");
	space_free(s);
}
END_TEST

START_TEST(load__puts_functions_over_those_of_a_tree)
{
	store("/lib/f/[0,0]=new /lib/f/[1,0]=add /lib/f.src=text");
	loads("", "/lib/f.src=text /lib/f/[0,0]=new /lib/f/[1,0]=add");
	loads("/lib/f/[0,0]=old /lib/f/[2,0]=gone /lib/f.1/[0,0]=version "
	    "/lib/g/[0,0]=other /lib/f/‥program=d",
	    "/lib/f.1/[0,0]=version /lib/f.src=text /lib/f/[0,0]=new "
	    "/lib/f/[1,0]=add /lib/g/[0,0]=other");
}
END_TEST

START_TEST(load__leaves_what_the_library_has_compiled)
{
	struct space *s = tree("/lib/f/[0,0]=kept");

	kept_mark(s, "digest");
	ck_assert_int_eq(kept_store(&fs, s, &diag), 0);
	space_free(s);
	store("/lib/g/[0,0]=kept");
	loads("/lib/f/[0,0]=bound /lib/g/[0,0]=bound",
	    "/lib/f/[0,0]=bound /lib/g/[0,0]=kept");
	/* Of another library it gives way. */
	s = tree("/lib/f/[0,0]=kept");
	kept_mark(s, "other");
	ck_assert_int_eq(kept_store(&fs, s, &diag), 0);
	space_free(s);
	loads("/lib/f/[0,0]=bound",
	    "/lib/f/[0,0]=kept /lib/f/‥library=other /lib/g/[0,0]=kept");
}
END_TEST

START_TEST(store__replaces_a_function_whole)
{
	store("/lib/f/[0,0]=a /lib/f/[1,0]=b /lib/g/[0,0]=c /lib/d=rwir "
	    "/lib/d/[0,-1]=t");
	store("/lib/f/[0,0]=A /lib/d=rwir2");
	loads("", "/lib/d=rwir2 /lib/f/[0,0]=A /lib/g/[0,0]=c");
}
END_TEST

/* Whether a file was written since `before`, which is then its time. */
static bool
written(const char *key, struct timespec *before)
{
	struct timespec was = *before;
	struct stat st;

	ck_assert_int_eq(stat(path_join(&arena, dir,
	    name_escape(&arena, key)), &st), 0);
	*before = st.st_ctim;
	return was.tv_sec != st.st_ctim.tv_sec ||
	    was.tv_nsec != st.st_ctim.tv_nsec;
}

START_TEST(store__the_same_is_not_written)
{
	struct timespec f = { 0 }, g = { 0 };

	store("/lib/f/[0,0]=a /lib/g/[0,0]=b");
	ck_assert(written("/lib/f/[0,0]", &f) && written("/lib/g/[0,0]", &g));
	usleep(20000); /* longer than the clock of the file system ticks */
	store("/lib/f/[0,0]=a /lib/g/[0,0]=c");
	ck_assert(!written("/lib/f/[0,0]", &f));
	ck_assert(written("/lib/g/[0,0]", &g));
}
END_TEST

START_TEST(store__the_head_is_last)
{
	struct space *s = tree("/lib/f/[0,0]=a /lib/f/[1,0]=b");
	struct value bad = { .langtype = "int64", .body = "x", .n = 1 };

	store("/lib/f/[0,0]=old /lib/f/[1,0]=old");
	space_set(s, "/lib/f/[1,0]", &bad);
	ck_assert_int_eq(kept_store(&fs, s, &diag), -1);
	loads("", "");
	space_free(s);
}
END_TEST

START_TEST(damage__is_refused_by_name)
{
	struct space *s = space_new();
	char *path = path_join(&arena, dir,
	    name_escape(&arena, "/lib/f/[0,0]"));
	char what[300];

	store("/lib/f/[0,0]=a");
	ck_assert_int_eq(file_write(path, "no image", 8, false), 0);
	ck_assert_int_eq(kept_load(&fs, s, "digest", &diag), -1);
	diag_first(&diag, what, sizeof(what));
	ck_assert_msg(strstr(what, path) != NULL, "%s", what);
	space_free(s);
}
END_TEST

Suite *
space_kept_suite(void)
{
	Suite *s = suite_create("space_kept");
	TCase *c = tcase_create("kept");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, owner__of_each_kind_of_key);
	tcase_add_test(c, remove__only_its_own_keys);
	tcase_add_test(c, load__puts_functions_over_those_of_a_tree);
	tcase_add_test(c, load__leaves_what_the_library_has_compiled);
	tcase_add_test(c, store__replaces_a_function_whole);
	tcase_add_test(c, store__the_same_is_not_written);
	tcase_add_test(c, store__the_head_is_last);
	tcase_add_test(c, damage__is_refused_by_name);
	suite_add_tcase(s, c);
	return s;
}
