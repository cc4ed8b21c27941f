/* SPDX-License-Identifier: MIT */
#include <check.h>

#include "gen/progress.h"

Suite *gen_progress_suite(void);

START_TEST(line__counts_kernels_only)
{
	static const char *const others[] = { "", "[", "[2/7", "[2/7] seal",
		"[x/7] kernel a", "[2/] kernel a", "2/7] kernel a",
		"ninja: Entering directory `out'", "[2/7] kernels",
		"[-1/7] kernel a" };
	unsigned long long done = 0, all = 0;

	ck_assert(progress_line(str_of("[2/17] kernel 'a b.ok'"), &done,
	    &all));
	ck_assert_uint_eq(done, 2);
	ck_assert_uint_eq(all, 17);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		ck_assert_msg(!progress_line(str_of(others[i]), &done, &all),
		    "taken: %s", others[i]);
}
END_TEST

Suite *
gen_progress_suite(void)
{
	Suite *s = suite_create("gen_progress");
	TCase *t = tcase_create("progress");

	tcase_add_test(t, line__counts_kernels_only);
	suite_add_tcase(s, t);
	return s;
}
