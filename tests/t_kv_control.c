/* SPDX-License-Identifier: MIT */
/* Control flow to rows: kvlang.md 4.7 and 5.3, worked by hand. */
#include "tests/t_kv.h"

Suite *kv_control_suite(void);

START_TEST(control__worked_example)
{
	body_gives("(n:int64, k:int64) -> (acc:int64)",
	    "0 -> acc\ni = 1\nwhile (i <= n) {\n"
	    "acc + i × i + k -> acc\ni + 1 -> i\n}",
	    "= 0 -> acc\n"
	    "= 1 -> i\n"
	    "goto 4\n"
	    "int64·le i, n -> _1\n"
	    "br _1, 6, 11\n"
	    "int64·mul i, i -> _6\n"
	    "int64·add acc, _6 -> _5\n"
	    "int64·add _5, k -> acc\n"
	    "int64·add i, 1 -> i\n"
	    "goto 4\n"
	    "return\n");
	row_is(4, "_while_2");
	row_is(6, "_do_3");
	row_is(11, "_exit_4");
	ck_assert_uint_eq(diag.n, 0);
}
END_TEST

START_TEST(control__opcode_langtypes)
{
	static const char *const want[] = { "rwir", "rwir", "rwir|rwfunc" };
	size_t i;

	body_gives("(c:bool) -> ()", "if (c) { g() }",
	    "goto 2\nbr c, 3, 5\ng\ngoto 6\ngoto 6\nreturn\n");
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(space_get(space, arena_printf(&arena,
		    "/lib/p·f/[%zu,0]", i + 1))->langtype, want[i]);
	ck_assert_str_eq(space_get(space, "/lib/p·f/[2,-2]")->langtype,
	    "int64");
	row_is(2, "_if_1");
	row_is(3, "_then_2");
	row_is(5, "_else_3");
	row_is(6, "_merge_4");
}
END_TEST

START_TEST(control__continuation_is_numbered_first)
{
	body_gives("(a:int64) -> (b:int64)",
	    "if (a > 1) { b = 1 } else { b = 2 }\n b + a × 2 -> b",
	    "goto 2\n"
	    "int64·gt a, 1 -> _2\n"
	    "br _2, 4, 6\n"
	    "= 1 -> b\n"
	    "goto 8\n"
	    "= 2 -> b\n"
	    "goto 8\n"
	    "int64·mul a, 2 -> _1\n"
	    "int64·add b, _1 -> b\n"
	    "return\n");
	row_is(8, "_merge_6");
}
END_TEST

START_TEST(control__else_if_is_an_if_in_the_else)
{
	static const char rows[] =
	    "goto 2\nbr a, 3, 5\ng\ngoto 6\ngoto 7\nreturn\n"
	    "br b, 8, 10\nh\ngoto 11\ngoto 11\ngoto 6\n";

	body_gives("(a:bool, b:bool) -> ()",
	    "if (a) { g() } else if (b) { h() }", rows);
	body_gives("(a:bool, b:bool) -> ()",
	    "if (a) { g() }\nelse {\n if (b) { h() }\n}", rows);
}
END_TEST

START_TEST(control__break_and_continue)
{
	body_gives("(a:bool, b:bool) -> ()",
	    "while (true) {\n if (a) { break }\n if (b) { continue }\n g()\n}",
	    "goto 2\n"
	    "br true, 3, 4\n"
	    "goto 5\n"      /* do: the first if */
	    "return\n"      /* exit */
	    "br a, 6, 7\n"
	    "goto 4\n"      /* break */
	    "goto 8\n"
	    "goto 9\n"      /* merge: the second if */
	    "br b, 10, 11\n"
	    "goto 2\n"      /* continue */
	    "goto 12\n"
	    "g\n"
	    "goto 2\n");
}
END_TEST

START_TEST(control__break_leaves_the_inner_loop)
{
	body_gives("(a:bool) -> ()",
	    "while (a) {\n while (a) { break }\n g()\n break\n}",
	    "goto 2\n"
	    "br a, 3, 4\n"
	    "goto 5\n"
	    "return\n"
	    "br a, 6, 7\n"
	    "goto 7\n"      /* the inner break */
	    "g\n"           /* the inner exit */
	    "goto 4\n");    /* the outer break */
}
END_TEST

START_TEST(control__for_over_an_array)
{
	/* for_init 1, for_cond 2, for_body 3, for_exit 4, index 5, test 6,
	 * length 7, two for containers. */
	body_gives("(a:[]float64) -> (s:float64)",
	    "s = 0.0\nfor (x in a) { s + x -> s }",
	    "= 0.0 -> s\n"
	    "goto 3\n"
	    "= -1 -> _5\n"
	    "ndarray·numel a -> _7\n"
	    "goto 6\n"
	    "int64·add _5, 1 -> _5\n"
	    "int64·lt _5, _7 -> _6\n"
	    "br _6, 9, 12\n"
	    "for·item a, _5 -> x\n"
	    "float64·add s, x -> s\n"
	    "goto 6\n"
	    "return\n");
	row_is(3, "_for_init_1");
	row_is(6, "_for_cond_2");
	row_is(9, "_for_body_3");
	row_is(12, "_for_exit_4");
}
END_TEST

