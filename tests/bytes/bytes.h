/* SPDX-License-Identifier: MIT */
/*
 * The byte tests: every fused result equals the unfused composition. What
 * the tests of composites and of random graphs share: random numbers and data,
 * runtimes to compare, and the comparison.
 */
#ifndef BYTES_BYTES_H
#define BYTES_BYTES_H

#include "runtime/runtime.h"

enum { IN_MAX = 12, OUT_MAX = 12, SIDES = 8 };

/* Random numbers, the same everywhere for a seed. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *);
/* From 0 to n - 1. */
int64_t rng_below(struct rng *, int64_t n);
bool rng_one_in(struct rng *, int64_t n);
/* Uniform in [-4, 4) with few bits more than a float32 has. */
double rng_float(struct rng *);

/* What rows of test data are made of; MIXED draws one for each element. */
enum row_style {
	ROW_UNIFORM, ROW_WIDE, ROW_LARGE, ROW_HUGE, ROW_ALL_MINUS_INF,
	ROW_DENORMAL, ROW_ZEROS, ROW_EQUAL, ROW_BITS, ROW_NAN, ROW_PLUS_INF,
	ROW_MINUS_INF, ROW_MIXED, ROW_STYLES
};

/* n elements of a float dtype. */
void data_row(struct rng *, enum row_style, enum dtype, void *, int64_t n);

/* A tensor in the arena, each row of the last axis in a style of its own:
 * `first` and those after it, or random ones for -1. */
struct value data_tensor(struct rng *, struct arena *, enum dtype,
    const struct shape *, int first);

/* One open runtime. mxcsr is what the caller's control register holds during
 * calls. */
struct side {
	char name[64];
	struct runtime *rt;
	FILE *out, *err; /* printed text and trace of the last call */
	char *out_text, *err_text;
	size_t out_n, err_n;
	unsigned mxcsr;
};

enum { MXCSR_USUAL = 0x1f80, MXCSR_ODD = 0xdfc0 };

/* isa NULL: the best. Stops the program when the library cannot be used. */
void side_open(struct side *, const char *lib, const char *isa, int threads,
    bool base, bool strict);
void side_close(struct side *);

/* What a call gave. The cells live until outcome_release. */
struct outcome {
	struct side *side;
	int rc, nin, nout;
	const struct value *given;
	struct cell *in[IN_MAX], *out[OUT_MAX];
	unsigned mxcsr; /* after the call */
	char error[600];
};

void outcome_call(struct outcome *, struct side *, const char *name,
    const struct value *in, int nin);
void outcome_release(struct outcome *);

/*
 * 0 when `is` equals `want` in success, types, bytes and printed text, and left
 * its inputs and the control register alone; else -1 with the difference on
 * stdout, after `what`.
 */
int outcome_compare(const struct outcome *is, const struct outcome *want,
    const char *what);

/* After so many failures a test stops: more tell little. */
enum { FAILURES_MAX = 20 };

struct tally {
	long passed, failed;
};

void tally_add(struct tally *, bool good);

/* "float32 [2,3]" into out, of at least 240 bytes. */
void value_type_text(const struct value *, char *out);

struct bytes_options {
	const char *lib;
	uint64_t seed;
	long count;    /* cases or graphs; 0: the default */
	long only;     /* run just this one; -1: all */
	bool full;
};

/* The first number to run and the one after the last. */
void bytes_range(const struct bytes_options *, long count, long *first,
    long *end);

void composites_test(const struct bytes_options *, struct tally *);
void graphs_print(const struct bytes_options *);
void graphs_test(const struct bytes_options *, struct tally *);

#endif
