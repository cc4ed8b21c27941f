/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "space/npy.h"

Suite *space_npy_suite(void);

/*
 * Files as numpy.save writes them: magic, version 1.0, 118 bytes of header
 * ('v'), of which the blanks are a parameter.
 */
#define V1 "\x93NUMPY\1\0v\0"
#define SP10 "          "
#define SP60 SP10 SP10 SP10 SP10 SP10 SP10

/* A text of bytes, the closing NUL left out. */
#define BYTES(s) (s), sizeof(s) - 1

#define F64_SCALAR V1 \
	"{'descr': '<f8', 'fortran_order': False, 'shape': (), }" SP60 "  \n" \
	"\0\0\0\0\0\0\xf8\x3f"
#define F32_3 V1 \
	"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" SP60 "\n" \
	"\0\0\x80\x3f" "\0\0\0\xc0" "\0\0\xc0\x7f"
#define I64_2X3 V1 \
	"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }" SP10 \
	SP10 SP10 SP10 SP10 "        \n" \
	"\1\0\0\0\0\0\0\0" "\2\0\0\0\0\0\0\0" "\3\0\0\0\0\0\0\0" \
	"\xff\xff\xff\xff\xff\xff\xff\xff" "\0\0\0\0\0\0\0\x80" \
	"\6\0\0\0\0\0\0\0"
#define BOOL_3 V1 \
	"{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }" SP60 "\n" \
	"\1\0\1"
#define U16_EMPTY V1 \
	"{'descr': '<u2', 'fortran_order': False, 'shape': (0,), }" SP60 "\n"

/* As NumPy before 1.14 wrote it: no comma at the end, 16-byte alignment. */
#define F64_OLD "\x93NUMPY\1\0F\0" \
	"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}" SP10 "    \n" \
	"\0\0\0\0\0\0\xf8\x3f"

static struct arena arena;

static void
teardown(void)
{
	arena_release(&arena);
}

/* Decodes from memory of exactly n bytes, so that ASan sees an overrun. */
static int
decode(const void *p, size_t n, struct value *v, struct diag *d)
{
	void *copy = malloc(n ? n : 1);
	int r;

	if (n)
		memcpy(copy, p, n);
	r = npy_decode(&arena, copy, n, "x.npy", v, d);
	free(copy);
	return r;
}

static struct value
decoded(const void *p, size_t n)
{
	struct value v = { 0 };
	struct diag d;
	char why[400];

	diag_init(&d);
	if (decode(p, n, &v, &d)) {
		diag_first(&d, why, sizeof(why));
		ck_abort_msg("%s", why);
	}
	ck_assert_int_eq(d.errors, 0);
	ck_assert_int_eq(value_check(&v, NULL), 0);
	diag_release(&d);
	return v;
}

static void
check_refused(const void *p, size_t n, const char *why)
{
	struct value v = { 0 };
	struct diag d;
	char text[400];

	diag_init(&d);
	ck_assert_int_eq(decode(p, n, &v, &d), -1);
	ck_assert_int_eq(d.errors, 1);
	diag_first(&d, text, sizeof(text));
	ck_assert_msg(strncmp(text, "x.npy: npy: expected ", 21) == 0, "%s",
	    text);
	ck_assert_msg(strstr(text, why) != NULL, "%s lacks %s", text, why);
	diag_release(&d);
}

START_TEST(npy__reads_files_of_numpy)
{
	struct value v = decoded(BYTES(F64_SCALAR));

	ck_assert_str_eq(v.langtype, "float64");
	ck_assert_int_eq(v.shape.rank, 0);
	ck_assert_double_eq(*(const double *)v.body, 1.5);
	v = decoded(BYTES(F32_3));
	ck_assert_str_eq(v.langtype, "[3]float32");
	ck_assert_float_eq(((const float *)v.body)[1], -2);
	ck_assert_float_nan(((const float *)v.body)[2]);
	v = decoded(BYTES(I64_2X3));
	ck_assert_str_eq(v.langtype, "[2,3]int64");
	ck_assert_int_eq(((const int64_t *)v.body)[2], 3);
	ck_assert_int_eq(((const int64_t *)v.body)[3], -1);
	ck_assert_int_eq(((const int64_t *)v.body)[4], INT64_MIN);
	v = decoded(BYTES(BOOL_3));
	ck_assert_str_eq(v.langtype, "[3]bool");
	ck_assert_int_eq(memcmp(v.body, "\1\0\1", 3), 0);
	v = decoded(BYTES(U16_EMPTY));
	ck_assert_str_eq(v.langtype, "[0]uint16");
	ck_assert_uint_eq(v.n, 0);
	v = decoded(BYTES(F64_OLD));
	ck_assert_str_eq(v.langtype, "[1]float64");
	ck_assert_double_eq(*(const double *)v.body, 1.5);
}
END_TEST

