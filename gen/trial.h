/* SPDX-License-Identifier: MIT */
/*
 * An example of a function (kv/example.h) run by kvrun: the base, then every
 * version of it that a library holds.
 */
#ifndef GEN_TRIAL_H
#define GEN_TRIAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "kv/ast.h"
#include "kv/example.h"
#include "space/manifest.h"

struct trial {
	const char *kvrun;        /* the program */
	const char *lib;          /* the published library */
	const struct manifest *m; /* its rows */
	const char *dir;          /* a folder for values, which exists */
	struct arena *arena;
};

struct trial_run {
	int64_t version; /* 0: the base */
	bool fits;       /* else no kernel takes these values */
	long long ns;    /* median of a call, when it ran */
};

struct trial_result {
	struct trial_run *run; /* those that ended well, base first */
	size_t n, cap;
	const char *problem;   /* NULL: none; else the first one */
};

/*
 * The result, in the arena. A float of the base agrees with the stated one when
 * they differ by at most 1e-6 (float64: 1e-12) of it plus as much of the
 * largest number stated in the same array; all else agrees when it is equal. A
 * version agrees when it gives the bytes of the base. Stops the program when
 * the environment fails.
 */
struct trial_result trial_run(const struct trial *, const struct kv_func *,
    const struct kv_example *);

#endif
