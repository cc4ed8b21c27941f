/* SPDX-License-Identifier: MIT */
/*
 * Variables below `/`: one for all functions. They live as long as the runtime,
 * or in a space fs://DIR. There the files are the only truth, which another
 * process may change: each read and write goes to the file.
 */
#ifndef RUNTIME_GLOBALS_H
#define RUNTIME_GLOBALS_H

#include "base/map.h"
#include "runtime/heap.h"
#include "runtime/library.h"
#include "runtime/weights.h"
#include "space/fs.h"

/* cell NULL: None. */
struct global {
	const char *path;
	struct cell *cell;
};

struct globals {
	struct arena arena;
	struct map map; /* path -> struct global */
	struct heap *heap;
	struct library *lib;
	struct weights weights;
	const struct fs *fs; /* NULL: values stay in memory */
	struct cell **old;   /* read before their files changed */
	size_t nold, capold;
};

void globals_init(struct globals *, struct library *, struct heap *,
    const struct fs *);
void globals_release(struct globals *);

/* The variable at a path. */
struct global *globals_at(struct globals *, const char *path);

/*
 * The variable's value, which the next globals_settle may end; NULL is None.
 * Where nothing was written it is what was loaded there, else what the library
 * has at the path. -1 with an error that names the file.
 */
int globals_read(struct globals *, struct global *, struct cell **,
    struct diag *);

/* Gives the variable a cell whose reference is handed over; NULL, None, takes
 * the value from a space. -1 with an error that names the file, or the path if
 * it is one of functions in a space. */
int globals_write(struct globals *, struct global *, struct cell *,
    struct diag *);

/* No reader holds a borrowed value any more. */
void globals_settle(struct globals *);

#endif
