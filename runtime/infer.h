/* SPDX-License-Identifier: MIT */
/*
 * What a function does with values of which dtype and dims are known: its rows
 * are followed with shapes instead of values. So it is found whether a version
 * fits a call, and a call is recorded to be run later.
 */
#ifndef RUNTIME_INFER_H
#define RUNTIME_INFER_H

#include "runtime/state.h"
#include "runtime/tape.h"

/*
 * Variables: v[i] is NULL for None, its body NULL when only dtype and dims are
 * known; reg[i] is its register when a tape is recorded.
 */
struct known {
	const struct value **v;
	int *reg;
};

/* n variables, all None. */
struct known known_new(struct arena *, int n);

/*
 * args: the reads, as many as the function has, then what its writes hold
 * before the call, NULL for None. -1 with the reason of the first row that
 * cannot run.
 */
int infer_fits(struct runtime *, struct func *,
    const struct value *const *args, char why[BIND_WHY]);

/*
 * Follows the rows; args as for infer_fits. out gets what the writes hold
 * afterwards, in the arena. tape NULL: shapes only; else the kernels are
 * recorded, and calls run the version that resolve_call chooses. -1 with an
 * error at the row in rt->diag.
 */
int infer_follow(struct runtime *, struct func *, const struct known *args,
    struct known *out, struct arena *, struct tape *);

#endif
