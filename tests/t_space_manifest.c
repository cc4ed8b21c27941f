/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/sha256.h"
#include "space/manifest.h"

Suite *space_manifest_suite(void);

#define R4(s) s s s s
#define OBJECT R4(R4("3f9a"))
#define SHAPE R4(R4("77b0"))
#define IMAGE R4(R4("12ab"))

#define FIRST "kvmanifest 1 abi=1\n"
#define ADD "row\tdeepx/miaobyte·add\tdeepx·add\t0\tfloat32\t*,*\t-\tmap\t" \
	"x86-64\tmiaobyte\tbc(0,1)\t3\t0+0n\t" OBJECT "\t2\t-\t-\n"
#define SOFTMAX "row\tdeepx·softmax.1.k0\tdeepx·softmax\t1\tfloat32\t*xn\t" \
	"axis==-1\trows\tx86-64-v3\taot\t=0\t1\t128+4n\t" OBJECT "\t0\t" \
	SHAPE "\t-\n"
#define LAST "image\t" IMAGE "\n"

/* The digest was made with sha256sum. */
#define FILE_TEXT FIRST ADD SOFTMAX LAST "sha256\t" \
	"0dd43628cf7e7f0d9fb255d0bdbd8da68fb455c6808fec6e0d4ae3180b22a8dd\n"

static const struct manifest_row softmax = {
	.opcode = "deepx·softmax.1.k0", .base = "deepx·softmax",
	.version = 1, .dtype = DT_FLOAT32, .pattern = "*xn",
	.guard = "axis==-1", .cls = "rows", .isa = "x86-64-v3",
	.author = "aot", .outdims = "=0", .alias = 1, .scratch = 128,
	.scratch_n = 4, .object = OBJECT, .entry = 0, .shapehash = SHAPE,
};

static const struct manifest_row add = {
	.opcode = "deepx/miaobyte·add", .base = "deepx·add",
	.dtype = DT_FLOAT32, .pattern = "*,*", .guard = "", .cls = "map",
	.isa = "x86-64", .author = "miaobyte", .outdims = "bc(0,1)",
	.alias = 3, .object = OBJECT, .entry = 2, .shapehash = "",
	.cert = "",
};

/* Decodes from memory of exactly n bytes, so that ASan sees an overrun. */
static int
decode(struct manifest *m, const char *text, size_t n, struct diag *d)
{
	char *copy = malloc(n ? n : 1);
	int r;

	if (n)
		memcpy(copy, text, n);
	r = manifest_decode(m, copy, n, "lib/manifest", d);
	free(copy);
	return r;
}

/* Refused, with a message at that line (0: the whole file). */
static void
check_refused(const char *text, size_t n, int line, const char *why)
{
	struct manifest m;
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(decode(&m, text, n, &d), -1);
	ck_assert_int_eq(d.errors, 1);
	ck_assert_str_eq(d.item[0].loc.file, "lib/manifest");
	if (line >= 0)
		ck_assert_int_eq(d.item[0].loc.line, line);
	ck_assert_msg(strstr(d.item[0].text, why) != NULL, "%s lacks %s",
	    d.item[0].text, why);
	diag_release(&d);
}

static void
seal(struct buf *b, const char *text, size_t n)
{
	char hex[65];

	sha256_hex(text, n, hex);
	buf_clear(b);
	buf_put(b, text, n);
	buf_printf(b, "sha256\t%s\n", hex);
}

/* The same for a text that gets its right digest first. */
static void
check_sealed_refused(const char *text, int line, const char *why)
{
	struct buf b = { 0 };

	seal(&b, text, strlen(text));
	check_refused(b.p, b.n, line, why);
	buf_release(&b);
}

START_TEST(manifest__encodes_as_documented)
{
	struct manifest m;
	struct buf b = { 0 };

	manifest_init(&m);
	manifest_add(&m, &softmax);
	manifest_add(&m, &add);
	strcpy(m.image, IMAGE);
	manifest_encode(&m, &b);
	ck_assert_str_eq(b.p, FILE_TEXT);
	ck_assert_str_eq(m.row[0].author, "miaobyte"); /* rows are sorted */
	ck_assert_str_eq(m.row[1].author, "aot");
	buf_release(&b);
	manifest_release(&m);
}
END_TEST

