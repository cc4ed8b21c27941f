/* SPDX-License-Identifier: MIT */
/* kvaot.conf: what it says, and the line that is named when it is wrong. */
#include "gen/setup.h"

#include <check.h>
#include <string.h>

Suite *gen_setup_suite(void);

#define NEEDED "lib\tlib\ntemplates\t/x/templates\nkernels\tk\n"

START_TEST(setup__paths_are_of_the_folder)
{
	struct arena arena = { 0 };
	struct setup s;
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(setup_parse(&s, "b", "b/kvaot.conf",
	    str_of(NEEDED "graph\town\nvec\tv\n"), &arena, &d), 0);
	ck_assert_str_eq(s.lib, "b/lib");
	ck_assert_str_eq(s.templates, "/x/templates");
	ck_assert_str_eq(s.kvobj_conf, "b/kvobj.conf");
	ck_assert(s.own_graph);
	diag_release(&d);
	arena_release(&arena);
}
END_TEST

static const struct {
	const char *text, *error;
} wrong[] = {
	{ NEEDED "lib\tx\n", "c:4:1: `lib` is set twice" },
	{ NEEDED "vec\tx\nvec\tx\n", "c:5:1: `vec` is set twice" },
	{ NEEDED "graph\tyours\n",
	  "c:4:1: expected `graph TAB own`, found `yours`" },
	{ NEEDED "isa\tv3\n", "c:4:1: expected `isa TAB all`, found `v3`" },
	{ NEEDED "what\tx\n", "c:4:1: unknown key `what`" },
	{ "lib\t\n", "c:1:1: expected `key TAB value`" },
	{ "lib\n", "c:1:1: expected `key TAB value`" },
	{ "lib\tx\n", "c: a line `lib`, `templates` or `kernels` is missing" },
};

START_TEST(setup__wrong_lines_are_named)
{
	struct arena arena = { 0 };
	char found[200];
	struct setup s;
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(setup_parse(&s, "b", "c", str_of(wrong[_i].text),
	    &arena, &d), -1);
	diag_first(&d, found, sizeof(found));
	ck_assert_str_eq(found, wrong[_i].error);
	diag_release(&d);
	arena_release(&arena);
}
END_TEST

Suite *
gen_setup_suite(void)
{
	Suite *s = suite_create("gen_setup");
	TCase *t = tcase_create("setup");

	tcase_add_test(t, setup__paths_are_of_the_folder);
	tcase_add_loop_test(t, setup__wrong_lines_are_named, 0,
	    sizeof(wrong) / sizeof(wrong[0]));
	suite_add_tcase(s, t);
	return s;
}
