/* SPDX-License-Identifier: MIT */
/* Level 1: import from rows, and inlining. */
#include "tests/t_gen.h"

Suite *gen_program_suite(void);

#define F(body) \
	"rwfunc f(A:[*]float32, x:float32) -> (B:[*]float32) {\n" body "}\n"

/* The program as one line an op: `B = deepx·add(A, 2)`, then the results. */
static char *
text_of(const Program *p)
{
	struct ir_index index = { 0 };
	struct buf out = { 0 };
	char *text;

	ir_index_build(&index, &arena, &Program_type, p);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const Op *op = &p->ops[i];

		for (uint32_t k = 0; k < op->n_outputs; k++)
			buf_printf(&out, "%s%s", k ? ", " : "", ((const Value *)
			    ir_index_find(&index, &op->outputs[k])->p)->name);
		buf_printf(&out, "%s%s(", op->n_outputs ? " = " : "",
		    op->opcode);
		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const Value *v = ir_index_find(&index,
			    &op->inputs[k])->p;

			buf_puts(&out, k ? ", " : "");
			buf_puts(&out, *v->name ? v->name :
			    ValueRole_as_RoleConst(v->role)->literal.langtype);
		}
		buf_printf(&out, ")%s\n", op->effect ? " effect" : "");
	}
	for (uint32_t i = 0; i < p->n_results; i++)
		buf_printf(&out, "%s := %s\n", p->results[i].name,
		    ((const Value *)ir_index_find(&index,
		    &p->results[i].value)->p)->name);
	text = arena_strdup(&arena, out.p ? out.p : "");
	buf_release(&out);
	return text;
}

static void
ck_import(const char *functions, const char *want)
{
	ck_assert_str_eq(text_of(unit_f(functions, LEVEL_PROGRAM)->
	    program.root), want);
}

static void
ck_inline(const char *functions, const char *want)
{
	const Program *p = unit_f(functions, LEVEL_BOUND)->inlined.root;

	ck_assert_str_eq(text_of(p), want);
	/* Names tell values apart, but for literals without one. */
	for (uint32_t i = 0; i < p->n_values; i++)
		for (uint32_t k = 0; k < i; k++)
			ck_assert_msg(!*p->values[i].name || strcmp(
			    p->values[i].name, p->values[k].name),
			    "two values `%s`", p->values[i].name);
}

START_TEST(import__slots_become_single_assignment)
{
	ck_import(F("deepx·add(A, x) -> t\ndeepx·mul(t, t) -> t\n"
	    "deepx·sub(t, A) -> B\n"),
	    "t = deepx·add(A, x)\n"
	    "t‥2 = deepx·mul(t, t)\n"
	    "B = deepx·sub(t‥2, A)\n"
	    "B := B\n");
}
END_TEST

START_TEST(import__copies_vanish)
{
	ck_import(F("A -> t\ndeepx·relu(t) -> u\nu -> v\nv -> B\n"),
	    "u = deepx·relu(A)\nB := u\n");
}
END_TEST

/* A copy keeps the value of that moment. */
START_TEST(import__copy_before_the_slot_changes)
{
	ck_import(F("deepx·relu(A) -> t\nt -> old\ndeepx·add(t, x) -> t\n"
	    "deepx·sub(old, t) -> B\n"),
	    "t = deepx·relu(A)\nt‥2 = deepx·add(t, x)\n"
	    "B = deepx·sub(t, t‥2)\nB := B\n");
}
END_TEST

START_TEST(import__result_may_be_a_parameter)
{
	ck_import(F("A -> B\n"), "B := A\n");
}
END_TEST

