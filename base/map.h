/* SPDX-License-Identifier: MIT */
/* A map from byte strings to pointers that remembers insertion order. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

struct arena;

struct map_entry {
	const char *key;
	void *value;
};

/* entry[0..n) is in order of insertion, until map_sort. */
struct map {
	struct arena *arena;
	struct map_entry *entry;
	size_t n, cap;
	unsigned *slot; /* index of the entry + 1, 0 = free */
	size_t nslot;
};

/* Keys are copied into the arena, which must outlive the map. */
void map_init(struct map *, struct arena *);
void *map_get(const struct map *, const char *key);

/* Sets the value of a key, new or not; NULL is not a value. */
void map_set(struct map *, const char *key, void *value);

/* Orders the entries by the bytes of their keys. */
void map_sort(struct map *);

#endif
