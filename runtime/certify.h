/* SPDX-License-Identifier: MIT */
/*
 * Certificates (design.md section 8): each fused kernel of a library is run
 * against the composition it was made from, and must give the same bytes.
 */
#ifndef RUNTIME_CERTIFY_H
#define RUNTIME_CERTIFY_H

#include "base/diag.h"

/*
 * Writes to `out` the library's manifest with the column cert filled for the
 * rows of versions: passed; failed; untested when no input of the corpus
 * reaches the row on this CPU. Each version runs in a process of its own, so
 * that one that dies has failed. verdicts: a folder that keeps verdicts by
 * kernels, composition and corpus, so that nothing runs twice; NULL: none.
 * Rows that did not pass are named in warnings. -1 with errors.
 */
int certify_library(const char *lib, const char *out, const char *verdicts,
    struct diag *);

#endif
