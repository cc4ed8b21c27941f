/* SPDX-License-Identifier: MIT */
/* What is known before any run: shapes and dtypes. */
#include "gen/derive/dtype.h"
#include "gen/derive/form.h"
#include "tests/t_gen.h"

Suite *gen_derive_suite(void);

static const Fusion *
fusion(const char *functions)
{
	return unit_f(functions, LEVEL_FUSION)->fusion.root;
}

static uint32_t
buffer(const Fusion *f, const char *name)
{
	for (uint32_t i = 0; i < f->n_buffers; i++)
		if (!strcmp(f->buffers[i].name, name))
			return i;
	ck_abort_msg("no buffer %s", name);
}

/* `[4,8]`, `()`, or `?`. */
static const char *
shape_of(const struct graph *g, const char *name)
{
	const struct known *k = &g->shape[buffer(g->f, name)];
	char text[200];

	if (!k->known)
		return "?";
	shape_text(&k->shape, text);
	return *text ? arena_strdup(&arena, text) : "()";
}

START_TEST(langtype__shapes)
{
	static const struct {
		const char *langtype, *shape;
	} of[] = {
		{ "float32", "" }, { "[4,8]float32", "[4,8]" },
		{ "[0]int64", "[0]" }, { "[1,2,3,4,5,6,7,8]bool",
		    "[1,2,3,4,5,6,7,8]" },
		{ "any", NULL }, { "[*]float32", NULL }, { "[]int64", NULL },
		{ "[?,8]float32", NULL }, { "[4]any", NULL },
		{ "[3]char/utf8", NULL }, { "float32|float64", NULL },
		{ "[4]float32|[4]float64", NULL },
		{ "[1,2,3,4,5,6,7,8,9]bool", NULL },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct shape s;
		char text[200];
		bool known = langtype_shape(of[i].langtype, &s);

		ck_assert_msg(known == (of[i].shape != NULL), "%s",
		    of[i].langtype);
		if (!known)
			continue;
		shape_text(&s, text);
		ck_assert_str_eq(text, of[i].shape);
	}
}
END_TEST

START_TEST(shapes__flow_through_the_unit)
{
	struct graph g;

	graph_init(&g, fusion("rwfunc f(A:[4,8]float32, b:[8]float32, "
	    "x:float32, U:[*]float32) -> (B:any) {\n"
	    "deepx·add(A, b) -> t\ndeepx·mul(b, x) -> u\n"
	    "deepx·sum(t, -1, true) -> s\ndeepx·sum(t, 0, false) -> d\n"
	    "to = [2, 16]\ndeepx·reshape(A, to) -> r\n"
	    "up = [3, 4, 8]\ndeepx·broadcastTo(A, up) -> v\n"
	    "deepx·add(U, A) -> w\nprint(s, d, r, v, w, u)\nt -> B\n}\n"),
	    &arena);
	ck_assert_str_eq(shape_of(&g, "A"), "[4,8]");
	ck_assert_str_eq(shape_of(&g, "t"), "[4,8]");
	ck_assert_str_eq(shape_of(&g, "u"), "[8]");
	ck_assert_str_eq(shape_of(&g, "s"), "[4,1]");
	ck_assert_str_eq(shape_of(&g, "d"), "[8]");
	ck_assert_str_eq(shape_of(&g, "r"), "[2,16]");
	ck_assert_str_eq(shape_of(&g, "v"), "[3,4,8]");
	ck_assert_str_eq(shape_of(&g, "x"), "()");
	ck_assert_str_eq(shape_of(&g, "U"), "?");
	ck_assert_str_eq(shape_of(&g, "w"), "?");
	ck_assert(!g.all_known);
}
END_TEST

START_TEST(shapes__all_known)
{
	struct graph g;

	graph_init(&g, fusion("rwfunc f(A:[4,8]float32) -> (B:any) {\n"
	    "deepx·relu(A) -> t\ndeepx·sum(t, -1, true) -> B\n}\n"), &arena);
	ck_assert(g.all_known);
	again();
	/* An axis that is a parameter leaves the result unknown. */
	graph_init(&g, fusion("rwfunc f(A:[4,8]float32, axis:int64) -> "
	    "(B:any) {\ndeepx·sum(A, axis, true) -> B\n}\n"), &arena);
	ck_assert(!g.all_known);
	ck_assert_str_eq(shape_of(&g, "B"), "?");
}
END_TEST

/* Shapes that do not fit are left to the interpreter's error. */
START_TEST(shapes__wrong_ones_are_unknown)
{
	struct graph g;

	graph_init(&g, fusion("rwfunc f(A:[4,8]float32, C:[3]float32) -> "
	    "(B:any) {\ndeepx·add(A, C) -> B\n}\n"), &arena);
	ck_assert_str_eq(shape_of(&g, "B"), "?");
}
END_TEST