START_TEST(control__for_keeps_a_source_that_is_no_name)
{
	body_gives("() -> ()", "for (x in [1, 2]) { g(x) }",
	    "goto 2\n"
	    "= [1, 2] -> _10\n"
	    "= -1 -> _5\n"
	    "ndarray·numel _10 -> _7\n"
	    "goto 6\n"
	    "int64·add _5, 1 -> _5\n"
	    "int64·lt _5, _7 -> _6\n"
	    "br _6, 9, 12\n"
	    "for·item _10, _5 -> x\n"
	    "g x\n"
	    "goto 6\n"
	    "return\n");
	body_gives("() -> ()", "for (x:int64 in h()) { continue }",
	    "goto 2\n"
	    "h -> _10\n"
	    "= -1 -> _5\n"
	    "ndarray·numel _10 -> _7\n"
	    "goto 6\n"
	    "int64·add _5, 1 -> _5\n"
	    "int64·lt _5, _7 -> _6\n"
	    "br _6, 9, 11\n"
	    "for·item _10, _5 -> x\n"
	    "goto 6\n"
	    "return\n");
}
END_TEST

START_TEST(control__label_goes_on_behind_its_block)
{
	body_gives("(a:bool) -> ()", "g()\ndone: {\n if (a) { h() }\n}\nk()",
	    "g\n"
	    "goto 3\n"
	    "goto 4\n"
	    "br a, 5, 7\n"
	    "h\n"
	    "goto 8\n"
	    "goto 8\n"
	    "k\n"
	    "return\n");
	row_is(3, "done");
}
END_TEST

START_TEST(control__return_ends_every_open_path)
{
	body_gives("(a:bool) -> ()", "if (a) { return } else { g() }",
	    "goto 2\nbr a, 3, 4\nreturn\ng\ngoto 6\nreturn\n");
	body_gives("(a:bool) -> ()", "while (a) { return }\nreturn",
	    "goto 2\nbr a, 3, 4\nreturn\nreturn\n");
}
END_TEST

START_TEST(control__nested_blocks_follow_in_order)
{
	body_gives("(a:bool, b:bool) -> ()",
	    "if (a) {\n while (b) { g() }\n} else {\n while (b) { h() }\n}\n"
	    "while (b) { k() }",
	    "goto 2\n"
	    "br a, 3, 4\n"
	    "goto 6\n"           /* then */
	    "goto 10\n"          /* else */
	    "goto 14\n"          /* merge */
	    "br b, 7, 9\n"       /* nested in then */
	    "g\ngoto 6\n"
	    "goto 5\n"
	    "br b, 11, 13\n"     /* nested in else */
	    "h\ngoto 10\n"
	    "goto 5\n"
	    "br b, 15, 17\n"     /* nested in the continuation */
	    "k\ngoto 14\n"
	    "return\n");
}
END_TEST

/* As many blocks as a function may have, in depth and in length. */
START_TEST(control__limits_are_reported)
{
	struct buf b = { 0 };
	char first[200];
	int i;

	buf_puts(&b, "rwfunc f(a:bool) -> () {\n");
	for (i = 0; i < 201; i++)
		buf_puts(&b, "while (a) {\n");
	for (i = 0; i < 202; i++)
		buf_puts(&b, "}\n");
	ck_assert_int_eq(lay(b.p), -1);
	diag_first(&diag, first, sizeof(first));
	ck_assert_ptr_nonnull(strstr(first, "f.kv:202:1: blocks are nested"));
	buf_clear(&b);
	buf_puts(&b, "rwfunc f(a:bool) -> () {\n");
	for (i = 0; i < 1000; i++)
		buf_puts(&b, "if (a) { }\n");
	buf_puts(&b, "}");
	ck_assert_int_eq(lay(b.p), 0);
	b.n--;
	buf_puts(&b, "if (a) { }\n}");
	ck_assert_int_eq(lay(b.p), -1);
	buf_release(&b);
}
END_TEST

Suite *
kv_control_suite(void)
{
	Suite *s = suite_create("kv_control");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, control__worked_example);
	tcase_add_test(tc, control__opcode_langtypes);
	tcase_add_test(tc, control__continuation_is_numbered_first);
	tcase_add_test(tc, control__else_if_is_an_if_in_the_else);
	tcase_add_test(tc, control__break_and_continue);
	tcase_add_test(tc, control__break_leaves_the_inner_loop);
	tcase_add_test(tc, control__for_over_an_array);
	tcase_add_test(tc, control__for_keeps_a_source_that_is_no_name);
	tcase_add_test(tc, control__label_goes_on_behind_its_block);
	tcase_add_test(tc, control__return_ends_every_open_path);
	tcase_add_test(tc, control__nested_blocks_follow_in_order);
	tcase_add_test(tc, control__limits_are_reported);
	suite_add_tcase(s, tc);
	return s;
}