START_TEST(manifest__decodes_every_column)
{
	struct manifest m;
	struct manifest_row *r;
	struct diag d;

	diag_init(&d);
	ck_assert_int_eq(decode(&m, FILE_TEXT, strlen(FILE_TEXT), &d), 0);
	ck_assert_str_eq(m.image, IMAGE);
	ck_assert_uint_eq(m.n, 2);
	r = &m.row[1];
	ck_assert_str_eq(r->opcode, "deepx·softmax.1.k0");
	ck_assert_str_eq(r->base, "deepx·softmax");
	ck_assert_int_eq(r->version, 1);
	ck_assert_int_eq(r->dtype, DT_FLOAT32);
	ck_assert_str_eq(r->pattern, "*xn");
	ck_assert_str_eq(r->guard, "axis==-1");
	ck_assert_str_eq(r->cls, "rows");
	ck_assert_str_eq(r->isa, "x86-64-v3");
	ck_assert_str_eq(r->author, "aot");
	ck_assert_str_eq(r->outdims, "=0");
	ck_assert_uint_eq(r->alias, 1);
	ck_assert_int_eq(r->scratch, 128);
	ck_assert_int_eq(r->scratch_n, 4);
	ck_assert_str_eq(r->object, OBJECT);
	ck_assert_int_eq(r->entry, 0);
	ck_assert_str_eq(r->shapehash, SHAPE);
	ck_assert_str_eq(r->cert, "");
	ck_assert_str_eq(m.row[0].guard, "");
	ck_assert_str_eq(m.row[0].shapehash, "");
	ck_assert_int_eq(m.row[0].version, 0);
	ck_assert_int_eq(m.row[0].entry, 2);
	ck_assert_int_eq(d.errors, 0);
	manifest_release(&m);
	diag_release(&d);
}
END_TEST

START_TEST(manifest__without_rows_round_trips)
{
	struct manifest m, back;
	struct buf b = { 0 };
	struct diag d;

	diag_init(&d);
	manifest_init(&m);
	strcpy(m.image, IMAGE);
	manifest_encode(&m, &b);
	ck_assert_int_eq(strncmp(b.p, FIRST LAST "sha256\t",
	    strlen(FIRST LAST) + 7), 0);
	ck_assert_int_eq(decode(&back, b.p, b.n, &d), 0);
	ck_assert_uint_eq(back.n, 0);
	manifest_release(&m);
	manifest_release(&back);
	buf_release(&b);
	diag_release(&d);
}
END_TEST

START_TEST(manifest__cut_at_every_length_is_refused)
{
	size_t n;

	for (n = 0; n < strlen(FILE_TEXT); n++)
		check_refused(FILE_TEXT, n, 0, "expected ");
	check_refused(FILE_TEXT "\n", strlen(FILE_TEXT) + 1, 0, "last line");
}
END_TEST

START_TEST(manifest__every_flipped_byte_is_refused)
{
	char text[] = FILE_TEXT;
	size_t i;

	for (i = 0; i < sizeof(text) - 1; i++) {
		text[i] = (char)(text[i] ^ 1);
		check_refused(text, sizeof(text) - 1, -1, "expected ");
		text[i] = (char)(text[i] ^ 1);
	}
}
END_TEST

/* With a right digest: refused, or read as what encodes to the same text. */
START_TEST(manifest__forged_bytes_are_refused_or_canonical)
{
	static const char content[] = FIRST ADD SOFTMAX LAST;
	static const int change[] = { 1, 4, 0x80 };
	char text[sizeof(content)];
	struct buf b = { 0 }, again = { 0 };
	struct manifest m;
	struct diag d;
	size_t i, k;

	for (i = 0; i < sizeof(content) - 1; i++) {
		for (k = 0; k < 3; k++) {
			memcpy(text, content, sizeof(content));
			text[i] = (char)(text[i] ^ change[k]);
			seal(&b, text, sizeof(content) - 1);
			diag_init(&d);
			if (decode(&m, b.p, b.n, &d)) {
				ck_assert_int_eq(d.errors, 1);
			} else {
				buf_clear(&again);
				manifest_encode(&m, &again);
				ck_assert_str_eq(again.p, b.p);
				manifest_release(&m);
			}
			diag_release(&d);
		}
	}
	buf_release(&b);
	buf_release(&again);
}
END_TEST

