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

/* What is left to read. */
struct reader {
	const uint8_t *p;
	size_t at, n; /* n leaves out the digest */
	struct loc loc;
	struct diag *diag;
};

/* One entry, as it lies in the image. */
struct entry {
	struct str key, type, body;
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
get_text(struct reader *r, const char *what, int bytes, struct str *out)
{
	if (get_data(r, what, bytes, out))
		return -1;
	if (out->n && memchr(out->p, '\0', out->n))
		return diag_error(r->diag, r->loc, "image: before byte %zu: "
		    "expected %s without zero bytes, found one; make the file "
		    "again", r->at, what);
	return 0;
}

static int
get_entry(struct reader *r, struct entry *e)
{
	return get_text(r, "a key", 4, &e->key) ||
	    get_text(r, "a langtype", 2, &e->type) ||
	    get_data(r, "a body", 8, &e->body) ? -1 : 0;
}

static int
key_order(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* What the entry holds; the langtype becomes a C string in type. */
static int
entry_value(const struct entry *e, struct buf *type, struct value *v, char *why)
{
	buf_clear(type);
	buf_put(type, e->type.p, e->type.n);
	*v = value_text(type->p, e->body.p, e->body.n);
	return value_check(v, why);
}

static int
check_entry(struct reader *r, const struct entry *e, struct str last,
    struct buf *type)
{
	struct value v;
	char why[120];

	/* The empty key is below all others and is none itself. */
	if (key_order(last, e->key) >= 0)
		return diag_error(r->diag, r->loc, "image: key \"%.*s\": "
		    "expected keys in order of their bytes, found it after "
		    "\"%.*s\"; make the file again", (int)e->key.n, e->key.p,
		    (int)last.n, last.p);
	if (entry_value(e, type, &v, why))
		return diag_error(r->diag, r->loc, "image: key \"%.*s\": %s; "
		    "make the file again", (int)e->key.n, e->key.p, why);
	return 0;
}

/* hex may be NULL. The digest of the file goes on from that of its content. */
static int
check_frame(const uint8_t *p, size_t n, char *hex, struct loc loc,
    struct diag *d)
{
	uint8_t digest[SHA256_LEN];
	struct sha256 content, file;

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
	sha256_init(&content);
	sha256_add(&content, p, n - SHA256_LEN);
	file = content;
	sha256_done(&content, digest);
	if (memcmp(digest, p + n - SHA256_LEN, SHA256_LEN) != 0)
		return diag_error(d, loc, "image: expected the SHA-256 of the "
		    "content at the end, found another; the file is damaged "
		    "or cut short: make it again");
	if (!hex)
		return 0;
	sha256_add(&file, digest, SHA256_LEN);
	sha256_done(&file, digest);
	hex_encode(hex, digest, SHA256_LEN);
	return 0;
}

/* Every entry takes 14 bytes at least, so that a false count cannot ask for
 * much memory. */
static int
get_entries(struct reader *r, struct image *image)
{
	struct str last = { "", 0 };
	struct buf type = { 0 };
	struct entry e;
	uint64_t count = 0, i;
	int bad = 0;

	r->at = HEAD - 8;
	if (get_int(r, "a count", 8, &count))
		return -1;
	image->at = arena_array(&image->arena, count < r->n / 14 ?
	    (size_t)count : r->n / 14 + 1, sizeof(*image->at));
	for (i = 0; i < count && !bad; i++) {
		image->at[image->n] = r->at;
		bad = get_entry(r, &e) || check_entry(r, &e, last, &type);
		last = e.key;
		image->n += !bad;
	}
	buf_release(&type);
	if (bad || r->at == r->n)
		return bad;
	return diag_error(r->diag, r->loc, "image: expected the end after "
	    "%llu keys, found %zu more bytes; make the file again",
	    (unsigned long long)count, r->n - r->at);
}

int
image_open(struct image *image, const void *bytes, size_t n,
    const char *name, char *hex, struct diag *d)
{
	struct reader r = { .p = bytes, .loc = { name, 0, 0 }, .diag = d };

	*image = (struct image){ .p = bytes };
	if (check_frame(bytes, n, hex, r.loc, d))
		return -1;
	image->size = r.n = n - SHA256_LEN;
	if (!get_entries(&r, image))
		return 0;
	image_release(image);
	return -1;
}

void
image_release(struct image *image)
{
	arena_release(&image->arena);
	*image = (struct image){ 0 };
}

/* Entry i of an image that was checked. */
static struct entry
entry_at(const struct image *image, size_t i)
{
	struct reader r = { .p = image->p, .at = image->at[i],
		.n = image->size };
	struct entry e;

	if (get_entry(&r, &e))
		BUG("an image has changed since it was checked");
	return e;
}

/* Its key alone, which is all that a search asks for. */
static struct str
key_at(const struct image *image, size_t i)
{
	struct reader r = { .p = image->p, .at = image->at[i],
		.n = image->size };
	struct str key;

	if (get_data(&r, "a key", 4, &key))
		BUG("an image has changed since it was checked");
	return key;
}

const struct value *
image_get(struct image *image, const char *key)
{
	size_t lo = 0, hi = image->n, mid;
	struct buf type = { 0 };
	struct value *v;
	struct entry e;
	void *body;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (key_order(key_at(image, mid), str_of(key)) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == image->n || !str_is(key_at(image, lo), key))
		return NULL;
	e = entry_at(image, lo);
	v = arena_alloc(&image->arena, sizeof(*v));
	if (entry_value(&e, &type, v, NULL))
		BUG("an image has changed since it was checked");
	body = arena_alloc(&image->arena, e.body.n);
	v->body = e.body.n ? memcpy(body, e.body.p, e.body.n) : body;
	v->langtype = arena_strdup(&image->arena, type.p);
	buf_release(&type);
	return v;
}

struct space *
image_space(const struct image *image)
{
	struct space *s = space_new();
	struct buf key = { 0 }, type = { 0 };
	struct value v;
	struct entry e;
	size_t i;

	for (i = 0; i < image->n; i++) {
		e = entry_at(image, i);
		buf_clear(&key);
		buf_put(&key, e.key.p, e.key.n);
		if (entry_value(&e, &type, &v, NULL))
			BUG("an image has changed since it was checked");
		space_set(s, key.p, &v);
	}
	buf_release(&key);
	buf_release(&type);
	return s;
}

struct space *
image_decode(const void *bytes, size_t n, const char *name, struct diag *d)
{
	struct space *s = NULL;
	struct image image;

	if (!image_open(&image, bytes, n, name, NULL, d)) {
		s = image_space(&image);
		image_release(&image);
	}
	return s;
}
