/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

/* FIPS 180-4, 4.2.2. */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t
rotr(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t
load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

/* One round of FIPS 180-4, 6.2.2; the caller turns the names of the eight
 * variables instead of moving their values. */
#define ROUND(a, b, c, d, e, f, g, h, t) do { \
	uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + \
	    ((e & f) ^ (~e & g)) + k[t] + w[t]; \
	d += t1; \
	h = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + \
	    ((a & b) ^ (a & c) ^ (b & c)); \
} while (0)

static void
block_plain(uint32_t v[8], const uint8_t *p)
{
	uint32_t a = v[0], b = v[1], c = v[2], d = v[3];
	uint32_t e = v[4], f = v[5], g = v[6], h = v[7];
	uint32_t w[64], s0, s1;
	int t;

	for (t = 0; t < 16; t++)
		w[t] = load_be32(p + 4 * t);
	for (; t < 64; t++) {
		s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
		s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
	for (t = 0; t < 64; t += 8) {
		ROUND(a, b, c, d, e, f, g, h, t);
		ROUND(h, a, b, c, d, e, f, g, t + 1);
		ROUND(g, h, a, b, c, d, e, f, t + 2);
		ROUND(f, g, h, a, b, c, d, e, t + 3);
		ROUND(e, f, g, h, a, b, c, d, t + 4);
		ROUND(d, e, f, g, h, a, b, c, t + 5);
		ROUND(c, d, e, f, g, h, a, b, t + 6);
		ROUND(b, c, d, e, f, g, h, a, t + 7);
	}
	v[0] += a, v[1] += b, v[2] += c, v[3] += d;
	v[4] += e, v[5] += f, v[6] += g, v[7] += h;
}

void
sha256_blocks_plain(uint32_t h[8], const uint8_t *p, size_t n)
{
	for (; n; n--, p += 64)
		block_plain(h, p);
}

#define NI __attribute__((target("sha,sse4.1,ssse3")))

/* The four message words after x3, from the sixteen in x0..x3. */
NI static __m128i
schedule(__m128i x0, __m128i x1, __m128i x2, __m128i x3)
{
	__m128i t = _mm_sha256msg1_epu32(x0, x1);

	t = _mm_add_epi32(t, _mm_alignr_epi8(x3, x2, 4));
	return _mm_sha256msg2_epu32(t, x3);
}

/* The instructions hold the state as (a,b,e,f) and (c,d,g,h), high first. */
NI static void
block_ni(__m128i *abef, __m128i *cdgh, const uint8_t *p)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b,
	    0x0405060700010203);
	__m128i s0 = *abef, s1 = *cdgh, m[4], kw, next;
	int i;

	for (i = 0; i < 4; i++)
		m[i] = _mm_shuffle_epi8(
		    _mm_loadu_si128((const __m128i *)(p + 16 * i)), swap);
	for (i = 0; i < 16; i++) {
		kw = _mm_add_epi32(m[i & 3],
		    _mm_loadu_si128((const __m128i *)(k + 4 * i)));
		if (i < 12) {
			next = schedule(m[i & 3], m[(i + 1) & 3],
			    m[(i + 2) & 3], m[(i + 3) & 3]);
			m[i & 3] = next;
		}
		s1 = _mm_sha256rnds2_epu32(s1, s0, kw);
		s0 = _mm_sha256rnds2_epu32(s0, s1, _mm_shuffle_epi32(kw, 0x0e));
	}
	*abef = _mm_add_epi32(*abef, s0);
	*cdgh = _mm_add_epi32(*cdgh, s1);
}

NI void
sha256_blocks_ni(uint32_t h[8], const uint8_t *p, size_t n)
{
	__m128i abef = _mm_set_epi32((int)h[0], (int)h[1], (int)h[4],
	    (int)h[5]);
	__m128i cdgh = _mm_set_epi32((int)h[2], (int)h[3], (int)h[6],
	    (int)h[7]);
	uint32_t out[8];

	for (; n; n--, p += 64)
		block_ni(&abef, &cdgh, p);
	_mm_storeu_si128((__m128i *)out, abef);
	_mm_storeu_si128((__m128i *)(out + 4), cdgh);
	h[0] = out[3], h[1] = out[2], h[4] = out[1], h[5] = out[0];
	h[2] = out[7], h[3] = out[6], h[6] = out[5], h[7] = out[4];
}

bool
sha256_has_ni(void)
{
	unsigned a, b, c1, c7, d;

	return __get_cpuid(1, &a, &b, &c1, &d) && (c1 >> 9 & 1) &&
	    (c1 >> 19 & 1) && __get_cpuid_count(7, 0, &a, &b, &c7, &d) &&
	    (b >> 29 & 1);
}

static void
blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
	/* cpuid is slow in virtual machines: asked once. 0 = not yet. */
	static atomic_int has;
	int known = atomic_load_explicit(&has, memory_order_relaxed);

	if (!known) {
		known = sha256_has_ni() ? 1 : -1;
		atomic_store_explicit(&has, known, memory_order_relaxed);
	}
	if (known > 0)
		sha256_blocks_ni(h, p, n);
	else
		sha256_blocks_plain(h, p, n);
}

void
sha256_init(struct sha256 *s)
{
	*s = (struct sha256){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
	    0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void
sha256_add(struct sha256 *s, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t have = s->n % 64, part;

	s->n += n;
	if (have) {
		part = n < 64 - have ? n : 64 - have;
		if (part)
			memcpy(s->block + have, p, part);
		if (have + part < 64)
			return;
		blocks(s->h, s->block, 1);
		p += part;
		n -= part;
	}
	if (n >= 64)
		blocks(s->h, p, n / 64);
	if (n % 64)
		memcpy(s->block, p + n / 64 * 64, n % 64);
}

void
sha256_done(struct sha256 *s, uint8_t out[SHA256_LEN])
{
	uint64_t bits = s->n * 8;
	uint8_t tail[72] = { 0x80 };
	size_t pad = 64 - (s->n + 8) % 64, i;

	for (i = 0; i < 8; i++)
		tail[pad + i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, tail, pad + 8);
	for (i = 0; i < SHA256_LEN; i++)
		out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void
sha256_of(const void *data, size_t n, uint8_t out[SHA256_LEN])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, data, n);
	sha256_done(&s, out);
}

void
sha256_hex(const void *data, size_t n, char out[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_LEN];

	sha256_of(data, n, digest);
	hex_encode(out, digest, sizeof(digest));
}

int
sha256_file(const char *path, char out[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_LEN], chunk[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
	struct sha256 s;
	ssize_t n;

	if (fd < 0)
		return -1;
	sha256_init(&s);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			saved = errno;
			close(fd);
			errno = saved;
			return -1;
		}
		sha256_add(&s, chunk, (size_t)n);
	}
	close(fd);
	sha256_done(&s, digest);
	hex_encode(out, digest, sizeof(digest));
	return 0;
}
