/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/str.h"

Suite *base_sha256_suite(void);

/* Examples of FIPS 180-4 and of NIST's SHA256ShortMsg.rsp. */
static const struct {
	const char *text, *hex;
} vector[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
	    "b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2"
	    "0015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06"
	    "c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
	    "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	    "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9"
	    "d1" },
	{ "\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba"
	    "9802c1" },
};

enum { N_VECTORS = sizeof(vector) / sizeof(vector[0]) };

#define MILLION_A \
	"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

typedef void blocks_fn(uint32_t h[8], const uint8_t *, size_t);

/* The digest of a short text by one block function, padded here by hand. */
static void
by_blocks(blocks_fn *f, const char *text, char *hex)
{
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	size_t n = strlen(text), blocks = n / 64 + (n % 64 < 56 ? 1 : 2);
	uint8_t m[256] = { 0 };
	int i;

	memcpy(m, text, n);
	m[n] = 0x80;
	m[blocks * 64 - 2] = (uint8_t)(n * 8 >> 8);
	m[blocks * 64 - 1] = (uint8_t)(n * 8);
	f(h, m, blocks);
	for (i = 0; i < 8; i++)
		sprintf(hex + 8 * i, "%08x", h[i]);
}

START_TEST(sha256__gives_the_standard_digests)
{
	char hex[65];
	int i;

	for (i = 0; i < N_VECTORS; i++) {
		sha256_hex(vector[i].text, strlen(vector[i].text), hex);
		ck_assert_str_eq(hex, vector[i].hex);
	}
}
END_TEST

START_TEST(sha256__plain_blocks_are_right)
{
	char hex[65];
	int i;

	for (i = 0; i < N_VECTORS; i++) {
		by_blocks(sha256_blocks_plain, vector[i].text, hex);
		ck_assert_str_eq(hex, vector[i].hex);
	}
}
END_TEST

START_TEST(sha256__ni_blocks_are_right)
{
	char hex[65];
	int i;

	if (!sha256_has_ni())
		return;
	for (i = 0; i < N_VECTORS; i++) {
		by_blocks(sha256_blocks_ni, vector[i].text, hex);
		ck_assert_str_eq(hex, vector[i].hex);
	}
}
END_TEST

START_TEST(sha256__has_ni_is_what_the_system_says)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool listed = false;
	char line[8192];

	ck_assert_ptr_nonnull(f);
	while (!listed && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = ' ';
		if (strncmp(line, "flags", 5) == 0)
			listed = strstr(line, " sha_ni ") != NULL;
	}
	fclose(f);
	ck_assert_int_eq(sha256_has_ni(), listed);
}
END_TEST

START_TEST(sha256__million_in_pieces)
{
	static const size_t piece[] = { 1, 63, 64, 65, 127, 1000, 4096 };
	char *text = malloc(1000000), hex[65];
	uint8_t digest[32];
	struct sha256 s;
	size_t i, at, n;

	memset(text, 'a', 1000000);
	for (i = 0; i < sizeof(piece) / sizeof(piece[0]); i++) {
		sha256_init(&s);
		for (at = 0; at < 1000000; at += n) {
			n = 1000000 - at < piece[i] ? 1000000 - at : piece[i];
			sha256_add(&s, text + at, n);
			sha256_add(&s, NULL, 0);
		}
		sha256_done(&s, digest);
		hex_encode(hex, digest, 32);
		ck_assert_str_eq(hex, MILLION_A);
	}
	free(text);
}
END_TEST

START_TEST(sha256__file_is_its_content)
{
	char path[] = "/tmp/kvaot-t-XXXXXX", hex[65];
	int fd = mkstemp(path), i;

	ck_assert_int_ge(fd, 0);
	for (i = 0; i < 1000000 / 64; i++)
		ck_assert_int_eq(write(fd, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 64), 64);
	close(fd);
	ck_assert_int_eq(sha256_file(path, hex), 0);
	ck_assert_str_eq(hex, MILLION_A);
	unlink(path);
	ck_assert_int_eq(sha256_file(path, hex), -1);
}
END_TEST

Suite *
base_sha256_suite(void)
{
	Suite *s = suite_create("base_sha256");
	TCase *t = tcase_create("sha256");

	tcase_add_test(t, sha256__gives_the_standard_digests);
	tcase_add_test(t, sha256__plain_blocks_are_right);
	tcase_add_test(t, sha256__ni_blocks_are_right);
	tcase_add_test(t, sha256__has_ni_is_what_the_system_says);
	tcase_add_test(t, sha256__million_in_pieces);
	tcase_add_test(t, sha256__file_is_its_content);
	suite_add_tcase(s, t);
	return s;
}
