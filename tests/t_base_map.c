/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/map.h"

Suite *base_map_suite(void);

START_TEST(map__empty_holds_nothing)
{
	struct arena a = { 0 };
	struct map m;

	map_init(&m, &a);
	ck_assert_ptr_null(map_get(&m, "a"));
	map_sort(&m);
	ck_assert_uint_eq(m.n, 0);
	arena_release(&a);
}
END_TEST

START_TEST(map__keeps_order_and_overwrites)
{
	struct arena a = { 0 };
	struct map m;
	char key[8] = "b";
	int x, y, z;

	map_init(&m, &a);
	map_set(&m, key, &x);
	strcpy(key, "a"); /* the map has its own copy of the key */
	map_set(&m, key, &y);
	map_set(&m, "", &z);
	map_set(&m, "b", &z);
	ck_assert_uint_eq(m.n, 3);
	ck_assert_str_eq(m.entry[0].key, "b");
	ck_assert_str_eq(m.entry[1].key, "a");
	ck_assert_ptr_eq(map_get(&m, "b"), &z);
	ck_assert_ptr_eq(map_get(&m, "a"), &y);
	ck_assert_ptr_eq(map_get(&m, ""), &z);
	ck_assert_ptr_null(map_get(&m, "ab"));
	arena_release(&a);
}
END_TEST

START_TEST(map__sorts_by_bytes_and_still_finds)
{
	static const char *const want[] = { "", "A", "a", "a.x", "a/x", "aa",
		"a·x", "·" };
	static const int order[] = { 5, 2, 7, 0, 3, 6, 1, 4 };
	struct arena a = { 0 };
	struct map m;
	size_t i;

	map_init(&m, &a);
	for (i = 0; i < 8; i++)
		map_set(&m, want[order[i]], (void *)(want + order[i]));
	map_sort(&m);
	for (i = 0; i < 8; i++) {
		ck_assert_str_eq(m.entry[i].key, want[i]);
		ck_assert_ptr_eq(map_get(&m, want[i]), want + i);
	}
	map_set(&m, "b", &m);
	ck_assert_str_eq(m.entry[8].key, "b");
	arena_release(&a);
}
END_TEST

START_TEST(map__holds_many)
{
	static int value[20000];
	struct arena a = { 0 };
	struct map m;
	char key[32];
	int i;

	map_init(&m, &a);
	for (i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "/lib/%d", i);
		map_set(&m, key, &value[i]);
	}
	ck_assert_uint_eq(m.n, 20000);
	for (i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "/lib/%d", i);
		ck_assert_ptr_eq(map_get(&m, key), &value[i]);
	}
	ck_assert_ptr_null(map_get(&m, "/lib/20000"));
	arena_release(&a);
}
END_TEST

START_TEST(map__null_value_is_a_bug)
{
	struct arena a = { 0 };
	struct map m;

	map_init(&m, &a);
	map_set(&m, "a", NULL);
}
END_TEST

Suite *
base_map_suite(void)
{
	Suite *s = suite_create("base_map");
	TCase *t = tcase_create("map");

	tcase_add_test(t, map__empty_holds_nothing);
	tcase_add_test(t, map__keeps_order_and_overwrites);
	tcase_add_test(t, map__sorts_by_bytes_and_still_finds);
	tcase_add_test(t, map__holds_many);
	tcase_add_exit_test(t, map__null_value_is_a_bug, EXIT_BUG);
	suite_add_tcase(s, t);
	return s;
}
