/* SPDX-License-Identifier: MIT */
/* Runs the rows of functions. */
#ifndef RUNTIME_INTERP_H
#define RUNTIME_INTERP_H

#include "runtime/state.h"

/*
 * Calls /lib/<name> with its reads; out[j] holds what write j has before the
 * call (NULL: None) and then what it has after it. in stays the caller's. The
 * memo belongs to the place of the call. -1 with an error; then out is as
 * before.
 */
int interp_call(struct runtime *, const char *name, struct memo *,
    struct cell *const *in, int nin, struct cell **out, int nout,
    struct loc);

#endif
