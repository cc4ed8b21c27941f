/* SPDX-License-Identifier: MIT */
#include "gen/ir/snapshot.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/ir/decode.h"

/* Decodes the bytes into pages of their own; the room is reserved, and what of
 * it was not needed is given back. */
static int
map_root(struct snapshot *s, struct diag *diag)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room, used;
	struct ir_pool pool = { .arena = NULL };

	room = ir_decode_room(s->type, s->bytes.n);
	s->n_pages = (room + page - 1) / page * page;
	s->pages = mmap(NULL, s->n_pages, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->pages == MAP_FAILED)
		fatal("cannot map %zu bytes for a snapshot: %s", s->n_pages,
		    strerror(errno));
	pool.p = s->pages;
	pool.size = s->n_pages;
	s->root = ir_decode_pool(s->type, (const uint8_t *)s->bytes.p,
	    s->bytes.n, &pool, diag);
	if (!s->root)
		return -1;
	used = (pool.used + page - 1) / page * page;
	if (used < s->n_pages && munmap((char *)s->pages + used,
	    s->n_pages - used))
		BUG("cannot unmap a part of a snapshot: %s", strerror(errno));
	s->n_pages = used;
	return 0;
}

/* Makes the pages read-only and fills the digests. */
static void
finish(struct snapshot *s)
{
	if (mprotect(s->pages, s->n_pages, PROT_READ))
		fatal("cannot protect a snapshot: %s", strerror(errno));
	s->digest = ir_digest_bytes(s->type->wire, s->bytes.p, s->bytes.n);
	s->core = ir_core_digest(s->type, s->root);
}

static struct str
copy_bytes(struct arena *arena, const char *p, size_t n)
{
	char *copy = arena_alloc(arena, n);

	if (n)
		memcpy(copy, p, n);
	return (struct str){ copy, n };
}

static void
need_root(const struct ir_type *t)
{
	if (!t->root || !*t->root)
		BUG("%s is not a ROOT of its schema", t->wire);
}

int
snapshot_seal(const struct ir_type *t, const void *root, struct arena *arena,
    struct snapshot *s, struct diag *diag)
{
	struct buf bytes = { 0 }, again = { 0 };

	need_root(t);
	*s = (struct snapshot){ 0 };
	if (ir_check(t, root, diag))
		return -1;
	ir_encode(t, root, &bytes);
	if (bytes.n > IR_MAX_BYTES) {
		diag_error(diag, no_loc, "snapshot.size: %s: expected at most "
		    "%d bytes, found %zu", t->wire, IR_MAX_BYTES, bytes.n);
		buf_release(&bytes);
		return -1;
	}
	s->type = t;
	s->bytes = copy_bytes(arena, bytes.p, bytes.n);
	if (map_root(s, diag))
		BUG("%s does not decode what it encoded", t->wire);
	/* The same bytes are the same value, which is checked already. */
	ir_encode(t, s->root, &again);
	if (!str_eq(buf_str(&again), s->bytes))
		BUG("%s decodes to other bytes", t->wire);
	buf_release(&bytes);
	buf_release(&again);
	finish(s);
	return 0;
}

int
snapshot_open(const struct ir_type *t, struct str bytes, const Digest *want,
    struct arena *arena, struct snapshot *s, struct diag *diag)
{
	Digest found;

	need_root(t);
	*s = (struct snapshot){ 0 };
	found = ir_digest_bytes(t->wire, bytes.p, bytes.n);
	if (want && !ir_digest_eq(&found, want))
		return diag_error(diag, no_loc, "snapshot.digest: %s: the "
		    "bytes do not have the digest they are recorded with; "
		    "build them again", t->wire);
	s->type = t;
	s->bytes = copy_bytes(arena, bytes.p, bytes.n);
	if (map_root(s, diag) || ir_check(t, s->root, diag)) {
		snapshot_release(s);
		return -1;
	}
	finish(s);
	return 0;
}

void
snapshot_release(struct snapshot *s)
{
	if (s->pages && munmap(s->pages, s->n_pages))
		BUG("cannot unmap a snapshot: %s", strerror(errno));
	*s = (struct snapshot){ 0 };
}
