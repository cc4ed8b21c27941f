/* SPDX-License-Identifier: MIT */
/* Functions in a space, read and written as layout does. */
#include "tests/t_gen.h"

Suite *gen_rows_suite(void);

#define TEXT \
	"lib t {\n" \
	"rwfunc f(A:[*]float32, axis:int64) -> (B:[*]float32, C:any) {\n" \
	"\tdeepx·sum(A, axis, true) -> s\n" \
	"\tdeepx·div(A, s) -> B\n" \
	"\tA -> C\n" \
	"}\n" \
	"}\n"

static const struct func *
read_f(void)
{
	const struct func *f;

	layout(TEXT);
	f = func_read(plan.space, "t·f", &arena);
	ck_assert_ptr_nonnull(f);
	return f;
}

START_TEST(read__signature)
{
	const struct func *f = read_f();

	ck_assert_str_eq(f->name, "t·f");
	ck_assert_uint_eq(f->nread, 2);
	ck_assert_uint_eq(f->nwrite, 2);
	ck_assert_str_eq(f->read[0].name, "A");
	ck_assert_str_eq(f->read[0].langtype, "[*]float32");
	ck_assert_str_eq(f->read[1].name, "axis");
	ck_assert_str_eq(f->read[1].langtype, "int64");
	ck_assert_str_eq(f->write[1].name, "C");
	ck_assert_str_eq(f->write[1].langtype, "any");
}
END_TEST

START_TEST(read__rows_without_the_return)
{
	const struct func *f = read_f();

	ck_assert_uint_eq(f->nrow, 3);
	ck_assert_str_eq(f->row[0].opcode, "deepx·sum");
	ck_assert_uint_eq(f->row[0].nread, 3);
	ck_assert_str_eq(f->row[0].read[0].name, "A");
	ck_assert_ptr_null(f->row[0].read[0].value);
	ck_assert_ptr_null(f->row[0].read[2].name);
	ck_assert_int_eq(f->row[0].read[2].value->dtype, DT_BOOL);
	ck_assert_int_eq(*(const uint8_t *)f->row[0].read[2].value->body, 1);
	ck_assert_uint_eq(f->row[0].nwrite, 1);
	ck_assert_str_eq(f->row[0].write[0], "s");
	ck_assert_str_eq(f->row[2].opcode, "=");
}
END_TEST

START_TEST(read__places)
{
	const struct func *f = read_f();

	ck_assert_str_eq(f->row[0].loc.file, "t.kv");
	ck_assert_int_eq(f->row[0].loc.line, 3);
	ck_assert_int_eq(f->row[0].loc.col, 2);
	ck_assert_int_eq(f->row[2].loc.line, 5);
}
END_TEST

#define G(body) "lib t {\nrwfunc g(A:any, n:int64) -> (B:any) {\n" body \
	"}\n}\n"

static const struct func *
read_g(const char *text)
{
	layout(text);
	return func_read(plan.space, "t·g", &arena);
}

START_TEST(read__rows_after_a_return_are_there)
{
	const struct func *f = read_g(G("A -> B\nif (n < 1) {\nreturn\n}\n"
	    "deepx·relu(A) -> B\n"));

	ck_assert_str_eq(f->row[f->nrow - 1].opcode, "deepx·relu");
	ck_assert(!func_is_straight(f));
}
END_TEST

START_TEST(read__control_flow_is_seen)
{
	ck_assert(!func_is_straight(read_g(G("i = 0\nA -> B\nwhile (i < n) {\n"
	    "deepx·relu(B) -> B\ni = i + 1\n}\n"))));
	ck_assert(func_is_straight(read_g(G("deepx·relu(A) -> B\n"))));
	/* At the end it changes nothing. */
	ck_assert(func_is_straight(read_g(G("deepx·relu(A) -> B\nreturn\n"))));
}
END_TEST

START_TEST(read__what_is_no_function)
{
	layout(TEXT);
	ck_assert_ptr_null(func_read(plan.space, "t·g", &arena));
	ck_assert_ptr_null(func_read(plan.space, "deepx·sum", &arena));
}
END_TEST

/* Every key below /lib/t but places and the source, as text. */
static char *
dump(const struct space *space)
{
	struct buf out = { 0 };
	const struct value *v;
	const char *key;
	char *text;
	size_t it = 0;

	while ((key = space_next(space, "/lib/t", &it, &v))) {
		char *hex = arena_alloc(&arena, 2 * v->n + 1);

		if (strstr(key, "‥") || strstr(key, ".src"))
			continue;
		hex_encode(hex, v->body, v->n);
		buf_printf(&out, "%s %s %s\n", key, v->langtype, hex);
	}
	ck_assert_ptr_nonnull(out.p);
	text = arena_strdup(&arena, out.p);
	buf_release(&out);
	return text;
}

