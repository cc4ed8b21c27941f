/* SPDX-License-Identifier: MIT */
/* Whether a version fits a call: its rows are followed with shapes instead of
 * values, and every kernel in them must have a row. */
#ifndef RUNTIME_INFER_H
#define RUNTIME_INFER_H

#include "runtime/state.h"

/*
 * args: the reads, as many as the function has, then what its writes hold
 * before the call, NULL for None. -1 with the reason of the first row that
 * cannot run.
 */
int infer_fits(struct runtime *, struct func *,
    const struct value *const *args, char why[BIND_WHY]);

#endif
