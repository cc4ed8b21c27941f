/* SPDX-License-Identifier: MIT */
/* Runs the compiler, the linker and our own programs. */
#ifndef CACHE_SPAWN_H
#define CACHE_SPAWN_H

#include "base/str.h"

/*
 * Runs argv (argv[0] is a path) in the folder `dir` with nothing on its input
 * and an environment of PATH, LC_ALL=C and TMPDIR=dir only, and of the variable
 * `pass` as it is here, if not NULL; what it prints is appended to *output. The
 * exit status, 128 + signal when it was killed, or -1 with errno set when it
 * could not be run.
 */
int spawn_run(const char *dir, char *const *argv, const char *pass,
    struct buf *output);

#endif
