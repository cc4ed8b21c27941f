/* SPDX-License-Identifier: MIT */
#include "gen/ir/kvs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sha256.h"

static const char magic[] = "kvs 1\n";

enum { MAGIC_LEN = sizeof(magic) - 1 };

static struct loc
at_file(const char *path)
{
	return (struct loc){ .file = path };
}

static int
row_cmp(const void *a, const void *b)
{
	const struct kvs_row *x = a, *y = b;
	int c = strcmp(x->unit, y->unit);

	return c ? c : strcmp(x->level, y->level);
}

static void
put_uint(struct buf *out, uint64_t v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		buf_putc(out, (char)(v >> 8 * i & 0xff));
}

static int
put_name(struct buf *out, const char *path, const char *name,
    struct diag *diag)
{
	size_t n = strlen(name);

	if (!n || n > UINT16_MAX || !ir_text_ok(name, n))
		return diag_error(diag, at_file(path), "cannot be written: "
		    "expected a unit or level of 1 to %d bytes of text, found "
		    "\"%.64s\"", UINT16_MAX, name);
	put_uint(out, n, 2);
	buf_put(out, name, n);
	return 0;
}

static int
put_rows(struct buf *out, const char *path, const struct kvs_row *rows,
    size_t n, struct diag *diag)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct kvs_row *r = &rows[i];

		if (i && !row_cmp(r - 1, r))
			return diag_error(diag, at_file(path), "cannot be "
			    "written: two rows for unit %s, level %s", r->unit,
			    r->level);
		if (put_name(out, path, r->unit, diag) ||
		    put_name(out, path, r->level, diag))
			return -1;
		buf_put(out, r->digest.b, sizeof(r->digest.b));
		put_uint(out, r->bytes.n, 8);
		buf_put(out, r->bytes.p, r->bytes.n);
	}
	return 0;
}

int
kvs_write(const char *path, struct kvs_row *rows, size_t n, struct diag *diag)
{
	struct buf out = { 0 };
	uint8_t sha[SHA256_LEN];
	int rc;

	if (n)
		qsort(rows, n, sizeof(*rows), row_cmp);
	buf_puts(&out, magic);
	rc = put_rows(&out, path, rows, n, diag);
	if (!rc) {
		sha256_of(out.p, out.n, sha);
		buf_put(&out, sha, sizeof(sha));
		rc = file_write(path, out.p, out.n, false);
		if (rc)
			diag_env(diag, at_file(path), "cannot be written");
	}
	buf_release(&out);
	return rc;
}

/* The part of the file not read yet, without the digest at its end. */
struct reader {
	const char *path;
	struct str rest;
	struct arena *arena;
	struct diag *diag;
};

static int
damaged(struct reader *r, const char *why)
{
	return diag_error(r->diag, at_file(r->path),
	    "is not a snapshot file or is damaged: %s; delete it and build "
	    "again", why);
}

static int
get_bytes(struct reader *r, uint64_t n, const char **p)
{
	if (n > r->rest.n)
		return damaged(r, "a row passes the end");
	*p = r->rest.p;
	r->rest.p += n;
	r->rest.n -= (size_t)n;
	return 0;
}

static int
get_uint(struct reader *r, int n, uint64_t *v)
{
	const char *p;

	if (get_bytes(r, (uint64_t)n, &p))
		return -1;
	for (*v = 0; n-- > 0;)
		*v = *v << 8 | (unsigned char)p[n];
	return 0;
}

static int
get_name(struct reader *r, const char **name)
{
	const char *p;
	uint64_t n;

	if (get_uint(r, 2, &n) || get_bytes(r, n, &p))
		return -1;
	if (!n || !ir_text_ok(p, (size_t)n))
		return damaged(r, "a unit or level is not text");
	*name = arena_strndup(r->arena, p, (size_t)n);
	return 0;
}

static int
get_row(struct reader *r, struct kvs_row *row)
{
	const char *digest;
	uint64_t n;

	if (get_name(r, &row->unit) || get_name(r, &row->level) ||
	    get_bytes(r, sizeof(row->digest.b), &digest) ||
	    get_uint(r, 8, &n) || get_bytes(r, n, &row->bytes.p))
		return -1;
	memcpy(row->digest.b, digest, sizeof(row->digest.b));
	row->bytes.n = (size_t)n;
	return 0;
}

/* Magic and digest, which are all a damaged file can get wrong. */
static int
check_file(struct reader *r)
{
	uint8_t sha[SHA256_LEN];

	if (r->rest.n < MAGIC_LEN + SHA256_LEN)
		return damaged(r, "it is too short");
	if (memcmp(r->rest.p, magic, MAGIC_LEN))
		return damaged(r, "expected \"kvs 1\" in the first line");
	r->rest.n -= SHA256_LEN;
	sha256_of(r->rest.p, r->rest.n, sha);
	if (memcmp(sha, r->rest.p + r->rest.n, SHA256_LEN))
		return damaged(r, "the SHA-256 at its end is another");
	r->rest.p += MAGIC_LEN;
	r->rest.n -= MAGIC_LEN;
	return 0;
}

int
kvs_read(const char *path, struct arena *arena, struct kvs_row **rows,
    size_t *n, struct diag *diag)
{
	struct reader r = { .path = path, .arena = arena, .diag = diag };
	size_t cap = 0;

	*rows = NULL;
	*n = 0;
	if (file_read(arena, path, &r.rest))
		return diag_error(diag, at_file(path), "cannot be read: %s",
		    strerror(errno));
	if (check_file(&r))
		return -1;
	while (r.rest.n) {
		*rows = arena_grow(arena, *rows, *n, &cap, sizeof(**rows));
		if (get_row(&r, &(*rows)[*n]))
			return -1;
		if (*n && row_cmp(&(*rows)[*n - 1], &(*rows)[*n]) >= 0)
			return damaged(&r, "the rows are not in order");
		++*n;
	}
	return 0;
}

const struct kvs_row *
kvs_find(const struct kvs_row *rows, size_t n, const char *unit,
    const char *level)
{
	struct kvs_row key = { .unit = unit, .level = level };

	if (!n)
		return NULL;
	return bsearch(&key, rows, n, sizeof(key), row_cmp);
}
