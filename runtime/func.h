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
enum insn_kind { INSN_UNRESOLVED, INSN_ASSIGN, INSN_RETURN, INSN_NATIVE,
	INSN_RWIR, INSN_CALL };

/* A read: the variable of slot `var`, or a literal. */
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

/* write[j] is a slot, or -1 for `_`. */
struct insn {
	const char *opcode;
	struct loc loc;
	enum insn_kind kind;
	int nread, nwrite;
	struct ref *read;
	int *write;
	const struct native *native;  /* INSN_NATIVE */
	const struct lib_op *op;      /* INSN_RWIR */
	int *guard, nguard;           /* slots that its guards ask for */
	const char *name;             /* INSN_CALL: what it resolves to */
	struct memo memo;
};

struct param {
	const char *name, *type;
};

/* Slots 0..nread are the reads, then the writes, then locals. */
struct func {
	const char *name; /* deepx·softmax.1 */
	struct loc loc;   /* file only */
	bool variadic;
	int nread, nwrite, nvar, ninsn;
	const struct param *param;
	const char **var;
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