START_TEST(npy__writes_files_as_numpy_does)
{
	static const struct {
		const char *p;
		size_t n;
	} file[] = { { BYTES(F64_SCALAR) }, { BYTES(F32_3) },
		{ BYTES(I64_2X3) }, { BYTES(BOOL_3) }, { BYTES(U16_EMPTY) } };
	struct buf b = { 0 };
	struct value v;
	size_t i;

	for (i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		v = decoded(file[i].p, file[i].n);
		buf_clear(&b);
		npy_encode(&v, &b);
		ck_assert_uint_eq(b.n, file[i].n);
		ck_assert_int_eq(memcmp(b.p, file[i].p, b.n), 0);
	}
	buf_release(&b);
}
END_TEST

START_TEST(npy__every_dtype_round_trips)
{
	struct shape s = { 8, { 1, 1, 2, 1, 1, 1, 1, 1 } };
	struct buf b = { 0 };
	struct value v, back;
	char body[16] = { 1, 0, 1 };
	int t;

	for (t = DT_NONE + 1; t < N_DTYPES; t++) {
		v = value_tensor(&arena, (enum dtype)t, &s, body);
		buf_clear(&b);
		npy_encode(&v, &b);
		ck_assert_uint_eq((b.n - v.n) % 64, 0);
		back = decoded(b.p, b.n);
		ck_assert_str_eq(back.langtype, v.langtype);
		ck_assert_int_eq(memcmp(back.body, body, v.n), 0);
	}
	buf_release(&b);
}
END_TEST

START_TEST(npy__long_header_is_padded)
{
	struct shape s = { 8, { 0, 1LL << 50, 1LL << 50, 1LL << 50, 1LL << 50,
	    1LL << 50, 1LL << 50, 1LL << 50 } };
	struct value v = value_tensor(&arena, DT_INT8, &s, "");
	struct buf b = { 0 };
	struct value back;

	npy_encode(&v, &b);
	/* 10 + 182 + 1 bytes, up to a multiple of 64. */
	ck_assert_uint_eq(b.n, 256);
	back = decoded(b.p, b.n);
	ck_assert(shape_eq(&back.shape, &s));
	buf_release(&b);
}
END_TEST

START_TEST(npy__version_2_has_a_longer_length)
{
	struct value v = decoded(BYTES("\x93NUMPY\2\0" "\x3b\0\0\0"
	    "{'shape': (3,), 'descr': '|u1', 'fortran_order': False }  \n"
	    "abc"));

	ck_assert_str_eq(v.langtype, "[3]uint8");
	ck_assert_int_eq(memcmp(v.body, "abc", 3), 0);
	check_refused(BYTES("\x93NUMPY\2\0" "\xff\xff\xff\xff" "{}\n"),
	    "a header of 4294967295 bytes");
	check_refused(BYTES("\x93NUMPY\2\0" "\1\0"), "cut short");
}
END_TEST

/* A file of version 1.0 with a header of up to 255 bytes. */
static void
check_header(const char *header, const char *body, const char *why)
{
	struct buf b = { 0 };

	buf_put(&b, "\x93NUMPY\1\0", 8);
	buf_putc(&b, (char)strlen(header));
	buf_putc(&b, '\0');
	buf_puts(&b, header);
	buf_puts(&b, body);
	check_refused(b.p, b.n, why);
	buf_release(&b);
}

