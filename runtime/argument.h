/* SPDX-License-Identifier: MIT */
/* Values as they are written on a command line: F.npy,
 * rand:64x128:float32:SEED, or a literal. */
#ifndef RUNTIME_ARGUMENT_H
#define RUNTIME_ARGUMENT_H

#include "base/diag.h"
#include "space/value.h"

/* The value of a text, in the arena; -1 with an error. */
int argument_value(struct arena *, const char *text, struct value *,
    struct diag *);

/* Fills n elements of float32 or float64 uniformly from [-4, 4): splitmix64
 * from the seed, the highest 24 or 53 bits of each number. */
void argument_random(enum dtype, void *body, size_t n, uint64_t seed);

/* Writes a numeric value as .npy; -1 with errno set. */
int argument_write(const char *path, const struct value *);

#endif
