/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "space/safetensors.h"

Suite *space_safetensors_suite(void);

static struct arena arena;

static void
teardown(void)
{
	arena_release(&arena);
}

/* A file: the length of the header, the header, the bytes. */
static void
make(struct buf *b, const char *header, const void *body, size_t n)
{
	size_t length = strlen(header);

	for (int i = 0; i < 8; i++)
		buf_putc(b, (char)(length >> 8 * i));
	buf_puts(b, header);
	buf_put(b, body, n);
}

/* From memory of exactly n bytes, so that ASan sees an overrun. */
static int
decode(const struct buf *b, size_t n, struct safetensor **t, size_t *count,
    struct diag *d)
{
	void *copy = aligned_alloc(64, n ? n : 64);
	int bad;

	if (n)
		memcpy(copy, b->p, n);
	bad = safetensors_decode(&arena, copy, n, "w.safetensors", t, count,
	    d);
	/* Their bodies are in it. */
	if (bad)
		free(copy);
	return bad;
}

/* Headers are filled up to a multiple of 8 bytes, as the format asks. */
#define TWO "{\"__metadata__\":{\"format\":\"pt\"}," \
	"\"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":" \
	"[8,16]},\"n\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]}," \
	"\"b\":{\"shape\":[0,3],\"data_offsets\":[16,16],\"dtype\":\"F64\"}}    "
#define TWO_BODY "\7\0\0\0\0\0\0\0" "\0\0\xc0\x3f" "\0\0\0\xc0"

