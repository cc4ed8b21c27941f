/* SPDX-License-Identifier: MIT */
/*
 * Manifest rows as the runtime reads them, and whether operands fit one
 * (forms.md, "Text files"): shape pattern, guard, output dims.
 */
#ifndef RUNTIME_MATCH_H
#define RUNTIME_MATCH_H

#include "base/arena.h"
#include "space/manifest.h"
#include "space/value.h"

enum { MATCH_INS = 16, MATCH_OUTS = 4, MATCH_WHY = 200 };

enum axis_kind { AXIS_INT = 1, AXIS_NAME, AXIS_ANY, AXIS_LEADING };

/* One part of a pattern. n: the extent, or the number of the name. */
struct axis {
	enum axis_kind kind;
	int64_t n;
};

/* dtype: of an operand that has another one than the row, else DT_NONE. */
struct pattern {
	enum dtype dtype;
	int n; /* 0: a scalar, written () */
	struct axis *axis;
};

/* INT: the variable a equals k. DIMS: the vector a holds the dims of b. SAME:
 * a and b have equal dims. COLS: the axis, which the variable a or without one
 * k says, is not the last. DTYPE: the string a names dtype k. */
enum guard_kind { GUARD_INT = 1, GUARD_DIMS, GUARD_SAME, GUARD_COLS,
	GUARD_DTYPE };

struct guard {
	enum guard_kind kind;
	const char *a, *b;
	int64_t k;
};

enum out_kind { OUT_SAME = 1, OUT_BC, OUT_KEEP, OUT_DROP, OUT_LITERAL };

struct outdim {
	enum dtype dtype; /* as in struct pattern */
	enum out_kind kind;
	int n;
	uint8_t arg[MATCH_INS]; /* operands, from 0 */
	struct shape shape;    /* of a literal */
};

/* A row, parsed. nin -1: the pattern is `-`, the op's signature decides. */
struct rowspec {
	const struct manifest_row *m;
	int nin, nout, nguard, nnames;
	struct pattern *in;
	struct outdim *out;
	struct guard *guard;
	int cls;        /* KVK_MAP and so on */
	int isa_rank;   /* -1: no level of this program */
	int ints, names; /* how special the pattern is */
};

/* Parses a row, which must outlive the result. -1 with a reason in why when a
 * column is malformed. */
int match_parse(struct arena *, const struct manifest_row *,
    struct rowspec *, char why[MATCH_WHY]);

/* Whether a row stands before another: more integers, more names, higher
 * level. <0, 0, >0 as for qsort. */
int match_order(const struct rowspec *, const struct rowspec *);

/* The dtype that operand i of a row has to have, that output i has. */
enum dtype match_in_dtype(const struct rowspec *, int i);
enum dtype match_out_dtype(const struct rowspec *, int i);

/* Whether the shapes of nin operands fit the patterns. */
int match_shapes(const struct rowspec *, const struct value *const *in,
    int nin, char why[MATCH_WHY]);

/* The variable of a name in the calling function, NULL when it has none. A
 * value whose body is NULL is known by shape only. */
typedef const struct value *match_lookup(void *ctx, const char *name);

/* Whether all guards hold. rank: the largest of the kernel's operands; a
 * negative axis counts from it. */
int match_guards(const struct rowspec *, match_lookup *, void *ctx, int rank,
    char why[MATCH_WHY]);

/* The axis of a row of class cols, which its guard says, from 0; -1 when it is
 * unknown or not one but the last; rank as for match_guards. */
int match_axis(const struct rowspec *, match_lookup *, void *ctx, int rank,
    char why[MATCH_WHY]);

/* The output shapes; -1 when the operands do not broadcast. axis: what `keep`
 * and `drop` are about, -1 for the last one. */
int match_outdims(const struct rowspec *, const struct value *const *in,
    int axis, struct shape out[MATCH_OUTS], char why[MATCH_WHY]);

/* The dtype that a guard of kind DTYPE asks for; DT_NONE without one. */
enum dtype match_named(const struct rowspec *);

/* The elements of an integer or bool value as int64; -1 when it is neither,
 * not known, or has more than cap elements. */
int match_ints(const struct value *, int64_t *out, int cap);

#endif
