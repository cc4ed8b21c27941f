/* SPDX-License-Identifier: MIT */
/*
 * A published library: `current/image` and `current/manifest`, checked, and
 * the manifest's rows by opcode. `current` is resolved once; objects are read
 * through the same folder descriptor, so a later publication changes nothing.
 */
#ifndef RUNTIME_LIBRARY_H
#define RUNTIME_LIBRARY_H

#include "base/diag.h"
#include "base/map.h"
#include "runtime/load.h"
#include "runtime/match.h"
#include "space/manifest.h"
#include "space/space.h"

/* The rows of one opcode, most special first. */
struct lib_op {
	const char *opcode;
	struct rowspec *row;
	size_t n, cap;
};

struct library {
	struct arena arena;
	int dir;
	struct space *space; /* the image; the caller may lay more over it */
	struct manifest manifest;
	struct map ops;      /* opcode -> struct lib_op */
	struct loader loader;
};

/*
 * The folder to open: `given` if not NULL, else $KVAOT_LIB, else the first of
 * <exe>/../lib and $libdir/kvaot that holds `current`. NULL when there is
 * none; *tried then lists the places. Both are in the arena.
 */
const char *library_find(struct arena *, const char *given,
    const char **tried);

/* -1 with errors naming the file that is absent, damaged or malformed; then
 * nothing needs to be closed. */
int library_open(struct library *, const char *folder, struct diag *);
void library_close(struct library *);

/* The rows of an opcode, or NULL. */
const struct lib_op *library_op(const struct library *, const char *opcode);

#endif
