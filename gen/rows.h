/* SPDX-License-Identifier: MIT */
/* Functions in a space as rows: what layout wrote, read back (kvlang.md 4.5,
 * 4.6). */
#ifndef GEN_ROWS_H
#define GEN_ROWS_H

#include "base/diag.h"
#include "space/space.h"

/* A read or write of a row: a name, or a literal when value is set. */
struct slot {
	const char *name;
	const struct value *value;
};

struct row {
	const char *opcode;
	struct slot *read;
	const char **write;
	size_t nread, nwrite;
	struct loc loc;
};

struct param {
	const char *name, *langtype;
};

struct func {
	const char *name; /* P·F */
	struct param *read, *write;
	size_t nread, nwrite;
	bool variadic;
	struct row *row; /* without the return at the end */
	size_t nrow;
	struct loc loc; /* of its first row */
};

/* Reads function `name` (key /lib/<name>); NULL when it is none. Names are in
 * the arena, values in the space. */
struct func *func_read(const struct space *, const char *name,
    struct arena *);

/*
 * Whether a plan can stand for the function: every row runs exactly once, in
 * order, all it reads is a parameter, a literal or what an earlier row wrote,
 * and it gives all its results. Not so with jumps, an early return, None,
 * absolute paths, a variadic parameter, a slot that is read before it is
 * written, or a result that is never written and so stays the caller's.
 */
bool func_is_straight(const struct func *);

/* Whether one of the rows before row i writes a variable. */
bool func_writes_before(const struct func *, size_t i, const char *name);

/* Writes a function the way layout does, with a final return; rows without a
 * place get line 0. `file` goes to `‥file`. */
void func_write(struct space *, const struct func *, const char *file);

/* Whether the key /lib/<name> is an rwfunc, or a declared rwir. */
bool func_exists(const struct space *, const char *name);

/* The rwfunc that an opcode means in a caller: a bare name is first one of the
 * caller's package. NULL when there is none. */
const char *func_callee(const struct space *, const char *caller,
    const char *opcode, struct arena *);
bool rwir_exists(const struct space *, const char *name);
bool rwir_is_abstract(const struct space *, const char *name);

/* Declares /lib/<name> as `def rwir` with these types. */
void rwir_write(struct space *, const char *name, const char *const *in,
    size_t nin, const char *const *out, size_t nout);

/* The names of all rwfuncs below /lib, sorted. */
size_t func_list(const struct space *, struct arena *, const char ***names);

/* N of a name that ends in `.N` (digits, no leading zero, N >= 1), else 0. */
int64_t name_version(const char *name);

#endif
