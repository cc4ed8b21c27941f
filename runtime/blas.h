/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of the BLAS library for kernels: stream->blas. The library
 * is opened when the first kernel that needs it is about to run.
 */
#ifndef RUNTIME_BLAS_H
#define RUNTIME_BLAS_H

#include <stdbool.h>

#include "base/blas.h"
#include "include/kvk.h"

struct manifest_row;

/* What kernels get, first the ABI's struct, so that its functions find the
 * rest. */
struct blas {
	struct kvk_blas k;
	int threads; /* that share the work of one product */
};

void blas_init(struct blas *, int threads);

/* Whether the kernel of a row calls BLAS. */
bool blas_needed(const struct manifest_row *);

/*
 * Opens the library if it is not open yet; must have succeeded before a
 * product is asked for. -1 with the reason and what to do; then the next call
 * tries again. From any thread.
 */
int blas_load(char why[BLAS_WHY]);

#endif
