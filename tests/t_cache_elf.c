/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/elf.h"
#include "tests/cache_help.h"

Suite *cache_elf_suite(void);

#define TABLE                                                                 \
	"struct t { unsigned abi, size, n, entry_size; const void *entry; };" \
	"extern const struct t kvk_table;"                                    \
	"static int f(int x) { return x * 3; }"                               \
	"static int (*const fs[])(int) = { f };"                              \
	"__attribute__((visibility(\"default\"))) const struct t kvk_table = "\
	"{ 1, sizeof(struct t), 1, 8, fs };\n"
#define LINK "-s -z noexecstack"

/* Compiles and links in dir; the object's bytes. */
static struct str
build(struct arena *a, const char *dir, const char *text, const char *link)
{
	const char *cc = getenv("KVAOT_CC");

	help_write(a, dir, "k.c", text);
	ck_assert_int_eq(
	    help_run("cd '%s' && %s -c -O2 -fPIC -fvisibility=hidden "
		     "-fno-asynchronous-unwind-tables -fno-ident k.c && "
		     "ld -shared --build-id=none --hash-style=gnu -z now %s "
		     "-o k.so k.o",
		dir, cc && *cc ? cc : "clang-19", link),
	    0);
	return help_read(a, path_join(a, dir, "k.so"));
}

static int
check(const void *p, size_t n, char *why, size_t cap)
{
	struct diag d;
	int r;

	diag_init(&d);
	r = elf_check(p, n, "k.so", &d);
	ck_assert_int_eq(d.errors, r ? 1 : 0);
	diag_first(&d, why, cap);
	diag_release(&d);
	return r;
}

START_TEST(check__takes_a_kernel_object)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), why[512];
	struct elf_range *range;
	struct str so;
	size_t n;

	so = build(&a, dir, TABLE, LINK);
	ck_assert_msg(check(so.p, so.n, why, sizeof(why)) == 0, "%s", why);
	ck_assert_int_eq(elf_text(so.p, so.n, &range, &n), 0);
	ck_assert_uint_eq(n, 1);
	/* lea (%rdi,%rdi,2), %eax; ret, as objdump shows it. */
	ck_assert_uint_ge(range[0].n, 4);
	ck_assert_mem_eq(range[0].p, "\x8d\x04\x7f\xc3", 4);
	free(range);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

START_TEST(check__takes_memcpy_through_a_plt)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), why[512];
	struct elf_range *range;
	struct str so;
	size_t n;

	so = build(&a, dir,
	    "void *memcpy(void *, const void *, unsigned long);"
	    "void *memset(void *, int, unsigned long);"
	    "void *memmove(void *, const void *, unsigned long);"
	    "static void *g(void *x, void *y, unsigned long n) {"
	    "memset(x, 1, n); memmove(x, y, n); return memcpy(y, x, n); }"
	    "__attribute__((visibility(\"default\"))) const struct "
	    "{ long a, b; void *p[2]; } kvk_table = { 1, 2, { g, 0 } };\n",
	    LINK);
	ck_assert_msg(check(so.p, so.n, why, sizeof(why)) == 0, "%s", why);
	ck_assert_int_eq(elf_text(so.p, so.n, &range, &n), 0);
	ck_assert_uint_ge(n, 2);
	free(range);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

