/* SPDX-License-Identifier: MIT */
/* authors.map, and which back end an abstract op gets (item 45 of the
 * convention). */
#include "tests/t_gen.h"

Suite *gen_policy_suite(void);

static const struct loc here = { "p.kv", 3, 5 };

static int
read_map(const char *text)
{
	char *folder = temp_folder();
	char *path = path_join(&arena, folder, "authors.map");
	int bad;

	write_file(path, text);
	bad = policy_read(&plan.policy, &arena, path, &diag);
	ck_assert_int_eq(remove_tree(folder), 0);
	return bad;
}

/* The one message is about that line of authors.map and has this text. */
static void
ck_line(int line, const char *text)
{
	ck_assert_uint_eq(diag.n, 1);
	ck_assert_int_eq(diag.item[0].loc.line, line);
	ck_assert_ptr_nonnull(strstr(diag.item[0].loc.file, "/authors.map"));
	ck_assert_str_eq(diag.item[0].text, text);
}

START_TEST(read__rows_comments_and_blanks)
{
	ck_assert_int_eq(read_map("// who\n\nmatmul\tcblas\n  sum   ref // why"
	    "\n\t\n*\tmiaobyte"), 0);
	ck_assert_uint_eq(plan.policy.n, 3);
	ck_assert_str_eq(plan.policy.row[0].op, "matmul");
	ck_assert_str_eq(plan.policy.row[0].author, "cblas");
	ck_assert_str_eq(plan.policy.row[1].op, "sum");
	ck_assert_str_eq(plan.policy.row[1].author, "ref");
	ck_assert_str_eq(plan.policy.row[2].op, "*");
}
END_TEST

START_TEST(read__empty_file_has_no_rows)
{
	ck_assert_int_eq(read_map(""), 0);
	ck_assert_uint_eq(plan.policy.n, 0);
}
END_TEST

START_TEST(read__one_word)
{
	ck_assert_int_eq(read_map("sum ref\nmatmul\n"), -1);
	ck_line(2, "expected `op author`, found `matmul`");
}
END_TEST

START_TEST(read__three_words)
{
	ck_assert_int_eq(read_map("// a\nsum ref cblas\n"), -1);
	ck_line(2, "expected `op author`, found `sum ref cblas`");
}
END_TEST

START_TEST(read__star_must_be_last)
{
	ck_assert_int_eq(read_map("* miaobyte\nsum ref\n"), -1);
	ck_line(2, "the row `*` must be the last");
}
END_TEST

START_TEST(read__op_twice)
{
	ck_assert_int_eq(read_map("sum ref\nadd ref\nsum cblas\n"), -1);
	ck_line(3, "op `sum` has a row already");
}
END_TEST

START_TEST(read__all_faults_are_reported)
{
	ck_assert_int_eq(read_map("a\nb\nc d\n"), -1);
	ck_assert_int_eq(diag.errors, 2);
}
END_TEST

START_TEST(read__missing_file)
{
	ck_assert_int_eq(policy_read(&plan.policy, &arena, "/no/authors.map",
	    &diag), -1);
	ck_error("/no/authors.map: cannot read the table of authors: ");
}
END_TEST

static void
ck_bound(const char *base, const char *opcode, enum bind_why why,
    const char *row)
{
	struct binding b;

	ck_assert_int_eq(policy_bind(&plan.policy, &plan.catalog, base, false,
	    here, &b, &diag), 0);
	ck_assert_str_eq(b.backend->opcode, opcode);
	ck_assert_int_eq(b.why, why);
	ck_assert_pstr_eq(b.row, row);
}

START_TEST(bind__table_beats_other_providers)
{
	add_backend("deepx/cblas·sum", "float32");
	ck_assert_int_eq(read_map("sum cblas\n* miaobyte\n"), 0);
	ck_bound("deepx·sum", "deepx/cblas·sum", BIND_TABLE, "sum");
	ck_bound("deepx·argmax", "deepx/miaobyte·argmax", BIND_TABLE, "*");
}
END_TEST