START_TEST(import__literals_are_values)
{
	const Program *p = unit_f(F("c = 2.5\ndeepx·mul(A, c) -> t\n"
	    "deepx·sum(t, -1, true) -> B\n"), LEVEL_PROGRAM)->program.root;
	const Literal *l[3];
	int n = 0;

	for (uint32_t i = 0; i < p->n_values; i++)
		if (ValueRole_is_RoleConst(p->values[i].role) && n < 3)
			l[n++] = &ValueRole_as_RoleConst(p->values[i].role)->
			    literal;
	ck_assert_int_eq(n, 3);
	/* 2.5 and -1 in little-endian bytes, by hand. */
	ck_assert_str_eq(l[0]->langtype, "float64");
	ck_assert_str_eq(l[0]->body, "0000000000000440");
	ck_assert_str_eq(l[1]->langtype, "int64");
	ck_assert_str_eq(l[1]->body, "ffffffffffffffff");
	ck_assert_str_eq(l[2]->langtype, "bool");
	ck_assert_str_eq(l[2]->body, "01");
}
END_TEST

/* Operators and builtins run in the interpreter; those without a result are
 * there for what they do. */
START_TEST(import__builtins_are_native)
{
	const Program *p;

	ck_import("rwfunc f(A:[*]float32, n:int64) -> (B:any) {\n"
	    "n + 1 -> k\nfloat32(k) -> x\nndarray·numel(A) -> c\n"
	    "cerr(x, c)\nA -> B\n}\n",
	    "k = int64·add(n, int64)\nx = float32(k)\n"
	    "c = ndarray·numel(A)\ncerr(x, c) effect\nB := A\n");
	p = ((struct unit *)map_get(&plan.units, "t·f"))->program.root;
	for (uint32_t i = 0; i < p->n_ops; i++)
		ck_assert(OpBody_is_OpNative(p->ops[i].body));
}
END_TEST

START_TEST(import__unused_values_are_left_out)
{
	const Program *p = unit_f(F("c = 2.5\ndeepx·relu(A) -> B\n"),
	    LEVEL_PROGRAM)->program.root;

	/* A, x and B; the parameter stays though nothing reads it. */
	ck_assert_uint_eq(p->n_values, 3);
}
END_TEST

START_TEST(import__kinds_of_ops)
{
	const Program *p = unit_f("rwfunc g(A:any) -> (B:any) {\nA -> B\n}\n"
	    F("deepx·relu(A) -> t\ndeepx/miaobyte·relu(t) -> u\n"
	    "g(u) -> v\nprint(v)\nt·g.2(v) -> B\n"), LEVEL_PROGRAM)->
	    program.root;

	ck_assert_uint_eq(p->n_ops, 5);
	ck_assert(OpBody_is_OpAbstract(p->ops[0].body));
	ck_assert_str_eq(OpBody_as_OpExplicit(p->ops[1].body)->author,
	    "miaobyte");
	ck_assert(OpBody_is_OpFunction(p->ops[2].body));
	ck_assert_str_eq(p->ops[2].opcode, "t·g");
	ck_assert(OpBody_is_OpNative(p->ops[3].body));
	ck_assert(OpBody_is_OpFunction(p->ops[4].body));
	ck_assert_str_eq(p->ops[4].opcode, "t·g.2");
	ck_assert(!p->ops[0].effect && !p->ops[1].effect);
	ck_assert(p->ops[2].effect && p->ops[3].effect && p->ops[4].effect);
}
END_TEST

static void
ck_refused(const char *functions, enum level level, const char *error)
{
	ck_assert_int_eq(plan_text(arena_printf(&arena, "lib t {\n%s\n}\n",
	    functions), level), -1);
	ck_error(error);
}

/* A slot that is read first holds what its place had before: no plan says. */
START_TEST(import__read_before_write_is_left_to_the_interpreter)
{
	ck_assert(unit_f(F("\tdeepx·add(A, q) -> q\n\tq -> B\n"),
	    LEVEL_PROGRAM)->interpreted);
	again();
	ck_assert(unit_f(F("\tdeepx·add(A, B) -> B\n"),
	    LEVEL_PROGRAM)->interpreted);
}
END_TEST

