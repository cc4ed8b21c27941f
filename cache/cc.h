/* SPDX-License-Identifier: MIT */
/* C source -> object in the cache -> receipt. */
#ifndef CACHE_CC_H
#define CACHE_CC_H

#include <stdbool.h>
#include <stdio.h>

struct conf;
struct diag;
struct isa;

struct cc_job {
	const char *source;  /* the C file */
	const char *receipt; /* the file to write */
	const struct isa *isa;
	bool hand; /* a kernel written by hand: see source_read */
};

/*
 * Gives the receipt of the job: from the cache when its action is known and
 * the object is whole, else by compiling. The compiler runs in a folder of its
 * own that holds copies of the texts that the key covers, and nothing else.
 * The receipt is written last, and only when it changes. 0, or 1 when the
 * source is refused (reasons in diag, the compiler's own words on `out`), or 3
 * when the environment fails (reason in diag); then there is no receipt.
 * Needs conf_cache.
 */
int cc_run(
    const struct conf *, const struct cc_job *, FILE *out, struct diag *);

#endif
