/* SPDX-License-Identifier: MIT */
/*
 * The runtime as its users see it: open a library, lay a file over it, ask for
 * the signature of a function, call it. Not for two threads at once.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/str.h"
#include "space/value.h"

struct manifest_row;
struct runtime;
struct cell; /* a value that the runtime holds */

/*
 * lib: the library's folder. space: where functions that are laid and values at
 * absolute paths live, NULL or "mem:" for this process, or "fs://DIR". isa: the
 * highest level to use, NULL for the best that runs here. threads: 0 for one a
 * CPU. base: functions run their base rows, whatever versions exist; strict: a
 * call of a base whose versions all do not fit is an error. dump: outputs of
 * every kernel, trace: decisions, both to err. out: where print and println
 * write. ran: told of the row of every kernel that runs, also where it has
 * nothing to compute; may be NULL.
 */
struct runtime_options {
	const char *lib, *space, *isa;
	int threads;
	bool base, strict, dump, trace;
	FILE *out, *err;
	void (*ran)(void *ctx, const struct manifest_row *);
	void *ran_ctx;
};

/* NULL with errors: the library or the space cannot be used, or the isa does
 * not run. */
struct runtime *runtime_open(const struct runtime_options *, struct diag *);
void runtime_close(struct runtime *);

/*
 * Lays the functions of a text over the library, replacing those of the same
 * name, also in the space. entries gets the names of its bare-statement functions in order, valid
 * as long as the runtime. -1 with errors; then nothing is laid out.
 */
int runtime_lay(struct runtime *, const char *file, struct str text,
    const char ***entries, size_t *n, struct diag *);

/*
 * Puts a tensor file at an absolute path, below what programs write there:
 * F.npy at `path`, each tensor T of F.safetensors at `path/T`. Before the first
 * call; the file must not change before the runtime is closed. -1 with errors.
 */
int runtime_load(struct runtime *, const char *file, const char *path,
    struct diag *);

/* Whether /lib/<name> is a function; `:` is not understood as `·` here. */
bool runtime_has(const struct runtime *, const char *name);

/* Parameters of a function: reads, then writes. */
struct runtime_signature {
	int nread, nwrite;
	const char *const *name, *const *type;
};

/* -1 with an error when there is no such function. Valid until the next
 * runtime_lay. */
int runtime_signature(struct runtime *, const char *name,
    struct runtime_signature *, struct diag *);

/* A cell with a copy of the value, to be released; NULL without memory. */
struct cell *runtime_value(struct runtime *, const struct value *);
const struct value *runtime_body(struct cell *);
void runtime_release(struct runtime *, struct cell *);

/*
 * Calls a function with its reads and puts its writes, which are to be
 * released, into out; an unset one is NULL. The version is chosen as for any
 * call. -1 with an error; then out is not set.
 */
int runtime_call(struct runtime *, const char *name, struct cell *const *in,
    int nin, struct cell **out, int nout, struct diag *);

/* Whether the last call failed by what this machine lacks, not by what it was
 * given: a library outside of kvaot that a kernel needs. */
bool runtime_environment(const struct runtime *);

/* Ends the running call with an error, from another thread or a signal. */
void runtime_cancel(struct runtime *);

#endif
