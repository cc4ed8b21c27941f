/* SPDX-License-Identifier: MIT */
/*
 * The key/value space `mem:`: path -> typed value. Keys are compared by bytes
 * and listed in that order. "/a/b" is below "/a"; "/a.x" and "/a·x" are not.
 */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "base/arena.h"
#include "space/value.h"

struct space;

struct space *space_new(void);
void space_free(struct space *);

/* The value at a key, or NULL. Valid until the key is set or deleted. */
const struct value *space_get(const struct space *, const char *key);

/* Stores a copy of the value: langtype and body. */
void space_set(struct space *, const char *key, const struct value *);

/* Shorthands of space_set. */
void space_set_text(struct space *, const char *key, const char *langtype,
    const char *text);
void space_set_i64(struct space *, const char *key, int64_t);
void space_set_bool(struct space *, const char *key, bool);

/* Deletes one key, which need not be there. */
void space_del(struct space *, const char *key);

/* Deletes key and everything below "key/". */
void space_del_tree(struct space *, const char *key);

/*
 * Walks the keys that start with `prefix` (bytes) in sorted order: *it is 0 at
 * first; returns the next key or NULL at the end. The space must not change
 * during a walk.
 */
const char *space_next(const struct space *, const char *prefix, size_t *it,
    const struct value **value);

/* How many keys there are. */
size_t space_count(const struct space *);

#endif
