/* SPDX-License-Identifier: MIT */
/*
 * Templates: C files whose lines between `@begin NAME` and `@end NAME` are
 * replaced. A block between `@each phase` and `@end each` is copied once a
 * phase, each copy filled with that phase's regions; further such blocks are
 * the template's own sample and go away. There is nothing else: no condition,
 * no loop, no substitution inside a line.
 */
#ifndef GEN_EMIT_TEMPLATE_H
#define GEN_EMIT_TEMPLATE_H

#include "base/diag.h"
#include "base/map.h"
#include "base/str.h"
#include "gen/rules.h"

/* Lines that fill a region; loc says which source line one comes from. */
struct lines {
	struct arena *arena;
	const char **text;
	struct loc *loc;
	size_t n, cap;
};

/* What fills the regions: "name", or "name.PHASE" inside a phase. */
struct filling {
	struct arena *arena;
	struct map region; /* name -> struct lines * */
	int phases;
};

void filling_init(struct filling *, struct arena *, int phases);

/* The lines of a region, made empty at the first call; phase -1: outside. */
struct lines *filling_region(struct filling *, const char *name, int phase);

/* Adds one line. */
void lines_add(struct lines *, struct loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The C text, and its map: `kvmap 1`, then `cline file:line` for each line
 * that comes from a source line. -1 with an error at the template's line when
 * a region is not known or not closed, or one that is filled is missing.
 */
int template_expand(const struct template *, struct filling *, struct buf *c,
    struct buf *map, struct diag *);

#endif
