/* SPDX-License-Identifier: MIT */
/*
 * The threads behind kvk_stream.par. How a loop is cut depends on the number
 * of threads, so a kernel's result must not depend on the cut (design.md 8);
 * with one thread a loop is one call.
 */
#ifndef RUNTIME_POOL_H
#define RUNTIME_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "include/kvk.h"

struct pool;

/* What a kernel gets: the ABI's stream first, so that par finds the rest. */
struct pool_stream {
	struct kvk_stream s;
	struct pool *pool;
	size_t scratch; /* bytes a worker */
};

/* A pool of `threads` threads, the caller's included; 0 means one for each
 * CPU this process may use. NULL with errno set when a thread cannot start. */
struct pool *pool_new(int threads);

/* Ends the threads. No loop may be running. */
void pool_free(struct pool *);

int pool_threads(const struct pool *);

/* Prepares a stream whose pieces have `scratch` bytes of memory each. */
void pool_stream(struct pool *, size_t scratch, struct pool_stream *);

/*
 * Makes the running loop, and every later one, return KVK_CANCELLED after the
 * pieces already begun. Callable from any thread and from a signal handler.
 */
void pool_cancel(struct pool *);
bool pool_cancelled(const struct pool *);

/* Ends the effect of pool_cancel. */
void pool_rearm(struct pool *);

#endif
