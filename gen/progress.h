/* SPDX-License-Identifier: MIT */
/* Runs ninja, and shows on a terminal how far it is. */
#ifndef GEN_PROGRESS_H
#define GEN_PROGRESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

/* Whether the line is ninja's word that it compiled a kernel, "[2/7] kernel
 * F": the second of seven steps. */
bool progress_line(struct str line, unsigned long long *done,
    unsigned long long *all);

/*
 * Runs argv (argv[0] found in PATH), its output into the file `log`; the exit
 * code, 127 when it is not found. While kernels are compiled, one line of
 * standard error tells how many steps are done, and is wiped at the end; only
 * where that is a terminal that can wipe (TERM is set and not dumb). Stops the
 * program when it cannot be started or the log cannot be written.
 */
int progress_run(char *const *argv, const char *log);

/* `ninja -C build`, logged to ninja.log in that folder. When it fails, prints
 * what it said and stops the program. */
void progress_ninja(const char *build, struct arena *arena);

#endif
