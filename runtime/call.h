/* SPDX-License-Identifier: MIT */
/* Runs a kernel that bind_rwir chose: conversions, outputs, the call. */
#ifndef RUNTIME_CALL_H
#define RUNTIME_CALL_H

#include "runtime/state.h"

/*
 * The entry of the bound row, loaded if need be and compared with what the
 * manifest says of it. NULL with an error.
 */
const struct kvk_entry *call_entry(struct runtime *, const struct bound *);

/*
 * Runs the kernel on the reads (none is NULL) and puts new cells into out,
 * one for each output. -1 with a reason, which begins with the class of the
 * error; then out is not set.
 */
int call_kernel(struct runtime *, const struct bound *,
    const struct kvk_entry *, struct cell *const *in, struct cell **out,
    char why[BIND_WHY]);

#endif
