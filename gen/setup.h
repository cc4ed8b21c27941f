/* SPDX-License-Identifier: MIT */
/*
 * Where a build folder finds things: kvaot.conf, TAB-separated `key value`
 * lines, written by configure or by `kvaot gen`. Relative paths are relative
 * to the folder of the file.
 */
#ifndef GEN_SETUP_H
#define GEN_SETUP_H

#include "base/diag.h"
#include "gen/plan.h"

struct setup {
	const char *build;     /* the build folder */
	const char *lib, *authors, *templates, *kernels, *backends, *program;
	const char *cache;
	const char *kvobj_conf;
	bool own_graph;        /* build.ninja is ours, not configure's */
};

/* Reads build/kvaot.conf. -1 with errors. */
int setup_read(struct setup *, const char *build, struct arena *,
    struct diag *);

/*
 * The settings of this installation for another build folder: the folder of
 * this program and its kvaot.conf, with the library `lib` (NULL: its own) and
 * a program. Written to build/kvaot.conf with absolute paths. -1 with errors.
 */
int setup_make(struct setup *, const char *build, const char *lib,
    const char *authors, const char *program, struct arena *, struct diag *);

void setup_plan_paths(const struct setup *, struct plan_paths *);

/* A path in the build folder. */
char *setup_path(const struct setup *, struct arena *, const char *name);

#endif
