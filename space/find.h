/* SPDX-License-Identifier: MIT */
/* Where the published library is. */
#ifndef SPACE_FIND_H
#define SPACE_FIND_H

struct arena;

/*
 * The folder to open: `given` if not NULL, else $KVAOT_LIB, else the first of
 * <exe>/../lib and $libdir/kvaot that holds `current`. NULL when there is
 * none; *tried then lists the places. Both are in the arena.
 */
const char *library_find(struct arena *, const char *given,
    const char **tried);

#endif
