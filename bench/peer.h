/* SPDX-License-Identifier: MIT */
/*
 * Who computes a problem: ours, the limit of the machine, and libraries of
 * others. These are opened while the program runs, from where bench/peers.sh put
 * them, so that a build needs none.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench/problem.h"

/* Why a peer cannot be had is put into this text. */
enum { PEER_WHY = 256 };

struct peer {
	const char *name;
	/*
	 * Opens it for so many threads: what prepare takes first. NULL, with the
	 * reason in why, where it is not installed. What fails after that is
	 * fatal.
	 */
	void *(*open)(const char *folder, int threads, char why[PEER_WHY]);
	/* A computation of p; NULL where it has none. p stays until drop. */
	void *(*prepare)(void *peer, const struct problem *p);
	void (*run)(void *job);
	/* The outputs of a run, valid until the next one; NULL: it has none. */
	void (*fetch)(void *job, const void *out[MAX_OUTPUTS]);
	void (*drop)(void *job);
};

/* Ours, whose folder is a library: versions, and functions as they are written;
 * the latter have only functions that are not single ops. */
extern const struct peer peer_ours, peer_base;

/* Memory read and written once by one thread, with ordinary stores and with
 * those that pass the caches by. */
extern const struct peer peer_limit, peer_limit_past;

extern const struct peer peer_ort, peer_dnnl, peer_ggml, peer_numpy,
    peer_torch;

/* OpenBLAS as the runtime finds it, for products alone. */
extern const struct peer peer_blas;

#endif
