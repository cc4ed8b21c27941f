/* SPDX-License-Identifier: MIT */
#include <check.h>

#include "kv/near.h"

Suite *kv_near_suite(void);

static const char *
best(const char *word, const char *a, const char *b)
{
	struct near near = { .word = word };

	near_try(&near, a);
	near_try(&near, b);
	return near.best;
}

START_TEST(near__counts_edits)
{
	ck_assert_str_eq(best("softmax", "sofmax", "tanh"), "sofmax");
	ck_assert_str_eq(best("flaot32", "int32", "float32"), "float32");
	ck_assert_str_eq(best("argmax", "argmin", "argmaxs"), "argmaxs");
	ck_assert_str_eq(best("length", "lengths", "lengthy"), "lengths");
	ck_assert_str_eq(best("größe", "größen", "x"), "größen");
}
END_TEST

START_TEST(near__far_is_nothing)
{
	ck_assert_ptr_null(best("abc", "abd", "xbc"));
	ck_assert_ptr_null(best("abcd", "abxy", "badc"));
	ck_assert_ptr_null(best("softmax", "softmax", "reducemax"));
	ck_assert_ptr_null(best("add", "", "deepx·add"));
	ck_assert_str_eq(best("abcd", "abdc", "abxd"), "abdc");
}
END_TEST

START_TEST(near__very_long_names_are_left_out)
{
	char word[200];
	int i;

	for (i = 0; i < 199; i++)
		word[i] = 'a';
	word[199] = '\0';
	ck_assert_ptr_null(best(word, word + 1, "a"));
	ck_assert_ptr_null(best("a", word, word));
}
END_TEST

Suite *
kv_near_suite(void)
{
	Suite *s = suite_create("kv_near");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, near__counts_edits);
	tcase_add_test(tc, near__far_is_nothing);
	tcase_add_test(tc, near__very_long_names_are_left_out);
	suite_add_tcase(s, tc);
	return s;
}
