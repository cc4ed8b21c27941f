/* SPDX-License-Identifier: MIT */
/* The types of fusion.def. */
#ifndef GEN_STAGES_FUSION_H
#define GEN_STAGES_FUSION_H

#include "gen/stages/bound/bound.h"

#define IR_DEF "gen/stages/fusion/fusion.def"
#include "gen/ir/decl.h"

/* Bound -> Fusion: regions with their states, and groups. */
extern const struct pass fusion_fuse;

/* Groups partition the steps, are convex, cross no effect. */
int fusion_verify(const void *root, struct diag *);

#endif
