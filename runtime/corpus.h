/* SPDX-License-Identifier: MIT */
/* The inputs that kernels are certified with. */
#ifndef RUNTIME_CORPUS_H
#define RUNTIME_CORPUS_H

#include "runtime/func.h"
#include "runtime/library.h"

/* Part of every verdict's key: to be raised with every change of the inputs. */
#define CORPUS_NAME "kvcorpus 5"

/* Cases of one version and dtype are numbered from 0. */
int corpus_cases(void);

/*
 * Reads of a version's function for a case: v[i] for each. Dims and small
 * integers follow the patterns and guards of the kernels that the function
 * calls, of that dtype; values are ordinary, extreme, or any bits. The second
 * half of the cases has axes that are not the last. -1 when a parameter's type
 * cannot be met, or no parameter is such an axis.
 */
int corpus_fill(const struct library *, const struct func *, enum dtype,
    int number, struct arena *, struct value *v);

#endif
