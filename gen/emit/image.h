/* SPDX-License-Identifier: MIT */
/* The image of /lib that a build publishes. */
#ifndef GEN_EMIT_IMAGE_H
#define GEN_EMIT_IMAGE_H

#include "gen/plan.h"

/*
 * Turns the plan's space into what is published: abstract ops of base
 * functions bound, back ends declared, versions and their kernels added,
 * ‥maxversion last. -1 with errors.
 */
int image_build(struct plan *);

#endif
