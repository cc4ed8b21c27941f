/* SPDX-License-Identifier: MIT */
/* One back end under test against its reference kernel. */
#ifndef TESTS_CHECKK_H
#define TESTS_CHECKK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/kvk.h"
#include "ops/ops.h"

enum { MAX_IN = 4, NOTE = 400 };

/* Memory between two guard pages for one operand, and what belongs there. */
struct area {
	char *mem, *plain;
};

/* One row under test. note: shared with the parent, what is running. */
struct row {
	const struct op *op;
	const struct kvk_entry *e, *ref;
	enum dtype dtype, odtype; /* of the operands, of the output */
	size_t size, osize;
	bool f64, blas; /* blas: adds in the order of the BLAS library */
	uint64_t seed;
	struct area in[MAX_IN], out;
	char *sums; /* of magnitudes, for blas and the tolerance REL */
	long cases;
	char *note;
};

/* In a child process: runs all cases of the row and ends it, with status 0
 * when all passed. What fails is in the note. */
_Noreturn void checkk_row(struct row *);

#endif
