/* SPDX-License-Identifier: MIT */
#include "space/image.h"

#include <stdint.h>
#include <string.h>

#include "base/fatal.h"
#include "base/sha256.h"

#define MAGIC "kvimage\n"

enum { VERSION = 1, HEAD = 8 + 4 + 8 };

static void
put_int(struct buf *b, uint64_t x, int bytes)
{
	uint8_t le[8];
	int i;

	for (i = 0; i < bytes; i++)
		le[i] = (uint8_t)(x >> 8 * i);
	buf_put(b, le, (size_t)bytes);
}

void
image_encode(const struct space *s, struct buf *out)
{
	uint8_t digest[SHA256_LEN];
	const struct value *v;
	size_t it = 0, n, start = out->n;
	const char *key;

	buf_puts(out, MAGIC);
	put_int(out, VERSION, 4);
	put_int(out, space_count(s), 8);
	while ((key = space_next(s, "", &it, &v)) != NULL) {
		n = strlen(v->langtype);
		if (n > UINT16_MAX || strlen(key) > UINT32_MAX)
			BUG("%.60s: a langtype of %zu bytes", key, n);
		put_int(out, strlen(key), 4);
		buf_puts(out, key);
		put_int(out, n, 2);
		buf_puts(out, v->langtype);
		put_int(out, v->n, 8);
		buf_put(out, v->body, v->n);
	}
	sha256_of(out->p + start, out->n - start, digest);
	buf_put(out, digest, sizeof(digest));
}

/* What is left to read; key, type and last are buffers used again for each
 * entry. */
struct reader {
	const uint8_t *p;
	size_t at, n; /* n leaves out the digest */
	struct buf key, type, last;
	struct loc loc;
	struct diag *diag;
};

static int
cut_short(struct reader *r, const char *what, unsigned long long need)
{
	return diag_error(r->diag, r->loc, "image: at byte %zu: expected %s "
	    "of %llu bytes, found %zu bytes; make the file again", r->at, what,
	    need, r->n - r->at);
}

static int
get_int(struct reader *r, const char *what, int bytes, uint64_t *out)
{
	int i;

	if (r->n - r->at < (size_t)bytes)
		return cut_short(r, what, (unsigned)bytes);
	*out = 0;
	for (i = 0; i < bytes; i++)
		*out |= (uint64_t)r->p[r->at + (size_t)i] << 8 * i;
	r->at += (size_t)bytes;
	return 0;
}

/* Reads a length of `bytes` bytes, then that much data. */
static int
get_data(struct reader *r, const char *what, int bytes, struct str *out)
{
	uint64_t n = 0;

	if (get_int(r, what, bytes, &n))
		return -1;
	if (n > r->n - r->at)
		return cut_short(r, what, n);
	*out = (struct str){ (const char *)r->p + r->at, n };
	r->at += n;
	return 0;
}

/* As get_data, for text, which a C string must be able to hold. */
static int
get_text(struct reader *r, const char *what, int bytes, struct buf *out)
{
	struct str s;

	if (get_data(r, what, bytes, &s))
		return -1;
	if (s.n && memchr(s.p, '\0', s.n))
		return diag_error(r->diag, r->loc, "image: before byte %zu: "
		    "expected %s without zero bytes, found one; make the file "
		    "again", r->at, what);
	buf_clear(out);
	buf_put(out, s.p, s.n);
	return 0;
}

static int
get_entry(struct reader *r, struct space *s)
{
	struct buf swap = r->last;
	struct value v;
	struct str body;
	char why[120];

	r->last = r->key;
	r->key = swap;
	if (get_text(r, "a key", 4, &r->key) ||
	    get_text(r, "a langtype", 2, &r->type) ||
	    get_data(r, "a body", 8, &body))
		return -1;
	/* The empty key is below all others and is none itself. */
	if (strcmp(buf_str(&r->last).p, r->key.p) >= 0)
		return diag_error(r->diag, r->loc, "image: key \"%s\": expected "
		    "keys in order of their bytes, found it after \"%s\"; make "
		    "the file again", r->key.p, buf_str(&r->last).p);
	v = value_text(r->type.p, body.p, body.n);
	if (value_check(&v, why))
		return diag_error(r->diag, r->loc, "image: key \"%s\": %s; make "
		    "the file again", r->key.p, why);
	space_set(s, r->key.p, &v);
	return 0;
}

static int
check_frame(const uint8_t *p, size_t n, struct loc loc, struct diag *d)
{
	uint8_t digest[SHA256_LEN];

	if (n < HEAD + SHA256_LEN || memcmp(p, MAGIC, 8) != 0)
		return diag_error(d, loc, "image: expected a file that begins "
		    "with \"kvimage\" and has at least %d bytes, found %zu "
		    "bytes of something else; name an image file",
		    HEAD + SHA256_LEN, n);
	if (p[8] != VERSION || p[9] || p[10] || p[11])
		return diag_error(d, loc, "image: expected version %d, found "
		    "%lu; make the file again with this kvaot", VERSION,
		    (unsigned long)p[11] << 24 | (unsigned long)p[10] << 16 |
		    (unsigned long)p[9] << 8 | p[8]);
	sha256_of(p, n - SHA256_LEN, digest);
	if (memcmp(digest, p + n - SHA256_LEN, SHA256_LEN) != 0)
		return diag_error(d, loc, "image: expected the SHA-256 of the "
		    "content at the end, found another; the file is damaged "
		    "or cut short: make it again");
	return 0;
}

static int
get_entries(struct reader *r, struct space *s)
{
	uint64_t count = 0, i;

	r->at = HEAD - 8;
	if (get_int(r, "a count", 8, &count))
		return -1;
	for (i = 0; i < count; i++) {
		if (get_entry(r, s))
			return -1;
	}
	if (r->at != r->n)
		return diag_error(r->diag, r->loc, "image: expected the end "
		    "after %llu keys, found %zu more bytes; make the file "
		    "again", (unsigned long long)count, r->n - r->at);
	return 0;
}

struct space *
image_decode(const void *bytes, size_t n, const char *name, struct diag *d)
{
	struct reader r = { .p = bytes, .loc = { name, 0, 0 }, .diag = d };
	struct space *s;
	int bad;

	if (check_frame(bytes, n, r.loc, d))
		return NULL;
	r.n = n - SHA256_LEN;
	s = space_new();
	bad = get_entries(&r, s);
	buf_release(&r.key);
	buf_release(&r.last);
	buf_release(&r.type);
	if (!bad)
		return s;
	space_free(s);
	return NULL;
}
