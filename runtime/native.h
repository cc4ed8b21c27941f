/* SPDX-License-Identifier: MIT */
/*
 * The ops of kv/natives.def, as the interpreter runs them. native.c finds and
 * prints, native_number.c computes, native_compare.c compares, native_cast.c
 * converts, native_array.c and native_text.c work on arrays and strings.
 */
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "runtime/state.h"

/* One run of an op. Its arity was checked. */
struct native_call {
	struct runtime *rt;
	const char *name;       /* without a kind before it */
	int code;               /* of struct native */
	struct cell *const *in; /* NULL is None */
	int nin;
	bool own;               /* nobody else holds in[0]: it may be changed */
	struct cell *out;       /* the result, a reference for the caller */
	char *why;              /* BIND_WHY bytes */
};

/*
 * run: 0, or -1 with a reason that begins with the class of the error. code:
 * which of the ops that one function runs. shape: the output's shape without
 * running, for ops that move elements; else NULL.
 */
struct native {
	const char *name;
	int (*run)(struct native_call *);
	int code;
	int (*shape)(const struct value *const *in, int nin,
	    struct shape *out, char why[BIND_WHY]);
};

/* NULL when no native has that opcode, which may name a kind. */
const struct native *native_find(const char *opcode);

/* Runs an insn of that kind on n reads, after a check of its arity; *out gets
 * the result, NULL when there is none. -1 with a reason. */
int native_run(struct runtime *, const struct insn *, struct cell *const *in,
    int nin, bool own, struct cell **out, char why[BIND_WHY]);

#endif
