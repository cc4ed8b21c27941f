/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "space/space.h"

Suite *space_space_suite(void);

/* The keys below a prefix, in brackets. */
static void
check_keys(const struct space *s, const char *prefix, const char *want)
{
	struct buf got = { 0 };
	const char *key;
	size_t it = 0;

	while ((key = space_next(s, prefix, &it, NULL)) != NULL)
		buf_printf(&got, "[%s]", key);
	ck_assert_str_eq(buf_str(&got).p, want);
	buf_release(&got);
}

static struct space *
filled(void)
{
	static const char *const key[] = { "/a/b", "/a·x", "/a", "/b", "/a0",
		"/a.x", "/a/b/c", "/a/", "/a-1" };
	struct space *s = space_new();
	size_t i;

	for (i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		space_set_text(s, key[i], "[]char/utf8", key[i]);
	return s;
}

START_TEST(space__lists_by_bytes)
{
	struct space *s = filled();

	ck_assert_uint_eq(space_count(s), 9);
	check_keys(s, "", "[/a][/a-1][/a.x][/a/][/a/b][/a/b/c][/a0][/a·x]"
	    "[/b]");
	check_keys(s, "/a/", "[/a/][/a/b][/a/b/c]");
	check_keys(s, "/a/b", "[/a/b][/a/b/c]");
	check_keys(s, "/c", "");
	check_keys(s, "/", "[/a][/a-1][/a.x][/a/][/a/b][/a/b/c][/a0][/a·x]"
	    "[/b]");
	space_free(s);
}
END_TEST

START_TEST(space__deletes_a_key_and_what_is_below)
{
	struct space *s = filled();

	space_del_tree(s, "/a");
	check_keys(s, "", "[/a-1][/a.x][/a0][/a·x][/b]");
	space_del_tree(s, "/none");
	space_del_tree(s, "/a");
	ck_assert_uint_eq(space_count(s), 5);
	space_free(s);
	s = filled();
	space_del_tree(s, "/a/b");
	check_keys(s, "", "[/a][/a-1][/a.x][/a/][/a0][/a·x][/b]");
	space_free(s);
	s = space_new();
	space_set_bool(s, "/x/y", true);
	space_del_tree(s, "/x"); /* no key of its own */
	ck_assert_uint_eq(space_count(s), 0);
	space_free(s);
}
END_TEST

START_TEST(space__holds_copies)
{
	struct space *s = space_new();
	char key[] = "/k", type[] = "[3]char/utf8", body[] = "abc";
	struct value v = value_text(type, body, 3);
	const struct value *got;

	space_set(s, key, &v);
	memset(key, 'x', 2);
	memset(type, 'x', sizeof(type) - 1);
	memset(body, 'x', 3);
	got = space_get(s, "/k");
	ck_assert_ptr_nonnull(got);
	ck_assert_str_eq(got->langtype, "[3]char/utf8");
	ck_assert_uint_eq(got->n, 3);
	ck_assert_int_eq(memcmp(got->body, "abc", 3), 0);
	ck_assert_ptr_null(space_get(s, "/"));
	ck_assert_ptr_null(space_get(s, "/kk"));
	space_free(s);
}
END_TEST

START_TEST(space__aligns_large_bodies)
{
	struct space *s = space_new();
	unsigned char body[300];
	struct value v = value_text("[300]char/utf8", body, 300);
	size_t i;

	for (i = 0; i < 300; i++)
		body[i] = (unsigned char)i;
	space_set(s, "/a", &v);
	memset(body, 0, 300);
	v = *space_get(s, "/a");
	ck_assert_uint_eq((uintptr_t)v.body % 64, 0);
	for (i = 0; i < 300; i++)
		ck_assert_uint_eq(((const unsigned char *)v.body)[i],
		    i & 255);
	space_free(s);
}
END_TEST

START_TEST(space__sets_a_value_from_itself)
{
	struct space *s = space_new();
	const struct value *v;

	space_set_text(s, "/a", "[5]char/utf8", "hello");
	space_set(s, "/a", space_get(s, "/a"));
	space_set(s, "/b", space_get(s, "/a"));
	v = space_get(s, "/b");
	ck_assert_uint_eq(v->n, 5);
	ck_assert_int_eq(memcmp(v->body, "hello", 5), 0);
	v = space_get(s, "/a");
	ck_assert_int_eq(memcmp(v->body, "hello", 5), 0);
	ck_assert_uint_eq(space_count(s), 2);
	space_free(s);
}
END_TEST

START_TEST(space__shorthands_make_checked_values)
{
	struct space *s = space_new();
	struct value v;
	int64_t x;

	space_set_i64(s, "/i", -7);
	space_set_bool(s, "/t", true);
	space_set_bool(s, "/f", false);
	v = *space_get(s, "/i");
	ck_assert_int_eq(value_check(&v, NULL), 0);
	ck_assert_int_eq(v.dtype, DT_INT64);
	ck_assert_int_eq(space_get(s, "/i")->dtype, DT_INT64);
	memcpy(&x, v.body, 8);
	ck_assert_int_eq(x, -7);
	v = *space_get(s, "/t");
	ck_assert_int_eq(value_check(&v, NULL), 0);
	ck_assert_int_eq(v.dtype, DT_BOOL);
	ck_assert_int_eq(*(const char *)v.body, 1);
	ck_assert_int_eq(*(const char *)space_get(s, "/f")->body, 0);
	space_free(s);
}
END_TEST

enum { N_KEYS = 200 };

/* Whether a key is model key i or below it, by the rule of space.h. */
static bool
is_below(const char *key, const char *top)
{
	size_t n = strlen(top);

	return strncmp(key, top, n) == 0 && (key[n] == '\0' || key[n] == '/');
}

static void
model_key(char *key, unsigned i)
{
	static const char sep[] = "/.-0";

	sprintf(key, "/%c%c%c", 'a' + i % 5, sep[i / 5 % 4], 'a' + i / 20);
}

/* The space against a plain array of 200 slots. */
START_TEST(space__agrees_with_a_plain_model)
{
	static int64_t model[N_KEYS];
	static bool held[N_KEYS];
	struct space *s = space_new();
	unsigned long long r = 12345;
	char key[8], other[8], top[8];
	unsigned i, k, step, count;

	for (step = 0; step < 5000; step++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		i = (unsigned)(r >> 33) % N_KEYS;
		model_key(key, i);
		if (r >> 60) {
			space_set_i64(s, key, step);
			model[i] = step;
			held[i] = true;
			continue;
		}
		snprintf(top, sizeof(top), "%.2s", key);
		space_del_tree(s, r >> 59 & 1 ? top : key);
		for (k = 0; k < N_KEYS; k++) {
			model_key(other, k);
			if (is_below(other, r >> 59 & 1 ? top : key))
				held[k] = false;
		}
	}
	for (k = count = 0; k < N_KEYS; k++) {
		model_key(key, k);
		ck_assert_int_eq(space_get(s, key) != NULL, held[k]);
		if (held[k])
			ck_assert_int_eq(memcmp(space_get(s, key)->body,
			    &model[k], 8), 0);
		count += held[k];
	}
	ck_assert_uint_eq(space_count(s), count);
	ck_assert_uint_gt(count, 20);
	ck_assert_uint_lt(count, N_KEYS);
	space_free(s);
}
END_TEST

START_TEST(space__free_of_null_is_nothing)
{
	space_free(NULL);
}
END_TEST

Suite *
space_space_suite(void)
{
	Suite *s = suite_create("space_space");
	TCase *t = tcase_create("space");

	tcase_add_test(t, space__lists_by_bytes);
	tcase_add_test(t, space__deletes_a_key_and_what_is_below);
	tcase_add_test(t, space__holds_copies);
	tcase_add_test(t, space__aligns_large_bodies);
	tcase_add_test(t, space__sets_a_value_from_itself);
	tcase_add_test(t, space__shorthands_make_checked_values);
	tcase_add_test(t, space__agrees_with_a_plain_model);
	tcase_add_test(t, space__free_of_null_is_nothing);
	suite_add_tcase(s, t);
	return s;
}