START_TEST(bind__row_may_name_the_whole_op)
{
	add_backend("deepx/cblas·sum", "float32");
	ck_assert_int_eq(read_map("deepx·sum cblas\n"), 0);
	ck_bound("deepx·sum", "deepx/cblas·sum", BIND_TABLE, "deepx·sum");
}
END_TEST

START_TEST(bind__only_provider_without_a_row)
{
	plan.policy.n = 0;
	ck_bound("deepx·sum", "deepx/miaobyte·sum", BIND_ONLY, NULL);
}
END_TEST

/* The row's author does not provide it, one other does. */
START_TEST(bind__only_provider_when_the_row_does_not_help)
{
	ck_assert_int_eq(read_map("* cblas\n"), 0);
	ck_bound("deepx·sum", "deepx/miaobyte·sum", BIND_ONLY, NULL);
}
END_TEST

/* Entries for several dtypes are one provider. */
START_TEST(bind__dtypes_are_one_provider)
{
	const struct backend *provider[4];

	add_backend("deepx/miaobyte·sum", "float64");
	add_backend("deepx/ref·sum", "float32");
	add_backend("deepx/ref·sum", "float64");
	ck_assert_uint_eq(catalog_providers(&plan.catalog, "deepx·sum",
	    provider, 4), 2);
	ck_assert_str_eq(provider[0]->opcode, "deepx/miaobyte·sum");
	ck_assert_str_eq(provider[1]->opcode, "deepx/ref·sum");
	ck_assert_str_eq(provider[1]->author, "ref");
	ck_assert_str_eq(provider[1]->base, "deepx·sum");
}
END_TEST

START_TEST(bind__ambiguous_lists_who_provides)
{
	struct binding b;

	plan.policy.n = 0;
	add_backend("deepx/ref·sum", "float32");
	ck_assert_int_eq(policy_bind(&plan.policy, &plan.catalog, "deepx·sum",
	    false, here, &b, &diag), -1);
	ck_error("p.kv:3:5: deepx·sum is ambiguous: deepx/miaobyte·sum, "
	    "deepx/ref·sum provide it");
}
END_TEST

START_TEST(bind__no_backend_is_error)
{
	struct binding b;

	ck_assert_int_eq(policy_bind(&plan.policy, &plan.catalog,
	    "deepx·nobodys", false, here, &b, &diag), -1);
	ck_error("p.kv:3:5: deepx·nobodys has no registered back end "
	    "(无已注册后端)");
}
END_TEST

/* A user's table over the library's. */
static void
read_maps(const char *user, const char *library)
{
	ck_assert_int_eq(read_map(library), 0);
	plan.library = plan.policy;
	ck_assert_int_eq(read_map(user), 0);
	plan.policy.library = &plan.library;
	for (const char *op = "sum\0add\0mul\0"; *op; op += strlen(op) + 1) {
		add_backend(arena_printf(&arena, "deepx/ref·%s", op),
		    "float32");
		add_backend(arena_printf(&arena, "deepx/cblas·%s", op),
		    "float32");
	}
}

/* Of a function of the library. */
static void
ck_library(const char *base, const char *opcode, enum bind_why why,
    const char *row)
{
	struct binding b;

	ck_assert_int_eq(policy_bind(&plan.policy, &plan.catalog, base, true,
	    here, &b, &diag), 0);
	ck_assert_str_eq(b.backend->opcode, opcode);
	ck_assert_int_eq(b.why, why);
	ck_assert_pstr_eq(b.row, row);
}

START_TEST(bind__a_users_row_is_for_all_functions)
{
	read_maps("sum ref\n", "sum cblas\nadd cblas\n* miaobyte\n");
	ck_bound("deepx·sum", "deepx/ref·sum", BIND_USER, "sum");
	ck_bound("deepx·add", "deepx/cblas·add", BIND_TABLE, "add");
	ck_library("deepx·sum", "deepx/ref·sum", BIND_USER, "sum");
	ck_library("deepx·add", "deepx/cblas·add", BIND_TABLE, "add");
	ck_library("deepx·mul", "deepx/miaobyte·mul", BIND_TABLE, "*");
}
END_TEST

