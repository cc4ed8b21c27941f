/* SPDX-License-Identifier: MIT */
/*
 * Layout against goldens: tests/golden/X.kv has X.layout, what the space then
 * holds, or X.err, every error and warning in the order of printing.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "kv/kv.h"
#include "kv/langtype.h"
#include "space/text.h"

Suite *kv_layout_suite(void);

static struct arena arena;
static struct diag diag;
static struct space *space;

static void
set_up(void)
{
	arena_init(&arena);
	diag_init(&diag);
	space = space_new();
}

static void
tear_down(void)
{
	space_free(space);
	diag_release(&diag);
	arena_release(&arena);
}

static int
lay(const char *text)
{
	return kv_layout_text(space, "f.kv", str_of(text), &diag);
}

static void
has_bytes(const char *key, const char *langtype, const void *body, size_t n)
{
	const struct value *v = space_get(space, key);

	ck_assert_msg(v != NULL, "no key %s", key);
	ck_assert_str_eq(v->langtype, langtype);
	ck_assert_uint_eq(v->n, n);
	ck_assert_mem_eq(v->body, body, n);
}

static const char *
golden_dir(void)
{
	const char *tests = getenv("KVAOT_TESTS");

	return path_join(&arena, tests ? tests : "tests", "golden");
}

/* The lines of the printed messages that carry a place. */
static void
messages(const char *name, struct buf *out)
{
	char *text = NULL, *line;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct str rest, one;

	ck_assert_ptr_nonnull(f);
	diag_print(&diag, f, 0);
	ck_assert_int_eq(fclose(f), 0);
	for (rest = (struct str){ text, n }; str_next(&rest, '\n', &one);) {
		line = arena_strndup(&arena, one.p, one.n);
		if (strstr(line, name) && strstr(line, ": "))
			buf_printf(out, "%s\n", line);
	}
	free(text);
}

static void
check_golden(const char *name)
{
	char *base = arena_strndup(&arena, name, strlen(name) - 3);
	char *want = path_join(&arena, golden_dir(),
	    arena_printf(&arena, "%s.layout", base));
	struct str text, expected;
	struct buf got = { 0 };
	int r;

	ck_assert_int_eq(file_read(&arena, path_join(&arena, golden_dir(),
	    name), &text), 0);
	r = kv_layout_text(space, name, text, &diag);
	if (file_exists(want)) {
		space_print(space, "", &got);
	} else {
		want = path_join(&arena, golden_dir(),
		    arena_printf(&arena, "%s.err", base));
		messages(name, &got);
		ck_assert_uint_eq(space_count(space), 0);
		ck_assert_int_eq(r, -1);
	}
	ck_assert_int_eq(file_read(&arena, want, &expected), 0);
	ck_assert_ptr_nonnull(got.p);
	ck_assert_str_eq(got.p, expected.p);
	buf_release(&got);
}

START_TEST(layout__goldens)
{
	char **names;
	size_t n, i;

	ck_assert_int_eq(dir_list(&arena, golden_dir(), ".kv", &names, &n), 0);
	ck_assert_uint_ge(n, 7);
	for (i = 0; i < n; i++) {
		check_golden(names[i]);
		space_free(space);
		space = space_new();
		diag_release(&diag);
		diag_init(&diag);
	}
}
END_TEST

START_TEST(layout__bodies_are_exact)
{
	static const double d[] = { 1, 2.5 };
	static const float f = 0.1f; /* nearest: not through a double */
	static const uint32_t cp[] = { 'a', 0xe9, 0x1d11e };

	ck_assert_int_eq(lay("lib p { rwfunc f(a:any, b:[]int8) -> (c:any) {\n"
	    " x:[]float64 = [1, 2.5]\n y:float32 = 0.1\n h(\"aé𝄞\") -> c\n"
	    "} }"), 0);
	has_bytes("/lib/p·f/[0,0]", "rwfunc", "\2\0\1\0\0", 5);
	has_bytes("/lib/p·f.[0,-2]", "def langtype", "b\0[]int8", 8);
	has_bytes("/lib/p·f.[0,1]", "def langtype", "c\0any", 5);
	has_bytes("/lib/p·f/[1,-1]", "[2]float64", d, 16);
	has_bytes("/lib/p·f/[1,0]", "rwir", "\0\0\0\0\0=", 6);
	has_bytes("/lib/p·f/[1,1]", "rwir", "\0\0\0\0\0x", 6);
	has_bytes("/lib/p·f/[2,-1]", "float32", &f, 4);
	has_bytes("/lib/p·f/[3,0]", "rwir|rwfunc", "\0\0\0\0\0h", 6);
	has_bytes("/lib/p·f/[3,-1]", "[3]char/utf32", cp, 12);
	has_bytes("/lib/p·f/[4,0]", "rwir", "\0\0\0\0\0return", 11);
}
END_TEST