START_TEST(graph__segments_between_effects)
{
	struct graph g;

	graph_init(&g, fusion("rwfunc f(A:[*]float32) -> (B:any) {\n"
	    "deepx·relu(A) -> t\ndeepx·exp(t) -> u\nprint(u)\n"
	    "deepx·exp(u) -> B\n}\n"), &arena);
	ck_assert_uint_eq(g.segment[0], g.segment[1]);
	ck_assert_uint_lt(g.segment[1], g.segment[2]);
	ck_assert_uint_lt(g.segment[2], g.segment[3]);
	ck_assert(g.result[buffer(g.f, "B")]);
	ck_assert(!g.result[buffer(g.f, "t")]);
	ck_assert_int_eq(g.producer[buffer(g.f, "u")], 1);
	ck_assert_int_eq(g.producer[buffer(g.f, "A")], -1);
}
END_TEST

static void
ck_choices(const char *params, const char *want)
{
	enum dtype t[N_DTYPES];
	struct buf out = { 0 };
	int n = dtype_choices(fusion(arena_printf(&arena, "rwfunc f(%s) -> "
	    "(B:any) {\nA -> B\n}\n", params)), t);

	for (int i = 0; i < n; i++)
		buf_printf(&out, "%s%s", i ? " " : "", dtype_name(t[i]));
	ck_assert_msg(!strcmp(out.p ? out.p : "", want), "%s: %s", params,
	    out.p ? out.p : "");
	buf_release(&out);
	again();
}

START_TEST(dtype__choices_common_to_all_that_have_one)
{
	ck_choices("A:[*]float32", "float32");
	ck_choices("A:" FLOATS, "float32 float64");
	/* Only what leaves a choice depends on T. */
	ck_choices("A:" FLOATS ", C:[*]float64", "float32 float64");
	ck_choices("A:[*]float32, C:[*]float64", "float32");
	ck_choices("A:[*]float16|[*]bfloat16", "float16 bfloat16");
	/* Halves are made where there is nothing else. */
	ck_choices("A:" FLOATS "|[*]float16|[*]bfloat16", "float32 float64");
	ck_choices("A:any", "float32 float64");
	ck_choices("A:[*]any, n:int64", "float32 float64");
	ck_choices("A:[4,8]float64, n:int64", "float32");
	ck_choices("A:[*]int64", "float32");
	ck_choices("A:[*]int64|[*]uint8", "int64 uint8");
	ck_choices("A:[*]float32|[*]bool|[*]int8, x:int8|float32|float64",
	    "int8 float32");
	/* Axes, counts and shapes are no operands. */
	ck_choices("A:[*]float32|[*]int32, n:int32|int64, axis:int32|int64|"
	    "[]int32|[]int64, s:[]int32|[]int64", "int32 float32");
}
END_TEST

START_TEST(dtype__derived)
{
	const Fusion *f = fusion("rwfunc f(A:" FLOATS ", n:int64) -> (B:any) "
	    "{\nc = 2.5\ndeepx·mul(c, A) -> t\n"
	    "deepx·argmax(t, -1, true) -> i\nxv·reshape(t, 4, 8) -> r\n"
	    "print(i, r, n)\nt -> B\n}\n");
	enum dtype *of = arena_array(&arena, f->n_buffers, sizeof *of);
	struct graph g;

	graph_init(&g, f, &arena);
	for (enum dtype t = DT_FLOAT32; t <= DT_FLOAT64; t++) {
		dtype_derive(&g, t, of);
		ck_assert_int_eq(of[buffer(f, "A")], t);
		ck_assert_int_eq(of[buffer(f, "n")], DT_INT64);
		ck_assert_int_eq(of[buffer(f, "c")], DT_FLOAT64);
		ck_assert_int_eq(of[buffer(f, "t")], t);
		ck_assert_int_eq(of[buffer(f, "i")], DT_INT64);
		ck_assert_int_eq(of[buffer(f, "r")], t);
	}
}
END_TEST

/* As the runtime computes scalars alone: the widest decides, whatever stands
 * first. */
START_TEST(dtype__of_scalars)
{
	const Fusion *f = fusion("rwfunc f(A:" FLOATS ", x:float32, n:int64) "
	    "-> (B:any) {\ndeepx·mul(x, 1.1) -> s\ndeepx·mul(n, x) -> t\n"
	    "deepx·add(t, s) -> u\ndeepx·mul(A, u) -> B\n}\n");
	enum dtype *of = arena_array(&arena, f->n_buffers, sizeof *of);
	struct graph g;

	graph_init(&g, f, &arena);
	dtype_derive(&g, DT_FLOAT32, of);
	ck_assert_int_eq(of[buffer(f, "s")], DT_FLOAT64);
	ck_assert_int_eq(of[buffer(f, "t")], DT_FLOAT32);
	ck_assert_int_eq(of[buffer(f, "u")], DT_FLOAT64);
	ck_assert_int_eq(of[buffer(f, "B")], DT_FLOAT32);
}
END_TEST

