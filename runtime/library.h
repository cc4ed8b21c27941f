/* SPDX-License-Identifier: MIT */
/*
 * A published library: image and manifest, checked, the manifest's rows by
 * opcode, and the versions that are masked. The link `current` is resolved
 * once; objects are read through the same folder descriptor, so a later
 * publication changes nothing.
 */
#ifndef RUNTIME_LIBRARY_H
#define RUNTIME_LIBRARY_H

#include "base/diag.h"
#include "base/map.h"
#include "runtime/match.h"
#include "space/find.h"
#include "space/image.h"
#include "space/manifest.h"
#include "space/masked.h"
#include "space/space.h"

/* The rows of one opcode, most special first. */
struct lib_op {
	const char *opcode;
	struct rowspec *row;
	size_t n;
};

struct library {
	struct arena arena;
	int dir;             /* holds obj/ */
	struct image image;
	struct space *space; /* instead of the image; NULL until it is asked for */
	struct manifest manifest;
	struct masked masked; /* versions not to choose */
	struct map ops;      /* opcode -> struct lib_op */
};

/*
 * path: the library's folder, or the file `image` of one publication, with the
 * manifest beside it. -1 with errors naming the file that is absent, damaged
 * or malformed; then nothing needs to be closed.
 */
int library_open(struct library *, const char *path, struct diag *);
void library_close(struct library *);

/* The value at a key of the library's tree, or NULL. Valid until the tree
 * changes. */
const struct value *library_get(struct library *, const char *key);

/* The whole tree, to be changed. */
struct space *library_space(struct library *);

/* The rows of an opcode, or NULL. */
const struct lib_op *library_op(const struct library *, const char *opcode);

#endif
