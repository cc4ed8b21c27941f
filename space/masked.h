/* SPDX-License-Identifier: MIT */
/*
 * The file `masked` of a library's folder: versions that are never chosen. It
 * is edited by people (kvobj mask, unmask), not by a build.
 *
 *	kvmasked 1
 *	deepx·softmax.2          (a version a line, sorted by bytes)
 */
#ifndef SPACE_MASKED_H
#define SPACE_MASKED_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/str.h"

#define MASKED_FILE "masked"

/* Sorted; a zeroed one is empty. Names are in the arena. */
struct masked {
	const char **name;
	size_t n, cap;
};

/* Whether a name is one of a version: `P·F.N`, N >= 1 without leading zeros. */
bool masked_valid(const char *name);

bool masked_has(const struct masked *, const char *name);

/* False when it was there already (add) or was not there (del). */
bool masked_add(struct masked *, struct arena *, const char *name);
bool masked_del(struct masked *, const char *name);

void masked_encode(const struct masked *, struct buf *);

/* Strict reader; path is for messages. -1 with an error at file and line. */
int masked_decode(struct masked *, struct arena *, struct str text,
    const char *path, struct diag *);

#endif
