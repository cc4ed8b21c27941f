/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "gen/ir/kvs.h"
#include "gen/ir/snapshot.h"
#include "tests/t_gen_ir.h"

Suite *gen_ir_snapshot_suite(void);

/* Snapshots */

static sigjmp_buf trapped;

static void
on_fault(int sig)
{
	(void)sig;
	siglongjmp(trapped, 1);
}

START_TEST(snapshot__is_sealed_against_writes)
{
	struct sigaction sa = { .sa_handler = on_fault };
	struct snapshot s;
	const TUnit *root;
	TUnit *u = unit_new();

	ck_assert_int_eq(snapshot_seal(&TUnit_type, u, &arena, &s, &diag), 0);
	ck_hex(s.digest, UNIT_SHA);
	ck_hex(s.core, UNIT_CORE_SHA);
	u->limit = 1;
	root = s.root;
	ck_assert_uint_eq(root->limit, 70000);
	ck_assert_int_eq(sigaction(SIGSEGV, &sa, NULL), 0);
	if (!sigsetjmp(trapped, 1)) {
		*(volatile uint64_t *)&root->ops[1].n_deps = 9;
		ck_abort_msg("a write into a sealed snapshot went through");
	}
	ck_assert_uint_eq(root->ops[1].n_deps, 1);
	snapshot_release(&s);
	ck_assert_ptr_null(s.root);
	snapshot_release(&s);
}
END_TEST

START_TEST(snapshot__bad_root_is_refused)
{
	struct snapshot s;
	TUnit *u = unit_new();

	u->result = id_of('o', "nobody");
	ck_assert_int_eq(snapshot_seal(&TUnit_type, u, &arena, &s, &diag), -1);
	ck_assert_int_eq(code_count("reference.unknown"), 1);
	ck_assert_ptr_null(s.root);
}
END_TEST

START_TEST(snapshot__opens_what_was_sealed_only)
{
	struct snapshot s, t;
	struct buf bad = { 0 };
	TUnit *u = unit_new();
	Digest d;

	ck_assert_int_eq(snapshot_seal(&TUnit_type, u, &arena, &s, &diag), 0);
	ck_assert_int_eq(snapshot_open(&TUnit_type, s.bytes, &s.digest, &arena,
	    &t, &diag), 0);
	ck_hex(t.digest, UNIT_SHA);
	ck_hex(t.core, UNIT_CORE_SHA);
	snapshot_release(&t);
	d = s.digest;
	d.b[31] ^= 1;
	ck_assert_int_eq(snapshot_open(&TUnit_type, s.bytes, &d, &arena, &t,
	    &diag), -1);
	ck_assert_int_eq(code_count("snapshot.digest"), 1);
	u->result = id_of('o', "nobody");
	ir_encode(&TUnit_type, u, &bad);
	ck_assert_int_eq(snapshot_open(&TUnit_type, buf_str(&bad), NULL,
	    &arena, &t, &diag), -1);
	ck_assert_int_eq(code_count("reference.unknown"), 1);
	buf_release(&bad);
	s.bytes.n--;
	ck_assert_int_eq(snapshot_open(&TUnit_type, s.bytes, NULL, &arena, &t,
	    &diag), -1);
	ck_assert_ptr_null(t.root);
	snapshot_release(&s);
}
END_TEST

START_TEST(snapshot__type_must_be_a_root)
{
	struct snapshot s;
	Pair p = { .name = "" };

	snapshot_seal(&Pair_type, &p, &arena, &s, &diag);
}
END_TEST
/* kvs files */

static char path[64];

static void
file_setup(void)
{
	setup();
	snprintf(path, sizeof(path), "/tmp/t_gen_ir.%ld.kvs", (long)getpid());
}

static void
file_teardown(void)
{
	unlink(path);
	teardown();
}

/* A file of two rows: by hand, but for the SHA-256 at its end. */
static struct str
two_rows(void)
{
	static const char rows[] = "kvs 1\n"
	    "\x01\x00" "a" "\x05\x00" "bound"
	    "0123456789abcdef0123456789abcdef"
	    "\x02\0\0\0\0\0\0\0" "hi"
	    "\x03\x00" "b·" "\x07\x00" "program"
	    "ABCDEFGHIJKLMNOPABCDEFGHIJKLMNOP"
	    "\x00\0\0\0\0\0\0\0";
	size_t n = sizeof(rows) - 1;
	char *p = arena_alloc(&arena, n + SHA256_LEN);

	memcpy(p, rows, n);
	sha256_of(p, n, (uint8_t *)p + n);
	return (struct str){ p, n + SHA256_LEN };
}

static void
fill_rows(struct kvs_row rows[2])
{
	rows[0] = (struct kvs_row){ .unit = "b·", .level = "program" };
	rows[1] = (struct kvs_row){ .unit = "a", .level = "bound",
		.bytes = str_of("hi") };
	memcpy(rows[0].digest.b, "ABCDEFGHIJKLMNOPABCDEFGHIJKLMNOP", 32);
	memcpy(rows[1].digest.b, "0123456789abcdef0123456789abcdef", 32);
}

START_TEST(kvs__file_is_the_documented_one)
{
	struct kvs_row rows[2];
	struct str want = two_rows(), found;

	fill_rows(rows);
	ck_assert_int_eq(kvs_write(path, rows, 2, &diag), 0);
	ck_assert_int_eq(file_read(&arena, path, &found), 0);
	ck_assert(str_eq(found, want));
}
END_TEST

