/* SPDX-License-Identifier: MIT */
/* Ops that the interpreter itself runs: print println cerr xv·reshape. */
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "runtime/state.h"

/*
 * run: the reads (NULL is None) to one new cell for each write, of which
 * there are nout; -1 with a reason, which begins with the class of the error.
 * shape: the output's shape without running; NULL when there is no output.
 */
struct native {
	const char *opcode;
	int (*run)(struct runtime *, struct cell *const *in, int nin,
	    struct cell **out, int nout, char why[BIND_WHY]);
	int (*shape)(const struct value *const *in, int nin,
	    struct shape *out, char why[BIND_WHY]);
};

/* NULL when no native has that opcode. */
const struct native *native_find(const char *opcode);

#endif
