/* SPDX-License-Identifier: MIT */
/*
 * From a call of an rwir to the kernel that runs it: the row, the operands,
 * the output shapes and the table `dim`. Needs no body but those of small
 * integer operands, so that it also answers what *would* run.
 */
#ifndef RUNTIME_BIND_H
#define RUNTIME_BIND_H

#include "ops/ops.h"
#include "runtime/dims.h"
#include "runtime/library.h"

enum { BIND_WHY = 400 };

/* A call: values in the order of the reads. lookup finds variables of the
 * calling function, for guards. */
struct bind_call {
	const struct lib_op *op;
	const struct value *const *in;
	int nin, nout;
	match_lookup *lookup;
	void *ctx;
};

/*
 * operand[i] is the read that is the kernel's input i, which gets to the kernel
 * in in_dtype[i]; dtype is the one that the row is of. empty: no output has an
 * element, so nothing needs to run.
 */
struct bound {
	const struct rowspec *row;
	enum dtype dtype;
	int nin, nout;
	int operand[MATCH_INS];
	enum dtype in_dtype[MATCH_INS];
	enum dtype out_dtype[MATCH_OUTS];
	struct shape out[MATCH_OUTS];
	struct dims dims;
	bool empty;
};

/*
 * The first row that fits, of those whose isa has at most that rank. -1 with
 * a reason in why, which begins with the class of the error ("TypeError: ").
 */
int bind_rwir(const struct bind_call *, int isa_rank, struct bound *,
    char why[BIND_WHY]);

#endif
