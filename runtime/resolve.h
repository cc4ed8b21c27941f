/* SPDX-License-Identifier: MIT */
/*
 * Which rows a call of a function runs (design.md 6): the highest version
 * that fits, else the base. The list of versions of a base name is read at
 * its first call and then frozen.
 */
#ifndef RUNTIME_RESOLVE_H
#define RUNTIME_RESOLVE_H

#include "runtime/state.h"

/* Arity and langtypes of a call's reads (kvlang.md 3.5); nout 0: the writes
 * are dropped as a whole. -1 with a reason. */
int resolve_check(const struct func *, const struct value *const *args,
    int nin, int nout, char why[BIND_WHY]);

/*
 * The function that a call of `name` runs, given the reads, whose number and
 * types were checked, and what the writes hold before the call (NULL: None).
 * NULL with an error: a damaged version mark, or with
 * --strict no version that fits.
 */
struct func *resolve_call(struct runtime *, const char *name,
    const struct value *const *args, struct loc);

#endif
