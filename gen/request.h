/* SPDX-License-Identifier: MIT */
/*
 * A request for one kernel, as JSON: another spelling of a function of one
 * group, which becomes kvlang text and takes the way of all functions.
 */
#ifndef GEN_REQUEST_H
#define GEN_REQUEST_H

#include "base/diag.h"
#include "base/json.h"
#include "space/space.h"

enum { REQUEST_OPS = 64, REQUEST_INPUTS = 16, REQUEST_OUTPUTS = 4,
	REQUEST_OPERANDS = 16 };

/* any: of whatever shape. from: the op that an output says it is of, else NULL. */
struct request_tensor {
	const struct json_value *at, *from;
	enum dtype dtype;
	struct shape shape;
	bool any;
};

/* name: as written. operand: `in0` or `op0`, nothing for what attributes say. */
struct request_op {
	const struct json_value *at, *edges, *attributes;
	const char *opcode;
	const char *operand[REQUEST_OPERANDS];
	size_t noperand;
	int output; /* its number, or -1 */
	bool read;
};

struct request {
	const struct json_value *func, *pattern, *accum; /* the last two: or NULL */
	enum dtype accum_dtype;
	struct request_op op[REQUEST_OPS];
	struct request_tensor in[REQUEST_INPUTS], out[REQUEST_OUTPUTS];
	size_t nop, nin, nout;
};

/* Reads a request; `file` is what messages call it. -1 with errors. */
int request_read(struct request *, const char *file, struct str text,
    struct arena *, struct diag *);

/*
 * The function as kvlang text, of which line 2 + i is op i: parameters in0, …,
 * results out0, …. The space says what the ops are. -1 with errors, at places
 * of the request.
 */
int request_source(struct request *, const struct space *, struct arena *,
    struct buf *text, struct diag *);

#endif
