/* SPDX-License-Identifier: MIT */
/* Literals of the IR as values. */
#ifndef GEN_LITERAL_H
#define GEN_LITERAL_H

#include "gen/stages/program/program.h"
#include "space/value.h"

/* The value of a literal, body in the arena. */
struct value literal_value(const Literal *, struct arena *);

/* Its elements as int64, up to cap; returns how many there are, -1 when it is
 * not an integer or bool. */
int literal_ints(const Literal *, int64_t *out, int cap);

/* The dtype that a string names, DT_NONE when it is none or names none. */
enum dtype literal_named(const Literal *);

/* The literal as the interpreter would print it. */
void literal_display(const Literal *, struct buf *);

#endif
