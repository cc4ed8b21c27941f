/* SPDX-License-Identifier: MIT */
/*
 * Kernel objects by digest: read once, checked, mapped, never unmapped while
 * the process lives, because code of an object may still be on some stack.
 */
#ifndef RUNTIME_LOAD_H
#define RUNTIME_LOAD_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "include/kvk.h"

struct object {
	const char *digest;
	const struct kvk_table *table;
};

/* dir is the library's folder; its obj/<digest>.so are the objects. */
struct loader {
	struct arena arena;
	struct map objects;
	int dir;
};

/* dir stays the caller's and must be open as long as objects are loaded. */
void loader_init(struct loader *, int dir);
void loader_release(struct loader *);

/*
 * The object of a digest (64 hexadecimal digits), loaded at the first call.
 * NULL with an error that names the file: absent, other bytes than its digest
 * says, not loadable, or a table of another ABI.
 */
const struct object *loader_get(struct loader *, const char *digest,
    struct diag *);

/* Entry i of a loaded object, checked; NULL with an error. */
const struct kvk_entry *object_entry(const struct object *, int64_t i,
    struct diag *);

#endif
