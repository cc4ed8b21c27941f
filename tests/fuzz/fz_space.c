/* SPDX-License-Identifier: MIT */
/* Readers of space/. What is taken must be what the writer would write. */
#include <string.h>

#include "base/sha256.h"
#include "space/image.h"
#include "space/manifest.h"
#include "space/npy.h"
#include "space/text.h"
#include "tests/fuzz/fuzz.h"

static void
image_once(const uint8_t *p, size_t n)
{
	struct buf again = { 0 };
	struct space *s;
	struct fuzz f;

	fuzz_begin(&f);
	s = image_decode(p, n, "image", &f.diag);
	if (s) {
		image_encode(s, &again);
		fuzz_same("image", (struct str){ (const char *)p, n },
		    buf_str(&again));
		buf_clear(&again);
		space_print(s, "", &again);
		buf_release(&again);
	}
	space_free(s);
	fuzz_end(&f, !s);
}

/* As they are, then with the digest that they should have. */
void
fz_image(const uint8_t *p, size_t n)
{
	struct arena a = { 0 };
	uint8_t *copy = arena_alloc(&a, n + SHA256_LEN);

	image_once(p, n);
	if (n)
		memcpy(copy, p, n);
	sha256_of(copy, n, copy + n);
	image_once(copy, n + SHA256_LEN);
	arena_release(&a);
}

static void
manifest_once(struct str text)
{
	struct buf again = { 0 };
	struct manifest m;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = manifest_decode(&m, text.p, text.n, "manifest", &f.diag);
	if (!bad) {
		manifest_encode(&m, &again);
		fuzz_same("manifest", text, buf_str(&again));
		buf_release(&again);
		manifest_release(&m);
	}
	fuzz_end(&f, bad);
}

void
fz_manifest(const uint8_t *p, size_t n)
{
	char hex[SHA256_HEX + 1];
	struct buf whole = { 0 };

	manifest_once((struct str){ (const char *)p, n });
	buf_put(&whole, p, n);
	sha256_hex(p, n, hex);
	buf_printf(&whole, "sha256\t%s\n", hex);
	manifest_once(buf_str(&whole));
	buf_release(&whole);
}

void
fz_npy(const uint8_t *p, size_t n)
{
	struct buf once = { 0 }, twice = { 0 };
	struct value v, w;
	struct fuzz f;
	int bad;

	fuzz_begin(&f);
	bad = npy_decode(&f.arena, p, n, "npy", &v, &f.diag);
	if (!bad) {
		npy_encode(&v, &once);
		if (npy_decode(&f.arena, once.p, once.n, "npy", &w, &f.diag))
			BUG("what npy_encode writes is refused");
		npy_encode(&w, &twice);
		fuzz_same("npy", buf_str(&once), buf_str(&twice));
		buf_clear(&once);
		value_describe(&v, &once);
		buf_release(&once);
		buf_release(&twice);
	}
	fuzz_end(&f, bad);
}
