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

/* with: axis, start, stop, step, as NumPy slices; the step is positive. */
int shape_slice(const struct shape *in, const int64_t with[4],
    struct shape *out, char *why);

/* Each axis as often as it says; more numbers than axes are for axes of length 1
 * before them. */
int shape_tile(const struct shape *in, const int64_t *repeats, int n,
    struct shape *out, char *why);

/* Each element of the axis n times. */
int shape_stretch(const struct shape *in, int64_t n, int64_t axis,
    struct shape *out, char *why);

/* pads: how many elements come before each axis, then how many after each. */
int shape_pad(const struct shape *in, const int64_t *pads, int n,
    struct shape *out, char *why);

/* The same of at least two axes. */
int shape_triangle(const struct shape *in, struct shape *out, char *why);

/* The dims of the index in place of the axis. */
int shape_select(const struct shape *in, const struct shape *index,
    int64_t axis, struct shape *out, char *why);

/* The dims of the index, which has as many axes, none of which is longer but the
 * one that is named. */
int shape_gather(const struct shape *in, const struct shape *index,
    int64_t axis, struct shape *out, char *why);

/* Two of the same: the axis has k of its elements. */
int shape_topk(const struct shape *in, int64_t k, int64_t axis,
    struct shape out[2], char *why);

#endif
