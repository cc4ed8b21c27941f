/* SPDX-License-Identifier: MIT */
/*
 * What the parser makes of a text, what lowering makes of that, and the steps
 * between. Internal to kv/; everything lives in the arena of the parse.
 */
#ifndef KV_AST_H
#define KV_AST_H

#include "base/diag.h"
#include "base/map.h"
#include "kv/kv.h"
#include "space/value.h"

enum kv_expr_kind {
	KV_NAME = 1,
	KV_NUMBER,
	KV_BOOL,
	KV_STRING,
	KV_ARRAY,
	KV_FILL, /* [v...]; [] is an array without elements */
	KV_CALL,
};

struct kv_expr {
	enum kv_expr_kind kind;
	struct loc loc;
	const char *text;     /* name, callee, number with its sign, bool */
	struct str string;    /* KV_STRING: the content */
	struct kv_expr *args; /* arguments or elements; KV_FILL: the value */
	size_t nargs;
	struct kv_expr *next;
};

/* A parameter or the place an instruction writes to. */
struct kv_slot {
	const char *name, *type; /* type NULL: none was given */
	struct loc loc, type_loc;
	bool variadic;
	struct kv_slot *next;
};

enum kv_stmt_kind { KV_INSTRUCTION = 1, KV_DECLARATION, KV_RETURN };

struct kv_stmt {
	enum kv_stmt_kind kind;
	struct loc loc;
	struct str src;
	struct kv_slot *writes;
	size_t nwrites;
	struct kv_expr *expr; /* KV_INSTRUCTION only */
	struct kv_stmt *next;
};

/* KV_INIT: the bare statements of the file or of a lib. */
enum kv_func_kind { KV_RWFUNC = 1, KV_RWIR, KV_INIT };

struct kv_func {
	enum kv_func_kind kind;
	const char *pkg, *name; /* pkg "" outside of a lib */
	const char *qualified;  /* P·F, or F without a package */
	struct loc loc, end;    /* the name; the closing brace */
	struct str src;         /* empty for KV_INIT */
	struct kv_slot *reads, *writes;
	size_t nreads, nwrites;
	struct kv_stmt *body, **tail;
	struct kv_func *next;
};

struct kv_file {
	struct arena *arena;
	const char *name;
	struct str text;
	int errors; /* found by the parser */
	struct kv_func *funcs;
	const char **entry;
	size_t nentry;
};

/* One instruction after lowering. name NULL: the operand is a literal. */
struct kv_operand {
	const char *name;
	struct value value;
	struct kv_operand *next;
};

struct kv_row {
	const char *opcode;
	struct loc loc;
	struct kv_operand *reads, *writes;
	struct kv_row *next;
};

/* Checks names, types, arity and writes of the whole file. */
void kv_check(const struct kv_file *, struct diag *);

/* The rows of a function, `return` included. Literals that do not fit their
 * slot are errors. */
struct kv_row *kv_lower(const struct kv_func *, struct arena *, struct diag *);

/*
 * The typed value of a literal expression. slot NULL or without type: its own
 * kind; else converted and reshaped to the declared type. -1 with an error.
 */
int kv_literal(const struct kv_expr *, const struct kv_slot *slot,
    struct arena *, struct diag *, struct value *);

#endif
