/* SPDX-License-Identifier: MIT */
/* Variables below `/`: one for all functions, alive as long as the runtime. */
#ifndef RUNTIME_GLOBALS_H
#define RUNTIME_GLOBALS_H

#include "base/map.h"
#include "runtime/heap.h"
#include "runtime/library.h"

/* cell NULL: None. */
struct global {
	struct cell *cell;
};

struct globals {
	struct arena arena;
	struct map map; /* path -> struct global */
	struct heap *heap;
	struct library *lib;
};

void globals_init(struct globals *, struct library *, struct heap *);
void globals_release(struct globals *);

/* The variable at a path; at first it holds what the library has there. */
struct global *globals_at(struct globals *, const char *path);

#endif