START_TEST(import__unknown_op_is_error)
{
	ck_refused(F("\tdeepx·relu(A) -> t\n\tdeepx·frob(t) -> B\n"),
	    LEVEL_PROGRAM, "t.kv:4:2: NameError: rwfunc not found: deepx·frob");
	again();
	ck_refused(F("\tdeepx·rellu(A) -> B\n"), LEVEL_PROGRAM, "t.kv:3:2: "
	    "NameError: rwfunc not found: deepx·rellu; did you mean "
	    "deepx·relu?");
}
END_TEST

/* It stays what the caller's variable holds, which no plan knows. */
START_TEST(import__result_never_written_is_left_to_the_interpreter)
{
	ck_assert(unit_f("rwfunc f(A:[*]float32) -> (B:any, C:any) {\n"
	    "\tA -> B\n}", LEVEL_PROGRAM)->interpreted);
	again();
	ck_assert(unit_f("rwfunc f(A:any) -> (B:any) {\n}",
	    LEVEL_PROGRAM)->interpreted);
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

START_TEST(import__places_are_kept)
{
	const Program *p = unit_f(F("\tdeepx·relu(A) -> t\n\n"
	    "    deepx·relu(t) -> B\n"), LEVEL_PROGRAM)->program.root;
	struct loc loc = place_get(&plan.session, &p->ops[1].id);

	ck_assert_str_eq(loc.file, "t.kv");
	ck_assert_int_eq(loc.line, 5);
	ck_assert_int_eq(loc.col, 5);
}
END_TEST

#define G "rwfunc g(P:[*]float32, q:float32) -> (R:[*]float32) {\n" \
	"deepx·mul(P, q) -> t\ndeepx·relu(t) -> R\n}\n"

/* The callee's result takes the caller's name, its temporaries stay apart. */
START_TEST(inline__call_is_replaced)
{
	ck_inline(G F("deepx·add(A, x) -> t\ng(t, x) -> u\ng(u, x) -> B\n"),
	    "t = deepx·add(A, x)\n"
	    "t‥2 = deepx·mul(t, x)\n"
	    "u = deepx·relu(t‥2)\n"
	    "t‥3 = deepx·mul(u, x)\n"
	    "B = deepx·relu(t‥3)\n"
	    "B := B\n");
}
END_TEST

/* However deep a call, what it gives has the name of the outermost caller. */
START_TEST(inline__nested_calls)
{
	ck_inline(G "rwfunc h(U:[*]float32, w:float32) -> (V:[*]float32) {\n"
	    "g(U, w) -> V\n}\n" F("h(A, x) -> B\n"),
	    "t = deepx·mul(A, x)\nB = deepx·relu(t)\nB := B\n");
}
END_TEST

START_TEST(inline__result_is_a_parameter)
{
	ck_inline("rwfunc g(P:any) -> (R:any, S:any) {\nP -> R\n"
	    "deepx·relu(P) -> S\n}\n"
	    F("g(A) -> t, u\ndeepx·add(t, u) -> B\n"),
	    "u = deepx·relu(A)\nB = deepx·add(A, u)\nB := B\n");
}
END_TEST

START_TEST(inline__result_is_a_literal)
{
	const Program *p;

	ck_inline("rwfunc g() -> (R:any) {\nR = 2.5\n}\n"
	    F("g() -> t\ndeepx·mul(A, t) -> B\n"),
	    "B = deepx·mul(A, R)\nB := B\n");
	p = ((struct unit *)map_get(&plan.units, "t·f"))->inlined.root;
	for (uint32_t i = 0; i < p->n_values; i++)
		if (!strcmp(p->values[i].name, "R"))
			ck_assert_str_eq(ValueRole_as_RoleConst(
			    p->values[i].role)->literal.body,
			    "0000000000000440");
}
END_TEST

/* Both results of the callee are one value. */
START_TEST(inline__one_value_for_two_results)
{
	ck_inline("rwfunc g(P:any) -> (R:any, S:any) {\ndeepx·relu(P) -> R\n"
	    "R -> S\n}\n" F("g(A) -> t, u\ndeepx·add(t, u) -> B\n"),
	    "t = deepx·relu(A)\nB = deepx·add(t, t)\nB := B\n");
}
END_TEST

/* A temporary of the callee has the name of the caller's result. */
START_TEST(inline__name_taken_by_a_callee)
{
	ck_inline("rwfunc g(P:any) -> (R:any) {\ndeepx·relu(P) -> B\n"
	    "deepx·exp(B) -> R\n}\n" F("g(A) -> t\ndeepx·add(t, x) -> B\n"),
	    "B = deepx·relu(A)\nt = deepx·exp(B)\nB‥2 = deepx·add(t, x)\n"
	    "B := B‥2\n");
}
END_TEST

START_TEST(inline__call_of_a_version_is_kept)
{
	ck_inline(G F("t·g.1(A, x) -> B\n"),
	    "B = t·g.1(A, x) effect\nB := B\n");
}
END_TEST

/* A function with control flow is no unit of its own, and stays a call. */
START_TEST(inline__function_that_branches_is_kept)
{
	const struct unit *u;

	ck_inline("rwfunc g(P:[*]float32, n:int64) -> (R:[*]float32) {\n"
	    "P -> R\nwhile (n < 0) {\ndeepx·relu(R) -> R\n}\n}\n"
	    F("g(A, 3) -> B\n"), "B = t·g(A, int64) effect\nB := B\n");
	u = map_get(&plan.units, "t·g");
	ck_assert(u->interpreted);
	ck_assert_ptr_null(u->program.root);
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

START_TEST(inline__effect_of_the_callee_stays)
{
	ck_inline("rwfunc g(P:any) -> (R:any) {\nprint(P)\nP -> R\n}\n"
	    F("g(A) -> t\ndeepx·relu(t) -> B\n"),
	    "print(A) effect\nB = deepx·relu(A)\nB := B\n");
}
END_TEST

START_TEST(inline__recursion_is_refused)
{
	ck_refused("rwfunc f(A:any) -> (B:any) {\n\tf(A) -> B\n}",
	    LEVEL_BOUND, "t.kv:3:2: t·f calls itself (through t·f)");
	again();
	ck_assert_int_eq(plan_text("lib t {\n"
	    "rwfunc f(A:any) -> (B:any) {\n\tg(A) -> B\n}\n"
	    "rwfunc g(A:any) -> (B:any) {\n\tf(A) -> B\n}\n}\n",
	    LEVEL_BOUND), -1);
	ck_assert_uint_eq(diag.n, 2);
	ck_assert_int_eq(diag.item[0].loc.line, 6);
	ck_assert_ptr_nonnull(strstr(diag.item[0].text,
	    "t·f calls itself (through t·g)"));
	ck_assert_int_eq(diag.item[1].loc.line, 3);
	ck_assert_ptr_nonnull(strstr(diag.item[1].text,
	    "t·g calls itself (through t·f)"));
}
END_TEST

/* Whether t·f is planned with these functions beside it. */
static void
ck_planned(bool want, const char *functions)
{
	const struct unit *u;

	again();
	u = unit_f(functions, LEVEL_PROGRAM);
	ck_assert_msg(u->interpreted == !want, "%s", functions);
	ck_assert_int_eq(diag.errors, 0);
}

#define KEEP "rwfunc k(P:any) -> (R:any, S:any) {\nP -> R\n}\n"
#define IF(no) "rwfunc g(P:any, c:bool) -> (R:any) {\nif (c) {\nP -> R\n" \
    "} else {\n" no "\n}\n}\n"

/* What a variable holds before a call matters to callees that may read it or
 * leave it, and to nobody else. */
START_TEST(import__initial_values_are_left_to_the_interpreter)
{
	ck_planned(true, KEEP F("k(A) -> t, u\nt -> B\n"));
	ck_planned(true, KEEP F("1 -> t\nk(A) -> t, u\nt -> B\n"));
	ck_planned(true, KEEP F("1 -> u\nk(A) -> t, _\nu -> B\n"));
	ck_planned(false, KEEP F("1 -> u\nk(A) -> t, u\nt -> B\n"));
	ck_planned(false, KEEP F("k(A) -> t, B\n"));
	ck_planned(true, KEEP F("k(A) -> B, t\n"));
	ck_planned(false, IF("") F("g(A, true) -> B\n"));
	ck_planned(true, IF("1 -> R") F("g(A, true) -> B\n"));
	ck_planned(false, IF("return") F("g(A, true) -> B\n"));
	ck_planned(false, IF("R -> t; 1 -> R") F("g(A, true) -> B\n"));
	ck_planned(true, IF("1 -> R; R -> t") F("g(A, true) -> B\n"));
	ck_planned(false, "rwfunc g(P:any) -> (R:any) {\nwhile (P) {\n1 -> R\n"
	    "}\n}\n" F("g(A) -> B\n"));
	ck_planned(false, KEEP "rwfunc g(P:any) -> (R:any) {\nk(P) -> t, R\n}\n"
	    F("g(A) -> B\n"));
	ck_planned(true, KEEP "rwfunc g(P:any) -> (R:any) {\nk(P) -> R, t\n}\n"
	    F("g(A) -> B\n"));
	ck_planned(true, "rwfunc g(P:bool) -> (R:any) {\nif (P) {\ng(P) -> R\n"
	    "} else {\n1 -> R\n}\n}\n" F("g(true) -> B\n"));
}
END_TEST

/* Called for its effect, none of its results is anybody's. */
START_TEST(inline__no_writes)
{
	ck_inline("rwfunc g(P:any) -> (R:any, S:any) {\nprint(P)\nP -> R\n"
	    "P -> S\n}\n" F("g(A)\ndeepx·relu(A) -> B\n"),
	    "print(A) effect\nB = deepx·relu(A)\nB := B\n");
}
END_TEST

START_TEST(inline__arity_is_checked)
{
	/* Layout looks at one text alone, so it cannot see this. */
	layout("lib t {\n" G "}\n");
	ck_refused(F("\tt·g(A) -> B\n"), LEVEL_BOUND, "t.kv:3:2: TypeError: t·g "
	    "expects 2 args, got 1");
	again();
	layout("lib t {\n" G "}\n");
	ck_refused(F("\tt·g(A, x) -> B, c\n"), LEVEL_BOUND, "t.kv:3:2: "
	    "TypeError: t·g expects 1 writes, got 2");
	again();
	ck_refused(F("\tdeepx·relu(A, x) -> B\n"), LEVEL_BOUND, "t.kv:3:2: "
	    "TypeError: deepx·relu expects 1 args, got 2");
	again();
	ck_refused(F("\tdeepx·relu(A) -> B, c\n"), LEVEL_BOUND, "t.kv:3:2: "
	    "TypeError: deepx·relu expects 1 writes, got 2");
	again();
	ck_refused(F("\tdeepx·relu(A)\n\tA -> B\n"), LEVEL_BOUND,
	    "t.kv:3:2: TypeError: deepx·relu expects 1 writes, got 0");
}
END_TEST

/* An op of the callee keeps its own place. */
START_TEST(inline__places_are_kept)
{
	const Program *p = unit_f(G F("\tg(A, x) -> B\n"), LEVEL_BOUND)->
	    inlined.root;

	ck_assert_int_eq(place_get(&plan.session, &p->ops[0].id).line, 3);
	ck_assert_int_eq(place_get(&plan.session, &p->ops[1].id).line, 4);
}
END_TEST

START_TEST(inline__lineage_names_the_source)
{
	const struct unit *u = unit_f(F("deepx·relu(A) -> B\n"), LEVEL_BOUND);
	const Program *from = u->program.root, *to = u->inlined.root;
	const Lineage *l = &to->ops[0].lineage;

	ck_assert_str_eq(l->kind, "cloned");
	ck_assert_str_eq(l->rule, "inline-op");
	ck_assert_uint_eq(l->n_sources, 1);
	ck_assert(ir_id_eq(&l->sources[0], &from->ops[0].id));
	ck_assert(ir_digest_eq(&to->header.parents[0], &u->program.digest));
}
END_TEST

/* Each code of the verifier, by a program that is wrong in one way. */
START_TEST(verify__each_code)
{
	const Program *p = unit_f(F("deepx·add(A, x) -> t\n"
	    "deepx·relu(t) -> B\n"), LEVEL_PROGRAM)->program.root;
	Op op[2];
	Program copy = *p;
	Result result = p->results[0];

	ck_assert_int_eq(program_verify(p, &diag), 0);
	memcpy(op, (Op[]){ p->ops[1], p->ops[0] }, sizeof op);
	copy.ops = op;
	ck_assert_int_eq(program_verify(&copy, &diag), -1);
	ck_assert_int_eq(code_count("program.use-before-definition"), 1);
	ck_assert_uint_eq(diag.n, 1);
	memcpy(op, p->ops, sizeof op);
	op[1].outputs = op[0].outputs;
	ck_assert_int_eq(program_verify(&copy, &diag), -1);
	ck_assert_int_eq(code_count("program.single-assignment"), 1);
	ck_assert_int_eq(code_count("program.undefined-result"), 1);
	memcpy(op, p->ops, sizeof op);
	op[1].opcode = "deepx/miaobyte·relu";
	ck_assert_int_eq(program_verify(&copy, &diag), -1);
	ck_assert_int_eq(code_count("program.abstract-author"), 1);
	copy = *p;
	copy.n_ops = 1;
	copy.results = &result;
	ck_assert_int_eq(program_verify(&copy, &diag), -1);
	ck_assert_uint_eq(diag.n, 4); /* the same text as before, once */
}
END_TEST

Suite *
gen_program_suite(void)
{
	Suite *s = suite_create("gen_program");
	TCase *tc = gen_case(s, "import");

	tcase_add_test(tc, import__slots_become_single_assignment);
	tcase_add_test(tc, import__copies_vanish);
	tcase_add_test(tc, import__copy_before_the_slot_changes);
	tcase_add_test(tc, import__result_may_be_a_parameter);
	tcase_add_test(tc, import__literals_are_values);
	tcase_add_test(tc, import__builtins_are_native);
	tcase_add_test(tc, import__unused_values_are_left_out);
	tcase_add_test(tc, import__kinds_of_ops);
	tcase_add_test(tc,
	    import__read_before_write_is_left_to_the_interpreter);
	tcase_add_test(tc, import__unknown_op_is_error);
	tcase_add_test(tc, import__result_never_written_is_left_to_the_interpreter);
	tcase_add_test(tc, import__places_are_kept);
	tc = gen_case(s, "inline");
	tcase_add_test(tc, inline__call_is_replaced);
	tcase_add_test(tc, inline__nested_calls);
	tcase_add_test(tc, inline__result_is_a_parameter);
	tcase_add_test(tc, inline__result_is_a_literal);
	tcase_add_test(tc, inline__one_value_for_two_results);
	tcase_add_test(tc, inline__name_taken_by_a_callee);
	tcase_add_test(tc, inline__call_of_a_version_is_kept);
	tcase_add_test(tc, inline__function_that_branches_is_kept);
	tcase_add_test(tc, inline__effect_of_the_callee_stays);
	tcase_add_test(tc, inline__recursion_is_refused);
	tcase_add_test(tc, import__initial_values_are_left_to_the_interpreter);
	tcase_add_test(tc, inline__no_writes);
	tcase_add_test(tc, inline__arity_is_checked);
	tcase_add_test(tc, inline__places_are_kept);
	tcase_add_test(tc, inline__lineage_names_the_source);
	tc = gen_case(s, "verify");
	tcase_add_test(tc, verify__each_code);
	return s;
}
