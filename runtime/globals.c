/* SPDX-License-Identifier: MIT */
#include "runtime/globals.h"

#include <string.h>

#include "base/fatal.h"

void
globals_init(struct globals *g, struct library *lib, struct heap *heap)
{
	memset(g, 0, sizeof(*g));
	map_init(&g->map, &g->arena);
	g->lib = lib;
	g->heap = heap;
}

void
globals_release(struct globals *g)
{
	size_t i;

	for (i = 0; i < g->map.n; i++)
		cell_unref(g->heap,
		    ((struct global *)g->map.entry[i].value)->cell);
	arena_release(&g->arena);
}

struct global *
globals_at(struct globals *g, const char *path)
{
	struct global *at = map_get(&g->map, path);
	const struct value *v;

	if (at)
		return at;
	at = arena_alloc(&g->arena, sizeof(*at));
	v = library_get(g->lib, path);
	if (v && *v->langtype && !(at->cell = cell_copy(g->heap, v)))
		fatal("out of memory");
	map_set(&g->map, path, at);
	return at;
}
