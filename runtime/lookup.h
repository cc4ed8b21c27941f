/* SPDX-License-Identifier: MIT */
/* What an opcode means in the function that holds it (kvlang.md 6.1, 6.3). */
#ifndef RUNTIME_LOOKUP_H
#define RUNTIME_LOOKUP_H

#include "runtime/state.h"

/*
 * Fills insn->kind and what belongs to it, once. -1 with a reason, which
 * begins with the class of the error, for an abstract op and for a name that
 * means nothing.
 */
int lookup_insn(struct runtime *, const struct func *, struct insn *,
    char why[BIND_WHY]);

/* Whether /lib/<name> is an op without implementation. */
bool lookup_abstract(struct runtime *, const char *name);

/* Writes "NameError: rwfunc not found: NAME" and what may have been meant; pkg
 * is the caller's package, empty when there is none. */
void lookup_not_found(struct runtime *, struct str pkg, const char *name,
    char why[BIND_WHY]);

/* Looks up guard variables in values indexed by slot. */
struct lookup_vars {
	const struct func *f;
	const struct value *const *value;
};

/* A match_lookup over a struct lookup_vars. */
const struct value *lookup_var(void *vars, const char *name);

#endif
