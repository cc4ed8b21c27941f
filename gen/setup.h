/* SPDX-License-Identifier: MIT */
/*
 * Where a build folder finds things: kvaot.conf, TAB-separated `key value`
 * lines, written by configure or by `kvaot gen`. Relative paths are relative
 * to the folder of the file.
 */
#ifndef GEN_SETUP_H
#define GEN_SETUP_H

#include "base/diag.h"
#include "base/str.h"
#include "gen/plan.h"

struct setup {
	const char *build;     /* the build folder */
	const char *lib, *folder, *authors, *templates, *kernels, *backends, *program;
	const char *cache;
	const char *kvobj_conf;
	const char *prebuilt;  /* an installation's back-end objects, or NULL */
	const char *const *isas; /* levels of kernels, NULL at the end */
	bool own_graph;        /* build.ninja is ours, not configure's */
};

/* The folder of this program's own settings: the one above it in a build
 * folder, share/kvaot of an installation. */
const char *setup_home(struct arena *);

/* What the text of build/kvaot.conf says; `path` is what messages call it. Each
 * key at most once; -1 with errors. */
int setup_parse(struct setup *, const char *build, const char *path,
    struct str text, struct arena *, struct diag *);

/* Reads build/kvaot.conf. -1 with errors. */
int setup_read(struct setup *, const char *build, struct arena *,
    struct diag *);

/*
 * What a build folder adds to the settings of this installation; each may be
 * NULL. isa: `all` for kernels of all levels, else those of a local build.
 */
struct setup_own {
	const char *folder; /* of .kv files */
	const char *authors, *program, *isa;
};

/* The settings for another build folder, written to build/kvaot.conf with
 * absolute paths. -1 with errors. */
int setup_make(struct setup *, const char *build, const struct setup_own *,
    struct arena *, struct diag *);

/* <cache>/run/<digest of the program's absolute path>: the build folder that
 * `kvaot run` keeps for it, which need not exist. NULL with errors. */
const char *setup_private(const char *program, struct arena *,
    struct diag *);

void setup_plan_paths(const struct setup *, struct plan_paths *);

/* A path in the build folder. */
char *setup_path(const struct setup *, struct arena *, const char *name);

#endif
