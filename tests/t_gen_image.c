/* SPDX-License-Identifier: MIT */
/* The image of /lib: bound base rows, versions, what they were made from. */
#include "gen/emit/image.h"
#include "tests/t_gen.h"

Suite *gen_image_suite(void);

/* The rows of a function: `B, C = op(A, [bool])`, a line each. */
static char *
rows_of(const char *name)
{
	const struct func *f = func_read(plan.space, name, &arena);
	struct buf out = { 0 };
	char *text;

	ck_assert_msg(f != NULL, "no function %s", name);
	for (size_t i = 0; i < f->nrow; i++) {
		const struct row *r = &f->row[i];

		for (size_t k = 0; k < r->nwrite; k++)
			buf_printf(&out, "%s%s", k ? ", " : "", r->write[k]);
		buf_printf(&out, "%s%s(", r->nwrite ? " <- " : "", r->opcode);
		for (size_t k = 0; k < r->nread; k++)
			buf_printf(&out, "%s%s", k ? ", " : "",
			    r->read[k].value ? r->read[k].value->langtype :
			    r->read[k].name);
		buf_puts(&out, ")\n");
	}
	text = arena_strdup(&arena, out.p ? out.p : "");
	buf_release(&out);
	return text;
}

static void
build(const char *text, const char *unit)
{
	unit_of(text, unit, LEVEL_ARTIFACT);
	ck_assert_int_eq(image_build(&plan), 0);
}

static void
build_f(const char *functions)
{
	build(arena_printf(&arena, "lib t {\n%s\n}\n", functions), "t·f");
}

START_TEST(base__rows_are_bound)
{
	build(SOFTMAX, "deepx·softmax");
	ck_assert_str_eq(rows_of("deepx·softmax"),
	    "m <- deepx/miaobyte·reducemax(A, axis, bool)\n"
	    "e <- deepx/miaobyte·expshift(A, m)\n"
	    "s <- deepx/miaobyte·sum(e, axis, bool)\n"
	    "B <- deepx/miaobyte·div(e, s)\n");
}
END_TEST

START_TEST(version__rows_and_signature)
{
	const struct func *f;

	build(SOFTMAX, "deepx·softmax");
	ck_assert_str_eq(rows_of("deepx·softmax.1"),
	    "B <- deepx·softmax.1.k0(A)\n");
	f = func_read(plan.space, "deepx·softmax.1", &arena);
	ck_assert_uint_eq(f->nread, 2);
	ck_assert_str_eq(f->read[1].name, "axis");
	ck_assert_str_eq(f->read[1].langtype, AXES);
	ck_assert_str_eq(f->write[0].name, "B");
	/* A row is where its first op is. */
	ck_assert_str_eq(f->row[0].loc.file, "t.kv");
	ck_assert_int_eq(f->row[0].loc.line, 3);
	ck_assert(rwir_exists(plan.space, "deepx·softmax.1.k0"));
	ck_assert(!rwir_is_abstract(plan.space, "deepx·softmax.1.k0"));
	ck_assert_ptr_nonnull(space_get(plan.space,
	    "/lib/deepx·softmax.1.k0/[0,-1]"));
	ck_assert_ptr_null(space_get(plan.space,
	    "/lib/deepx·softmax.1.k0/[0,-2]"));
}
END_TEST

START_TEST(version__maxversion)
{
	const struct value *v;
	int64_t n;

	build(SOFTMAX "lib t {\nrwfunc f(A:any) -> (B:any) {\n"
	    "deepx·relu(A) -> B\n}\n}\n", "t·f");
	v = space_get(plan.space, "/lib/deepx·softmax/‥maxversion");
	ck_assert_ptr_nonnull(v);
	ck_assert_int_eq(v->dtype, DT_INT64);
	memcpy(&n, v->body, sizeof n);
	ck_assert_int_eq(n, 1);
	/* A unit without a kernel has no version. */
	ck_assert_ptr_null(space_get(plan.space, "/lib/t·f/‥maxversion"));
	ck_assert_ptr_null(func_read(plan.space, "t·f.1", &arena));
}
END_TEST

