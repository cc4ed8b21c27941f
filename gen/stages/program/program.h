/* SPDX-License-Identifier: MIT */
/* The types of program.def. */
#ifndef GEN_STAGES_PROGRAM_H
#define GEN_STAGES_PROGRAM_H

#include "gen/ir/ir.h"
#include "gen/pass.h"

#define IR_DEF "gen/stages/program/program.def"
#include "gen/ir/decl.h"

struct space;

/*
 * The frontend: the unit (an rwfunc `P·F` of the space) as a Program. NULL
 * with errors in diag. Places of its ops go into session->places.
 */
const Program *program_import(const struct space *, const char *unit,
    struct session *, struct arena *, struct diag *);

/* Program -> Program: calls of functions replaced by their bodies. */
extern const struct pass program_inline;

/* Single assignment, use after definition, known roles. */
int program_verify(const void *root, struct diag *);

#endif
