/* SPDX-License-Identifier: MIT */
/*
 * The manifest of a published library (forms.md, "Text files"): text, one row
 * for each kernel that may run.
 *
 *	kvmanifest 1 abi=1
 *	row TAB opcode TAB base TAB ... TAB cert      (the columns below)
 *	image TAB HEX
 *	sha256 TAB HEX                                (of all bytes before it)
 *
 * Rows are sorted by bytes, `-` stands for an empty column, numbers are
 * decimal. No two rows agree on opcode, dtype, pattern, guard, isa and author.
 *
 * An operand of a pattern, and an expression of outdims, ends in `:` and a dtype
 * where that is not the row's: `*,*:bool` and `=0:bool`. The guard term
 * `dtype==int32` holds when that string names this dtype; a back end whose
 * result's dtype an attribute names has a row for each.
 */
#ifndef SPACE_MANIFEST_H
#define SPACE_MANIFEST_H

#include "base/diag.h"
#include "base/str.h"
#include "space/value.h"

/* The columns of a row, all text as in the file ("" where it has `-`). */
struct manifest_row {
	const char *opcode;  /* deepx·softmax.1.k0, deepx/miaobyte·add */
	const char *base;    /* deepx·softmax; the abstract op of a back end */
	int64_t version;     /* N; 0 for a back end */
	enum dtype dtype;
	const char *pattern; /* an operand each, joined by ',' */
	const char *guard;   /* terms joined by '&' */
	const char *cls;     /* map rows reduce other */
	const char *isa, *author;
	const char *outdims; /* an expression for each output, joined by ',' */
	uint64_t alias;
	int64_t scratch, scratch_n; /* written "0+4n" */
	const char *object;  /* SHA-256 of the object, hexadecimal */
	int64_t entry;       /* index in the object's kvk_table */
	const char *shapehash;
	const char *cert;
};

struct manifest {
	struct arena arena;
	struct manifest_row *row;
	size_t n, cap;
	char image[65]; /* SHA-256 of the image file, hexadecimal */
};

void manifest_init(struct manifest *);
void manifest_release(struct manifest *);

/* Appends a copy of the row; NULL in a text column is taken as "". */
void manifest_add(struct manifest *, const struct manifest_row *);

/* Sorts the rows and gives the file's text; m->image must be set. What the
 * reader refuses in a column is a bug of the caller here, except two rows that
 * agree on the key columns: only the reader finds those. */
void manifest_encode(struct manifest *, struct buf *);

/* Strict reader; m is initialised by it. -1 with an error that names the
 * file and line on any fault; then m needs no release. */
int manifest_decode(struct manifest *m, const char *text, size_t n,
    const char *name, struct diag *);

#endif
