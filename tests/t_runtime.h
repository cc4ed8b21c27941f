/* SPDX-License-Identifier: MIT */
/*
 * A library in a temporary folder, made by hand: kernels compiled from text
 * with clang ($KVAOT_CC, else clang-19), rows of a manifest, and functions laid
 * out from kvlang text.
 */
#ifndef T_RUNTIME_H
#define T_RUNTIME_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "kv/kv.h"
#include "runtime/runtime.h"
#include "space/image.h"
#include "space/manifest.h"
#include "space/space.h"

struct testlib {
	struct arena arena;
	char dir[64];
	struct space *space;
	struct manifest manifest;
};

static inline void
testlib_init(struct testlib *t)
{
	memset(t, 0, sizeof(*t));
	strcpy(t->dir, "/tmp/kvaot-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(t->dir));
	ck_assert_int_eq(
	    make_dirs(path_join(&t->arena, t->dir, "lib/obj")), 0);
	t->space = space_new();
	manifest_init(&t->manifest);
}

static inline void
testlib_release(struct testlib *t)
{
	ck_assert_int_eq(remove_tree(t->dir), 0);
	space_free(t->space);
	manifest_release(&t->manifest);
	arena_release(&t->arena);
}

static inline const char *
testlib_path(struct testlib *t, const char *name)
{
	return path_join(&t->arena, t->dir, name);
}

static inline const char *
testlib_folder(struct testlib *t)
{
	return testlib_path(t, "lib");
}

/* Stores the bytes as an object; returns their digest. */
static inline const char *
testlib_store(struct testlib *t, const void *bytes, size_t n)
{
	char *hex = arena_alloc(&t->arena, SHA256_HEX + 1);

	sha256_hex(bytes, n, hex);
	ck_assert_int_eq(file_write(testlib_path(t, arena_printf(&t->arena,
	    "lib/obj/%s.so", hex)), bytes, n, false), 0);
	return hex;
}

/* Compiles a text that includes kvk.h; returns the object's bytes. */
static inline struct str
testlib_compile(struct testlib *t, const char *text)
{
	const char *cc = getenv("KVAOT_CC"), *top = getenv("KVAOT_TOP");
	const char *c = testlib_path(t, "k.c"), *so = testlib_path(t, "k.so");
	struct str bytes;

	ck_assert_int_eq(file_write(c, text, strlen(text), false), 0);
	ck_assert_int_eq(system(arena_printf(&t->arena,
	    "%s -std=c11 -O1 -ffp-contract=off -fPIC -fvisibility=hidden "
	    "-shared -nostdlib -s -I'%s/include' -o %s %s",
	    cc ? cc : "clang-19", top ? top : ".", so, c)), 0);
	ck_assert_int_eq(file_read(&t->arena, so, &bytes), 0);
	return bytes;
}

static inline const char *
testlib_object(struct testlib *t, const char *text)
{
	struct str bytes = testlib_compile(t, text);

	return testlib_store(t, bytes.p, bytes.n);
}

/* A back end of an op: signature rows without pattern. */
static inline void
testlib_backend(struct testlib *t, const char *opcode, enum dtype dtype,
    const char *cls, const char *object, int entry)
{
	manifest_add(&t->manifest, &(struct manifest_row){
		.opcode = opcode, .base = "", .dtype = dtype, .pattern = "",
		.guard = "", .cls = cls, .isa = "x86-64", .author = "test",
		.outdims = "", .object = object, .entry = entry,
		.shapehash = "", .cert = "" });
	space_set(t->space, arena_printf(&t->arena, "/lib/%s", opcode),
	    &(struct value){ .langtype = "def rwir", .body = "\0\0\0\0\0",
		.n = 5 });
}

static inline void
testlib_kernel(struct testlib *t, const char *opcode, const char *base,
    int64_t version, const char *pattern, const char *guard, const char *cls,
    const char *outdims, const char *object, int entry)
{
	manifest_add(&t->manifest, &(struct manifest_row){
		.opcode = opcode, .base = base, .version = version,
		.dtype = DT_FLOAT32, .pattern = pattern, .guard = guard,
		.cls = cls, .isa = "x86-64", .author = "aot",
		.outdims = outdims, .object = object, .entry = entry,
		.shapehash = "", .cert = "passed" });
}

/* Marks versions 1 to n of a base as made from the program it has now. */
static inline void
testlib_versions(struct testlib *t, const char *base, int64_t n)
{
	space_set_text(t->space, arena_printf(&t->arena, "/lib/%s/‥program",
	    base), "[7]char/utf8", "program");
	for (int64_t i = 1; i <= n; i++)
		space_set_text(t->space, arena_printf(&t->arena,
		    "/lib/%s.%lld/‥base", base, (long long)i), "[7]char/utf8",
		    "program");
	space_set_i64(t->space, arena_printf(&t->arena, "/lib/%s/‥maxversion",
	    base), n);
}

/* Lays kvlang text into the image. */
static inline void
testlib_lay(struct testlib *t, const char *file, const char *text)
{
	struct diag d;

	diag_init(&d);
	if (kv_layout_text(t->space, file, str_of(text), &d))
		diag_print(&d, stderr, 0);
	ck_assert_int_eq(d.errors, 0);
	diag_release(&d);
}

/* Writes image and manifest and makes them current. */
static inline void
testlib_publish(struct testlib *t)
{
	struct buf image = { 0 }, manifest = { 0 };
	char hex[SHA256_HEX + 1];
	const char *at;

	image_encode(t->space, &image);
	sha256_hex(image.p, image.n, t->manifest.image);
	manifest_encode(&t->manifest, &manifest);
	sha256_hex(manifest.p, manifest.n, hex);
	at = testlib_path(t, arena_printf(&t->arena, "lib/%s", hex));
	ck_assert_int_eq(make_dirs(at), 0);
	ck_assert_int_eq(file_write(path_join(&t->arena, at, "image"),
	    image.p, image.n, false), 0);
	ck_assert_int_eq(file_write(path_join(&t->arena, at, "manifest"),
	    manifest.p, manifest.n, false), 0);
	unlink(testlib_path(t, "lib/current"));
	ck_assert_int_eq(symlink(hex, testlib_path(t, "lib/current")), 0);
	buf_release(&image);
	buf_release(&manifest);
}

/* What a program wrote: to out and err, and its first error. */
struct testrun {
	struct runtime *rt;
	struct diag diag;
	FILE *out, *err;
	char *out_text, *err_text;
	size_t out_n, err_n;
	char error[1024];
};

/* Opens the published library; opt's lib, out and err are filled here. */
static inline void
testrun_open(struct testrun *r, struct testlib *t, struct runtime_options opt)
{
	memset(r, 0, sizeof(*r));
	diag_init(&r->diag);
	opt.lib = testlib_folder(t);
	opt.threads = opt.threads ? opt.threads : 1;
	opt.out = r->out = open_memstream(&r->out_text, &r->out_n);
	opt.err = r->err = open_memstream(&r->err_text, &r->err_n);
	r->rt = runtime_open(&opt, &r->diag);
	diag_first(&r->diag, r->error, sizeof(r->error));
}

static inline void
testrun_close(struct testrun *r)
{
	runtime_close(r->rt);
	fclose(r->out);
	fclose(r->err);
	free(r->out_text);
	free(r->err_text);
	diag_release(&r->diag);
}

/* Lays a program over the library and runs all its bare statements, or test.
 * Returns 0 or -1; error, out_text and err_text are then up to date. */
static inline int
testrun_program(struct testrun *r, const char *text)
{
	const char **entry;
	size_t n, i;
	int rc;

	rc = runtime_lay(
	    r->rt, "prog.kv", str_of(text), &entry, &n, &r->diag);
	for (i = 0; i < n && !rc; i++)
		rc = runtime_call(
		    r->rt, entry[i], NULL, 0, NULL, 0, &r->diag);
	if (n == 0 && !rc)
		rc = runtime_call(
		    r->rt, "test", NULL, 0, NULL, 0, &r->diag);
	fflush(r->out);
	fflush(r->err);
	diag_first(&r->diag, r->error, sizeof(r->error));
	return rc;
}

/* Parts of kernel texts: the head of every text, an entry, the table. */
#define K_HEAD "#include \"kvk.h\"\n#define F(name) static int name(" \
	"void *const *ptr, const int64_t *dim, const struct kvk_stream *s)\n"
#define K_ENTRY(op, dtype, cls, nin, nout, fn) "{ KVK_ABI, sizeof(struct " \
	"kvk_entry), \"" op "\", \"any->any\", \"" dtype "\", \"x86-64\", " \
	cls ", " #nin ", " #nout ", { 0 }, 0, 0, 0, " fn " },\n"
#define K_TABLE(entries) "static const struct kvk_entry e[] = {\n" entries \
	"};\n__attribute__((visibility(\"default\"))) const struct kvk_table " \
	"kvk_table = { KVK_ABI, sizeof(struct kvk_table), sizeof e / " \
	"sizeof *e, sizeof *e, e };\n"

#endif