static const struct {
	const char *text, *link, *why;
} planted[] = {
	{ TABLE "__attribute__((visibility(\"default\"))) int more(void);"
		"int more(void) { return 1; }\n",
	    LINK, "'more'" },
	{ TABLE, LINK " --no-as-needed need.so", "DT_NEEDED" },
	{ TABLE, LINK " -rpath /x --enable-new-dtags", "DT_RUNPATH" },
	{ TABLE, LINK " -rpath /x --disable-new-dtags", "DT_RPATH" },
	{ TABLE "static volatile int v; static __attribute__((constructor)) "
		"void c(void) { v = 1; }\n",
	    LINK, "constructor" },
	{ TABLE "static volatile int v; static __attribute__((destructor)) "
		"void c(void) { v = 1; }\n",
	    LINK, "destructor" },
	{ TABLE "int c(void); int c(void) { return 1; }\n",
	    "-s -z noexecstack -init=c", "DT_INIT" },
	{ TABLE "__attribute__((used)) static __thread int tls = 1;\n", LINK,
	    "thread-local" },
	{ TABLE "extern int sin(int); __attribute__((used)) static int c(void)"
		"{ return sin(1); }\n",
	    LINK, "'sin'" },
	{ TABLE "extern int w(int) __attribute__((weak));"
		"__attribute__((used)) static int c(void) { return w(1); }\n",
	    LINK, "'w'" },
	{ TABLE, "-z noexecstack", "symbol table" },
	{ TABLE, "-s -z execstack", "executable stack" },
	{ TABLE, LINK " -N", "writable and executable" },
	{ "int other __attribute__((visibility(\"default\")));\n", LINK,
	    "'other'" },
	{ "__attribute__((visibility(\"default\"))) int kvk_table(void);"
	  "int kvk_table(void) { return 1; }\n",
	    LINK, "kvk_table" },
	{ "__attribute__((visibility(\"default\"))) const int kvk_table = 1;"
	  "\n",
	    LINK, "kvk_table" },
	{ TABLE, LINK " -soname x", "dynamic entry" },
};

START_TEST(check__refuses_what_is_planted)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a), why[512];
	struct str so;

	build(&a, dir, "int need __attribute__((visibility(\"default\")));\n",
	    LINK);
	ck_assert_int_eq(
	    help_run("mv '%s/k.so' '%s/need.so'", dir, dir), 0);
	so = build(&a, dir, planted[_i].text, planted[_i].link);
	ck_assert_int_eq(check(so.p, so.n, why, sizeof(why)), -1);
	ck_assert_ptr_nonnull(strstr(why, "k.so"));
	ck_assert_msg(strstr(why, planted[_i].why) != NULL, "%s", why);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

/* Bytes of their own, so that a sanitizer sees one byte too far. */
static int
check_copy(const char *p, size_t n)
{
	char *copy = malloc(n + !n), why[512];
	struct elf_range *range;
	size_t count;
	int r;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, p, n);
	r = check(copy, n, why, sizeof(why));
	ck_assert(r == 0 || strstr(why, "k.so"));
	ck_assert_int_eq(elf_text(copy, n, &range, &count), r);
	free(range);
	free(copy);
	return r;
}

START_TEST(check__every_shorter_or_longer_object_is_refused)
{
	struct arena a = { 0 };
	char *dir = help_dir(&a);
	struct str so = build(&a, dir, TABLE, LINK);
	size_t n;

	for (n = 0; n < so.n; n++)
		ck_assert_int_eq(check_copy(so.p, n), -1);
	/* file_read ends the bytes with a NUL, so one more can be read. */
	ck_assert_int_eq(check_copy(so.p, so.n), 0);
	ck_assert_int_eq(check_copy(so.p, so.n + 1), -1);
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

START_TEST(check__flipped_bits_never_crash)
{
	static const unsigned char flip[] = { 0x01, 0x10, 0x80, 0xff };
	struct arena a = { 0 };
	char *dir = help_dir(&a), *p;
	struct str so = build(&a, dir, TABLE, LINK);
	size_t i, k;
	int r;

	p = arena_strndup(&a, so.p, so.n);
	memcpy(p, so.p, so.n);
	for (i = 0; i < so.n; i++) {
		for (k = 0; k < sizeof(flip); k++) {
			p[i] = (char)(so.p[i] ^ flip[k]);
			r = check_copy(p, so.n);
			/* No byte of the ELF header may be just anything. */
			ck_assert_msg(i >= 64 || flip[k] != 0xff || r == -1,
			    "byte %zu", i);
		}
		p[i] = so.p[i];
	}
	ck_assert_int_eq(remove_tree(dir), 0);
	arena_release(&a);
}
END_TEST

Suite *
cache_elf_suite(void)
{
	Suite *s = suite_create("cache_elf");
	TCase *t = tcase_create("elf");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, check__takes_a_kernel_object);
	tcase_add_test(t, check__takes_memcpy_through_a_plt);
	tcase_add_loop_test(t, check__refuses_what_is_planted, 0,
	    sizeof(planted) / sizeof(planted[0]));
	tcase_add_test(t, check__every_shorter_or_longer_object_is_refused);
	tcase_add_test(t, check__flipped_bits_never_crash);
	suite_add_tcase(s, t);
	return s;
}
