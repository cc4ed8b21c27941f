/* SPDX-License-Identifier: MIT */
/* The kernels of author ref, and what a kernel needs to be called directly. */
#ifndef TESTS_HARNESS_REFS_H
#define TESTS_HARNESS_REFS_H

#include "base/arena.h"
#include "include/kvk.h"
#include "ops/ops.h"

/* Entries of objects that were loaded; they stay until the process ends. */
struct refs {
	struct arena arena;
	const struct kvk_entry **entry;
	size_t n, cap;
};

/* Loads all objects (*.so) of a folder; ends the program when one is no kernel
 * object of this ABI. They may call libm. refs is zeroed. */
void refs_load(struct refs *, const char *dir);
void refs_release(struct refs *);

/* The entry of an op and T, and of what an attribute names (ops/), if one does;
 * NULL when there is none. */
const struct kvk_entry *refs_find(const struct refs *, const struct op *,
    enum dtype t, enum dtype named);

/* A stream that runs each loop as one piece, without scratch memory. */
extern const struct kvk_stream refs_stream;

#endif
