/* SPDX-License-Identifier: MIT */
/*
 * Functions as the interpreter runs them: the rows of /lib/P·F decoded once,
 * names turned into slot numbers (kvlang.md 4.5, 4.6).
 */
#ifndef RUNTIME_FUNC_H
#define RUNTIME_FUNC_H

#include "base/diag.h"
#include "base/map.h"
#include "runtime/bind.h"
#include "runtime/heap.h"
#include "space/space.h"

struct func;

/* What a row does; UNRESOLVED until it runs for the first time. */
enum insn_kind { INSN_UNRESOLVED, INSN_ASSIGN, INSN_RETURN, INSN_GOTO, INSN_BR,
	INSN_NATIVE, INSN_RWIR, INSN_CALL };

/*
 * Numbers of variables: from 0 slots of the frame, -1 the discarded write `_`,
 * from -2 down the absolute paths of the function.
 */
enum { VAR_DISCARD = -1, VAR_PATH = -2 };

/* A read: a variable, or a literal. The literal None is a slot that nothing
 * writes. */
struct ref {
	int var;
	struct cell *literal;
};

enum { SIGNATURE_MAX = 1024 };

/*
 * What was decided at a call, valid while the call looks the same: dtypes and
 * shapes of the values, and the small integers among them.
 */
struct memo {
	uint8_t *sig; /* SIGNATURE_MAX bytes once used */
	size_t n;     /* 0: nothing decided */
	struct func *callee;
	struct bound *bound;
	const struct kvk_entry *entry;
};

struct native;

struct insn {
	const char *opcode;
	struct loc loc;
	enum insn_kind kind;
	int nread, nwrite;
	struct ref *read;
	int *write;                   /* numbers of variables */
	bool spread;                  /* its last read is the variadic param */
	int target[2];                /* INSN_GOTO, INSN_BR: rows from 0 */
	const struct native *native;  /* INSN_NATIVE */
	const struct lib_op *op;      /* INSN_RWIR */
	int *guard, nguard;           /* slots that its guards ask for */
	const char *name;             /* INSN_CALL: what it resolves to */
	struct memo memo;
};

struct param {
	const char *name, *type;
};

struct global;

/*
 * Slots 0..nread are the reads, then the writes, then locals. The last read of
 * a variadic function stands for all further arguments; its slot is None.
 * straight: no jumps, paths nor further arguments, so that the rows run in
 * order and what they do depends on the arguments alone.
 */
struct func {
	const char *name; /* deepx·softmax.1 */
	struct loc loc;   /* file only */
	bool variadic, straight;
	int nread, nwrite, nvar, npath, ninsn;
	const struct param *param;
	const char **var, **path;
	struct global **global; /* of each path, once it is used */
	struct insn *insn;
};

/* The functions decoded so far. */
struct funcs {
	struct arena arena;
	struct map map;
	struct library *lib;
	struct heap *heap;
};

void funcs_init(struct funcs *, struct library *, struct heap *);
void funcs_release(struct funcs *);

/* Whether /lib/<name> is a function. */
bool funcs_has(const struct funcs *, const char *name);

/* The function /lib/<name>, decoded at the first call; NULL with an error
 * when its rows are malformed or absent. */
struct func *funcs_get(struct funcs *, const char *name, struct diag *);

/* The slot of a variable, or -1. */
int func_slot(const struct func *, const char *name);

#endif
