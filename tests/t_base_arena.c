/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"

Suite *base_arena_suite(void);

/* How many of n bytes are x. */
static size_t
count_of(const unsigned char *p, size_t n, int x)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += p[i] == x;
	return count;
}

START_TEST(alloc__is_zeroed_aligned_and_apart)
{
	static const size_t size[] = { 0, 1, 63, 64, 65, 4096, 100000, 7,
		3000000, 5 };
	unsigned char *p[10];
	struct arena a = { 0 };
	size_t i;

	for (i = 0; i < 10; i++) {
		p[i] = arena_alloc(&a, size[i]);
		ck_assert_uint_eq((uintptr_t)p[i] % 64, 0);
		ck_assert_uint_eq(count_of(p[i], size[i], 0), size[i]);
		memset(p[i], (int)i + 1, size[i]);
	}
	for (i = 0; i < 10; i++)
		ck_assert_uint_eq(count_of(p[i], size[i], (int)i + 1),
		    size[i]);
	arena_release(&a);
	ck_assert_ptr_null(a.head);
}
END_TEST

START_TEST(text__copies_end_in_nul)
{
	struct arena a;

	arena_init(&a);
	ck_assert_str_eq(arena_strdup(&a, "abc"), "abc");
	ck_assert_str_eq(arena_strdup(&a, ""), "");
	ck_assert_str_eq(arena_strndup(&a, "abcdef", 2), "ab");
	ck_assert_str_eq(arena_printf(&a, "%d-%s", 42, "x"), "42-x");
	arena_release(&a);
}
END_TEST

/* Around the length up to which a text is formatted once. */
START_TEST(text__printed_of_every_length)
{
	struct arena a = { 0 };
	char want[600];

	for (int n = 0; n < 599; n++) {
		memset(want, 'x', (size_t)n);
		want[n] = '\0';
		ck_assert_str_eq(arena_printf(&a, "%s", want), want);
	}
	arena_release(&a);
}
END_TEST

START_TEST(grow__keeps_the_elements)
{
	struct arena a = { 0 };
	size_t cap = 0, i;
	int *p = NULL;

	for (i = 0; i < 10000; i++) {
		p = arena_grow(&a, p, i, &cap, sizeof(*p));
		ck_assert_uint_gt(cap, i);
		p[i] = (int)i * 3;
	}
	for (i = 0; i < 10000; i++)
		ck_assert_int_eq(p[i], (int)i * 3);
	arena_release(&a);
}
END_TEST

START_TEST(size__counts_what_was_taken)
{
	struct arena a = { 0 };

	ck_assert_uint_eq(arena_size(&a), 0);
	arena_alloc(&a, 1 << 20);
	arena_alloc(&a, 1 << 20);
	ck_assert_uint_ge(arena_size(&a), 2 << 20);
	ck_assert_uint_lt(arena_size(&a), 4 << 20);
	arena_release(&a);
	ck_assert_uint_eq(arena_size(&a), 0);
}
END_TEST

START_TEST(array__overflow_is_fatal)
{
	struct arena a = { 0 };

	arena_array(&a, SIZE_MAX / 2, 3);
}
END_TEST

START_TEST(alloc__impossible_size_is_fatal)
{
	struct arena a = { 0 };

	arena_alloc(&a, SIZE_MAX - 8);
}
END_TEST

Suite *
base_arena_suite(void)
{
	Suite *s = suite_create("base_arena");
	TCase *t = tcase_create("arena");

	tcase_add_test(t, alloc__is_zeroed_aligned_and_apart);
	tcase_add_test(t, text__copies_end_in_nul);
	tcase_add_test(t, text__printed_of_every_length);
	tcase_add_test(t, grow__keeps_the_elements);
	tcase_add_test(t, size__counts_what_was_taken);
	tcase_add_exit_test(t, array__overflow_is_fatal, EXIT_ENV);
	tcase_add_exit_test(t, alloc__impossible_size_is_fatal, EXIT_ENV);
	suite_add_tcase(s, t);
	return s;
}
