/* SPDX-License-Identifier: MIT */
/* The types of artifact.def. */
#ifndef GEN_STAGES_ARTIFACT_H
#define GEN_STAGES_ARTIFACT_H

#include "gen/stages/concrete/concrete.h"

#define IR_DEF "gen/stages/artifact/artifact.def"
#include "gen/ir/decl.h"

/* Concrete -> Artifact (planned): C texts, actions, registrations. */
extern const struct pass artifact_emit;

/* Artifact -> Artifact (built): receipts put in. */
extern const struct pass artifact_seal;

/* Digests, paths and references agree. */
int artifact_verify(const void *root, struct diag *);

#endif