/* Why a template does not take these steps; "" when it does. */
static const char *
why_not(const Fusion *f, const char *template_, uint32_t from, uint32_t n)
{
	const struct template *t = rules_template(&plan.rules, template_);
	uint32_t step[8];
	struct graph g;
	struct fit fit;

	for (uint32_t i = 0; i < n; i++)
		step[i] = from + i;
	graph_init(&g, f, &arena);
	return form_fit(&g, t, step, n, &fit, &arena) ? "" : fit.why;
}

#define FIT(type, body, template_) \
	why_not(fusion("rwfunc f(A:" type ", C:[3]float32, x:float32, " \
	    "k:bool) -> (B:any) {\n" body "}\n"), template_, 0, 2)

START_TEST(form__why_a_template_refuses)
{
	ck_assert_str_eq(FIT("[*]float32", "deepx·relu(A) -> t\n"
	    "deepx·exp(t) -> B\n", "rows"), "it has no reduction");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·exp(A) -> t\n"
	    "deepx·sum(t, -1, true) -> B\n", "map"),
	    "the template does not take the class");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·exp(A) -> t\n"
	    "deepx·sum(t, -1, k) -> B\n", "rows"),
	    "keepdims is not a literal");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·exp(A) -> t\n"
	    "deepx·sum(t, 0, true) -> B\n", "rows"),
	    "the reduced axis is not the last one");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·sum(A, -1, true) -> t\n"
	    "deepx·sum(t, -1, true) -> B\n", "rows"),
	    "it reduces something that is not a row");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·sum(A, -1, false) -> t\n"
	    "deepx·add(A, t) -> B\n", "rows"),
	    "a dropped axis does not align");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·add(x, 1.0) -> t\n"
	    "deepx·mul(A, t) -> B\n", "map"),
	    "it computes with scalars alone");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·argmax(A, -1, true) -> t\n"
	    "deepx·add(A, t) -> B\n", "rows"),
	    "an op has no vector function");
	again();
	ck_assert_str_eq(FIT("[*]float32", "deepx·exp(A) -> t\n"
	    "deepx·sum(t, -1, true) -> B\n", "rows"), "");
}
END_TEST

START_TEST(form__all_reductions_go_over_the_space)
{
	ck_assert_str_eq(why_not(fusion("rwfunc f(A:[4,8]float32, "
	    "C:[8]float32) -> (B:any, D:any) {\n"
	    "deepx·sum(A, -1, true) -> B\ndeepx·sum(C, -1, true) -> D\n"
	    "}\n"), "rows", 0, 2), "it reduces a smaller tensor");
}
END_TEST

/* q has one value a row, but nothing in the kernel says how many rows. */
START_TEST(form__row_values_come_from_a_reduction)
{
	ck_assert_str_eq(why_not(fusion("rwfunc f(A:[*]float32, "
	    "C:[*]float32) -> (B:any) {\ndeepx·sum(C, -1, true) -> r\n"
	    "deepx·relu(r) -> q\ndeepx·mul(A, q) -> t\n"
	    "deepx·sum(t, -1, true) -> B\n}\n"), "rows", 1, 3),
	    "it computes one value a row from operands alone");
}
END_TEST

/* One operation over a [4,3] and a [3], the other over the [3] alone. */
START_TEST(form__known_outputs_have_the_dims_of_the_space)
{
	ck_assert_str_ne(why_not(fusion("rwfunc f(A:[4,3]float32, "
	    "C:[3]float32) -> (B:any, D:any) {\ndeepx·relu(C) -> D\n"
	    "deepx·add(A, D) -> B\n}\n"), "map", 0, 2), "");
	again();
	ck_assert_str_eq(why_not(fusion("rwfunc f(A:[4,3]float32, "
	    "C:[3]float32) -> (B:any) {\ndeepx·relu(C) -> t\n"
	    "deepx·add(A, t) -> B\n}\n"), "map", 0, 2), "");
}
END_TEST

Suite *
gen_derive_suite(void)
{
	Suite *s = suite_create("gen_derive");
	TCase *tc = gen_case(s, "derive");

	tcase_add_test(tc, langtype__shapes);
	tcase_add_test(tc, shapes__flow_through_the_unit);
	tcase_add_test(tc, shapes__all_known);
	tcase_add_test(tc, shapes__wrong_ones_are_unknown);
	tcase_add_test(tc, graph__segments_between_effects);
	tcase_add_test(tc, dtype__choices_common_to_all_that_have_one);
	tcase_add_test(tc, dtype__derived);
	tcase_add_test(tc, dtype__of_scalars);
	tcase_add_test(tc, form__why_a_template_refuses);
	tcase_add_test(tc, form__all_reductions_go_over_the_space);
	tcase_add_test(tc, form__row_values_come_from_a_reduction);
	tcase_add_test(tc, form__known_outputs_have_the_dims_of_the_space);
	return s;
}