START_TEST(kvs__rows_come_back)
{
	struct str file = two_rows();
	struct kvs_row *rows;
	const struct kvs_row *r;
	size_t n;

	ck_assert_int_eq(file_write(path, file.p, file.n, false), 0);
	ck_assert_int_eq(kvs_read(path, &arena, &rows, &n, &diag), 0);
	ck_assert_uint_eq(n, 2);
	r = kvs_find(rows, n, "a", "bound");
	ck_assert_ptr_eq(r, &rows[0]);
	ck_assert(str_is(r->bytes, "hi"));
	ck_assert_mem_eq(r->digest.b, "0123456789abcdef0123456789abcdef", 32);
	ck_assert_ptr_eq(kvs_find(rows, n, "b·", "program"), &rows[1]);
	ck_assert_ptr_null(kvs_find(rows, n, "a", "program"));
}
END_TEST

/* A damaged file is refused with its name. */
static void
ck_refused(const char *p, size_t n)
{
	struct kvs_row *rows;
	size_t count;

	ck_assert_int_eq(file_write(path, p, n, false), 0);
	ck_assert_int_eq(kvs_read(path, &arena, &rows, &count, &diag), -1);
	ck_assert_uint_eq(diag.n, 1);
	ck_assert_str_eq(diag.item[0].loc.file, path);
	diag_release(&diag);
	diag_init(&diag);
}

START_TEST(kvs__damage_is_refused)
{
	struct str file = two_rows();
	char *p = arena_alloc(&arena, file.n + 1);
	size_t i;

	memcpy(p, file.p, file.n);
	for (i = 0; i < file.n; i++)
		ck_refused(p, i);
	ck_refused(p, file.n + 1);
	for (i = 0; i < file.n * 8; i++) {
		p[i / 8] ^= (char)(1 << i % 8);
		ck_refused(p, file.n);
		p[i / 8] ^= (char)(1 << i % 8);
	}
}
END_TEST

/* As ck_refused, for rows whose SHA-256 is right. */
static void
ck_rows_refused(const char *rows, size_t n)
{
	char *p = arena_alloc(&arena, n + SHA256_LEN);

	memcpy(p, rows, n);
	sha256_of(p, n, (uint8_t *)p + n);
	ck_refused(p, n + SHA256_LEN);
}

#define ROW(u, l) "\x01\x00" u "\x01\x00" l \
	"0123456789abcdef0123456789abcdef\0\0\0\0\0\0\0\0"
#define REFUSED(rows) ck_rows_refused(rows, sizeof(rows) - 1)

START_TEST(kvs__wrong_rows_are_refused_despite_a_right_digest)
{
	struct str file = two_rows();
	size_t i;

	for (i = 0; i < file.n - SHA256_LEN; i++)
		if (i != 6 && i != 58)
			ck_rows_refused(file.p, i);
	REFUSED("kvs 1\n" ROW("b", "x") ROW("a", "x"));
	REFUSED("kvs 1\n" ROW("a", "x") ROW("a", "x"));
	REFUSED("kvs 1\n" ROW("a", "y") ROW("a", "x"));
	REFUSED("kvs 1\n" ROW("\n", "x"));
	REFUSED("kvs 1\n" ROW("\0", "x"));
	REFUSED("kvs 2\n" ROW("a", "x"));
	REFUSED("kvs 1\n\x00\x00\x01\x00" "x0123456789abcdef0123456789abcdef"
	    "\0\0\0\0\0\0\0\0");
	REFUSED("kvs 1\n\x01\x00" "a\x01\x00" "x"
	    "0123456789abcdef0123456789abcdef"
	    "\xff\xff\xff\xff\xff\xff\xff\xff");
}
END_TEST

START_TEST(kvs__writer_refuses_what_the_reader_would)
{
	struct kvs_row rows[2];

	fill_rows(rows);
	rows[0].unit = rows[1].unit;
	rows[0].level = rows[1].level;
	ck_assert_int_eq(kvs_write(path, rows, 2, &diag), -1);
	fill_rows(rows);
	rows[1].unit = "";
	ck_assert_int_eq(kvs_write(path, rows, 2, &diag), -1);
	ck_assert_int_eq(kvs_write("/nowhere/x.kvs", rows, 0, &diag), -1);
	ck_assert_uint_eq(diag.n, 3);
	ck_assert(!file_exists(path));
}
END_TEST

START_TEST(kvs__empty_and_absent)
{
	struct kvs_row *rows;
	size_t n;

	ck_assert_int_eq(kvs_read(path, &arena, &rows, &n, &diag), -1);
	ck_assert_uint_eq(diag.n, 1);
	ck_assert_int_eq(kvs_write(path, NULL, 0, &diag), 0);
	ck_assert_int_eq(kvs_read(path, &arena, &rows, &n, &diag), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_ptr_null(kvs_find(rows, n, "a", "bound"));
}
END_TEST

Suite *
gen_ir_snapshot_suite(void)
{
	Suite *s = suite_create("gen_ir_snapshot");
	TCase *tc = tcase_create("snapshot");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, snapshot__is_sealed_against_writes);
	tcase_add_test(tc, snapshot__bad_root_is_refused);
	tcase_add_test(tc, snapshot__opens_what_was_sealed_only);
	tcase_add_exit_test(tc, snapshot__type_must_be_a_root, EXIT_BUG);
	suite_add_tcase(s, tc);
	tc = tcase_create("kvs");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, file_setup, file_teardown);
	tcase_add_test(tc, kvs__file_is_the_documented_one);
	tcase_add_test(tc, kvs__rows_come_back);
	tcase_add_test(tc, kvs__damage_is_refused);
	tcase_add_test(tc, kvs__wrong_rows_are_refused_despite_a_right_digest);
	tcase_add_test(tc, kvs__writer_refuses_what_the_reader_would);
	tcase_add_test(tc, kvs__empty_and_absent);
	suite_add_tcase(s, tc);
	return s;
}
