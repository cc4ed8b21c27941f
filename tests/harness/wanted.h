/* SPDX-License-Identifier: MIT */
/* Shapes and attributes that the shape rule of an op takes. */
#ifndef TESTS_HARNESS_WANTED_H
#define TESTS_HARNESS_WANTED_H

#include "tests/harness/harness.h"

/* The elements of an attribute. */
struct attr {
	int64_t v[OP_MAX_ATTR];
	int n;
	bool vector, set; /* set: else a single number is a random one */
};

/* Shapes and attributes of a call, by read. */
struct wanted {
	struct shape shape[OP_MAX_PARAMS];
	struct attr attr[OP_MAX_PARAMS];
};

/* Random ones. */
void want_random(struct row *, struct wanted *);

/* With an extent n. How a size gets into the shapes: how many ways there are, and
 * way `way` of them. */
int want_ways(const struct op *);
void want_size(struct row *, struct wanted *, int64_t n, int way);

/* Of about n elements. */
void want_about(struct row *, struct wanted *, int64_t n);

/* All tensors have this shape, but number `one` has one element. */
void want_same(const struct row *, struct wanted *, struct shape, int one);

/* The op's axis, as a number or a vector. */
void want_axis(struct row *, struct wanted *, int64_t axis);

/* Whether the op multiplies matrices. */
bool want_is_product(const struct op *);

/* Exchanges the last two axes of the operand that a product has transposed. */
void want_turned(const struct row *, struct wanted *);

#endif
