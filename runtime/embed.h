/* SPDX-License-Identifier: MIT */
/* What the handles of include/kvaot.h are made of. */
#ifndef RUNTIME_EMBED_H
#define RUNTIME_EMBED_H

#include <stdatomic.h>

#include "include/kvaot.h"
#include "runtime/state.h"
#include "runtime/tape.h"

/*
 * A library. What changes while functions are found and bound (rt, fns) is
 * guarded by embed_lock; refs counts the open handle and the bound calls.
 */
struct kvaotLib {
	struct kvaotOptions opt;
	struct runtime *rt;
	struct arena arena;
	struct map fns; /* name -> struct kvaotFn */
	atomic_uint refs;
};

/* Decisions of kvaotCall, the newest first; nodes are only ever added. */
struct embed_call {
	struct embed_call *next;
	struct kvaotBound *bound;
	size_t n;
	const uint8_t *sig;
};

enum { EMBED_CALLS = 64, EMBED_IDLE = 8, EMBED_FIXED = 64 };

/* op NULL: a function; else a back end with the signature of sig. */
struct kvaotFn {
	struct kvaotLib *lib;
	const char *name;
	struct func *f;
	const struct lib_op *op;
	int nin, nout;
	const struct kvaotParam *param;
	_Atomic(struct embed_call *) calls;
	int ncalls;
};

/* A tensor of a bound call; fixed: the bytes it must hold. */
struct embed_operand {
	const char *name;
	enum dtype dtype;
	struct shape shape;
	size_t n, align;
	const void *fixed;
};

/* What one running call needs of its own is taken from idle and put back:
 * scratch, then the tape's work memory. */
struct kvaotBound {
	struct kvaotLib *lib;
	struct arena arena;
	const char *name;
	struct tape tape;
	int nin, nout;
	struct embed_operand *in, *out;
	size_t scratch, bytes;
	_Atomic(void *) idle[EMBED_IDLE];
};

/* Writes an error text; returns code. */
int embed_fail(char *err, uint32_t cap, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The first error of a diagnosis as text; returns code. */
int embed_refuse(char *err, uint32_t cap, int code, const struct diag *);

/* One lock for all that is not calling; a fork waits for it, so that the child
 * finds nothing half done. */
void embed_lock(void);
void embed_unlock(void);

void embed_ref(struct kvaotLib *);
void embed_unref(struct kvaotLib *); /* the last one closes the library */

/* Memory through the hooks; NULL when there is none. */
void *embed_alloc(const struct kvaotLib *, size_t n);
void embed_free(const struct kvaotLib *, void *, size_t n);

/* Frees a bound call, without the reference to its library. */
void embed_drop(struct kvaotBound *);

/*
 * Collects the trace of the runtime for the log hook: begin with the lock held,
 * end without it. Nothing happens when there is no hook.
 */
struct embed_log {
	FILE *f;
	char *text;
	size_t n;
};

void embed_log_begin(struct kvaotLib *, struct embed_log *);
void embed_log_end(struct kvaotLib *, struct embed_log *);

#endif
