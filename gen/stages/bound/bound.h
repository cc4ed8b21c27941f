/* SPDX-License-Identifier: MIT */
/* The types of bound.def. */
#ifndef GEN_STAGES_BOUND_H
#define GEN_STAGES_BOUND_H

#include "gen/stages/program/program.h"

#define IR_DEF "gen/stages/bound/bound.def"
#include "gen/ir/decl.h"

/* Program -> Bound: every abstract op gets its back end. */
extern const struct pass bound_bind;

/* No abstract op is left; opcodes carry their author. */
int bound_verify(const void *root, struct diag *);

/* `file:line: opcode(reads) -> writes // why=…`, a line a call. */
void bound_print(const Bound *, const struct session *, struct buf *);

#endif
