/* SPDX-License-Identifier: MIT */
/* Which back end an abstract op gets (design.md section 5): the author named
 * in the source, else the row of authors.map, else the only provider. */
#ifndef GEN_POLICY_H
#define GEN_POLICY_H

#include "base/diag.h"
#include "gen/catalog.h"

struct policy_row {
	const char *op, *author; /* op `*`: any other */
};

struct policy {
	struct policy_row *row;
	size_t n;
};

/* Reads an authors.map: `op author` a line, `//` comments, `*` last. */
int policy_read(struct policy *, struct arena *, const char *path,
    struct diag *);

enum bind_why { BIND_NONE = 0, BIND_TABLE, BIND_ONLY };

struct binding {
	const struct backend *backend;
	enum bind_why why;
	const char *row; /* BIND_TABLE: the op of the row that decided */
};

/* The back end of abstract op `base`. -1 with an error at loc that lists who
 * provides it, when nobody does or the choice is ambiguous. */
int policy_bind(const struct policy *, const struct catalog *,
    const char *base, struct loc, struct binding *, struct diag *);

#endif
