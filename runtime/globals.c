/* SPDX-License-Identifier: MIT */
#include "runtime/globals.h"

#include <string.h>

#include "base/fatal.h"

void
globals_init(struct globals *g, struct library *lib, struct heap *heap,
    const struct fs *fs)
{
	memset(g, 0, sizeof(*g));
	map_init(&g->map, &g->arena);
	g->lib = lib;
	weights_init(&g->weights, heap);
	g->heap = heap;
	g->fs = fs;
}

void
globals_settle(struct globals *g)
{
	while (g->nold > 0)
		cell_unref(g->heap, g->old[--g->nold]);
}

void
globals_release(struct globals *g)
{
	size_t i;

	globals_settle(g);
	for (i = 0; i < g->map.n; i++)
		cell_unref(g->heap,
		    ((struct global *)g->map.entry[i].value)->cell);
	weights_release(&g->weights);
	arena_release(&g->arena);
}

static struct cell *
copy(struct globals *g, const struct value *v)
{
	struct cell *c = NULL;

	if (v && *v->langtype && !(c = cell_copy(g->heap, v)))
		fatal("out of memory");
	return c;
}

struct global *
globals_at(struct globals *g, const char *path)
{
	struct global *at = map_get(&g->map, path);
	struct cell *loaded = weights_at(&g->weights, path);

	if (at)
		return at;
	at = arena_alloc(&g->arena, sizeof(*at));
	at->path = arena_strdup(&g->arena, path);
	at->cell = loaded ? cell_ref(loaded) :
	    copy(g, library_get(g->lib, path));
	map_set(&g->map, path, at);
	return at;
}

static bool
holds(struct cell *c, const struct value *v)
{
	const struct value *has = cell_value(c);

	if (!has || !v)
		return !has && !v;
	return !strcmp(has->langtype, v->langtype) && has->n == v->n &&
	    (!v->n || !memcmp(has->body, v->body, v->n));
}

/* A cell that the row which runs has read before stays until it is done. */
static void
replace(struct globals *g, struct global *at, struct cell *c)
{
	if (at->cell) {
		g->old = arena_grow(&g->arena, g->old, g->nold, &g->capold,
		    sizeof(struct cell *));
		g->old[g->nold++] = at->cell;
	}
	at->cell = c;
}

/* v: what the space has; NULL: nothing. */
static void
renew(struct globals *g, struct global *at, const struct value *v)
{
	struct cell *loaded = v ? NULL : weights_at(&g->weights, at->path);

	v = v ? v : library_get(g->lib, at->path);
	if (loaded && at->cell != loaded)
		replace(g, at, cell_ref(loaded));
	else if (!loaded && !holds(at->cell, v))
		replace(g, at, copy(g, v));
}

int
globals_read(struct globals *g, struct global *at, struct cell **c,
    struct diag *d)
{
	struct arena scratch = { 0 };
	const struct value *v;

	if (g->fs) {
		if (fs_get(g->fs, at->path, &scratch, &v, d)) {
			arena_release(&scratch);
			return -1;
		}
		renew(g, at, v);
		arena_release(&scratch);
	}
	*c = at->cell;
	return 0;
}

int
globals_write(struct globals *g, struct global *at, struct cell *c,
    struct diag *d)
{
	struct cell *old = at->cell;
	int bad = 0;

	if (g->fs && !strncmp(at->path, "/lib/", 5))
		bad = diag_error(d, no_loc, "%s: a space keeps functions "
		    "below /lib; write to another path", at->path);
	else if (g->fs && c)
		bad = fs_set(g->fs, at->path, cell_value(c), d);
	else if (g->fs)
		bad = fs_del(g->fs, at->path, d);
	if (bad)
		old = c;
	else
		at->cell = c;
	cell_unref(g->heap, old);
	return bad;
}