START_TEST(bind__star_is_for_functions_of_its_own_side)
{
	struct binding b;

	read_maps("* ref\n", "sum cblas\n* miaobyte\n");
	ck_bound("deepx·sum", "deepx/ref·sum", BIND_USER, "*");
	ck_bound("deepx·mul", "deepx/ref·mul", BIND_USER, "*");
	ck_bound("deepx·exp", "deepx/miaobyte·exp", BIND_ONLY, NULL);
	ck_library("deepx·sum", "deepx/cblas·sum", BIND_TABLE, "sum");
	ck_library("deepx·mul", "deepx/miaobyte·mul", BIND_TABLE, "*");
	read_maps("* nobody\n", "sum cblas\n* miaobyte\n");
	ck_bound("deepx·sum", "deepx/cblas·sum", BIND_TABLE, "sum");
	ck_assert_int_eq(policy_bind(&plan.policy, &plan.catalog, "deepx·mul",
	    false, here, &b, &diag), -1);
	ck_error("p.kv:3:5: deepx·mul is ambiguous: deepx/cblas·mul, "
	    "deepx/miaobyte·mul, deepx/ref·mul provide it");
}
END_TEST

/* The bound level: the call, its author and why. */
static const Call *
bound_call(const char *functions, const char *opcode)
{
	const Bound *b = unit_f(functions, LEVEL_BOUND)->bound.root;

	ck_assert_uint_eq(b->n_calls, 1);
	ck_assert_str_eq(b->calls[0].opcode, opcode);
	return &b->calls[0];
}

#define SUM_BY(op) "rwfunc f(A:[*]float32) -> (B:[*]float32) {\n" \
	op "(A, -1, true) -> B\n}"

START_TEST(level__table_row_is_recorded)
{
	const CallBackend *c = CallBody_as_CallBackend(bound_call(
	    SUM_BY("deepx·sum"), "deepx/miaobyte·sum")->body);

	ck_assert_str_eq(c->author, "miaobyte");
	ck_assert_str_eq(BindWhy_as_WhyTable(c->why)->row, "*");
}
END_TEST

START_TEST(level__explicit_author_is_kept)
{
	const CallBackend *c;

	add_backend("deepx/ref·sum", "float32");
	c = CallBody_as_CallBackend(bound_call(SUM_BY("deepx/ref·sum"),
	    "deepx/ref·sum")->body);
	ck_assert_str_eq(c->author, "ref");
	ck_assert(BindWhy_is_WhyExplicit(c->why));
}
END_TEST

START_TEST(level__explicit_author_unknown_lists_who_there_is)
{
	ck_assert_int_eq(plan_text("lib t {\n" SUM_BY("\tdeepx/cblas·sum")
	    "\n}\n", LEVEL_BOUND), -1);
	ck_error("t.kv:3:2: deepx/cblas·sum is not a registered back end; "
	    "registered are: deepx/miaobyte·sum");
}
END_TEST

/* Ops of the library's functions are bound as there, wherever they are inlined:
 * else a version would have other bytes than its base. */
START_TEST(level__inlined_ops_are_bound_as_the_librarys)
{
	static bool library = true;
	struct buf out = { 0 };

	read_maps("sum ref\n* cblas\n", "* miaobyte\n");
	map_set(&plan.origin, "deepx·both", &library);
	bound_print(unit_of("lib deepx {\n"
	    "rwfunc both(A:[*]float32) -> (B:[*]float32) {\n"
	    "deepx·mul(A, A) -> m\ndeepx·sum(m, -1, true) -> B\n}\n}\n"
	    "lib t {\nrwfunc f(A:[*]float32) -> (B:[*]float32) {\n"
	    "deepx·both(A) -> b\ndeepx·mul(b, b) -> B\n}\n}\n", "t·f",
	    LEVEL_BOUND)->bound.root, &plan.session, &out);
	ck_assert_str_eq(out.p,
	    "t.kv:3: deepx/miaobyte·mul(A, A) -> m // why=default-table row=*"
	    "\nt.kv:4: deepx/ref·sum(m, -1, true) -> b // why=user-table "
	    "row=sum\nt.kv:10: deepx/cblas·mul(b, b) -> B // why=user-table "
	    "row=*\n");
	buf_release(&out);
}
END_TEST

