/* SPDX-License-Identifier: MIT */
/*
 * Templates: C files whose lines between `@begin NAME` and `@end NAME` are
 * replaced. A block between `@each phase` and `@end each` is copied once a
 * phase, each copy filled with that phase's regions; further such blocks are
 * the template's own sample and go away. `@each dtype` is the same for the
 * dtypes of one file; a template without it is the block of the only one. There
 * is nothing else: no condition, no loop, no substitution inside a line.
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

/* What fills the regions: "name", or "name.I" inside copy i of the block. */
struct filling {
	struct arena *arena;
	struct map region; /* name -> struct lines * */
	const char *each;  /* "phase" or "dtype" */
	int copies;
};

void filling_init(struct filling *, struct arena *, const char *each,
    int copies);

/* The lines of a region, made empty at the first call; copy -1: outside. */
struct lines *filling_region(struct filling *, const char *name, int copy);

/* Adds one line. */
void lines_add(struct lines *, struct loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The C text, and its map: `kvmap 1`, then `cline file:line` for each line
 * that comes from a source line. -1 with an error at the template's line when
 * a region is not known or not closed, or one with lines is missing.
 */
int template_expand(const struct template *, struct filling *, struct buf *c,
    struct buf *map, struct diag *);

#endif
