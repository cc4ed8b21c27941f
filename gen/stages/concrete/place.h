/* SPDX-License-Identifier: MIT */
/* Phases and places of a kernel's values. */
#ifndef GEN_STAGES_CONCRETE_PLACE_H
#define GEN_STAGES_CONCRETE_PLACE_H

#include "gen/derive/form.h"
#include "gen/stages/concrete/concrete.h"

/*
 * Fills in values, steps, outs, phases, scratch and alias of a kernel from the
 * steps (indices in source order) of its group, and the dtypes of its values.
 *
 * A phase goes over a row once. A step runs in the first phase in which all it
 * reads is there; what a reduction gives is there from the next phase on. Row
 * values are computed at the end of a phase. A full value that a later phase
 * reads lives in the output that holds it; else it is parked in an output that
 * is stored later; else in a scratch row.
 */
void place_kernel(struct session *, const struct graph *, const struct fit *,
    const enum dtype *of_buffer, const uint32_t *steps, uint32_t n,
    const char *(*form_word)(enum form), Kernel *, struct arena *);

#endif