/* A function with a back end of its very name stays whole. */
START_TEST(level__composite_with_its_own_backend_stays_whole)
{
	const Bound *b;
	const CallBackend *c;

	add_backend("deepx/miaobyte·softmax", "float32");
	b = unit_of(SOFTMAX "lib t {\nrwfunc f(A:[*]float32) -> (B:[*]float32)"
	    " {\ndeepx·softmax(A, -1) -> B\n}\n}\n", "t·f", LEVEL_BOUND)->
	    bound.root;
	ck_assert_uint_eq(b->n_calls, 1);
	ck_assert_str_eq(b->calls[0].opcode, "deepx/miaobyte·softmax");
	c = CallBody_as_CallBackend(b->calls[0].body);
	ck_assert(BindWhy_is_WhyTable(c->why));
	ck_assert(!b->calls[0].effect);
}
END_TEST

START_TEST(level__verifier_refuses_a_wrong_author)
{
	const Bound *b = unit_f(SUM_BY("deepx·sum"), LEVEL_BOUND)->bound.root;
	Bound copy = *b;
	Call call = b->calls[0];
	CallBackend body = *CallBody_as_CallBackend(call.body);

	body.author = "ref";
	call.body = CallBody_of_CallBackend(&body);
	copy.calls = &call;
	ck_assert_int_eq(bound_verify(&copy, &diag), -1);
	ck_assert_int_eq(code_count("bound.author"), 1);
	body.author = "miaobyte";
	call.effect = true;
	ck_assert_int_eq(bound_verify(&copy, &diag), -1);
	ck_assert_int_eq(code_count("bound.effect"), 1);
	/* An unbound op cannot pass as a bound one (item 29). */
	call.effect = false;
	call.opcode = "deepx·sum";
	ck_assert_int_eq(bound_verify(&copy, &diag), -1);
	ck_assert_int_eq(code_count("bound.author"), 2);
}
END_TEST

START_TEST(level__printed_as_people_read_it)
{
	struct buf out = { 0 };

	bound_print(unit_f(SUM_BY("deepx·sum"), LEVEL_BOUND)->bound.root,
	    &plan.session, &out);
	ck_assert_str_eq(out.p, "t.kv:3: deepx/miaobyte·sum(A, -1, true) -> B"
	    " // why=default-table row=*\n");
	buf_release(&out);
}
END_TEST

Suite *
gen_policy_suite(void)
{
	Suite *s = suite_create("gen_policy");
	TCase *tc = gen_case(s, "read");

	tcase_add_test(tc, read__rows_comments_and_blanks);
	tcase_add_test(tc, read__empty_file_has_no_rows);
	tcase_add_test(tc, read__one_word);
	tcase_add_test(tc, read__three_words);
	tcase_add_test(tc, read__star_must_be_last);
	tcase_add_test(tc, read__op_twice);
	tcase_add_test(tc, read__all_faults_are_reported);
	tcase_add_test(tc, read__missing_file);
	tc = gen_case(s, "bind");
	tcase_add_test(tc, bind__table_beats_other_providers);
	tcase_add_test(tc, bind__row_may_name_the_whole_op);
	tcase_add_test(tc, bind__only_provider_without_a_row);
	tcase_add_test(tc, bind__only_provider_when_the_row_does_not_help);
	tcase_add_test(tc, bind__dtypes_are_one_provider);
	tcase_add_test(tc, bind__ambiguous_lists_who_provides);
	tcase_add_test(tc, bind__no_backend_is_error);
	tcase_add_test(tc, bind__a_users_row_is_for_all_functions);
	tcase_add_test(tc, bind__star_is_for_functions_of_its_own_side);
	tc = gen_case(s, "level");
	tcase_add_test(tc, level__table_row_is_recorded);
	tcase_add_test(tc, level__explicit_author_is_kept);
	tcase_add_test(tc, level__explicit_author_unknown_lists_who_there_is);
	tcase_add_test(tc, level__inlined_ops_are_bound_as_the_librarys);
	tcase_add_test(tc, level__composite_with_its_own_backend_stays_whole);
	tcase_add_test(tc, level__verifier_refuses_a_wrong_author);
	tcase_add_test(tc, level__printed_as_people_read_it);
	return s;
}
