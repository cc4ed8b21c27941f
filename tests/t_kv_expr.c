/* SPDX-License-Identifier: MIT */
/* Expressions and slots to rows: kvlang.md 1.6, 1.7, 1.9, 2.3 and 5.3. */
#include "tests/t_kv.h"

Suite *kv_expr_suite(void);

/* Every parameter is of an unknown type: only a literal names a kind. */
static void
expr_gives(const char *expr, const char *rows)
{
	body_gives("(a:any, b:any, c:any, d:any) -> (x:any)",
	    arena_printf(&arena, "%s -> x", expr),
	    arena_printf(&arena, "%sreturn\n", rows));
}

START_TEST(expr__every_operator_has_its_word)
{
	static const struct {
		const char *text, *word;
	} row[] = {
		{ "||", "or" }, { "&&", "and" }, { "==", "eq" },
		{ "!=", "neq" }, { "≠", "neq" }, { "<", "lt" }, { ">", "gt" },
		{ "<=", "le" }, { "≤", "le" }, { ">=", "ge" }, { "≥", "ge" },
		{ "+", "add" }, { "-", "sub" }, { "×", "mul" }, { "÷", "div" },
		{ "%", "mod" }, { "<<", "shl" }, { ">>", "shr" },
		{ "&", "bitand" }, { "^", "bitxor" }, { "|", "bitor" },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		expr_gives(arena_printf(&arena, "a %s b", row[i].text),
		    arena_printf(&arena, "%s a, b -> x\n", row[i].word));
	expr_gives("-a", "neg a -> x\n");
	expr_gives("!a", "not a -> x\n");
	expr_gives("√a", "sqrt a -> x\n");
	expr_gives("+a", "= a -> x\n");
	expr_gives("-5", "= -5 -> x\n");
	expr_gives("-(5)", "int64·neg 5 -> x\n");
}
END_TEST

/* The table of kvlang.md 1.9, loosest first: each operator of a line binds
 * tighter than all of the lines above. */
START_TEST(expr__precedence)
{
	static const char *const op[] = { "||", "&&", "==", "<", "+", "×",
		"<<", "&", "^", "|" };
	static const char *const word[] = { "or", "and", "eq", "lt", "add",
		"mul", "shl", "bitand", "bitxor", "bitor" };
	enum { N = sizeof(op) / sizeof(op[0]) };
	size_t i, j;

	for (i = 0; i < N; i++)
		for (j = i + 1; j < N; j++) {
			expr_gives(arena_printf(&arena, "a %s b %s c", op[i],
			    op[j]), arena_printf(&arena, "%s b, c -> _1\n"
			    "%s a, _1 -> x\n", word[j], word[i]));
			expr_gives(arena_printf(&arena, "a %s b %s c", op[j],
			    op[i]), arena_printf(&arena, "%s a, b -> _1\n"
			    "%s _1, c -> x\n", word[j], word[i]));
		}
}
END_TEST

START_TEST(expr__equal_levels_group_to_the_left)
{
	expr_gives("a - b + c", "sub a, b -> _1\nadd _1, c -> x\n");
	expr_gives("a - (b + c)", "add b, c -> _1\nsub a, _1 -> x\n");
	expr_gives("-a × b", "neg a -> _1\nmul _1, b -> x\n");
	expr_gives("-(a × b)", "mul a, b -> _1\nneg _1 -> x\n");
	expr_gives("a<-1", "int64·lt a, -1 -> x\n");
	expr_gives("a - -1", "int64·sub a, -1 -> x\n");
	expr_gives("!a == b", "not a -> _1\neq _1, b -> x\n");
}
END_TEST

START_TEST(expr__calls_nest_everywhere)
{
	expr_gives("g(a + 1, h(b), c)",
	    "int64·add a, 1 -> _1\nh b -> _2\ng _1, _2, c -> x\n");
	expr_gives("g(a) + h(k(b) × c)",
	    "g a -> _1\nk b -> _4\nmul _4, c -> _3\nh _3 -> _2\n"
	    "add _1, _2 -> x\n");
	expr_gives("a[g(b), -1]", "g b -> _1\nxv·at a, _1, -1 -> x\n");
	expr_gives("g(a)[0][1]",
	    "g a -> _2\nxv·at _2, 0 -> _1\nxv·at _1, 1 -> x\n");
	expr_gives("p/q·g(a)", "p/q·g a -> x\n");
	expr_gives("/lib/p/q·g(a)", "/lib/p/q·g a -> x\n");
}
END_TEST

START_TEST(expr__literals)
{
	expr_gives("None", "= None -> x\n");
	expr_gives("a == None", "eq a, None -> x\n");
	expr_gives("'abc\\n'", "= \"abc\\n\" -> x\n");
	expr_gives("'12'", "= 12 -> x\n");
	expr_gives("'1.5'", "= 1.5 -> x\n");
	expr_gives("'/usr/x'", "= /usr/x -> x\n");
	expr_gives("/usr/x·y", "= /usr/x·y -> x\n");
	expr_gives("[a, b + 1]", "int64·add b, 1 -> _1\narray a, _1 -> x\n");
	expr_gives("[[a, 1], [2, 3]]",
	    "array a, 1 -> _1\narray _1, [2, 3] -> x\n");
	ck_assert_str_eq(space_get(space, "/lib/p·f/[2,-2]")->langtype,
	    "[2]int64");
}
END_TEST

START_TEST(expr__typed_slots_convert_literals)
{
	body_gives("(v:float32) -> ()",
	    "a:[2,2]float32 = [v, 1, 2, 3]\nb:[]float32 = [v, 1]\n"
	    "c:[2,3]float32 = [v...]\nd:[2,1]float32 = [[v], [1]]",
	    "array v, 1.0, 2.0, 3.0 -> _1\n"
	    "xv·reshape _1, 2, 2 -> a\n"
	    "array v, 1.0 -> b\n"
	    "array·fill \"[2,3]float32\", v -> c\n"
	    "array v -> _2\n"
	    "array _2, [1.0] -> d\n"
	    "return\n");
	ck_assert_str_eq(space_get(space, "/lib/p·f/[1,-2]")->langtype,
	    "float32");
	ck_assert_str_eq(space_get(space, "/lib/p·f/[6,-2]")->langtype,
	    "[1]float32");
	ck_assert_uint_eq(diag.n, 0);
}
END_TEST

START_TEST(expr__elements_are_written_whole)
{
	static const char rows[] =
	    "xv·set m, 0, 1, 7 -> m\nint64·add b, 1 -> _1\nxv·set m, _1, b -> m\n"
	    "return\n";

	body_gives("(b:any) -> (m:any)", "m[0, 1] = 7\nm[b + 1] = b", rows);
	body_gives("(b:any) -> (m:any)", "7 -> m[0, 1]\nb -> m[b + 1]", rows);
	body_gives("(b:any) -> (m:any, n:any)",
	    "g(b) -> (m[0], n)\nb + 1 -> n, m[1]\n1 -> n, m[2]",
	    "g b -> _1, n\n"
	    "xv·set m, 0, _1 -> m\n"
	    "int64·add b, 1 -> _2\n"
	    "= _2 -> n, _3\n"
	    "xv·set m, 1, _3 -> m\n"
	    "= 1 -> n\n"
	    "xv·set m, 2, 1 -> m\n"
	    "return\n");
}
END_TEST

START_TEST(expr__paths_are_read_written_and_called)
{
	body_gives("() -> ()", "/u/x = 1\n/u/x -> y, /lib/p·C\n/lib/g(/u/x)",
	    "= 1 -> /u/x\n= /u/x -> y, /lib/p·C\n/lib/g /u/x\nreturn\n");
	ck_assert_str_eq(space_get(space, "/lib/p·f/[2,-1]")->langtype,
	    "rwir");
}
END_TEST

/* kvlang.md 3.2 and 5.3: the widest kind that is known. */
START_TEST(expr__opcodes_name_the_kind)
{
	static const struct {
		const char *a, *b, *expr, *opcode;
	} row[] = {
		{ "int64", "int64", "a + b", "int64·add" },
		{ "int8", "int32", "a × b", "int32·mul" },
		{ "uint8", "uint16", "a - b", "uint16·sub" },
		{ "int8", "uint8", "a + b", "int16·add" },
		{ "int16", "uint8", "a + b", "int32·add" },
		{ "int32", "uint64", "a + b", "int64·add" },
		{ "int64", "float32", "a ÷ b", "float32·div" },
		{ "float32", "float64", "a < b", "float64·lt" },
		{ "any", "float32", "a == b", "float32·eq" },
		{ "int64", "any", "max(a, b)", "int64·max" },
		{ "any", "any", "a + b", "add" },
		{ "int8|int16", "any", "a + b", "add" },
		{ "bool", "bool", "a && b", "and" },
		{ "bool", "bool", "a == b", "eq" },
		{ "int32", "int8", "a % b", "int32·mod" },
		{ "int32", "int8", "a & b", "int64·bitand" },
		{ "uint32", "uint8", "a << b", "uint64·shl" },
		{ "int32", "any", "√a", "float64·sqrt" },
		{ "float32", "any", "exp(a)", "float32·exp" },
		{ "int32", "any", "-a", "int32·neg" },
		{ "uint32", "any", "abs(a)", "abs" },
		{ "[]char/utf32", "any", "a + \"b\"", "add" },
		{ "[]float32", "any", "a[0] + 1", "float32·add" },
		{ "any", "any", "int16(a) + int8(b)", "int16·add" },
		{ "any", "any", "ndarray·numel(a) + 1.5", "float64·add" },
	};
	const struct value *v;
	char *text;
	size_t i;
	int last;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		text = arena_printf(&arena, "lib p { rwfunc f(a:%s, b:%s) -> "
		    "(x:any) { %s -> x } }", row[i].a, row[i].b, row[i].expr);
		ck_assert_msg(lay(text) == 0, "%s", text);
		for (last = 1; space_get(space, arena_printf(&arena,
		    "/lib/p·f/[%d,0]", last + 2)); last++)
			;
		v = space_get(space, arena_printf(&arena, "/lib/p·f/[%d,0]",
		    last));
		ck_assert_str_eq(arena_strndup(&arena,
		    (const char *)v->body + 5, v->n - 5), row[i].opcode);
	}
}
END_TEST

