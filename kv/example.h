/* SPDX-License-Identifier: MIT */
/*
 * The examples in the comments of a function: lines
 *
 *	ex: NAME(ARGUMENT, ...) -> RESULT, ...
 *
 * of what kv/doc.h gives. NAME is that of the function, with or without its
 * package. An argument or a result is a number, true, false, or an array of
 * these in nested brackets. It has the kind that the type of the parameter
 * names first; KIND(VALUE), as in float64([1, 2]), gives it another one.
 */
#ifndef KV_EXAMPLE_H
#define KV_EXAMPLE_H

#include "base/diag.h"
#include "space/value.h"

struct kv_file;
struct kv_func;

struct kv_example {
	struct loc loc;       /* of what follows `ex:` */
	struct value *reads;  /* one for each parameter */
	struct value *writes; /* one for each result */
	struct kv_example *next;
};

/*
 * The examples of a function in order, NULL when there are none; all in the
 * file's arena. Each line that is none though it begins with `ex:` is an error
 * of the diag, and is left out.
 */
struct kv_example *kv_examples(const struct kv_file *, const struct kv_func *,
    struct diag *);

#endif
