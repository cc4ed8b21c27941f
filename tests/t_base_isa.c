/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/isa.h"
#include "base/str.h"

Suite *base_isa_suite(void);

/* Our feature names and what /proc/cpuinfo calls them. */
static const struct {
	const char *ours, *linux_name;
} names[] = {
	{ "sse3", "pni" }, { "ssse3", "ssse3" }, { "fma", "fma" },
	{ "sse4.1", "sse4_1" }, { "sse4.2", "sse4_2" }, { "movbe", "movbe" },
	{ "popcnt", "popcnt" }, { "avx", "avx" }, { "f16c", "f16c" },
	{ "bmi1", "bmi1" }, { "avx2", "avx2" }, { "bmi2", "bmi2" },
	{ "lzcnt", "abm" }, { "avx512f", "avx512f" },
	{ "avx512dq", "avx512dq" }, { "avx512cd", "avx512cd" },
	{ "avx512bw", "avx512bw" }, { "avx512vl", "avx512vl" },
};

enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

/* The flags of the first CPU between blanks. */
static void
read_flags(char *flags, size_t cap)
{
	FILE *f = fopen("/proc/cpuinfo", "r");

	ck_assert_ptr_nonnull(f);
	do {
		ck_assert_ptr_nonnull(fgets(flags, (int)cap, f));
	} while (strncmp(flags, "flags", 5) != 0);
	fclose(f);
	flags[strcspn(flags, "\n")] = ' ';
}

static bool
has_flag(const char *flags, struct str feature)
{
	char word[64] = "";
	int i;

	for (i = 0; i < N_NAMES; i++) {
		if (str_is(feature, names[i].ours))
			snprintf(word, sizeof(word), " %s ",
			    names[i].linux_name);
	}
	ck_assert_msg(word[0], "%.*s is not in this test's table",
	    (int)feature.n, feature.p);
	return strstr(flags, word) != NULL;
}

START_TEST(isa__each_feature_is_what_the_system_says)
{
	struct isa one = { "one", 1, "", NULL };
	char flags[8192];
	int i;

	read_flags(flags, sizeof(flags));
	for (i = 0; i < N_NAMES; i++) {
		one.features = names[i].ours;
		ck_assert_msg(isa_runs_here(&one) ==
		    has_flag(flags, str_of(names[i].ours)), "%s",
		    names[i].ours);
	}
}
END_TEST

START_TEST(isa__levels_run_when_all_features_are_there)
{
	const struct isa *best = NULL;
	struct str rest, name;
	char flags[8192];
	bool all;
	size_t i;

	read_flags(flags, sizeof(flags));
	for (i = 0; i < isa_count; i++) {
		all = true;
		rest = str_of(isa_table[i].features);
		while (str_next(&rest, ' ', &name))
			all = all && has_flag(flags, name);
		ck_assert_int_eq(isa_runs_here(&isa_table[i]), all);
		if (all)
			best = &isa_table[i]; /* the table rises in rank */
	}
	ck_assert_ptr_eq(isa_best(), best);
}
END_TEST

START_TEST(isa__table_rises_and_is_found_by_name)
{
	size_t i;

	ck_assert_uint_ge(isa_count, 2);
	ck_assert_str_eq(isa_table[0].name, "x86-64");
	ck_assert_str_eq(isa_table[0].features, "");
	for (i = 0; i < isa_count; i++) {
		ck_assert(i == 0 || isa_table[i].rank > isa_table[i - 1].rank);
		ck_assert_ptr_eq(isa_find(isa_table[i].name), &isa_table[i]);
	}
	ck_assert_str_eq(isa_find("x86-64-v3")->flag, "-march=x86-64-v3");
	ck_assert_ptr_null(isa_find("x86-64-v"));
	ck_assert_ptr_null(isa_find(""));
}
END_TEST

START_TEST(isa__local_levels_are_the_lowest_and_the_best)
{
	const char *const *name = isa_local();

	ck_assert_str_eq(name[0], "x86-64");
	if (isa_best() == &isa_table[0]) {
		ck_assert_ptr_null(name[1]);
		return;
	}
	ck_assert_str_eq(name[1], isa_best()->name);
	ck_assert_ptr_null(name[2]);
}
END_TEST

START_TEST(isa__all_levels)
{
	const char *const *name = isa_all();

	ck_assert_str_eq(name[0], "x86-64");
	ck_assert_str_eq(name[1], "x86-64-v3");
	ck_assert_str_eq(name[2], "x86-64-v4");
	ck_assert_ptr_null(name[3]);
}
END_TEST

START_TEST(isa__unknown_feature_is_a_bug)
{
	struct isa one = { "one", 1, "", "sse9" };

	isa_runs_here(&one);
}
END_TEST

Suite *
base_isa_suite(void)
{
	Suite *s = suite_create("base_isa");
	TCase *t = tcase_create("isa");

	tcase_add_test(t, isa__each_feature_is_what_the_system_says);
	tcase_add_test(t, isa__levels_run_when_all_features_are_there);
	tcase_add_test(t, isa__table_rises_and_is_found_by_name);
	tcase_add_test(t, isa__local_levels_are_the_lowest_and_the_best);
	tcase_add_test(t, isa__all_levels);
	tcase_add_exit_test(t, isa__unknown_feature_is_a_bug, EXIT_BUG);
	suite_add_tcase(s, t);
	return s;
}
