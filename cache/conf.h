/* SPDX-License-Identifier: MIT */
/*
 * kvobj.conf, written by configure beside bin/: which compiler, linker and
 * folders. Lines `key TAB value`; a relative value is relative to the folder of
 * the file.
 *   clang PATH, ld PATH, cache PATH, scan PATH   once
 *   closure PATH, include PATH                   any number, order kept
 */
#ifndef CACHE_CONF_H
#define CACHE_CONF_H

#include <stddef.h>

struct arena;
struct diag;

/* A list of paths in an arena. */
struct paths {
	char **path;
	size_t n, cap;
};

/* Absent settings are NULL or empty; `cache` is set by conf_cache. */
struct conf {
	struct arena *arena;
	char *file; /* where it was read from; NULL: there is none */
	char *clang, *ld, *scan, *cache;
	struct paths closure, include;
};

/*
 * Reads the settings. file NULL: <folder of the executable>/../kvobj.conf,
 * which may be absent. -1 with the reason in diag.
 */
int conf_read(struct conf *, struct arena *, const char *file, struct diag *);

/*
 * Decides the cache folder: dir, else $KVAOT_CACHE, else the file's, else
 * $XDG_CACHE_HOME/kvaot, else $HOME/.cache/kvaot; makes it if needed and
 * refuses one that every user may write. -1 with the reason in diag.
 */
int conf_cache(struct conf *, const char *dir, struct diag *);

#endif
