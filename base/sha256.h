/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4). Uses the x86 SHA instructions where the CPU has them;
 * same digests. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_LEN = 32, SHA256_HEX = 64 };

struct sha256 {
	uint32_t h[8];
	uint64_t n;
	uint8_t block[64];
};

void sha256_init(struct sha256 *);
void sha256_add(struct sha256 *, const void *, size_t);
void sha256_done(struct sha256 *, uint8_t out[SHA256_LEN]);

/* One call for one buffer. */
void sha256_of(const void *, size_t, uint8_t out[SHA256_LEN]);

/* The digest of a buffer as 64 hexadecimal digits and a NUL. */
void sha256_hex(const void *, size_t, char out[SHA256_HEX + 1]);

/* The digest of a whole file as hexadecimal; -1 with errno set. */
int sha256_file(const char *path, char out[SHA256_HEX + 1]);

/*
 * The two block functions behind the calls above: n blocks of 64 bytes into
 * the state h, same results. sha256_blocks_ni runs only where sha256_has_ni
 * says so. Public so that a test can compare them.
 */
void sha256_blocks_plain(uint32_t h[8], const uint8_t *, size_t n);
void sha256_blocks_ni(uint32_t h[8], const uint8_t *, size_t n);
bool sha256_has_ni(void);

#endif