START_TEST(npy__refuses_what_it_cannot_hold)
{
#define WITH(descr, order, shape) \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape \
	", }\n"
	check_header(WITH("'<f8'", "True", "(1,)"), "12345678",
	    "False for fortran_order");
	check_header(WITH("'>f8'", "False", "(1,)"), "12345678",
	    "little-endian dtype");
	check_header(WITH("'<c8'", "False", "(1,)"), "12", "dtype");
	check_header(WITH("'<c16'", "False", "(1,)"), "12", "dtype");
	check_header(WITH("'|O'", "False", "(1,)"), "12", "dtype");
	check_header(WITH("[('a', '<f8')]", "False", "(1,)"), "12345678",
	    "dtype");
	check_header(WITH("'|u1'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"),
	    "1", "at most 8 dims");
	check_header(WITH("'|u1'", "False", "(1)"), "1", "a shape");
	check_header(WITH("'|u1'", "False", "1"), "1", "a shape");
	check_header(WITH("'|u1'", "False", "(-1,)"), "1", "dims");
	check_header(WITH("'|u1'", "False", "(1L,)"), "1", "shape");
	check_header(WITH("'|u1'", "False", "(,)"), "1", "dims");
	check_header(WITH("'|u1'", "False", "(1, 1"), "1", "dims");
	check_header(WITH("'|u1'", "False", "(9223372036854775808,)"), "1",
	    "dims");
	check_header(WITH("'<u2'", "False", "(9223372036854775807,)"), "1",
	    "elements");
	check_header(WITH("'|b1'", "False", "(2,)"), "\1\2",
	    "0 or 1 in a bool, found 2 at element 1");
	check_header(WITH("'|u1'", "False", "(2,)"), "123",
	    "2 elements of 1 bytes, found 3 bytes");
}
END_TEST

START_TEST(npy__refuses_other_headers)
{
	check_header("{'descr': '|u1', 'fortran_order': False}\n", "1",
	    "`,`");
	check_header("{'descr': '|u1', 'descr': '|u1', 'shape': (1,)}\n",
	    "1", "once each");
	check_header("{'descr': '|u1', 'fortran_order': False, "
	    "'shape': (1,), 'x': 1}\n", "1", "header's end");
	check_header("{'descr': '|u1', 'fortran_order': False, "
	    "'shape': (1,)}", "1", "header's end");
	check_header("{'descr': '|u1', 'fortran_order': False, "
	    "'shape': (1,)}\n ", "1", "header's end");
	check_header("{'descr' '|u1', 'fortran_order': False, "
	    "'shape': (1,)}\n", "1", "`:`");
	check_header("('descr', '|u1')\n", "1", "begins with {");
	check_header("", "", "begins with {");
	check_refused(BYTES("PK\3\4 a zip file"), "NUMPY");
	check_refused(BYTES("\x93NUMPY\3\0" "\1\0\0\0 "), "found 3.0");
	check_refused(BYTES("\x93NUMPY\1\1" "\1\0 "), "found 1.1");
}
END_TEST

START_TEST(npy__cut_at_every_length_is_refused)
{
	static const char file[] = I64_2X3;
	size_t n;

	for (n = 0; n < sizeof(file) - 1; n++)
		check_refused(file, n, "expected ");
	check_refused(file, sizeof(file), "found 49 bytes");
}
END_TEST

/* There is no digest: a flip gives a refusal or another array, no crash. */
START_TEST(npy__flipped_header_bytes_are_refused_or_check)
{
	char file[] = I64_2X3;
	struct value v;
	struct diag d;
	int refused = 0;
	size_t i;

	for (i = 0; i < 128; i++) {
		file[i] = (char)~file[i];
		diag_init(&d);
		if (decode(file, sizeof(file) - 1, &v, &d))
			refused++;
		else
			ck_assert_int_eq(value_check(&v, NULL), 0);
		diag_release(&d);
		file[i] = (char)~file[i];
	}
	ck_assert_int_eq(refused, 128);
}
END_TEST

START_TEST(npy__encoding_a_text_is_a_bug)
{
	struct value v = value_text("rwir", "", 0);
	struct buf b = { 0 };

	npy_encode(&v, &b);
}
END_TEST

Suite *
space_npy_suite(void)
{
	Suite *s = suite_create("space_npy");
	TCase *t = tcase_create("npy");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, npy__reads_files_of_numpy);
	tcase_add_test(t, npy__writes_files_as_numpy_does);
	tcase_add_test(t, npy__every_dtype_round_trips);
	tcase_add_test(t, npy__long_header_is_padded);
	tcase_add_test(t, npy__version_2_has_a_longer_length);
	tcase_add_test(t, npy__refuses_what_it_cannot_hold);
	tcase_add_test(t, npy__refuses_other_headers);
	tcase_add_test(t, npy__cut_at_every_length_is_refused);
	tcase_add_test(t, npy__flipped_header_bytes_are_refused_or_check);
	tcase_add_exit_test(t, npy__encoding_a_text_is_a_bug, EXIT_BUG);
	suite_add_tcase(s, t);
	return s;
}
