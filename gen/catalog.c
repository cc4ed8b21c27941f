/* SPDX-License-Identifier: MIT */
#include "gen/catalog.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/str.h"
#include "cache/store.h"
#include "cache/table.h"

#define KVK_NO_STDINT
#include "include/kvk.h"

void
catalog_init(struct catalog *c, struct arena *arena)
{
	*c = (struct catalog){ .arena = arena };
}

void
catalog_add(struct catalog *c, const struct backend *from)
{
	struct backend b = *from;
	struct str pkg, name;
	size_t cut;

	name_split(b.opcode, &pkg, &name);
	for (cut = pkg.n; cut > 0 && pkg.p[cut - 1] != '/'; cut--)
		;
	b.author = arena_strndup(c->arena, pkg.p + cut, pkg.n - cut);
	b.base = arena_printf(c->arena, "%.*s·%.*s", (int)(cut ? cut - 1 : 0),
	    pkg.p, (int)name.n, name.p);
	c->backend = arena_grow(c->arena, c->backend, c->n, &c->cap, sizeof b);
	c->backend[c->n++] = b;
}

static int
by_opcode(const void *a, const void *b)
{
	const struct backend *x = a, *y = b;
	int c = strcmp(x->opcode, y->opcode);

	if (!c)
		c = strcmp(x->dtype, y->dtype);
	return c ? c : strcmp(x->isa, y->isa);
}

/* Back ends of one base in order of opcode: the first row of each. */
struct providers {
	const struct backend **row;
	size_t n, cap;
};

void
catalog_sort(struct catalog *c)
{
	if (c->n)
		qsort(c->backend, c->n, sizeof *c->backend, by_opcode);
	map_init(&c->providers, c->arena);
	for (size_t i = 0; i < c->n; i++) {
		const struct backend *b = &c->backend[i];
		struct providers *p = map_get(&c->providers, b->base);

		if (i > 0 && !strcmp(b[-1].opcode, b->opcode))
			continue;
		if (!p) {
			p = arena_alloc(c->arena, sizeof *p);
			map_set(&c->providers, b->base, p);
		}
		p->row = arena_grow(c->arena, p->row, p->n, &p->cap,
		    sizeof *p->row);
		p->row[p->n++] = b;
	}
}

static const char *
class_name(int cls)
{
	static const char *const names[] = { "", "map", "rows", "reduce",
		"other", "cols" };

	return cls >= KVK_MAP && cls <= KVK_COLS ? names[cls] : NULL;
}

static int
add_entries(struct catalog *c, const struct kvk_table *t, const char *object,
    const char *path, struct diag *diag)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct kvk_entry *e = (const void *)
		    ((const char *)t->entry + (size_t)i * t->entry_size);
		struct backend b = {
			.opcode = arena_strdup(c->arena, e->opcode),
			.langtypes = arena_strdup(c->arena, e->langtypes),
			.dtype = arena_strdup(c->arena, e->dtype),
			.isa = arena_strdup(c->arena, e->isa),
			.cls = class_name(e->cls), .alias = e->alias,
			.scratch = e->scratch, .scratch_n = e->scratch_n,
			.object = object, .entry = i,
		};

		if (!b.cls)
			return diag_error(diag, (struct loc){ path, 0, 0 },
			    "entry %u has unknown class %d", i, e->cls);
		catalog_add(c, &b);
	}
	return 0;
}

int
catalog_read(struct catalog *c, const char *cache, const char *object,
    struct diag *diag)
{
	const char *path = store_object_path(c->arena, cache, object);
	char hex[SHA256_HEX + 1];
	const struct kvk_table *t;
	void *handle;
	int bad;

	if (sha256_file(path, hex) || strcmp(hex, object))
		return diag_error(diag, (struct loc){ path, 0, 0 },
		    "the object is missing or damaged; run ninja again");
	t = table_open(path, &handle, diag);
	if (!t)
		return -1;
	bad = add_entries(c, t, object, path, diag);
	table_close(handle);
	return bad;
}

int
catalog_receipt(const char *cache, const char *path, struct receipt *out,
    struct diag *diag)
{
	struct receipt known;

	if (receipt_read(out, path, diag))
		return -1;
	if (store_lookup(cache, out->action, &known) ||
	    strcmp(known.object, out->object) || known.size != out->size)
		return diag_error(diag, (struct loc){ path, 0, 0 }, "the cache "
		    "does not know this receipt; remove it and run ninja "
		    "again");
	return 0;
}

int
catalog_load(struct catalog *c, const char *receipts, const char *cache,
    struct diag *diag)
{
	struct loc loc = { receipts, 0, 0 };
	char **name;
	size_t n;
	int bad = 0;

	if (dir_list(c->arena, receipts, ".ok", &name, &n))
		return diag_error(diag, loc, "cannot list the receipts of back "
		    "ends: %s", strerror(errno));
	for (size_t i = 0; i < n; i++) {
		struct receipt r;

		if (catalog_receipt(cache, path_join(c->arena, receipts,
		    name[i]), &r, diag))
			bad = -1;
		else
			bad |= catalog_read(c, cache,
			    arena_strdup(c->arena, r.object), diag);
	}
	catalog_sort(c);
	return bad;
}

bool
catalog_has(const struct catalog *c, const char *opcode)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->backend[i].opcode, opcode))
			return true;
	return false;
}

size_t
catalog_providers(const struct catalog *c, const char *base,
    const struct backend **out, size_t cap)
{
	const struct providers *p = map_get(&c->providers, base);
	size_t n = p ? p->n : 0;

	for (size_t i = 0; i < n && i < cap; i++)
		out[i] = p->row[i];
	return n;
}
