/* SPDX-License-Identifier: MIT */
/* Which dtypes a unit is made for, and which dtype each value then has. */
#ifndef GEN_DERIVE_DTYPE_H
#define GEN_DERIVE_DTYPE_H

#include "gen/derive/graph.h"

/*
 * The dtypes T that all parameters with a float type allow, in order of enum
 * dtype; a unit without such a parameter is made for one T that nothing
 * depends on. Returns how many.
 */
int dtype_choices(const Fusion *, enum dtype out[N_DTYPES]);

/*
 * The dtype of every buffer for one T: DT_NONE where it is not known. A float
 * parameter has T; a literal its own; a back end's output follows its rule. A
 * scalar literal takes the dtype of the tensors it meets (deepx-ops.md G1).
 */
void dtype_derive(const struct graph *, enum dtype t, enum dtype *of_buffer);

#endif
