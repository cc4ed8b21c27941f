/* SPDX-License-Identifier: MIT */
/* Runs a kernel that bind_rwir chose: conversions, outputs, the call. */
#ifndef RUNTIME_CALL_H
#define RUNTIME_CALL_H

#include "runtime/state.h"

/* A scalar operand converted to the entry's dtype. */
union scalar {
	double f64;
	int64_t i64;
};

/*
 * The entry of the bound row, loaded if need be and compared with what the
 * manifest says of it, and the BLAS library if it calls one. loc: the call that
 * needs it. NULL with an error.
 */
const struct kvk_entry *call_entry(struct runtime *, const struct bound *,
    struct loc);

/*
 * Runs the kernel on the reads (none is NULL) and puts new cells into out,
 * one for each output. What the kernel returned, or -1; when that is not 0 with
 * a reason, which begins with the class of the error, and out is not set.
 */
int call_kernel(struct runtime *, const struct bound *,
    const struct kvk_entry *, struct cell *const *in, struct cell **out,
    char why[BIND_WHY]);

/* Bytes of scratch a worker; -1 when there is no such number. */
int call_scratch(const struct kvk_entry *, const struct dims *, size_t *out);

/*
 * Calls fn with the table, once for each position on the axes that the table
 * has no room for. size: bytes an element of each operand. The first code that
 * is not KVK_OK, else KVK_OK.
 */
int call_axes(kvk_fn *, const struct dims *, void *const *ptr,
    const size_t *size, int nop, const struct kvk_stream *);

/* What a code says, beginning with the class of the error. */
const char *call_code_text(int code);

/* Says with --trace which row was chosen. */
void call_trace(const struct runtime *, const struct bound *);

#endif
