/* SPDX-License-Identifier: MIT */
/* One back end under test against its reference kernel. */
#ifndef TESTS_HARNESS_HARNESS_H
#define TESTS_HARNESS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "include/kvk.h"
#include "ops/ops.h"
#include "runtime/bind.h"

struct kvaotLib;

enum { MAX_IN = 4, MAX_OUT = 2, NOTE = 600, OFFSETS = 16 };

/* What an operand's data are; see data.c. */
enum kind { UNIFORM, WIDE, TINY, WITH_NAN, WITH_INF, AROUND, EDGES, KINDS,
	GRID = KINDS };

/* Memory between two guard pages for one operand, and what belongs there. */
struct area {
	char *mem, *plain;
};

/*
 * A row under test. twin: the back end of the lowest level, which must give the
 * same bytes; NULL when that is this one. lib: the library opened at the row's
 * level, NULL when the row comes from an object alone. limit: most cases that
 * are run; only: the one that is, or -1. note: shared with the parent, what
 * runs.
 */
struct row {
	const struct op *op;
	const struct manifest_row *m;
	struct rowspec spec;
	const struct kvk_entry *e, *ref, *twin;
	enum dtype dtype, odtype; /* T, of the output */
	size_t osize;
	int which; /* of the op's outputs is looked at: each is a row of its own */
	bool blas; /* adds in the order of the BLAS library */
	struct kvaotLib *lib;
	uint64_t seed;
	long limit, only;
	char why[MATCH_WHY]; /* it cannot run */
	char *note;

	/* While it runs. sums: what compare_needs_sums says; first: what the first
	 * run of a case gave. */
	uint64_t random;
	struct area in[MAX_IN], out;
	char *sums, *first, *rest; /* rest: of the outputs not looked at */
	size_t room; /* bytes of each area */
	struct arena arena; /* of the case */
	long total, number, cases;
	bool counting;
};

/*
 * A call of the row's op: its reads, of which attributes have bodies, and what
 * the runtime makes of it. offset: how many elements operand i lies off a
 * 64-byte boundary in the run that looks at that; -1 a random one.
 */
struct call {
	struct value read[OP_MAX_PARAMS];
	struct bound b;
	int kind; /* enum kind */
	double base; /* of kind AROUND */
	int offset[MAX_IN + 1];
};

/* rows.c: says in the parent's words why the row failed; ends the child. */
_Noreturn void row_fail(struct row *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The dtype of read i for T of the row, and the bytes of an element of input k
 * of a call. */
enum dtype row_dtype(const struct row *, int i);

/* Whether the second operand has indices of the first. */
bool row_has_index(const struct row *);

size_t call_size(const struct call *, int k);

/* data.c: random numbers of the case, and the data of input k. */
uint64_t data_mix(uint64_t);
int data_below(struct row *, int n);
void data_fill(struct row *, const struct call *, int k);

/* The elements of each of n tensors of kind GRID. */
int64_t data_grid(const struct row *, int n);

/* cases.c: runs all cases of the row that are chosen. cases_one makes one call
 * of about n elements. */
void cases_run(struct row *);
void cases_one(struct row *, struct call *, int64_t n);

/* place.c: memory of the operands, and calls there. place_init: once, for
 * operands of at most `room` bytes, a multiple of a page. place_case runs a case
 * in all places and compares. place_fill makes the data, sets ptr to them and
 * runs the reference, whose code it returns. */
enum cut { WHOLE, HALVES, PIECES }; /* of a loop of the kernel */
enum { ROOM = 2 << 20 };
void place_init(struct row *, size_t room);
void place_case(struct row *, struct call *);
int place_fill(struct row *, const struct call *, void **ptr);

/* All outputs, `out` that of the row. */
void place_outputs(const struct row *, void *out, void **outs);


/* Runs the reference on the magnitudes of the inputs, where the tolerance is of
 * their sums. */
void place_sums(struct row *, const struct call *);
int place_run(struct row *, const struct kvk_entry *, void **ptr,
    const struct call *, enum cut);

/* compare.c: every element of got with the reference's result; where: the run. */
void compare_all(struct row *, const struct call *, const char *got,
    const char *where);

/* Whether the tolerance is one of sums of magnitudes: the reference's results
 * for the magnitudes of the inputs. */
bool compare_needs_sums(const struct row *);

/* refuse.c: overlaps of operands through libkvaot, allowed and not. */
void refuse_overlaps(struct row *);

/* measure.c: what a call of a row and of its reference take. bytes: of all
 * operands. */
struct measured {
	int64_t elements, bytes;
	double ns, ref_ns;
};
void measure_row(struct row *, int64_t n, struct measured *);

#endif
