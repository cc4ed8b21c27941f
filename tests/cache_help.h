/* SPDX-License-Identifier: MIT */
/* What the tests of cache/ share: folders, files, programs. */
#ifndef TESTS_CACHE_HELP_H
#define TESTS_CACHE_HELP_H

#include <stddef.h>

#include "base/str.h"

struct arena;
struct conf;

/* A new folder below $TMPDIR or /tmp; the test removes it. */
char *help_dir(struct arena *);

/* "dir/name" after writing the text to it, with its folders. */
char *help_write(
    struct arena *, const char *dir, const char *name, const char *text);

/* The whole file, or a failed test. */
struct str help_read(struct arena *, const char *path);

/* Runs a shell command made by printf; its exit status. */
int help_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same, giving all that it printed. */
char *help_output(struct arena *, int *status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A program of $KVAOT_BIN, quoted for the shell. */
char *help_program(struct arena *, const char *name);

/* The settings beside $KVAOT_BIN. */
void help_conf(struct arena *, struct conf *);

/* The text of kvk.h, from the include folders of the settings. */
struct str help_kvk(struct arena *, const struct conf *);

/* A kernel o = a * b + c over dim[0] elements, ready to compile. */
extern const char help_kernel[];

#endif
