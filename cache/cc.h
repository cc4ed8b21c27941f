/* SPDX-License-Identifier: MIT */
/* C source -> object in the cache -> receipt. */
#ifndef CACHE_CC_H
#define CACHE_CC_H

#include <stdbool.h>
#include <stdio.h>

#include "base/sha256.h"
#include "cache/source.h"

struct conf;
struct diag;
struct isa;

/* One instruction set level, and the receipt to write for it. */
struct cc_level {
	const struct isa *isa;
	const char *receipt;
};

struct cc_job {
	const char *source; /* the C file */
	const struct cc_level *level;
	size_t n;
};

/* What the jobs of one run share: headers, which also say whether the kernels
 * are written by hand, and the compiler's digest, "" until a job needs it. */
struct cc_run {
	const struct conf *conf;
	struct headers headers;
	char toolchain[SHA256_HEX + 1];
};

/*
 * Gives the receipts of the job: each from the cache when its action is known
 * and the object is whole, else by compiling. The compiler runs in a folder of
 * its own that holds copies of the texts that the key covers, and nothing else.
 * A receipt is written last, and only when it changes. 0, or 1 when the source
 * is refused (reasons in diag, the compiler's own words on `out`), or 3 when
 * the environment fails (reason in diag), the worst of all levels; a level that
 * failed has no receipt. Needs conf_cache.
 */
int cc_make(
    struct cc_run *, const struct cc_job *, FILE *out, struct diag *);

#endif
