/* SPDX-License-Identifier: MIT */
/* The checks: check.c has names, types and functions, check_stmt.c what is in
 * a body. */
#ifndef KV_CHECK_H
#define KV_CHECK_H

#include "base/arena.h"
#include "kv/ast.h"

struct check {
	struct arena arena;
	struct diag *diag;
	struct map *funcs;  /* qualified name -> struct kv_func */
	const struct kv_func *f;
	struct map reads;   /* read parameters: name -> struct kv_slot */
	struct map known;   /* every name that has a value or a type */
	struct map labels;  /* name -> struct kv_stmt */
	struct map foreign; /* callees elsewhere that were looked at */
	bool whole;         /* the parser dropped no statement */
};

/* Whether a name may be a variable; reports it otherwise. */
bool check_variable(struct check *, struct loc, const char *name);

/* The type of a write slot, if it has one. */
void check_write_type(struct check *, const struct kv_slot *);

/* All statements of the function at hand. */
void check_body(struct check *);

/* "; did you mean X?" in the arena, or "". */
const char *check_hint(struct check *, const char *best);

#endif
