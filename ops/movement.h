/* SPDX-License-Identifier: MIT */
/* Shape rules of ops that only move elements. All say why a shape does not fit,
 * as op_shape() does. */
#ifndef OPS_MOVEMENT_H
#define OPS_MOVEMENT_H

#include "space/value.h"

/* Without these axes, which have length 1; n = 0: without all of length 1. */
int shape_squeeze(const struct shape *in, const int64_t *axes, int n,
    struct shape *out, char *why);

/* With length 1 at these axes of the result. */
int shape_unsqueeze(const struct shape *in, const int64_t *axes, int n,
    struct shape *out, char *why);

/* Two axes: those before the axis, which may be the rank, and the others. */
int shape_flatten(const struct shape *in, int64_t axis, struct shape *out,
    char *why);

#endif
