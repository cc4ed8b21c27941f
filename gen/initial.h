/* SPDX-License-Identifier: MIT */
/*
 * The values that the variables of a call's results hold before it. A function
 * may read them, and leaves them where it does not write (kvlang.md 3.5); a
 * plan, in which each value has one origin, knows nothing of them.
 */
#ifndef GEN_INITIAL_H
#define GEN_INITIAL_H

#include <stdbool.h>

#include "gen/rows.h"

/* Whether a row hands such a value to a function that looks at it: a variable
 * that an earlier row wrote, or a result of f itself. */
bool func_hands_initial(const struct space *, const struct func *f,
    struct arena *);

#endif