START_TEST(version__number_of_the_lock)
{
	const struct unit *u = unit_of(SOFTMAX, "deepx·softmax",
	    LEVEL_FUSION);
	struct version_line line = { .base = "deepx·softmax", .n = 7,
		.core = u->fusion.core, .program = u->inlined.core };

	again();
	versions_add(&plan.locked, &line);
	build(SOFTMAX, "deepx·softmax");
	ck_assert_str_eq(rows_of("deepx·softmax.7"),
	    "B <- deepx·softmax.7.k0(A)\n");
}
END_TEST

static const char *
text_at(const char *key)
{
	const struct value *v = space_get(plan.space, key);

	return v ? arena_strndup(&arena, v->body, v->n) : "";
}

/* A version and its base have the digest of one program. */
START_TEST(version__program_of_its_base)
{
	char program[65];
	const struct unit *u;

	build(SOFTMAX "lib t {\nrwfunc f(A:any) -> (B:any) {\n"
	    "deepx·relu(A) -> B\n}\n}\n", "t·f");
	u = map_get(&plan.units, "deepx·softmax");
	hex_encode(program, u->inlined.core.b, 32);
	ck_assert_str_eq(text_at("/lib/deepx·softmax/‥program"), program);
	ck_assert_str_eq(text_at("/lib/deepx·softmax.1/‥base"), program);
	ck_assert_str_eq(text_at("/lib/deepx·softmax/‥base"), "");
	ck_assert_uint_eq(strlen(text_at("/lib/t·f/‥program")), 64);
	ck_assert_str_ne(text_at("/lib/t·f/‥program"), program);
}
END_TEST

START_TEST(version__fusedfrom)
{
	char core[65], base[65];
	const struct value *v;
	const struct unit *u;

	build(SOFTMAX, "deepx·softmax");
	u = map_get(&plan.units, "deepx·softmax");
	hex_encode(core, u->fusion.core.b, 32);
	hex_encode(base, u->inlined.core.b, 32);
	v = space_get(plan.space, "/lib/deepx·softmax.1/‥fusedfrom");
	ck_assert_ptr_nonnull(v);
	ck_assert_str_eq(arena_strndup(&arena, v->body, v->n),
	    arena_printf(&arena, "core %s\nbase %s\n"
	    "k0 deepx/miaobyte·reducemax t.kv:3\n"
	    "k0 deepx/miaobyte·expshift t.kv:4\n"
	    "k0 deepx/miaobyte·sum t.kv:5\n"
	    "k0 deepx/miaobyte·div t.kv:6\n", core, base));
}
END_TEST

START_TEST(version__groups_in_order)
{
	build_f("rwfunc f(A:[*]float32) -> (B:[*]float32) {\n"
	    "deepx·argmax(A, -1, true) -> i\nprint(i)\n"
	    "deepx·relu(A) -> t\ndeepx·exp(t) -> u\nprint(u, 1)\n"
	    "deepx·mul(u, 2.0) -> v\ndeepx·add(v, u) -> B\n}\n");
	ck_assert_str_eq(rows_of("t·f.1"),
	    "i <- deepx/miaobyte·argmax(A, int64, bool)\n"
	    "print(i)\n"
	    "u <- t·f.1.k0(A)\n"
	    "print(u, int64)\n"
	    "B <- t·f.1.k1(u, float64)\n");
}
END_TEST

START_TEST(version__explicit_version_is_called)
{
	build_f("rwfunc f(A:[*]float32) -> (B:[*]float32) {\n"
	    "deepx·relu(A) -> t\ndeepx·exp(t) -> u\nt·g.2(u) -> B\n}\n");
	ck_assert_str_eq(rows_of("t·f.1"),
	    "u <- t·f.1.k0(A)\nB <- t·g.2(u)\n");
}
END_TEST

#define PAIR "deepx·relu(A) -> t\ndeepx·exp(t) -> u\n"

START_TEST(results__other_name)
{
	build_f("rwfunc f(A:[*]float32) -> (B:any) {\n" PAIR "u -> B\n}\n");
	ck_assert_str_eq(rows_of("t·f.1"), "u <- t·f.1.k0(A)\nB <- =(u)\n");
}
END_TEST

