/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "space/image.h"

Suite *space_image_suite(void);

/* The parts of an image by hand: head, entries. */
#define MAGIC "kvimage\n"
#define HEAD(count) MAGIC "\1\0\0\0" count "\0\0\0\0\0\0\0"
#define ENTRY_A "\2\0\0\0/a" "\4\0" "rwir" "\0\0\0\0\0\0\0\0"
#define ENTRY_B "\2\0\0\0/b" "\5\0" "int64" "\x8\0\0\0\0\0\0\0" \
	"\xfe\xff\xff\xff\xff\xff\xff\xff"

/* A text of bytes, the closing NUL left out. */
#define BYTES(s) (s), sizeof(s) - 1

/* Decodes from memory of exactly n bytes, so that ASan sees an overrun. */
static struct space *
decode(const void *p, size_t n, struct diag *d)
{
	void *copy = malloc(n ? n : 1);
	struct space *s;

	if (n)
		memcpy(copy, p, n);
	s = image_decode(copy, n, "lib/image", d);
	free(copy);
	return s;
}

static void
check_refused(const void *p, size_t n, const char *text)
{
	struct diag d;
	char out[400];

	diag_init(&d);
	ck_assert_ptr_null(decode(p, n, &d));
	ck_assert_int_eq(d.errors, 1);
	diag_first(&d, out, sizeof(out));
	ck_assert_msg(strncmp(out, "lib/image: image: ", 18) == 0, "%s", out);
	ck_assert_msg(strstr(out, text) != NULL, "%s lacks %s", out, text);
	diag_release(&d);
}

/* The content with its right digest behind it. */
static void
seal(struct buf *b, const void *p, size_t n)
{
	uint8_t digest[32];

	buf_clear(b);
	buf_put(b, p, n);
	sha256_of(p, n, digest);
	buf_put(b, digest, 32);
}

static void
check_sealed_refused(const void *p, size_t n, const char *text)
{
	struct buf b = { 0 };

	seal(&b, p, n);
	check_refused(b.p, b.n, text);
	buf_release(&b);
}

START_TEST(image__encodes_as_documented)
{
	struct space *s = space_new();
	struct buf got = { 0 }, want = { 0 };

	space_set_i64(s, "/b", -2);
	space_set_text(s, "/a", "rwir", "");
	image_encode(s, &got);
	seal(&want, BYTES(HEAD("\2") ENTRY_A ENTRY_B));
	ck_assert_uint_eq(got.n, want.n);
	ck_assert_int_eq(memcmp(got.p, want.p, got.n), 0);
	buf_release(&got);
	buf_release(&want);
	space_free(s);
}
END_TEST

START_TEST(image__round_trips)
{
	struct space *s = space_new(), *back;
	struct buf first = { 0 }, second = { 0 };
	const struct value *v;
	struct diag d;
	int i;

	diag_init(&d);
	for (i = 0; i < 300; i++)
		space_set_i64(s, (char[]){ '/', (char)(i % 26 + 'a'),
		    (char)(i / 26 + 'a'), '\0' }, i);
	space_set_text(s, "/text", "[5]char/utf8", "h\xc3\xa9llo");
	space_set_text(s, "/none", "", "");
	image_encode(s, &first);
	back = decode(first.p, first.n, &d);
	ck_assert_ptr_nonnull(back);
	ck_assert_uint_eq(space_count(back), 302);
	v = space_get(back, "/text");
	ck_assert_str_eq(v->langtype, "[5]char/utf8");
	ck_assert_uint_eq(v->n, 6);
	v = space_get(back, "/ba"); /* i == 1 */
	ck_assert_int_eq(v->dtype, DT_INT64);
	ck_assert_int_eq(*(const unsigned char *)v->body, 1);
	image_encode(back, &second);
	ck_assert_uint_eq(first.n, second.n);
	ck_assert_int_eq(memcmp(first.p, second.p, first.n), 0);
	buf_release(&first);
	buf_release(&second);
	space_free(s);
	space_free(back);
	diag_release(&d);
}
END_TEST

/* The digest of the file, and each value as the space has it. */
START_TEST(image__looks_up_without_a_space)
{
	struct space *s = space_new();
	char hex[SHA256_HEX + 1], want[SHA256_HEX + 1];
	const struct value *v, *w;
	struct buf b = { 0 };
	struct image image;
	const char *key;
	struct diag d;
	size_t it = 0;

	diag_init(&d);
	space_set_i64(s, "/b", -2);
	space_set_i64(s, "/b/c", 7);
	space_set_text(s, "/b.c", "[5]char/utf8", "hello");
	space_set_text(s, "/none", "", "");
	image_encode(s, &b);
	ck_assert_int_eq(
	    image_open(&image, b.p, b.n, "lib/image", hex, &d), 0);
	sha256_hex(b.p, b.n, want);
	ck_assert_str_eq(hex, want);
	while ((key = space_next(s, "", &it, &w))) {
		v = image_get(&image, key);
		ck_assert_ptr_nonnull(v);
		ck_assert_str_eq(v->langtype, w->langtype);
		ck_assert_int_eq(v->dtype, w->dtype);
		ck_assert_uint_eq(v->n, w->n);
		ck_assert_int_eq(memcmp(v->body, w->body, w->n), 0);
	}
	ck_assert_ptr_null(image_get(&image, "/"));
	ck_assert_ptr_null(image_get(&image, "/b/"));
	ck_assert_ptr_null(image_get(&image, "/zzz"));
	image_release(&image);
	buf_release(&b);
	space_free(s);
}
END_TEST

