/* SPDX-License-Identifier: MIT */
/* Values as they are written on a command line: F.npy,
 * rand:64x128:float32:SEED, a literal, or KIND(LITERAL): int8([1,-2]). */
#ifndef RUNTIME_ARGUMENT_H
#define RUNTIME_ARGUMENT_H

#include "base/diag.h"
#include "space/value.h"

/* The value of a text, in the arena; -1 with an error. */
int argument_value(struct arena *, const char *text, struct value *,
    struct diag *);

/* Fills n elements from splitmix64: floats uniformly from [-4, 4), by the
 * highest 24 or 53 bits of each number; integers and bool by as many of its
 * highest bits as they have. */
void argument_random(enum dtype, void *body, size_t n, uint64_t seed);

/* Converts one number or bool; false when the dtype has no such value, while a
 * float may be rounded. */
bool argument_fits(enum dtype to, void *dst, enum dtype from, const void *src);

/* Writes a numeric value as .npy; -1 with errno set. */
int argument_write(const char *path, const struct value *);

#endif