START_TEST(layout__float32_is_rounded_once)
{
	/* Just above the middle of two floats, where a double in between
	 * lands on the middle and rounds down. */
	static const uint32_t bits = 0x3f800001;

	ck_assert_int_eq(lay("lib p { x:float32 = "
	    "1.00000005960464477540 }"), 0);
	has_bytes("/lib/p·init/[1,-1]", "float32", &bits, 4);
}
END_TEST

START_TEST(layout__replaces_one_function_exactly)
{
	ck_assert_int_eq(lay("rwfunc f(a:int64, b:int64) { g(1); g(2) }\n"
	    "lib f/x { rwfunc h() { } }\nlib p { rwfunc f() { } }"), 0);
	space_set_bool(space, "/lib/f.1/[0,0]", true);
	space_set_i64(space, "/lib/f/‥maxversion", 1);
	ck_assert_int_eq(lay("rwfunc f(a:int64) { }"), 0);
	ck_assert_ptr_null(space_get(space, "/lib/f/[2,0]"));
	ck_assert_ptr_null(space_get(space, "/lib/f.[0,-2]"));
	ck_assert_ptr_null(space_get(space, "/lib/f/‥maxversion"));
	ck_assert_ptr_nonnull(space_get(space, "/lib/f.[0,-1]"));
	ck_assert_ptr_nonnull(space_get(space, "/lib/f.1/[0,0]"));
	ck_assert_ptr_nonnull(space_get(space, "/lib/f/x·h/[0,0]"));
	ck_assert_ptr_nonnull(space_get(space, "/lib/p·f/[0,0]"));
}
END_TEST

START_TEST(layout__rwir_replaces_rwfunc_and_back)
{
	ck_assert_int_eq(lay("lib p { rwfunc f() { g() } }"), 0);
	ck_assert_int_eq(lay("lib p { rwir f(a:any) -> (b:any) }"), 0);
	ck_assert_ptr_null(space_get(space, "/lib/p·f/[0,0]"));
	ck_assert_ptr_null(space_get(space, "/lib/p·f.src"));
	has_bytes("/lib/p·f", "def rwir", "\1\0\1\0\0", 5);
	has_bytes("/lib/p·f/‥abstract", "bool", "\1", 1);
	ck_assert_int_eq(lay("lib p { rwfunc f() { } }"), 0);
	ck_assert_ptr_null(space_get(space, "/lib/p·f"));
	ck_assert_ptr_null(space_get(space, "/lib/p·f/‥abstract"));
}
END_TEST

START_TEST(layout__error_writes_nothing)
{
	ck_assert_int_eq(lay("rwfunc good() { }\nrwfunc bad(a) { }"), -1);
	ck_assert_uint_eq(space_count(space), 0);
	ck_assert_int_eq(lay(""), -1);
	ck_assert_uint_eq(space_count(space), 0);
}
END_TEST

START_TEST(layout__unassigned_read_is_a_warning_once)
{
	ck_assert_int_eq(lay("lib p { rwfunc f() -> (r:any) {\n g(x, x)\n "
	    "g(r)\n y -> y\n z:int64\n g(z) } }"), 0);
	ck_assert_uint_eq(diag.n, 2);
	ck_assert_int_eq(diag.item[0].level, DIAG_WARN);
	ck_assert_str_eq(diag.item[0].text,
	    "\"x\" is read but was never assigned");
	ck_assert_int_eq(diag.item[0].loc.line, 2);
	ck_assert_int_eq(diag.item[0].loc.col, 4);
	ck_assert_int_eq(diag.item[1].loc.line, 4);
}
END_TEST

