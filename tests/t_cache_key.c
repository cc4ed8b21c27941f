/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/isa.h"
#include "cache/conf.h"
#include "cache/key.h"
#include "cache/source.h"
#include "tests/cache_help.h"

Suite *cache_key_suite(void);

#define TOOLS "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* dir/k.c with dir/inc as the only include folder. */
static int
read_in(struct arena *a, const char *dir, bool hand, struct source *s,
    struct diag *d)
{
	struct paths *inc = arena_alloc(a, sizeof(*inc));
	struct headers *headers = arena_alloc(a, sizeof(*headers));

	inc->path = arena_alloc(a, sizeof(*inc->path));
	inc->path[0] = path_join(a, dir, "inc");
	inc->n = 1;
	headers_init(headers, a, inc, hand);
	return source_read(s, a, headers, path_join(a, dir, "k.c"), d);
}

static char *
key_with(struct arena *a, const char *dir, const char *isa, const char *tools)
{
	char *key = arena_alloc(a, SHA256_HEX + 1);
	struct source s;
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(read_in(a, dir, false, &s, &d), 0);
	diag_release(&d);
	key_action(&s, isa_find(isa), tools, key);
	return key;
}

static char *
key_of(struct arena *a, const char *dir)
{
	return key_with(a, dir, "x86-64", TOOLS);
}

static void
write_kernel(struct arena *a, const char *dir)
{
	help_write(a, dir, "k.c", "#include \"vec/exp.h\"\nint x;\n");
	help_write(a, dir, "inc/vec/exp.h",
	    "#ifndef E\n#define E\n#include \"base.h\"\n#endif\n");
	help_write(a, dir, "inc/vec/base.h", "#define ONE 1\n");
	help_write(a, dir, "inc/vec/other.h", "#define TWO 2\n");
}

START_TEST(key__depends_on_texts_and_not_on_the_folder)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), *one = path_join(&a, dir, "one");
	char *two = path_join(&a, dir, "t w\xc3\xbc/o"), *key;

	write_kernel(&a, one);
	write_kernel(&a, two);
	key = key_of(&a, one);
	ck_assert_uint_eq(strlen(key), 64);
	ck_assert_str_eq(key, key_of(&a, two));
	help_write(&a, two, "inc/vec/other.h", "changed, but not included");
	ck_assert_str_eq(key, key_of(&a, two));
	help_write(&a, two, "inc/vec/base.h", "#define ONE 1 \n");
	ck_assert_str_ne(key, key_of(&a, two));
	help_write(&a, two, "inc/vec/base.h", "#define ONE 1\n");
	ck_assert_str_eq(key, key_of(&a, two));
	help_write(&a, two, "k.c", "#include \"vec/exp.h\"\nint y;\n");
	ck_assert_str_ne(key, key_of(&a, two));
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

START_TEST(key__depends_on_level_and_toolchain)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), tools[] = TOOLS, *key;

	write_kernel(&a, dir);
	key = key_of(&a, dir);
	ck_assert_str_ne(key, key_with(&a, dir, "x86-64-v3", TOOLS));
	tools[63] = '6';
	ck_assert_str_ne(key, key_with(&a, dir, "x86-64", tools));
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

/* Moving bytes from one part to the next is another key. */
START_TEST(key__parts_do_not_run_together)
{
	struct source_file one[2] = { { "kernel.c", "k.c", { "ab", 2 } },
		{ "0/h", "h", { "c", 1 } } };
	struct source_file two[2] = { { "kernel.c", "k.c", { "a", 1 } },
		{ "0/h", "h", { "bc", 2 } } };
	struct paths inc = { 0 };
	struct headers headers = { .include = &inc };
	struct source s = { .headers = &headers, .file = one, .n = 2 };
	char x[SHA256_HEX + 1], y[SHA256_HEX + 1];

	key_action(&s, isa_find("x86-64"), TOOLS, x);
	s.file = two;
	key_action(&s, isa_find("x86-64"), TOOLS, y);
	ck_assert_str_ne(x, y);
}
END_TEST