START_TEST(image__empty_space_round_trips)
{
	struct space *s = space_new(), *back;
	struct buf b = { 0 };
	struct diag d;

	diag_init(&d);
	image_encode(s, &b);
	ck_assert_uint_eq(b.n, 20 + 32);
	back = decode(b.p, b.n, &d);
	ck_assert_ptr_nonnull(back);
	ck_assert_uint_eq(space_count(back), 0);
	space_free(back);
	space_free(s);
	buf_release(&b);
	diag_release(&d);
}
END_TEST

START_TEST(image__cut_at_every_length_is_refused)
{
	struct buf b = { 0 };
	size_t n;

	seal(&b, BYTES(HEAD("\2") ENTRY_A ENTRY_B));
	for (n = 0; n < b.n; n++)
		check_refused(b.p, n, "expected ");
	buf_putc(&b, '\0');
	check_refused(b.p, b.n, "SHA-256");
	buf_release(&b);
}
END_TEST

START_TEST(image__every_flipped_byte_is_refused)
{
	struct buf b = { 0 };
	size_t i;

	seal(&b, BYTES(HEAD("\2") ENTRY_A ENTRY_B));
	for (i = 0; i < b.n; i++) {
		b.p[i] = (char)~b.p[i];
		check_refused(b.p, b.n, "expected ");
		b.p[i] = (char)~b.p[i];
	}
	buf_release(&b);
}
END_TEST

/* A forger can make the digest right: then nothing may be read beyond the
 * end, and what is accepted must be one image: it encodes to the same bytes. */
START_TEST(image__forged_bytes_are_refused_or_canonical)
{
	static const char content[] = HEAD("\2") ENTRY_A ENTRY_B;
	static const int change[] = { 1, 2, 0x40, 0x80, 0xff };
	struct buf b = { 0 }, again = { 0 };
	char text[sizeof(content)];
	struct space *s;
	struct diag d;
	size_t i, k;

	for (i = 0; i < sizeof(content) - 1; i++) {
		for (k = 0; k < 5; k++) {
			memcpy(text, content, sizeof(content));
			text[i] = (char)(text[i] ^ change[k]);
			seal(&b, text, sizeof(content) - 1);
			diag_init(&d);
			s = decode(b.p, b.n, &d);
			ck_assert_int_eq(d.errors, !s);
			diag_release(&d);
			if (!s)
				continue;
			buf_clear(&again);
			image_encode(s, &again);
			ck_assert_uint_eq(again.n, b.n);
			ck_assert_int_eq(memcmp(again.p, b.p, b.n), 0);
			space_free(s);
		}
	}
	buf_release(&b);
	buf_release(&again);
}
END_TEST

START_TEST(image__each_fault_is_named)
{
	check_refused(BYTES("not an image"), "kvimage");
	check_sealed_refused(BYTES(MAGIC "\2\0\0\0\0\0\0\0\0\0\0\0"),
	    "expected version 1, found 2");
	check_sealed_refused(BYTES(HEAD("\2") ENTRY_B ENTRY_A),
	    "\"/a\": expected keys in order of their bytes");
	check_sealed_refused(BYTES(HEAD("\2") ENTRY_A ENTRY_A),
	    "expected keys in order of their bytes");
	check_sealed_refused(BYTES(HEAD("\1") ENTRY_A ENTRY_B),
	    "expected the end after 1 keys, found 29 more bytes");
	check_sealed_refused(BYTES(HEAD("\3") ENTRY_A ENTRY_B),
	    "expected a key of 4 bytes, found 0");
	check_sealed_refused(BYTES(HEAD("\1") "\xff\xff\xff\xff/a"),
	    "expected a key of 4294967295 bytes, found 2");
	check_sealed_refused(BYTES(HEAD("\1") "\2\0\0\0/a" "\4\0" "rwir"
	    "\xff\xff\xff\xff\xff\xff\xff\xff"),
	    "expected a body of 18446744073709551615 bytes, found 0");
	check_sealed_refused(BYTES(HEAD("\1") "\0\0\0\0" "\4\0" "rwir"
	    "\0\0\0\0\0\0\0\0"), "expected keys in order");
	check_sealed_refused(BYTES(HEAD("\1") "\2\0\0\0/\0" "\4\0" "rwir"
	    "\0\0\0\0\0\0\0\0"), "expected a key without zero bytes");
	check_sealed_refused(BYTES(HEAD("\1") "\2\0\0\0/a" "\4\0" "r\0ir"
	    "\0\0\0\0\0\0\0\0"), "expected a langtype without zero bytes");
	check_sealed_refused(BYTES(HEAD("\1") "\2\0\0\0/a" "\5\0" "int64"
	    "\1\0\0\0\0\0\0\0" "x"), "\"/a\": expected 8 bytes for int64");
	check_sealed_refused(BYTES(MAGIC "\1\0\0\0"
	    "\xff\xff\xff\xff\xff\xff\xff\xff"), "expected a key of 4 bytes");
}
END_TEST

Suite *
space_image_suite(void)
{
	Suite *s = suite_create("space_image");
	TCase *t = tcase_create("image");

	tcase_add_test(t, image__encodes_as_documented);
	tcase_add_test(t, image__round_trips);
	tcase_add_test(t, image__looks_up_without_a_space);
	tcase_add_test(t, image__empty_space_round_trips);
	tcase_add_test(t, image__cut_at_every_length_is_refused);
	tcase_add_test(t, image__every_flipped_byte_is_refused);
	tcase_add_test(t, image__forged_bytes_are_refused_or_canonical);
	tcase_add_test(t, image__each_fault_is_named);
	suite_add_tcase(s, t);
	return s;
}