START_TEST(langtype__valid)
{
	static const char *const good[] = { "any", "[*]any", "float32",
		"[]int64", "[2,.,*]bool", "int32|int64|[]int32|[]int64",
		"[]char/utf8", "[+]bfloat16", "[?]float8/e4m3" };
	static const char *const bad[] = { "", "int", "[]", "[*,+]int8", "|",
		"int8|", "|int8", "int64*", "[2,]int8", "[-1]int8", "[2]",
		"[2int8", "def rwir", "[1,1,1,1,1,1,1,1,1]int8", "[01]int8",
		"string", "int8||int8" };
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(kv_langtype_valid(str_of(good[i])), "%s",
		    good[i]);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!kv_langtype_valid(str_of(bad[i])), "%s",
		    bad[i]);
}
END_TEST

START_TEST(langtype__match)
{
	/* kvlang.md 3.8, worked by hand. */
	static const struct {
		const char *langtype, *value;
		bool match;
	} row[] = {
		{ "any", "[2,3]float32", true }, { "any", "int8", true },
		{ "int8", "int8", true }, { "int8", "[1]int8", false },
		{ "[]int8", "[4]int8", true }, { "[]int8", "int8", false },
		{ "[.]int8", "[2,2]int8", false },
		{ "[*]int8", "int8", true }, { "[*]int8", "[2,2]int8", true },
		{ "[+]int8", "int8", false }, { "[+]int8", "[1]int8", true },
		{ "[?]int8", "int8", true }, { "[?]int8", "[3]int8", true },
		{ "[?]int8", "[3,3]int8", false },
		{ "[*,3]int8", "[2,3]int8", true },
		{ "[*,3]int8", "[3,2]int8", false },
		{ "[2,*,3]int8", "[2,3]int8", true },
		{ "[2,*,3]int8", "[2,9,9,3]int8", true },
		{ "[2,*,3]int8", "[2]int8", false },
		{ "[*]float32|[*]float64", "[2]float64", true },
		{ "[*]float32|[*]float64", "[2]int64", false },
		{ "[*]any", "[2]int64", true }, { "[.]any", "int64", false },
		{ "[]char/utf8", "[4]char/utf8", true },
		{ "[]char/utf8", "[4]char/utf32", false },
		{ "int", "int8", false }, { "int8", "", false },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct value v = value_text(row[i].value, "", 0);

		ck_assert_msg(kv_langtype_match(str_of(row[i].langtype), &v) ==
		    row[i].match, "%s %s", row[i].langtype, row[i].value);
	}
	ck_assert(!kv_langtype_match(str_of("any"), NULL));
}
END_TEST

START_TEST(langtype__overlap)
{
	static const struct {
		const char *a, *b;
		bool overlap;
	} row[] = {
		{ "int8", "int8", true }, { "int8", "int16", false },
		{ "int8", "any", true }, { "[2]int8", "any", true },
		{ "int8", "[]int8", false }, { "int8", "[*]int8", true },
		{ "int8", "[+]int8", false }, { "[]any", "[3]int8", true },
		{ "[2,2]int8", "[+]int8", true },
		{ "[2,2]int8", "[?]int8", false },
		{ "[2,3]int8", "[2,.]int8", true },
		{ "[2,3]int8", "[3,.]int8", false },
		{ "[2,.]int8", "[.,3]int8", true },
		{ "[*]float32|[*]float64", "int8|float64", true },
		{ "[*]float32|[*]float64", "int8|int16", false },
		{ "[5]char/utf32", "[]char/utf8", false },
		{ "nonsense", "int8", true },
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct str a = str_of(row[i].a), b = str_of(row[i].b);

		ck_assert_msg(kv_langtype_overlap(a, b) == row[i].overlap,
		    "%s %s", row[i].a, row[i].b);
		ck_assert_msg(kv_langtype_overlap(b, a) == row[i].overlap,
		    "%s %s", row[i].b, row[i].a);
	}
}
END_TEST

Suite *
kv_layout_suite(void)
{
	Suite *s = suite_create("kv_layout");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, layout__goldens);
	tcase_add_test(tc, layout__bodies_are_exact);
	tcase_add_test(tc, layout__float32_is_rounded_once);
	tcase_add_test(tc, layout__replaces_one_function_exactly);
	tcase_add_test(tc, layout__rwir_replaces_rwfunc_and_back);
	tcase_add_test(tc, layout__error_writes_nothing);
	tcase_add_test(tc, layout__unassigned_read_is_a_warning_once);
	tcase_add_test(tc, langtype__valid);
	tcase_add_test(tc, langtype__match);
	tcase_add_test(tc, langtype__overlap);
	suite_add_tcase(s, tc);
	return s;
}
