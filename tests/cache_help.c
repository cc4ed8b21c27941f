/* SPDX-License-Identifier: MIT */
#include "tests/cache_help.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/conf.h"

const char help_kernel[] =
    "#include \"kvk.h\"\n"
    "#ifndef EXPR\n"
    "#define EXPR a[i] * b[i] + c[i]\n"
    "#endif\n"
    "static int kernel(void *const *ptr, const int64_t *dim,\n"
    "    const struct kvk_stream *s)\n"
    "{\n"
    "	const float *a = ptr[0], *b = ptr[1], *c = ptr[2];\n"
    "	float *o = ptr[3];\n"
    "	(void)s;\n"
    "	for (int64_t i = 0; i < dim[0]; i++)\n"
    "		o[i] = EXPR;\n"
    "	return KVK_OK;\n"
    "}\n"
    "static const struct kvk_entry entry[] = { { .abi = KVK_ABI,\n"
    "	.size = sizeof(struct kvk_entry), .opcode = \"\",\n"
    "	.langtypes = \"any,any,any->any\", .dtype = \"float32\",\n"
    "	.isa = K_ISA, .cls = KVK_MAP, .nin = 3, .nout = 1,\n"
    "	.fn = kernel } };\n"
    "__attribute__((visibility(\"default\")))\n"
    "const struct kvk_table kvk_table = { KVK_ABI,\n"
    "	sizeof(struct kvk_table), 1, sizeof(struct kvk_entry), entry };\n";

char *
help_dir(struct arena *a)
{
	const char *top = getenv("TMPDIR");
	char *dir = path_join(
	    a, top && *top ? top : "/tmp", "kvaot-test.XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

char *
help_write(
    struct arena *a, const char *dir, const char *name, const char *text)
{
	char *path = path_join(a, dir, name);

	ck_assert_int_eq(make_parents(path), 0);
	ck_assert_int_eq(file_write(path, text, strlen(text), false), 0);
	return path;
}

struct str
help_read(struct arena *a, const char *path)
{
	struct str s;

	ck_assert_msg(file_read(a, path, &s) == 0, "cannot read %s", path);
	return s;
}

static char *
run(struct arena *a, const char *command, int *status)
{
	struct buf b = { 0 };
	char text[4096], *out;
	FILE *f;
	size_t n;

	fflush(NULL);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	while ((n = fread(text, 1, sizeof(text), f)) > 0)
		buf_put(&b, text, n);
	n = (size_t)pclose(f);
	*status = WIFEXITED((int)n) ? WEXITSTATUS((int)n) : -1;
	out = arena_strndup(a, b.p ? b.p : "", b.n);
	buf_release(&b);
	return out;
}

static char *
print(struct arena *a, const char *fmt, va_list ap)
{
	char text[8192];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	ck_assert(n > 0 && (size_t)n < sizeof(text));
	return arena_printf(a, "( %s ) 2>&1", text);
}

int
help_run(const char *fmt, ...)
{
	struct arena a = { 0 };
	va_list ap;
	char *out;
	int status;

	va_start(ap, fmt);
	out = run(&a, print(&a, fmt, ap), &status);
	va_end(ap);
	if (status)
		fputs(out, stderr);
	arena_release(&a);
	return status;
}

char *
help_output(struct arena *a, int *status, const char *fmt, ...)
{
	va_list ap;
	char *out;

	va_start(ap, fmt);
	out = run(a, print(a, fmt, ap), status);
	va_end(ap);
	return out;
}

/* Absolute, because tests run programs in other folders. */
static char *
bin(struct arena *a)
{
	const char *s = getenv("KVAOT_BIN");
	char *full, *copy;

	ck_assert_msg(s && *s, "KVAOT_BIN must name the folder of kvobj");
	full = realpath(s, NULL);
	ck_assert_msg(full != NULL, "KVAOT_BIN: no folder %s", s);
	copy = arena_strdup(a, full);
	free(full);
	return copy;
}

/* One word of the shell. */
static char *
quote(struct arena *a, const char *text)
{
	struct buf b = { 0 };
	char *word;

	buf_puts(&b, "'");
	for (; *text; text++) {
		if (*text == '\'')
			buf_puts(&b, "'\\''");
		else
			buf_put(&b, text, 1);
	}
	buf_puts(&b, "'");
	word = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return word;
}

char *
help_program(struct arena *a, const char *name)
{
	return quote(a, path_join(a, bin(a), name));
}

void
help_conf(struct arena *a, struct conf *c)
{
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(
	    conf_read(c, a, path_join(a, bin(a), "../kvobj.conf"), &d), 0);
	diag_release(&d);
	ck_assert_ptr_nonnull(c->clang);
	ck_assert_ptr_nonnull(c->ld);
	ck_assert_ptr_nonnull(c->scan);
}

struct str
help_kvk(struct arena *a, const struct conf *c)
{
	struct str text;
	size_t i;

	for (i = 0; i < c->include.n; i++) {
		if (file_read(a, path_join(a, c->include.path[i], "kvk.h"),
			&text) == 0)
			return text;
	}
	ck_abort_msg("kvk.h is in no include folder of %s", c->file);
}
