/* SPDX-License-Identifier: MIT */
/* What everybody computes: a case at one shape and dtype, and its numbers. */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "space/value.h"

enum kind {
#define CASE(name, ...) CASE_##name,
#include "bench/cases.def"
#undef CASE
	N_CASES
};

struct case_row {
	const char *name, *function, *inputs, *outputs;
	double goal[3];
};

extern const struct case_row cases[N_CASES];

enum { MAX_INPUTS = 5, MAX_OUTPUTS = 2 };

/* The epsilon of the norms. */
#define EPSILON 1e-5

/*
 * The tensors are read only; each candidate writes to memory of its own, out[i]
 * for the letter i of the case's outputs. Indices are int64.
 */
struct problem {
	enum kind kind;
	const struct case_row *row;
	enum dtype dtype;
	int64_t rows, n, k; /* k: of matmul */
	const void *x, *y, *g, *b, *left, *right;
};

/* The tensor of an input's letter; NULL for what is none. */
const void *problem_input(const struct problem *, char letter);

/* Elements of the tensor an input or output letter stands for, and its dims
 * (dim may be NULL): the rank. */
size_t problem_count(const struct problem *, char letter);
int problem_dims(const struct problem *, char letter, int64_t dim[2]);

/* Bytes of an output. */
size_t problem_bytes(const struct problem *, char letter);

/*
 * The largest error of an output of the case, at sampled rows or columns,
 * against long double, relative to the largest number of its row. An index
 * that is not the first one of the maximum is an error of 1.
 */
double problem_error(const struct problem *, int output, const void *out);

#endif
