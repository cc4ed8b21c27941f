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
#include "kv/token.h"
#include "space/value.h"

enum kv_expr_kind {
	KV_NAME = 1,
	KV_PATH, /* /absolute, or /absolute·name */
	KV_NUMBER,
	KV_BOOL,
	KV_NONE,
	KV_STRING,
	KV_ARRAY,
	KV_FILL, /* [v...]; [] is an array without elements */
	KV_CALL,
	KV_UNARY,
	KV_BINARY,
	KV_INDEX, /* a[i, j]: the arguments are a, i, j */
};

struct kv_expr {
	enum kv_expr_kind kind;
	struct loc loc;
	const char *text;     /* name, callee, number with its sign, operator */
	struct str token;     /* in quotes: as the source spells it */
	struct str string;    /* KV_STRING: the content */
	struct kv_expr *args; /* arguments, elements or operands */
	size_t nargs;
	int height; /* of the tree; KV_MAX_HEIGHT bounds every recursion */
	struct kv_expr *next;
};

enum { KV_MAX_HEIGHT = 500, KV_MAX_BLOCKS = 1000 };

/* A parameter or the place an instruction writes to. */
struct kv_slot {
	const char *name, *type; /* type NULL: none was given */
	struct loc loc, type_loc;
	bool variadic;
	struct kv_expr *index; /* name[i, j]: the indices */
	size_t nindex;
	struct kv_slot *next;
};

enum kv_stmt_kind {
	KV_INSTRUCTION = 1,
	KV_DECLARATION,
	KV_RETURN,
	KV_BREAK,
	KV_CONTINUE,
	KV_IF,
	KV_WHILE,
	KV_FOR,
	KV_LABEL,
};

/* Statements in braces; open and close point at the braces in the text. */
struct kv_block {
	struct kv_stmt *first;
	const char *open, *close;
};

struct kv_stmt {
	enum kv_stmt_kind kind;
	struct loc loc;
	struct str src;
	bool right;             /* written `expr -> slots` */
	struct kv_slot *writes; /* KV_FOR: the variable */
	size_t nwrites;
	struct kv_expr *expr;   /* instruction, condition or source of a for */
	const char *label;
	struct kv_block body;
	struct kv_stmt *other;  /* else: a KV_IF, or a KV_LABEL without label */
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
	struct kv_block body; /* KV_INIT: the bare statements, no braces */
	struct kv_stmt **tail;
	struct kv_func *next;
};

enum kv_item_kind { KV_ITEM_LIB = 1, KV_ITEM_FUNC, KV_ITEM_STMT };

/* The file as it is written: what stands in it or in a lib, in order. */
struct kv_item {
	enum kv_item_kind kind;
	struct str src;
	const char *name; /* of the lib, as written */
	const char *open, *close;
	struct kv_item *items;
	const struct kv_func *func;
	const struct kv_stmt *stmt;
	struct kv_item *next;
};

struct kv_file {
	struct arena *arena;
	const char *name;
	struct str text;
	int errors; /* found by the parser */
	struct kv_func *funcs;
	struct kv_item *items;
	struct comment *comments;
	const char **entry;
	size_t nentry;
};

/* One operand of a row: a variable or path, a block, or else a literal. */
struct kv_operand {
	const char *name, *label;
	const char *type; /* writes: as annotated, or NULL */
	struct value value;
	struct loc loc;
	struct kv_operand *next;
};

struct kv_row {
	const char *opcode;
	struct loc loc;
	struct kv_operand *reads, *writes;
	struct kv_row *next;
};

struct kv_label {
	const char *name;
	int64_t row;
	struct kv_label *next;
};

/* A function after lowering. */
struct kv_code {
	struct kv_row *rows;
	struct kv_label *labels;
};

/* Checks names, types, arity and writes of the whole file, and fills funcs,
 * which is empty: qualified name -> struct kv_func. */
void kv_check(const struct kv_file *, struct map *funcs, struct diag *);

/* The rows of a function, `return` included. Literals that do not fit their
 * slot are errors. */
struct kv_code kv_lower(const struct kv_func *, struct arena *, struct diag *);

/*
 * Finds what type each variable of a function has wherever that is certain,
 * reports operands that cannot fit, and names the kind in the opcodes of the
 * operators (`int64·add`).
 */
void kv_infer(const struct kv_func *, struct kv_code *,
    const struct map *funcs, struct arena *, struct diag *);

/* What a callee means in a function, if this file declares it: first the
 * function's own package, then the name as it is. NULL: elsewhere. */
const struct kv_func *kv_callee(const struct map *funcs,
    const struct kv_func *, const char *callee, struct arena *);

/* Whether the last read parameter takes all the remaining arguments. */
bool kv_is_variadic(const struct kv_func *);

/* Whether an expression is a value known without running anything. */
bool kv_is_literal(const struct kv_expr *);

/*
 * The typed value of a literal expression. slot NULL or without type: its own
 * kind; else converted and reshaped to the declared type. -1 with an error.
 */
int kv_literal(const struct kv_expr *, const struct kv_slot *slot,
    struct arena *, struct diag *, struct value *);

#endif