/* What layout wrote, read and written again into an empty space. */
START_TEST(write__as_layout_does)
{
	const struct func *f = read_f(), *back;
	struct space *other = space_new();

	func_write(other, f, "t.kv");
	ck_assert_str_eq(dump(other), dump(plan.space));
	back = func_read(other, "t·f", &arena);
	for (size_t i = 0; i < f->nrow; i++) {
		ck_assert_str_eq(back->row[i].loc.file, "t.kv");
		ck_assert_int_eq(back->row[i].loc.line, f->row[i].loc.line);
	}
	space_free(other);
}
END_TEST

START_TEST(write__return_is_the_last_row)
{
	struct space *other = space_new();
	struct func f = { .name = "t·g" };

	func_write(other, &f, "");
	ck_assert(func_exists(other, "t·g"));
	ck_assert_ptr_nonnull(space_get(other, "/lib/t·g/[1,0]"));
	ck_assert_ptr_null(space_get(other, "/lib/t·g/[2,0]"));
	ck_assert_uint_eq(func_read(other, "t·g", &arena)->nrow, 0);
	space_free(other);
}
END_TEST

START_TEST(rwir__declared_and_abstract)
{
	static const char *const in[] = { "[*]any", "int64" };

	layout(TEXT);
	ck_assert(rwir_exists(plan.space, "deepx·sum"));
	ck_assert(rwir_is_abstract(plan.space, "deepx·sum"));
	ck_assert(!func_exists(plan.space, "deepx·sum"));
	ck_assert(!rwir_exists(plan.space, "t·f"));
	rwir_write(plan.space, "deepx/x·op", in, 2, in, 1);
	ck_assert(rwir_exists(plan.space, "deepx/x·op"));
	ck_assert(!rwir_is_abstract(plan.space, "deepx/x·op"));
	ck_assert_uint_eq(space_get(plan.space, "/lib/deepx/x·op/[0,-2]")->n,
	    strlen("int64"));
	ck_assert_ptr_null(space_get(plan.space, "/lib/deepx/x·op/[0,2]"));
}
END_TEST

/* By the bytes of the names, not of the keys: '/' comes after 'Q' and '.'. */
START_TEST(list__sorted_by_name)
{
	static const char *const name[] = { "p", "p.1", "p/Q·f", "p·f" };
	struct space *s = space_new();
	const char **got;

	for (size_t i = 0; i < 4; i++)
		func_write(s, &(struct func){ .name = name[i] }, "");
	ck_assert_uint_eq(func_list(s, &arena, &got), 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(got[i], name[i]);
	space_free(s);
}
END_TEST

START_TEST(list__empty_space)
{
	struct space *s = space_new();
	const char **got;

	ck_assert_uint_eq(func_list(s, &arena, &got), 0);
	space_free(s);
}
END_TEST

START_TEST(version__of_a_name)
{
	static const struct {
		const char *name;
		int64_t n;
	} of[] = {
		{ "deepx·softmax.1", 1 }, { "deepx·softmax.20", 20 },
		{ "deepx·softmax", 0 }, { "deepx·softmax.0", 0 },
		{ "deepx·softmax.01", 0 }, { "deepx·softmax.", 0 },
		{ "deepx·softmax.1.k0", 0 }, { "f.-1", 0 },
		{ "f.9223372036854775807", INT64_MAX },
		{ "f.9223372036854775808", 0 },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		ck_assert_msg(name_version(of[i].name) == of[i].n, "%s",
		    of[i].name);
}
END_TEST

Suite *
gen_rows_suite(void)
{
	Suite *s = suite_create("gen_rows");
	TCase *tc = gen_case(s, "rows");

	tcase_add_test(tc, read__signature);
	tcase_add_test(tc, read__rows_without_the_return);
	tcase_add_test(tc, read__places);
	tcase_add_test(tc, read__rows_after_a_return_are_there);
	tcase_add_test(tc, read__control_flow_is_seen);
	tcase_add_test(tc, read__what_is_no_function);
	tcase_add_test(tc, write__as_layout_does);
	tcase_add_test(tc, write__return_is_the_last_row);
	tcase_add_test(tc, rwir__declared_and_abstract);
	tcase_add_test(tc, list__sorted_by_name);
	tcase_add_test(tc, list__empty_space);
	tcase_add_test(tc, version__of_a_name);
	return s;
}