START_TEST(safetensors__reads_tensors_in_their_place)
{
	struct buf b = { 0 };
	struct safetensor *t;
	const char *first;
	struct diag d;
	size_t n;

	ck_assert_uint_eq((sizeof TWO - 1) % 8, 0);
	diag_init(&d);
	make(&b, TWO, TWO_BODY, 16);
	ck_assert_int_eq(decode(&b, b.n, &t, &n, &d), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(t[0].name, "n");
	ck_assert_str_eq(t[0].value.langtype, "int64");
	ck_assert_int_eq(*(const int64_t *)t[0].value.body, 7);
	ck_assert_str_eq(t[1].name, "a.weight");
	ck_assert_str_eq(t[1].value.langtype, "[2,1]float32");
	ck_assert_float_eq(((const float *)t[1].value.body)[0], 1.5);
	ck_assert_float_eq(((const float *)t[1].value.body)[1], -2);
	ck_assert_str_eq(t[2].value.langtype, "[0,3]float64");
	ck_assert_uint_eq(t[2].value.n, 0);
	first = t[0].value.body;
	ck_assert_ptr_eq(t[1].value.body, first + 8);
	free((void *)(uintptr_t)(first - 8 - (sizeof TWO - 1)));
	buf_release(&b);
	diag_release(&d);
}
END_TEST

static void
check_refused(const char *header, const char *body, const char *why)
{
	struct buf b = { 0 };
	struct safetensor *t;
	struct diag d;
	char first[400];
	size_t n;

	diag_init(&d);
	make(&b, header, body, strlen(body));
	ck_assert_msg(decode(&b, b.n, &t, &n, &d), "%s was taken", header);
	ck_assert_int_eq(d.errors, 1);
	diag_first(&d, first, sizeof first);
	ck_assert_str_eq(first, why);
	buf_release(&b);
	diag_release(&d);
}

/* 1.0 is 3c00 as float16 and 3f80 as bfloat16. */
START_TEST(safetensors__every_dtype)
{
	static const struct {
		const char *name, *body, *langtype;
	} kinds[] = {
		{ "BOOL", "\1", "[1]bool" }, { "I8", "\1", "[1]int8" },
		{ "U8", "\1", "[1]uint8" }, { "I16", "\1\2", "[1]int16" },
		{ "U16", "\1\2", "[1]uint16" }, { "F16", "\1\x3c", "[1]float16" },
		{ "BF16", "\x80\x3f", "[1]bfloat16" },
		{ "I32", "1234", "[1]int32" }, { "U32", "1234", "[1]uint32" },
		{ "F32", "1234", "[1]float32" }, { "I64", "12345678", "[1]int64" },
		{ "U64", "12345678", "[1]uint64" },
		{ "F64", "12345678", "[1]float64" },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *p = kinds[i].body;
		size_t n = strlen(p), count;
		struct safetensor *t;
		struct buf b = { 0 };
		struct diag d;
		char header[96];

		snprintf(header, sizeof header, "{\"t\":{\"dtype\":\"%s\","
		    "\"shape\":[1],\"data_offsets\":[0,%zu]}}", kinds[i].name,
		    n);
		while (strlen(header) % 8)
			strcat(header, " ");
		diag_init(&d);
		make(&b, header, p, n);
		ck_assert_int_eq(decode(&b, b.n, &t, &count, &d), 0);
		ck_assert_str_eq(t[0].value.langtype, kinds[i].langtype);
		ck_assert_uint_eq(t[0].value.n, n);
		ck_assert_mem_eq(t[0].value.body, p, n);
		free((char *)(uintptr_t)t[0].value.body - 8 - strlen(header));
		buf_release(&b);
		diag_release(&d);
	}
}
END_TEST

/* Where a message about the header begins. */
#define AT(col) "w.safetensors (header):1:" #col ": "
#define ONE(dtype, shape, offsets) \
	"{\"t\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" \
	offsets "}}"

START_TEST(safetensors__refuses_what_is_wrong)
{
	check_refused("[]      ", "", AT(1) "expected an object of tensors, "
	    "found an array");
	check_refused("{\"t\":1}", "", AT(6) "expected an object of dtype, "
	    "shape and data_offsets, found 1");
	check_refused(ONE("\"F8_E4M3\"", "[1]", "[0,1]"), "1", AT(15)
	    "expected a dtype: BOOL I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64, "
	    "found the text \"F8_E4M3\"");
	check_refused(ONE("\"U8\"", "[-1]", "[0,1]"), "1", AT(29)
	    "expected a dim, found -1");
	check_refused(ONE("\"U8\"", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), "1",
	    AT(28) "expected a shape: an array of at most 8 dims, found an "
	    "array");
	check_refused(ONE("\"U8\"", "[4611686018427387904,8]", "[0,1]"), "1",
	    AT(6) "expected -1 elements of 1 bytes, found 1 bytes");
	check_refused(ONE("\"U8\"", "[2]", "[0,1]"), "1", AT(6)
	    "expected 2 elements of 1 bytes, found 1 bytes");
	check_refused(ONE("\"U8\"", "[2]", "[0,2]"), "1", AT(47) "expected two "
	    "offsets in the 1 bytes after the header, first the lower one; "
	    "the file is damaged or cut short");
	check_refused(ONE("\"U8\"", "[1]", "[1,0]"), "1", AT(47) "expected two "
	    "offsets in the 1 bytes after the header, first the lower one; "
	    "the file is damaged or cut short");
	check_refused(ONE("\"U8\"", "[1]", "[1,2]"), "12", AT(6) "expected a "
	    "tensor at offset 0, where the one before it ends, found 1");
	check_refused(ONE("\"U8\"", "[1]", "[0,1]"), "12", AT(1) "expected 1 "
	    "bytes after the header, as its tensors have, found 2");
	check_refused(ONE("\"BOOL\"", "[2]", "[0,2]"), "\1\2", AT(6)
	    "expected 0 or 1 in a bool, found 2");
	check_refused(ONE("\"U32\"", "[1]", "[0,4]"), "1234", AT(6) "expected a "
	    "tensor at a multiple of 4 bytes, found it at byte 62 of the "
	    "file; save it again with the library safetensors");
	check_refused("{\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"offsets\":1}}",
	    "1", AT(6) "the member `data_offsets` is missing");
	check_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":"
	    "[0,2]},\n\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":"
	    "[1,2]}}", "12", "w.safetensors (header):2:5: expected a tensor at "
	    "offset 2, where the one before it ends, found 1");
	check_refused("{\"t\":{},\"t\":{}}", "", AT(9) "`t` stands here twice");
	check_refused("{\"__metadata__\":{\"n\":1}}", "", AT(22) "expected a "
	    "text, found 1");
	check_refused("{} x    ", "", AT(4) "expected the end of the text, "
	    "found `x`");
}
END_TEST

START_TEST(safetensors__cut_at_every_length_is_refused)
{
	struct buf b = { 0 };
	struct safetensor *t;
	struct diag d;
	size_t n;

	make(&b, TWO, TWO_BODY, 16);
	for (size_t i = 0; i < b.n; i++) {
		diag_init(&d);
		ck_assert_int_eq(decode(&b, i, &t, &n, &d), -1);
		ck_assert_int_eq(d.errors, 1);
		diag_release(&d);
	}
	memset(b.p, 0xff, 8);
	diag_init(&d);
	ck_assert_int_eq(decode(&b, b.n, &t, &n, &d), -1);
	diag_release(&d);
	buf_release(&b);
}
END_TEST

Suite *
space_safetensors_suite(void)
{
	Suite *s = suite_create("space_safetensors");
	TCase *t = tcase_create("safetensors");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, safetensors__reads_tensors_in_their_place);
	tcase_add_test(t, safetensors__every_dtype);
	tcase_add_test(t, safetensors__refuses_what_is_wrong);
	tcase_add_test(t, safetensors__cut_at_every_length_is_refused);
	suite_add_tcase(s, t);
	return s;
}
