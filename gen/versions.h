/* SPDX-License-Identifier: MIT */
/*
 * Version numbers are source: versions.lock says which number a plan has
 * (design.md section 6). A plan that has no line is pending: it gets the next
 * number and a line in versions.pending, which a later build may rewrite.
 */
#ifndef GEN_VERSIONS_H
#define GEN_VERSIONS_H

#include "base/diag.h"
#include "gen/ir/ir.h"

/* The name of a lock in the folder of its sources. */
#define VERSIONS_LOCK "versions.lock"

struct version_line {
	const char *base;
	uint64_t n;
	Digest core, program; /* of the fusion level; of the base's program */
	const char *folder;   /* of the lock that has the line; NULL: none */
};

struct versions {
	struct arena *arena;
	struct version_line *line;
	size_t n, cap;
};

void versions_init(struct versions *, struct arena *);

/* Reads a lock file strictly; one that does not exist is empty. */
int versions_read(struct versions *, const char *path, struct diag *);

/* Adds the lines of another lock, but for bases that have lines here. */
void versions_join(struct versions *, const struct versions *from);

/* The number of a plan: its line's, else the highest of the base plus one with
 * *pending set. */
uint64_t versions_number(const struct versions *, const char *base,
    const Digest *core, const Digest *program, bool *pending);

void versions_add(struct versions *, const struct version_line *);

/* The file's text, lines sorted by base and number. */
void versions_encode(struct versions *, struct buf *);

#endif
