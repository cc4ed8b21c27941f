/* SPDX-License-Identifier: MIT */
/* Objects by digest: each load is itself, wrong bytes are never mapped. */
#include "tests/t_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/load.h"

Suite *runtime_load_suite(void);

enum { OBJECTS = 2000 };

/* A kernel that stores its object's number. */
static const char numbered[] = K_HEAD
"static const volatile int64_t id = 0x0123456789abcdef;\n"
"F(kernel) { (void)dim; (void)s; *(int64_t *)ptr[0] = id; return KVK_OK; }\n"
K_TABLE(K_ENTRY("", "float32", "KVK_OTHER", 0, 1, "kernel"));

struct loading {
	struct testlib lib;
	struct diag diag;
	int dir;
};

static void
setup(struct loading *l)
{
	testlib_init(&l->lib);
	diag_init(&l->diag);
	l->dir = open(testlib_folder(&l->lib), O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(l->dir, 0);
}

static void
teardown(struct loading *l)
{
	close(l->dir);
	diag_release(&l->diag);
	testlib_release(&l->lib);
}

static void
expect_refused(struct loading *l, const char *digest, const char *words)
{
	char text[512];

	diag_release(&l->diag);
	diag_init(&l->diag);
	ck_assert_ptr_null(object_get(l->dir, digest, &l->diag));
	diag_first(&l->diag, text, sizeof(text));
	ck_assert_msg(strstr(text, digest) && strstr(text, words), "%s", text);
}

static int64_t
number_of(struct loading *l, const char *digest)
{
	const struct object *o = object_get(l->dir, digest, &l->diag);
	const struct kvk_entry *e;
	int64_t n = -1;
	void *ptr = &n;

	ck_assert_ptr_nonnull(o);
	e = object_entry(o, 0, &l->diag);
	ck_assert_ptr_nonnull(e);
	ck_assert_int_eq(e->fn(&ptr, NULL, NULL), KVK_OK);
	return n;
}

START_TEST(load__2000_objects_each_its_own)
{
	const struct rlimit few = { 64, 64 };
	const int64_t mark = 0x0123456789abcdef;
	struct loading l;
	const char **digest;
	struct str so;
	char *at, *bytes;
	int64_t i;

	setup(&l);
	so = testlib_compile(&l.lib, numbered);
	bytes = arena_alloc(&l.lib.arena, so.n);
	memcpy(bytes, so.p, so.n);
	at = memmem(bytes, so.n, &mark, sizeof(mark));
	ck_assert_ptr_nonnull(at);
	digest = arena_array(&l.lib.arena, OBJECTS, sizeof(*digest));
	for (i = 0; i < OBJECTS; i++) {
		memcpy(at, &i, sizeof(i));
		digest[i] = testlib_store(&l.lib, bytes, so.n);
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (i = 0; i < OBJECTS; i++)
		ck_assert_int_eq(number_of(&l, digest[i]), i);
	for (i = 0; i < OBJECTS; i += 97)
		ck_assert_int_eq(number_of(&l, digest[i]), i);
	teardown(&l);
}
END_TEST

/* Makes memfd_create fail in this process, as some sandboxes do. */
static void
deny_memfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(*code), code };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog), 0);
}

START_TEST(load__without_memfd)
{
	struct loading l;
	const char *digest, *tmp;
	struct str so;
	char **left;
	size_t n;

	setup(&l);
	so = testlib_compile(&l.lib, numbered);
	digest = testlib_store(&l.lib, so.p, so.n);
	tmp = testlib_path(&l.lib, "tmp");
	ck_assert_int_eq(make_dirs(tmp), 0);
	setenv("TMPDIR", tmp, 1);
	deny_memfd();
	ck_assert_int_eq(number_of(&l, digest), 0x0123456789abcdef);
	/* Nothing stays behind. */
	ck_assert_int_eq(
	    dir_list(&l.lib.arena, tmp, NULL, &left, &n), 0);
	ck_assert_uint_eq(n, 0);
	digest = testlib_object(&l.lib, K_HEAD
	    "F(f) { (void)ptr; (void)dim; (void)s; return 0; }\n"
	    K_TABLE(K_ENTRY("", "float32", "KVK_MAP", 1, 1, "f")));
	setenv("TMPDIR", testlib_path(&l.lib, "absent"), 1);
	expect_refused(&l, digest, "No such file");
	teardown(&l);
}
END_TEST

