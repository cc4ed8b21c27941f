/* SPDX-License-Identifier: MIT */
/* A function of one float32 over many inputs. */
#ifndef TESTS_HARNESS_SWEEP_H
#define TESTS_HARNESS_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/kvk.h"
#include "ops/ops.h"

enum { SWEEP_LEVELS = 8 };

/* The function: its back end at each level of the CPU, highest first, and its
 * reference for float64. */
struct sweep {
	const struct op *op;
	const struct kvk_entry *level[SWEEP_LEVELS], *ref;
	int nlevel;
};

/* Which inputs, by their bits: the listed ones, then 0, every, 2 every, … With
 * every = 1 the levels below the highest get one block of 16. */
struct sweep_inputs {
	const uint32_t *listed;
	size_t nlisted;
	uint32_t every;
	int threads;
};

/*
 * error: the largest, at the input with these bits (the lowest of several); in
 * ulp of float32, for an op of tolerance ABS in parts of the larger of 1 and the
 * result. 0.5 ulp when all results are correctly rounded. other: how many are
 * not. wrong: what is not as it must be, at the first such input; NULL when all
 * is well.
 */
struct sweep_result {
	double error;
	uint32_t at, wrong_at;
	uint64_t count, other;
	const char *wrong;
};

/* Ends the program when memory or threads are lacking. */
struct sweep_result sweep_run(const struct sweep *,
    const struct sweep_inputs *);

#endif
