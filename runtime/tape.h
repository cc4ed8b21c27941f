/* SPDX-License-Identifier: MIT */
/*
 * A call in which all is decided, as a list of kernels to run on pointers. It
 * is recorded once for given dtypes and dims; to run it needs no part of the
 * library but the mapped code, and changes nothing, so that any number of
 * threads may run one tape.
 */
#ifndef RUNTIME_TAPE_H
#define RUNTIME_TAPE_H

#include "base/arena.h"
#include "include/kvk.h"
#include "runtime/bind.h"

enum { TAPE_INS = 64, TAPE_OUTS = 16 };

/* Where a value lies when the tape runs. */
enum place { PLACE_IN, PLACE_OUT, PLACE_WORK, PLACE_CONST };

/* made, last: the steps that write it and that read it last; -1: none. */
struct tape_reg {
	enum place place;
	int index;        /* IN, OUT: which */
	size_t at;        /* WORK: from the start of the work memory */
	const void *body; /* CONST */
	enum dtype dtype;
	size_t n;         /* bytes */
	int made, last;
};

/* fn NULL: a copy of the first operand to the second. */
struct tape_step {
	kvk_fn *fn;
	const struct dims *dims;
	const char *opcode;
	uint64_t alias; /* of the entry */
	enum dtype dtype[MATCH_INS]; /* in which inputs are read */
	int nin, nop;
	int reg[DIMS_OPERANDS];
	size_t size[DIMS_OPERANDS]; /* bytes an element */
};

struct tape {
	struct arena *arena;
	struct tape_reg *reg;
	struct tape_step *step;
	size_t nreg, regcap, nstep, stepcap;
	size_t work;              /* bytes of memory for values in between */
	size_t scratch;           /* bytes a worker of any kernel needs */
	bool blas;                /* a kernel of it calls BLAS */
	bool broken;              /* a kernel of it could not be mapped */
	uint64_t alias[TAPE_OUTS]; /* bit i: may be the memory of input i */
};

/* All is kept in the arena. */
void tape_init(struct tape *, struct arena *);

/* The register of input i, or of a constant, which is copied. */
int tape_input(struct tape *, int i, const struct value *);
int tape_constant(struct tape *, const struct value *);

/*
 * Adds a kernel. reg[i] holds read i; out[j] gets the register of output j.
 * -1 with a reason when the extents need more memory than there is.
 */
int tape_kernel(struct tape *, const struct bound *, const struct kvk_entry *,
    const int *reg, int *out, char why[BIND_WHY]);

/*
 * Ends the recording: out[j] is the register of result j. -1 with a reason
 * when the values in between need more memory than there is.
 */
int tape_end(struct tape *, const int *out, int nout, char why[BIND_WHY]);

/*
 * Runs it: in and out are the caller's memory, work is tape.work bytes aligned
 * to 64. KVK_OK, or a kernel's code and its opcode.
 */
int tape_run(const struct tape *, const void *const *in, void *const *out,
    void *work, const struct kvk_stream *, const char **opcode);

#endif