/* glibc takes equal paths for the same library, also those of two folders. */
START_TEST(load__two_folders_each_their_own)
{
	const int64_t mark = 0x0123456789abcdef;
	struct loading l[2];
	const char *digest[2];
	struct str so;
	char *at;
	int64_t i;

	for (i = 0; i < 2; i++) {
		setup(&l[i]);
		so = testlib_compile(&l[i].lib, numbered);
		at = memmem(so.p, so.n, &mark, sizeof(mark));
		ck_assert_ptr_nonnull(at);
		memcpy(at, &(int64_t){ -10 - i }, sizeof(i));
		digest[i] = testlib_store(&l[i].lib, so.p, so.n);
	}
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(number_of(&l[i], digest[i]), -10 - i);
	/* What is mapped needs no file any more. */
	ck_assert_int_eq(number_of(&l[0], digest[1]), -11);
	for (i = 0; i < 2; i++)
		teardown(&l[i]);
}
END_TEST

START_TEST(load__absent)
{
	struct loading l;
	char digest[SHA256_HEX + 1];

	setup(&l);
	sha256_hex("x", 1, digest);
	expect_refused(&l, digest, "No such file");
	teardown(&l);
}
END_TEST

/* Every truncation and damage ends before a byte is mapped. */
START_TEST(load__other_bytes)
{
	static const size_t cut[] = { 1, 63, 64, 1000 };
	/* An object that no other test has mapped. */
	const int64_t mark = 0x0123456789abcdef, own = -1;
	struct loading l;
	const char *digest, *path;
	struct str so;
	char *bytes;
	size_t i;

	setup(&l);
	so = testlib_compile(&l.lib, numbered);
	bytes = memmem(so.p, so.n, &mark, sizeof(mark));
	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, &own, sizeof(own));
	digest = testlib_store(&l.lib, so.p, so.n);
	path = testlib_path(&l.lib, arena_printf(
	    &l.lib.arena, "lib/obj/%s.so", digest));
	for (i = 0; i < 4; i++) {
		file_write(path, so.p, so.n - cut[i], false);
		expect_refused(&l, digest, "digest");
	}
	bytes = arena_alloc(&l.lib.arena, so.n);
	for (i = 0; i < so.n; i += 101) {
		memcpy(bytes, so.p, so.n);
		bytes[i] ^= 0x10;
		file_write(path, bytes, so.n, false);
		expect_refused(&l, digest, "digest");
	}
	file_write(path, "", 0, false);
	expect_refused(&l, digest, "size");
	file_write(path, so.p, so.n, false);
	ck_assert_int_eq(number_of(&l, digest), own);
	teardown(&l);
}
END_TEST

START_TEST(load__not_an_object)
{
	struct loading l;
	const char *digest;

	setup(&l);
	digest = testlib_store(&l.lib, "hello, world", 12);
	expect_refused(&l, digest, "cannot use");
	teardown(&l);
}
END_TEST

START_TEST(load__other_abi)
{
	struct loading l;
	const char *digest;

	setup(&l);
	digest = testlib_object(&l.lib, K_HEAD
	    "__attribute__((visibility(\"default\"))) const struct kvk_table "
	    "kvk_table = { 99, sizeof(struct kvk_table), 0, 0, 0 };\n");
	expect_refused(&l, digest, "ABI 99, this program has 1");
	digest = testlib_object(&l.lib, "int unused;\n");
	ck_assert_ptr_null(object_get(l.dir, digest, &l.diag));
	teardown(&l);
}
END_TEST

START_TEST(load__entry_bounds)
{
	struct loading l;
	const struct object *o;

	setup(&l);
	o = object_get(l.dir, testlib_object(&l.lib, K_HEAD
	    "F(f) { (void)ptr; (void)dim; (void)s; return 0; }\n"
	    K_TABLE(K_ENTRY("", "float32", "KVK_MAP", 1, 1, "f")
	    K_ENTRY("", "float32", "9", 1, 1, "f")
	    K_ENTRY("", "float32", "KVK_MAP", 17, 1, "f")
	    K_ENTRY("", "float32", "KVK_MAP", 1, 1, "0"))), &l.diag);
	ck_assert_ptr_nonnull(o);
	ck_assert_ptr_nonnull(object_entry(o, 0, &l.diag));
	ck_assert_ptr_null(object_entry(o, 1, &l.diag));
	ck_assert_ptr_null(object_entry(o, 2, &l.diag));
	ck_assert_ptr_null(object_entry(o, 3, &l.diag));
	ck_assert_ptr_null(object_entry(o, 4, &l.diag));
	ck_assert_ptr_null(object_entry(o, -1, &l.diag));
	teardown(&l);
}
END_TEST

Suite *
runtime_load_suite(void)
{
	Suite *s = suite_create("runtime_load");
	TCase *c = tcase_create("load");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, load__2000_objects_each_its_own);
	tcase_add_test(c, load__without_memfd);
	tcase_add_test(c, load__two_folders_each_their_own);
	tcase_add_test(c, load__absent);
	tcase_add_test(c, load__other_bytes);
	tcase_add_test(c, load__not_an_object);
	tcase_add_test(c, load__other_abi);
	tcase_add_test(c, load__entry_bounds);
	suite_add_tcase(s, c);
	return s;
}