START_TEST(manifest__each_fault_of_the_frame_is_named)
{
	check_refused("", 0, 0, "last line");
	check_sealed_refused("kvmanifest 2 abi=1\n" LAST, 1,
	    "expected the line `kvmanifest 1 abi=1`, found `kvmanifest 2");
	check_sealed_refused("kvmanifest 1 abi=2\n" LAST, 1, "abi=1");
	check_sealed_refused(FIRST ADD, 3, "`image`");
	check_sealed_refused(FIRST LAST LAST, 2, "`image`");
	check_sealed_refused(FIRST LAST ADD, 2, "`image`");
	check_sealed_refused(FIRST "image\t-\n", 2, "`image`");
	check_sealed_refused(FIRST "\n" LAST, 2, "`image`");
	check_sealed_refused(FIRST "what\n" LAST, 2, "found `what`");
	check_sealed_refused(FIRST SOFTMAX ADD LAST, 3, "in order");
	check_sealed_refused(FIRST ADD ADD LAST, 3, "in order");
}
END_TEST

/* ADD with other columns 3 to 16: what follows opcode and base. */
#define ROW(rest) FIRST "row\tdeepx/miaobyte·add\tdeepx·add\t" rest "\n" LAST

START_TEST(manifest__each_faulty_column_is_named)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
#define MID "*,*\t-\tmap\tx86-64\tmiaobyte\tbc(0,1)"
	{ ROW("-1\tfloat32\t" MID "\t3\t0+0n\t" OBJECT "\t2\t-\t-"),
	    "column N: expected a decimal number from 0, found \"-1\"" },
	{ ROW("01\tfloat32\t" MID "\t3\t0+0n\t" OBJECT "\t2\t-\t-"),
	    "column N:" },
	{ ROW("0\tfloat8/e4m3\t" MID "\t3\t0+0n\t" OBJECT "\t2\t-\t-"),
	    "column dtype: expected a dtype such as float32" },
	{ ROW("0\t-\t" MID "\t3\t0+0n\t" OBJECT "\t2\t-\t-"),
	    "column dtype:" },
	{ ROW("0\tint8\t*\t-\tgather\tx86-64\tm\t-\t3\t0+0n\t" OBJECT
	    "\t2\t-\t-"), "column class: expected map, rows, reduce or" },
	{ ROW("0\tint8\t*\t-\tmap\t-\tm\t-\t3\t0+0n\t" OBJECT "\t2\t-\t-"),
	    "column isa: expected a text" },
	{ ROW("0\tint8\t*\t-\tmap\tx86-64\t-\t-\t3\t0+0n\t" OBJECT
	    "\t2\t-\t-"), "column author:" },
	{ ROW("0\tint8\t*\t\tmap\tx86-64\tm\t-\t3\t0+0n\t" OBJECT
	    "\t2\t-\t-"), "column guard: expected a text or -, found \"\"" },
	{ ROW("0\tint8\t*\ta\x01z\tmap\tx86-64\tm\t-\t3\t0+0n\t" OBJECT
	    "\t2\t-\t-"), "column guard:" },
	{ ROW("0\tint8\t" MID "\t0x3\t0+0n\t" OBJECT "\t2\t-\t-"),
	    "column alias:" },
	{ ROW("0\tint8\t" MID "\t3\t0\t" OBJECT "\t2\t-\t-"),
	    "column scratch: expected bytes such as 0+4n" },
	{ ROW("0\tint8\t" MID "\t3\t0+n\t" OBJECT "\t2\t-\t-"),
	    "column scratch:" },
	{ ROW("0\tint8\t" MID "\t3\t0+1+2n\t" OBJECT "\t2\t-\t-"),
	    "column scratch:" },
	{ ROW("0\tint8\t" MID "\t3\t-1+0n\t" OBJECT "\t2\t-\t-"),
	    "column scratch:" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t-\t2\t-\t-"),
	    "column object: expected 64 hexadecimal digits" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t3f9a\t2\t-\t-"),
	    "column object:" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t" R4(R4("3F9A")) "\t2\t-\t-"),
	    "column object:" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t" OBJECT
	    "\t9223372036854775808\t-\t-"), "column entry:" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t" OBJECT "\t2\t77b0\t-"),
	    "column shapehash:" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t" OBJECT "\t2\t-"),
	    "a row of 17 columns or the line `image`, found 16 columns" },
	{ ROW("0\tint8\t" MID "\t3\t0+0n\t" OBJECT "\t2\t-\t-\t-"),
	    "found 18 columns" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_sealed_refused(bad[i].text, 2, bad[i].why);
}
END_TEST