/* One writer of another kind, be it later, in a loop or in a branch. */
START_TEST(expr__a_kind_counts_only_when_all_writers_agree)
{
	body_gives("(c:bool) -> ()",
	    "x = 1\nwhile (c) {\n y = x + 1\n x = y × 2.5\n}\nz = x + 1",
	    "= 1 -> x\n"
	    "goto 3\n"
	    "br c, 4, 7\n"
	    "int64·add x, 1 -> y\n"
	    "float64·mul y, 2.5 -> x\n"
	    "goto 3\n"
	    "int64·add x, 1 -> z\n"
	    "return\n");
	body_gives("(c:bool, a:int8) -> ()",
	    "x = a\nif (c) { x = 1.5 }\ny = x + x",
	    "= a -> x\ngoto 3\nbr c, 4, 6\n= 1.5 -> x\ngoto 7\ngoto 7\n"
	    "add x, x -> y\nreturn\n");
}
END_TEST

START_TEST(expr__functions_of_the_file_give_their_types)
{
	ck_assert_int_eq(lay("lib p {\n rwfunc g() -> (a:int32, b:float32) { }"
	    "\n rwfunc f() -> () { g() -> (a, b)\n c = a + 1\n d = p·g() }\n"
	    "}"), -1);
	ck_assert_int_eq(lay("lib p {\n rwfunc g() -> (a:int8, b:float32) { }"
	    "\n rwfunc f() -> () { g() -> (a, b)\n c = a + a\n d = b + a }\n"
	    "}"), 0);
	ck_assert_str_eq(rows_of("p·f"), "g -> a, b\nint8·add a, a -> c\n"
	    "float32·add b, a -> d\nreturn\n");
}
END_TEST

Suite *
kv_expr_suite(void)
{
	Suite *s = suite_create("kv_expr");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, expr__every_operator_has_its_word);
	tcase_add_test(tc, expr__precedence);
	tcase_add_test(tc, expr__equal_levels_group_to_the_left);
	tcase_add_test(tc, expr__calls_nest_everywhere);
	tcase_add_test(tc, expr__literals);
	tcase_add_test(tc, expr__typed_slots_convert_literals);
	tcase_add_test(tc, expr__elements_are_written_whole);
	tcase_add_test(tc, expr__paths_are_read_written_and_called);
	tcase_add_test(tc, expr__opcodes_name_the_kind);
	tcase_add_test(tc, expr__a_kind_counts_only_when_all_writers_agree);
	tcase_add_test(tc, expr__functions_of_the_file_give_their_types);
	suite_add_tcase(s, tc);
	return s;
}