START_TEST(results__parameter_and_literal)
{
	build_f("rwfunc f(A:[*]float32) -> (B:any, C:any, D:any) {\n" PAIR
	    "u -> B\nA -> C\nD = 2.5\n}\n");
	ck_assert_str_eq(rows_of("t·f.1"), "u <- t·f.1.k0(A)\nB <- =(u)\n"
	    "C <- =(A)\nD <- =(float64)\n");
}
END_TEST

/* Each result ends with what the other had: neither copy may come first. */
START_TEST(results__swapped)
{
	build_f("rwfunc f(A:[*]float32) -> (P:any, Q:any) {\n"
	    "deepx·relu(A) -> P\ndeepx·exp(P) -> Q\n"
	    "P -> t\nQ -> P\nt -> Q\n}\n");
	ck_assert_str_eq(rows_of("t·f.1"), "P, Q <- t·f.1.k0(A)\n"
	    "P‥result <- =(P)\nP <- =(Q)\nQ <- =(P‥result)\n");
}
END_TEST

START_TEST(backends__declared_with_the_types_of_the_op)
{
	const struct value *v;

	build(SOFTMAX, "deepx·softmax");
	ck_assert(rwir_exists(plan.space, "deepx/miaobyte·argmax"));
	ck_assert(!rwir_is_abstract(plan.space, "deepx/miaobyte·argmax"));
	v = space_get(plan.space, "/lib/deepx/miaobyte·argmax/[0,1]");
	ck_assert_ptr_nonnull(v);
	ck_assert_str_eq(arena_strndup(&arena, v->body, v->n), "[*]int64");
	v = space_get(plan.space, "/lib/deepx/miaobyte·argmax/[0,-3]");
	ck_assert_str_eq(arena_strndup(&arena, v->body, v->n), "bool");
}
END_TEST

/* Every row is bound, also what comes after a branch or a return. */
START_TEST(base__function_that_branches)
{
	build_f("rwfunc f(A:[*]float32, n:int64) -> (B:any) {\nA -> B\n"
	    "if (n < 0) {\nreturn\n}\ndeepx·relu(A) -> t\n"
	    "deepx·exp(t) -> B\n}\n");
	ck_assert_ptr_nonnull(strstr(rows_of("t·f"),
	    "t <- deepx/miaobyte·relu(A)\nB <- deepx/miaobyte·exp(t)\n"));
	ck_assert_ptr_null(strstr(rows_of("t·f"), "deepx·"));
	ck_assert_ptr_null(space_get(plan.space, "/lib/t·f/‥maxversion"));
}
END_TEST

START_TEST(unbound__is_error)
{
	layout(SOFTMAX);
	ck_assert_int_eq(plan_units(&plan, LEVEL_ARTIFACT), 0);
	catalog_init(&plan.catalog, &arena);
	ck_assert_int_eq(image_build(&plan), -1);
	ck_assert_int_eq(diag.errors, 4);
	ck_assert_int_eq(diag.item[0].loc.line, 3);
}
END_TEST

Suite *
gen_image_suite(void)
{
	Suite *s = suite_create("gen_image");
	TCase *tc = gen_case(s, "image");

	tcase_add_test(tc, base__rows_are_bound);
	tcase_add_test(tc, version__rows_and_signature);
	tcase_add_test(tc, version__maxversion);
	tcase_add_test(tc, version__number_of_the_lock);
	tcase_add_test(tc, version__program_of_its_base);
	tcase_add_test(tc, version__fusedfrom);
	tcase_add_test(tc, version__groups_in_order);
	tcase_add_test(tc, version__explicit_version_is_called);
	tcase_add_test(tc, results__other_name);
	tcase_add_test(tc, results__parameter_and_literal);
	tcase_add_test(tc, results__swapped);
	tcase_add_test(tc, backends__declared_with_the_types_of_the_op);
	tcase_add_test(tc, base__function_that_branches);
	tcase_add_test(tc, unbound__is_error);
	return s;
}