START_TEST(manifest__rows_are_unique_in_the_key_columns)
{
#define SAME(base, dtype, entry) "row\tx·y\t" base "\t1\t" dtype "\t*\t-\t" \
	"map\tx86-64\taot\t-\t0\t0+0n\t" OBJECT "\t" entry "\t-\t-\n"
	struct manifest m;
	struct buf b = { 0 };
	struct diag d;

	check_sealed_refused(FIRST SAME("a", "int8", "1")
	    SAME("b", "int8", "2") LAST, 3, "expected one row for each");
	diag_init(&d);
	seal(&b, FIRST SAME("a", "int16", "1") SAME("a", "int8", "1") LAST,
	    strlen(FIRST SAME("a", "int16", "1") SAME("a", "int8", "1")
	    LAST));
	ck_assert_int_eq(decode(&m, b.p, b.n, &d), 0);
	ck_assert_uint_eq(m.n, 2);
	manifest_release(&m);
	buf_release(&b);
	diag_release(&d);
}
END_TEST

/* Encodes one row; the caller expects a bug. */
static void
encode_row(struct manifest_row row, const char *image)
{
	struct manifest m;
	struct buf b = { 0 };

	manifest_init(&m);
	manifest_add(&m, &row);
	strcpy(m.image, image);
	manifest_encode(&m, &b);
}

START_TEST(manifest__encoding_without_image_is_a_bug)
{
	encode_row(add, "");
}
END_TEST

START_TEST(manifest__encoding_without_dtype_is_a_bug)
{
	struct manifest_row row = add;

	row.dtype = DT_NONE;
	encode_row(row, IMAGE);
}
END_TEST

START_TEST(manifest__encoding_a_tab_in_a_column_is_a_bug)
{
	struct manifest_row row = add;

	row.guard = "a\tb";
	encode_row(row, IMAGE);
}
END_TEST

Suite *
space_manifest_suite(void)
{
	Suite *s = suite_create("space_manifest");
	TCase *t = tcase_create("manifest");

	tcase_add_test(t, manifest__encodes_as_documented);
	tcase_add_test(t, manifest__decodes_every_column);
	tcase_add_test(t, manifest__without_rows_round_trips);
	tcase_add_test(t, manifest__cut_at_every_length_is_refused);
	tcase_add_test(t, manifest__every_flipped_byte_is_refused);
	tcase_add_test(t, manifest__forged_bytes_are_refused_or_canonical);
	tcase_add_test(t, manifest__each_fault_of_the_frame_is_named);
	tcase_add_test(t, manifest__each_faulty_column_is_named);
	tcase_add_test(t, manifest__rows_are_unique_in_the_key_columns);
	tcase_add_exit_test(t, manifest__encoding_without_image_is_a_bug,
	    EXIT_BUG);
	tcase_add_exit_test(t, manifest__encoding_without_dtype_is_a_bug,
	    EXIT_BUG);
	tcase_add_exit_test(t, manifest__encoding_a_tab_in_a_column_is_a_bug,
	    EXIT_BUG);
	suite_add_tcase(s, t);
	return s;
}
