/* SPDX-License-Identifier: MIT */
#include "tests/t_kv.h"

#include "kv/ast.h"
#include "kv/example.h"
#include "space/text.h"

Suite *kv_example_suite(void);

/* A function with the line as its second comment. */
static const struct kv_example *
read_in(const char *comment, const char *signature)
{
	const char *text = arena_printf(&arena,
	    "lib p {\n\t// F.\n\t%s\n\t%s\n}", comment, signature);
	const struct kv_file *file = kv_parse(&arena, "f.kv", str_of(text),
	    &diag);

	ck_assert_int_eq(file->errors, 0);
	return kv_examples(file, file->funcs, &diag);
}

static void
put_values(const struct value *v, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, " %s ", v[i].langtype);
		value_display(&v[i], out);
	}
}

/* The example's values with their types, arguments before the bar. */
static void
ex_is(const char *comment, const char *signature, size_t nreads,
    size_t nwrites, const char *want)
{
	const struct kv_example *ex = read_in(comment, signature);
	struct buf out = { 0 };

	ck_assert_int_eq(diag.errors, 0);
	ck_assert_ptr_nonnull(ex);
	ck_assert_ptr_null(ex->next);
	put_values(ex->reads, nreads, &out);
	buf_puts(&out, " |");
	put_values(ex->writes, nwrites, &out);
	ck_assert_str_eq(out.p, want);
	buf_release(&out);
}

#define TENSORS "rwfunc f(A:[*]float32|[*]float64, axis:int32|int64|[]int32) " \
	"-> (B:[*]float32|[*]float64) { }"
#define SCALARS "rwfunc f(n:int64, b:bool) -> (m:int64, x) { }"
#define NOTHING "rwfunc f() -> (B:[*]float32) { }"

/* The first kind of the type, whatever the literal's own is. */
START_TEST(example__kinds)
{
	ex_is("// ex: f([[1, 2.5], [3, 4]], -1) -> [1]", TENSORS, 2, 1,
	    " [2,2]float32 [[1.0, 2.5], [3.0, 4.0]] int32 -1 |"
	    " [1]float32 [1.0]");
	ex_is("// ex: f(2, [0, 1]) -> 3", TENSORS, 2, 1,
	    " float32 2.0 [2]int32 [0, 1] | float32 3.0");
	ex_is("// ex: f(float64([1]), int64(0)) -> float64(0.1)", TENSORS, 2, 1,
	    " [1]float64 [1.0] int64 0 | float64 0.1");
	ex_is("// ex: f(7, true) -> 8, [1.5]", SCALARS, 2, 2,
	    " int64 7 bool true | int64 8 [1]float64 [1.5]");
	ex_is("// ex: f() -> [1]", NOTHING, 0, 1, " | [1]float32 [1.0]");
}
END_TEST

START_TEST(example__lines)
{
	const struct kv_example *ex;

	ex_is("//   ex:p·f() -> 1  ", NOTHING, 0, 1, " | float32 1.0");
	ex_is("/*\n\t * ex: f() -> 1\n\t */", NOTHING, 0, 1,
	    " | float32 1.0");
	ck_assert_ptr_null(read_in("// example: f() -> 1", NOTHING));
	ck_assert_ptr_null(read_in("// see ex: f() -> 1", NOTHING));
	ck_assert_ptr_null(read_in("// ex: f() -> 1\n", NOTHING));
	ex = read_in("// ex: f() -> 1\n\t// and\n\t//  ex: f() -> 2", NOTHING);
	ck_assert_int_eq(ex->loc.line, 3);
	ck_assert_int_eq(ex->loc.col, 8);
	ck_assert_int_eq(ex->next->loc.line, 5);
	ck_assert_int_eq(ex->next->loc.col, 9);
	ck_assert_ptr_null(ex->next->next);
	ck_assert_int_eq(diag.errors, 0);
}
END_TEST

static void
refused(const char *comment, const char *signature, const char *want)
{
	char first[300];

	diag_release(&diag);
	diag_init(&diag);
	ck_assert_ptr_null(read_in(comment, signature));
	ck_assert_int_eq(diag.errors, 1);
	diag_first(&diag, first, sizeof first);
	ck_assert_str_eq(first, want);
}

START_TEST(example__refused)
{
	refused("// ex: g() -> 1", NOTHING, "f.kv:3:9: expected a call of `f`, "
	    "as in NAME(VALUE, ...) -> VALUE, ...");
	refused("// ex: q·f() -> 1", NOTHING, "f.kv:3:9: expected a call of "
	    "`f`, as in NAME(VALUE, ...) -> VALUE, ...");
	refused("// ex: f() = 1", NOTHING, "f.kv:3:13: expected `->` and what "
	    "comes out, as in NAME(VALUE, ...) -> VALUE, ...");
	refused("// ex: f()", NOTHING, "f.kv:3:12: expected `->` and what "
	    "comes out, as in NAME(VALUE, ...) -> VALUE, ...");
	refused("// ex: f(1) -> 1", NOTHING, "f.kv:3:9: `f` takes 0 "
	    "arguments, found 1");
	refused("// ex: f() -> 1, 2", NOTHING, "f.kv:3:17: expected the end "
	    "of the example after 1 results, found COMMA \",\"");
	refused("// ex: f(1, true) -> 1", SCALARS, "f.kv:3:24: `f` has 2 "
	    "results, found 1");
	refused("// ex: f(1.5, true) -> 1, 1", SCALARS, "f.kv:3:11: write "
	    "\"n\": 1.5 does not fit int64: write an integer");
	refused("// ex: f(1, 0) -> 1, 1", SCALARS, "f.kv:3:14: write \"b\": 0 "
	    "does not fit bool: write true or false");
	refused("// ex: f([1], true) -> 1, 1", SCALARS, "f.kv:3:11: `n` is of "
	    "type int64; found [1]int64");
	refused("// ex: f(int32(1), true) -> 1, 1", SCALARS, "f.kv:3:17: `n` "
	    "is of type int64; found int32");
	refused("// ex: f(x, true) -> 1, 1", SCALARS, "f.kv:3:11: in an "
	    "example `n` is a number, true, false, or an array of these with "
	    "elements; write it so, perhaps in KIND(...)");
	refused("// ex: f([], -1) -> 1", TENSORS, "f.kv:3:11: in an "
	    "example `A` is a number, true, false, or an array of these with "
	    "elements; write it so, perhaps in KIND(...)");
	refused("// ex: f() -> 1", "rwir f() -> (B:[*]float32)", "f.kv:3:9: "
	    "an example needs an rwfunc with results and a fixed number of "
	    "parameters; `f` is none");
}
END_TEST

Suite *
kv_example_suite(void)
{
	Suite *s = suite_create("kv_example");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, example__kinds);
	tcase_add_test(tc, example__lines);
	tcase_add_test(tc, example__refused);
	suite_add_tcase(s, tc);
	return s;
}
