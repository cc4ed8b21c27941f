/* SPDX-License-Identifier: MIT */
/* Candidates that run in turn, a slice of time each, so that a ratio compares
 * times of the same moment. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/peer.h"

/* Candidates of a run; peers of others are from FIRST_PEER on. */
enum { OURS, BASE, LIMIT, LIMIT_PAST, FIRST_PEER, BLAS = FIRST_PEER + 5, N_WHO };

enum { MIN_ROUNDS = 9, MAX_ROUNDS = 1001 };

extern const struct peer *const who_is[N_WHO];

/* job: NULL for who takes no part. us: of one call, of each round. */
struct run {
	struct problem problem;
	int threads, rounds;
	void *job[N_WHO];
	int reps[N_WHO];
	double us[N_WHO][MAX_ROUNDS];
};

/* The middle of sorted numbers, and what 10 % of them are below and above. */
struct spread {
	double p10, median, p90;
};

/* Fills us. rounds is the most there may be; fewer where they take long. */
void measure(struct run *);

struct spread measured(const struct run *, int who);

/* Times of who over those of ours, round by round. */
struct spread measured_ratio(const struct run *, int who);

/* The fastest of candidates from .. to - 1; -1 where none takes part. */
int measured_best(const struct run *, int from, int to);

#endif
