/* SPDX-License-Identifier: MIT */
/* float16 (IEEE 754 binary16) and bfloat16, of which C has no types: numbers in
 * memory, of any alignment. */
#ifndef SPACE_HALF_H
#define SPACE_HALF_H

#include "space/value.h"

/* The number at p; the dtype is one of the two. */
double half_load(enum dtype, const void *p);

/* Rounds once, to nearest, ties to even; what is too large is infinite. A NaN
 * is the one canonical quiet NaN. */
void half_store(enum dtype, void *p, double);

/* The same of an integer: the bits of an int64 when it is negative, else those
 * of a uint64. */
void half_store_int(enum dtype, void *p, bool negative, uint64_t);

/* A number's text as a double that half_store rounds as it would round the
 * number itself. */
double half_of_text(const char *);

#endif
