/* SPDX-License-Identifier: MIT */
/* The types of concrete.def. */
#ifndef GEN_STAGES_CONCRETE_H
#define GEN_STAGES_CONCRETE_H

#include "gen/stages/fusion/fusion.h"

#define IR_DEF "gen/stages/concrete/concrete.def"
#include "gen/ir/decl.h"

/* Fusion -> Concrete: kernels for each dtype and set of extents. */
extern const struct pass concrete_specialize;

/* Phases are in order, every value read has a place it can be read from. */
int concrete_verify(const void *root, struct diag *);

#endif
