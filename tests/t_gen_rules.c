/* SPDX-License-Identifier: MIT */
/* fusion.def, and what templates say of themselves. */
#include "tests/t_gen.h"

Suite *gen_rules_suite(void);

#define REVISION \
	"7c725f30854a46033dd94f728ac6b08caf10845993cd3ed48e40079cdb0a76a6"

static struct fusion_rules rules;

#define ROWS "/* @match class=map|view|reduce(last)+ need=reduce */\n"
#define COLS "/* @match class=map|reduce(axis)+ need=reduce */\n"
#define MAP "/* @match class=map|view+ */\n"

/* Reads a folder that has these two templates and cols; NULL: no such file. */
static int
read_templates(const char *rows, const char *map)
{
	char *folder = temp_folder();
	int bad;

	if (rows)
		write_file(path_join(&arena, folder, "rows.c"), rows);
	if (map)
		write_file(path_join(&arena, folder, "map.c"), map);
	write_file(path_join(&arena, folder, "cols.c"), COLS);
	bad = rules_read(&rules, &arena, folder, &diag);
	ck_assert_int_eq(remove_tree(folder), 0);
	return bad;
}

START_TEST(match__classes_and_need)
{
	const struct template *t;

	ck_assert_int_eq(read_templates(ROWS, MAP), 0);
	ck_assert_uint_eq(rules.n, 3);
	/* The order of fusion.def: rows is tried before cols, map last. */
	ck_assert_str_eq(rules.template_[0].name, "rows");
	ck_assert_str_eq(rules.template_[1].name, "cols");
	ck_assert_str_eq(rules.template_[2].name, "map");
	t = rules_template(&rules, "rows");
	ck_assert(t->need_reduce);
	ck_assert(template_takes(t, "map") && template_takes(t, "view") &&
	    template_takes(t, "reduce"));
	ck_assert(!template_takes(t, "heavy") && !template_takes(t, "other"));
	t = rules_template(&rules, "map");
	ck_assert(!t->need_reduce);
	ck_assert(template_takes(t, "map") && template_takes(t, "view"));
	ck_assert(!template_takes(t, "reduce"));
	t = rules_template(&rules, "cols");
	ck_assert(t->need_reduce && t->reduce_axis && !t->reduce_last);
	ck_assert(template_takes(t, "map") && template_takes(t, "reduce"));
	ck_assert(!template_takes(t, "view"));
	ck_assert_str_eq(template_entry(t), "cols");
	ck_assert_str_eq(template_entry(rules_template(&rules, "rows")), "rows");
	ck_assert_str_eq(template_entry(rules_template(&rules, "map")), "map");
	ck_assert_ptr_null(rules_template(&rules, "gemm"));
}
END_TEST

START_TEST(match__line_may_come_later)
{
	ck_assert_int_eq(read_templates("/* a */\nint x;\n" ROWS, MAP), 0);
	ck_assert(rules.template_[0].reduce_last);
}
END_TEST

static void
ck_refused(const char *rows, int line, const char *text)
{
	ck_assert_int_eq(read_templates(rows, MAP), -1);
	ck_assert_uint_eq(diag.n, 1);
	ck_assert_ptr_nonnull(strstr(diag.item[0].loc.file, "/rows.c"));
	ck_assert_int_eq(diag.item[0].loc.line, line);
	ck_assert_msg(!strncmp(diag.item[0].text, text, strlen(text)),
	    "found %s", diag.item[0].text);
	again();
}

START_TEST(match__each_fault)
{
	ck_refused("int x;\n", 0, "the template has no `@match` line");
	ck_refused("\n/* @match class=map|gemm+ */\n", 2,
	    "unknown class `gemm`");
	ck_refused("/* @match class=map */\n", 1, "expected `class=A|B+`, "
	    "`need=CLASS` or `dtype=any`, found `class=map`");
	ck_refused("/* @match klass=map+ */\n", 1, "expected `class=A|B+`, "
	    "`need=CLASS` or `dtype=any`, found `klass=map+`");
	ck_refused("/* @match class=map+ need=view */\n", 1, "expected "
	    "`class=A|B+`, `need=CLASS` or `dtype=any`, found `need=view`");
	ck_refused("/* @match class=reduce+ */\n", 1,
	    "unknown class `reduce`");
	ck_refused(NULL, 0, "cannot read the template: ");
}
END_TEST

static Digest
revision_of(const char *rows)
{
	ck_assert_int_eq(read_templates(rows, MAP), 0);
	return rules.template_[0].revision;
}

START_TEST(revision__ignores_comments_and_blank_lines)
{
	Digest a = revision_of(ROWS "int x; /* one */\n");
	Digest b = revision_of(ROWS "\n\t/* a line */\nint x; /* two\n"
	    " * lines **/\n");
	Digest c = revision_of(ROWS "int y; /* one */\n");
	char hex[65];

	ck_assert(ir_digest_eq(&a, &b));
	ck_assert(!ir_digest_eq(&a, &c));
	/* By sha256sum of "int x;\n". */
	hex_encode(hex, a.b, 32);
	ck_assert_str_eq(hex, REVISION);
}
END_TEST

START_TEST(fusion_def__classes)
{
	ck_assert_int_eq(rules_class("map"), RULE_FUSE);
	ck_assert_int_eq(rules_class("reduce"), RULE_FUSE);
	ck_assert_int_eq(rules_class("view"), RULE_INDEX);
	ck_assert_int_eq(rules_class("heavy"), RULE_COUNT);
	ck_assert_int_eq(rules_class("effect"), RULE_BARRIER);
	ck_assert_int_eq(rules_class("other"), RULE_NONE);
	ck_assert_int_eq(rules_limit("heavy"), 2);
	ck_assert_int_eq(rules_limit("map"), 0);
}
END_TEST

START_TEST(fusion_def__each_state_has_a_text)
{
	static const char *const state[] = { "fusable", "needs_template",
		"must_split", "not_fusable" };

	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_gt(strlen(rules_state_text(state[i])), 0);
}
END_TEST

START_TEST(fusion_def__unknown_state_is_our_bug)
{
	rules_state_text("half_fusable");
}
END_TEST

/* The templates of the tree itself. */
START_TEST(tree__templates)
{
	const struct template *rows = rules_template(&plan.rules, "rows");
	const struct template *cols = rules_template(&plan.rules, "cols");
	const struct template *map = rules_template(&plan.rules, "map");

	ck_assert(cols->map && cols->view && cols->reduce_axis &&
	    !cols->reduce_last && cols->need_reduce);
	ck_assert(rows->map && rows->view && rows->reduce_last &&
	    rows->need_reduce);
	ck_assert(map->map && map->view && !map->reduce_last &&
	    !map->need_reduce);
}
END_TEST

Suite *
gen_rules_suite(void)
{
	Suite *s = suite_create("gen_rules");
	TCase *tc = gen_case(s, "rules");

	tcase_add_test(tc, match__classes_and_need);
	tcase_add_test(tc, match__line_may_come_later);
	tcase_add_test(tc, match__each_fault);
	tcase_add_test(tc, revision__ignores_comments_and_blank_lines);
	tcase_add_test(tc, fusion_def__classes);
	tcase_add_test(tc, fusion_def__each_state_has_a_text);
	tcase_add_exit_test(tc, fusion_def__unknown_state_is_our_bug, 70);
	tcase_add_test(tc, tree__templates);
	return s;
}
