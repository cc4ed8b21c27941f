/* SPDX-License-Identifier: MIT */
/*
 * stamp.conf, written by configure: what `stamp` watches. TAB-separated lines,
 * told by `stamp --help`; paths are relative to the folder of the file.
 */
#ifndef CACHE_STAMP_CONF_H
#define CACHE_STAMP_CONF_H

#include <stddef.h>

#include "base/str.h"

struct arena;
struct diag;

enum stamp_word {
	STAMP_STAMP = 1,
	STAMP_FILE,
	STAMP_TREE,
	STAMP_TOOLCHAIN,
	STAMP_RECEIPTS,
	STAMP_SEALED,
	STAMP_CACHE,
};

/* A line. The texts are those of the file. */
struct stamp_order {
	enum stamp_word word;
	struct str path;     /* or a name; empty only for STAMP_TOOLCHAIN */
	struct str suffixes; /* of STAMP_TREE, TAB-separated */
};

/*
 * The lines of a text in order; STAMP_FILE, _TREE and _TOOLCHAIN come only
 * after a STAMP_STAMP, whose name is that of a file to be made in a folder.
 * The array is in the arena. -1 with one error that names `file` and the line.
 */
int stamp_conf_parse(struct arena *, const char *file, struct str text,
    struct stamp_order **, size_t *n, struct diag *);

#endif