START_TEST(source__follows_as_the_compiler_does)
{
	static const char *const names[] = { "kernel.c", "0/vec/exp.h",
		"0/vec/base.h" };
	struct arena a = { 0 };
	char *dir = help_dir(&a);
	struct source s;
	struct diag d;
	size_t i;

	write_kernel(&a, dir);
	/* Not this one: vec/exp.h means its neighbour. */
	help_write(&a, dir, "inc/base.h", "#error wrong\n");
	help_write(&a, dir, "k.c",
	    "/* #include \"no.h\" */ // #include \"no.h\"\n"
	    "  #  include /* x */ \"vec/exp.h\"\n"
	    "const char *s = \"/*\"; // \\\n#include \"no.h\"\n"
	    "#inc\\\nlude \"vec/exp.h\"\n");
	diag_init(&d);
	ck_assert_int_eq(read_in(&a, dir, false, &s, &d), 0);
	diag_release(&d);
	ck_assert_uint_eq(s.n, 3);
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(s.file[i].name, names[i]);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

static const struct {
	const char *text;
	int line;
	const char *why;
} lint[] = {
	{ "int x;\n#include <math.h>\n", 2, "system header" },
	{ "#if 1\n#include \"vec/base.h\"\n#endif\n", 2, "inside #if" },
	{ "#ifdef A\n#else\n#include \"vec/base.h\"\n#endif\n", 3,
	    "inside #if" },
	{ "#ifndef A\nint x;\n#undef A\n#include \"vec/base.h\"\n#endif\n", 4,
	    "inside #if" },
	{ "#define H \"vec/base.h\"\n\n#include H\n", 3, "literal name" },
	{ "#include \"vec/none.h\"\n", 1, "in none of" },
	{ "#include \"../k.c\"\n", 1, "'..'" },
	{ "#include \"/etc/passwd\"\n", 1, "'..'" },
	{ "#include_next \"vec/base.h\"\n", 1, "not followed" },
	{ "%:import \"vec/base.h\"\n", 1, "not followed" },
	{ "/*\n*/int x = sizeof(__DATE__);\n", 2, "__DATE__" },
	{ "#if __has_include(\"x.h\")\n#endif\n", 1, "__has_include" },
	{ "int a \\\n= 1;\n__asm__(\".incbin \\\"/x\\\"\");\n", 3, "incbin" },
};

START_TEST(source__lint_names_the_line)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), why[512];
	struct source s;
	struct diag d;

	write_kernel(&a, dir);
	help_write(&a, dir, "k.c", lint[_i].text);
	diag_init(&d);
	ck_assert_int_eq(read_in(&a, dir, false, &s, &d), -1);
	ck_assert_int_eq(d.errors, 1);
	ck_assert_int_eq(d.item[0].loc.line, lint[_i].line);
	diag_first(&d, why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "k.c"));
	ck_assert_msg(strstr(why, lint[_i].why) != NULL, "%s", why);
	diag_release(&d);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

START_TEST(source__by_hand_may_include_under_if)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a);
	struct source s;
	struct diag d;

	write_kernel(&a, dir);
	help_write(&a, dir, "k.c",
	    "#ifdef __AVX2__\n#include \"vec/base.h\"\n#else\n"
	    "#include \"vec/none.h\"\n#endif\n");
	diag_init(&d);
	ck_assert_int_eq(read_in(&a, dir, true, &s, &d), 0);
	diag_release(&d);
	ck_assert_uint_eq(s.n, 2);
	ck_assert_str_eq(s.file[1].name, "0/vec/base.h");
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

/* Sources that share headers get what each gets alone: the order of their own
 * includes, a refusal each, and texts as they were when first read. */
START_TEST(source__headers_are_shared)
{
	static const char *const first[] = { "kernel.c", "0/vec/exp.h",
		"0/vec/base.h" };
	static const char *const second[] = { "kernel.c", "0/vec/base.h",
		"0/vec/exp.h" };
	struct arena a = { 0 };
	char *dir = help_dir(&a);
	struct paths *inc = arena_alloc(&a, sizeof(*inc));
	struct headers headers;
	struct source s, t;
	struct diag d;
	size_t i;

	write_kernel(&a, dir);
	help_write(&a, dir, "inc/bad.h", "\n#include <math.h>\n");
	help_write(&a, dir, "a.c", "#include \"vec/exp.h\"\n");
	help_write(&a, dir, "b.c",
	    "#include \"vec/base.h\"\n#include \"vec/exp.h\"\n");
	help_write(&a, dir, "c.c", "#include \"bad.h\"\n");
	inc->path = arena_alloc(&a, sizeof(*inc->path));
	inc->path[0] = path_join(&a, dir, "inc");
	inc->n = 1;
	headers_init(&headers, &a, inc, false);
	diag_init(&d);
	ck_assert_int_eq(source_read(&s, &a, &headers,
	    path_join(&a, dir, "a.c"), &d), 0);
	help_write(&a, dir, "inc/vec/base.h", "#error changed\n");
	ck_assert_int_eq(source_read(&t, &a, &headers,
	    path_join(&a, dir, "b.c"), &d), 0);
	ck_assert_uint_eq(s.n, 3);
	ck_assert_uint_eq(t.n, 3);
	for (i = 0; i < 3; i++) {
		ck_assert_str_eq(s.file[i].name, first[i]);
		ck_assert_str_eq(t.file[i].name, second[i]);
	}
	ck_assert_ptr_eq(t.file[1].text.p, s.file[2].text.p);
	diag_release(&d);
	for (i = 0; i < 2; i++) {
		diag_init(&d);
		ck_assert_int_eq(source_read(&t, &a, &headers,
		    path_join(&a, dir, "c.c"), &d), -1);
		ck_assert_int_eq(d.errors, 1);
		ck_assert_int_eq(d.item[0].loc.line, 2);
		diag_release(&d);
	}
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

Suite *
cache_key_suite(void)
{
	Suite *s = suite_create("cache_key");
	TCase *t = tcase_create("key");

	tcase_add_test(t, key__depends_on_texts_and_not_on_the_folder);
	tcase_add_test(t, key__depends_on_level_and_toolchain);
	tcase_add_test(t, key__parts_do_not_run_together);
	tcase_add_test(t, source__follows_as_the_compiler_does);
	tcase_add_loop_test(t, source__lint_names_the_line, 0,
	    sizeof(lint) / sizeof(lint[0]));
	tcase_add_test(t, source__by_hand_may_include_under_if);
	tcase_add_test(t, source__headers_are_shared);
	suite_add_tcase(s, t);
	return s;
}
