/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"

static uint64_t
hash_of(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h ^ h >> 32;
}

void
map_init(struct map *m, struct arena *a)
{
	*m = (struct map){ .arena = a };
}

/* The slot that holds the key, or the free one where it belongs. There is
 * always a free slot. */
static unsigned *
find(const struct map *m, const char *key)
{
	size_t i = hash_of(key) & (m->nslot - 1);

	while (m->slot[i] && strcmp(m->entry[m->slot[i] - 1].key, key) != 0)
		i = (i + 1) & (m->nslot - 1);
	return &m->slot[i];
}

static void
fill_slots(struct map *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		*find(m, m->entry[i].key) = (unsigned)i + 1;
}

void *
map_get(const struct map *m, const char *key)
{
	unsigned i = m->n ? *find(m, key) : 0;

	return i ? m->entry[i - 1].value : NULL;
}

void
map_set(struct map *m, const char *key, void *value)
{
	unsigned *slot;

	if (!value)
		BUG("map_set of \"%s\" to NULL, which is not a value", key);
	if (m->n >= m->nslot / 2) {
		m->nslot = m->nslot ? m->nslot * 2 : 16;
		m->slot = arena_array(m->arena, m->nslot, sizeof(*m->slot));
		fill_slots(m);
	}
	slot = find(m, key);
	if (*slot) {
		m->entry[*slot - 1].value = value;
		return;
	}
	if (m->n >= UINT_MAX - 1)
		fatal("a map holds at most %u keys", UINT_MAX - 1);
	m->entry = arena_grow(m->arena, m->entry, m->n, &m->cap,
	    sizeof(*m->entry));
	m->entry[m->n].key = arena_strdup(m->arena, key);
	m->entry[m->n].value = value;
	*slot = (unsigned)++m->n;
}

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct map_entry *)a)->key,
	    ((const struct map_entry *)b)->key);
}

void
map_sort(struct map *m)
{
	if (m->n == 0)
		return;
	qsort(m->entry, m->n, sizeof(*m->entry), by_key);
	memset(m->slot, 0, m->nslot * sizeof(*m->slot));
	fill_slots(m);
}
