/* SPDX-License-Identifier: MIT */
/* Random functions of the op set, as kvlang text. */
#ifndef BYTES_GRAPH_H
#define BYTES_GRAPH_H

#include "tests/bytes/bytes.h"

enum { VARS_MAX = 160, MASKS_MAX = 120, PARAMS_MAX = 5, RESULTS_MAX = 5 };

/*
 * How much a planner knows. SLOTS: no parameters, all data in the text. KNOWN:
 * parameters with all dims. OPEN: dims unknown, one dtype. ANY: any rank, either
 * of float32 and float64, or of float16 and bfloat16.
 */
enum graph_kind { GRAPH_SLOTS, GRAPH_KNOWN, GRAPH_OPEN, GRAPH_ANY };

/* A parameter's shape from the base shape: `drop` leading axes are left out,
 * those with a bit in `ones`, counted from the last, are 1. So all parameters
 * broadcast with each other. */
struct form {
	int drop;
	unsigned ones;
};

struct var {
	char name[12];
	enum dtype dtype;
	struct shape shape;  /* for SLOTS and KNOWN */
	bool full, ranked;   /* else: the base shape; its rank */
	bool constant;       /* a parameter */
	bool typed;          /* has a declared shape */
	bool scalar;         /* an input of rank 0 */
	bool set;
};

/* A variable of bool. */
struct mask {
	char name[12];
	struct shape shape;
	bool full, ranked;
};

struct graph {
	long number;
	enum graph_kind kind;
	struct rng rng;
	struct shape base;
	enum dtype dtype;
	bool plain;                 /* few ops, all elementwise */
	int64_t axis;               /* value of parameter axis */
	int nparam;                 /* tensors */
	struct form form[PARAMS_MAX];
	bool any_rank;              /* OPEN: [*]T and not [.,.]T */
	bool use_axis, use_shape;   /* further parameters, in this order */
	bool calls_version;         /* by name: its shapes are not known before */
	int nresult, nindex;        /* float results, then one of int64 */
	struct var var[VARS_MAX];   /* parameters, results, then locals */
	int nvar, nlocal;
	struct mask mask[MASKS_MAX];
	int nmask;
	struct buf body;
};

/* The graph of a number; its body is released by graph_release. */
void graph_make(struct graph *, uint64_t seed, long number);
void graph_release(struct graph *);

/* The function's text, `rwfunc g<number>…`. */
void graph_print(const struct graph *, struct buf *);

/* Functions that graphs call. */
extern const char graph_helpers[];

/* The parts of graph_make. Whether all shapes are known: */
bool graph_known(const struct graph *);

/* A random variable with a value, half the time one of the newest, so that
 * chains grow; there is always one. */
struct var *graph_pick(struct graph *);

/* Appends a random op, or nothing when the one drawn does not fit. */
void graph_op(struct graph *);

/* The other one of float32 and float64, or of float16 and bfloat16. */
enum dtype graph_other(enum dtype);
void graph_put_type(struct buf *, enum dtype, const struct shape *);

/* Appends a random number to the body, with digits enough to be read back
 * exactly, and a point or an exponent. */
void graph_put_number(struct graph *, enum dtype);

void form_shape(const struct form *, const struct shape *base,
    struct shape *out);

#endif
