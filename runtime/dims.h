/* SPDX-License-Identifier: MIT */
/* The table `dim` of a kernel call, class by class (kvk.h). Pure arithmetic on
 * shapes; operands are the inputs, then the outputs. */
#ifndef RUNTIME_DIMS_H
#define RUNTIME_DIMS_H

#include <stdbool.h>

#include "space/value.h"

enum { DIMS_OPERANDS = 20, DIMS_MAX = DIMS_OPERANDS * (MAX_RANK + 1) };

/*
 * A call's table, and the loop around it when a map has more than 4 axes that
 * do not merge: outer[0..nouter) extents, outermost first, and the elements
 * each operand moves along them. n: the extent that scratch depends on.
 */
struct dims {
	int64_t dim[DIMS_MAX];
	int64_t n;
	int nouter;
	int64_t outer[MAX_RANK];
	int64_t step[MAX_RANK][DIMS_OPERANDS];
};

/* Class map over the space; an operand that does not broadcast to it: -1. */
int dims_map(struct dims *, const struct shape *space,
    const struct shape *const *operand, int n);

/* Class map, a copy of `count` elements from the first to the last operand. */
void dims_flat(struct dims *, int64_t count, int n);

/*
 * Class rows over the space. along[i]: operand i runs along the last axis,
 * else it holds one value a row. -1 when an operand does neither.
 */
int dims_rows(struct dims *, const struct shape *space,
    const struct shape *const *operand, const bool *along, int n);

/*
 * Class cols over the space, along an axis that is not the last. along[i]:
 * operand i has the dims of the space; else it is a scalar, or one value a
 * column: those dims with 1 at the axis. -1 when an operand does not.
 */
int dims_cols(struct dims *, const struct shape *space, int axis,
    const struct shape *const *operand, const bool *along, int n);

/* Class reduce of the axes i with reduced[i] set. */
void dims_reduce(struct dims *, const struct shape *in, const bool *reduced);

/* Class other: the operands, then of nattr reads the attributes, those with
 * attr[i] set, whose len[i] elements it holds. */
void dims_other(struct dims *, const struct shape *const *operand, int n,
    const int64_t *const *attr, const int *len, int nattr);

#endif
