/* SPDX-License-Identifier: MIT */
/*
 * Which back end an abstract op gets (design.md section 5): the author named
 * in the source, else the row of authors.map, else the only provider.
 *
 * A user's table lies over the library's. Functions of the library were
 * written with the library's table in mind: for them the user's decides what
 * it names, not with `*`. For functions of the user his table decides, and
 * the library's only what that names.
 */
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
	const struct policy *library; /* the table below; NULL: it is this one */
};

/* Reads an authors.map: `op author` a line, `//` comments, `*` last. */
int policy_read(struct policy *, struct arena *, const char *path,
    struct diag *);

enum bind_why { BIND_NONE = 0, BIND_TABLE, BIND_USER, BIND_ONLY };

struct binding {
	const struct backend *backend;
	enum bind_why why; /* BIND_TABLE: of the library; BIND_USER: over it */
	const char *row;   /* with these: the op of the row that decided */
};

/* The back end of abstract op `base` in a function of the library or another
 * one. -1 with an error at loc that lists who provides it, when nobody does or
 * the choice is ambiguous. */
int policy_bind(const struct policy *, const struct catalog *,
    const char *base, bool library, struct loc, struct binding *,
    struct diag *);

#endif
