/* SPDX-License-Identifier: MIT */
/* The back ends that checkk runs. */
#ifndef TESTS_HARNESS_ROWS_H
#define TESTS_HARNESS_ROWS_H

#include "runtime/library.h"
#include "tests/harness/harness.h"
#include "tests/harness/refs.h"

enum { ROWS_LEVELS = 8 };

/* skipped: rows of levels that this CPU does not run. */
struct rows {
	struct arena arena;
	struct refs refs;
	struct library library;
	bool opened;
	struct kvaotLib *lib[ROWS_LEVELS]; /* by level */
	struct row *row;
	size_t n, cap, skipped;
};

/*
 * Finds all rows of a library, or of the objects in a folder, the other one
 * being NULL, and their references; of these ops if there are some. The seed of
 * a row depends on its op and dtype. A row that cannot run says so in why. Ends
 * the program when a file cannot be used or an op has no row.
 */
void rows_find(struct rows *, const char *lib, const char *objects,
    const char *ref, char *const *op, int nop);
void rows_release(struct rows *);

#endif
