/* SPDX-License-Identifier: MIT */
/*
 * The values a program holds: reference-counted cells whose bodies are
 * 64-byte aligned and used again after their release, because touching fresh
 * memory is slower than most kernels.
 */
#ifndef RUNTIME_HEAP_H
#define RUNTIME_HEAP_H

#include "space/value.h"

enum { HEAP_KEPT = 32, CELL_TYPE = 240 };

/* v.langtype of a numeric cell is set by cell_value only. */
struct cell {
	struct value v;
	int refs;
	void *mem; /* the body, v.n bytes of cap */
	size_t cap; /* 0: borrowed */
	struct cell *next; /* while unused */
	char type[CELL_TYPE];
};

/* Bodies not in use, in order of release. */
struct heap {
	struct { void *mem; size_t cap; } kept[HEAP_KEPT];
	int nkept;
	struct cell *unused;
};

/* A zeroed struct heap is a valid, empty one. Cells in use at the release are
 * the caller's fault. */
void heap_release(struct heap *);

/* A numeric cell with one reference whose body is not set; NULL when the
 * system has no such memory. */
struct cell *cell_new(struct heap *, enum dtype, const struct shape *);

/* A numeric cell whose body is the value's and stays its owner's. Who makes it
 * keeps a reference, so that nobody changes it in place. */
struct cell *cell_borrow(struct heap *, const struct value *);

/* A copy of any value; NULL as for cell_new. */
struct cell *cell_copy(struct heap *, const struct value *);

struct cell *cell_ref(struct cell *);
void cell_unref(struct heap *, struct cell *); /* NULL is ignored */

/* The cell's value with its langtype text. NULL for NULL. */
const struct value *cell_value(struct cell *);

#endif
