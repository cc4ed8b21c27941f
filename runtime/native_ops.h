/* SPDX-License-Identifier: MIT */
/* The natives' own interface: what native*.c take from each other. */
#ifndef RUNTIME_NATIVE_OPS_H
#define RUNTIME_NATIVE_OPS_H

#include "runtime/native.h"

/* struct native's code, in each group. */
enum number_code { NUMBER_ADD, NUMBER_SUB, NUMBER_MUL, NUMBER_DIV, NUMBER_MOD,
	NUMBER_MAX, NUMBER_MIN, NUMBER_BITAND, NUMBER_BITOR, NUMBER_BITXOR,
	NUMBER_SHL, NUMBER_SHR, NUMBER_POW, NUMBER_SQRT, NUMBER_EXP,
	NUMBER_LOG, NUMBER_NEG, NUMBER_ABS, NUMBER_SIGN };
enum compare_code { COMPARE_EQ, COMPARE_NEQ, COMPARE_LT, COMPARE_GT,
	COMPARE_LE, COMPARE_GE };
enum logic_code { LOGIC_AND, LOGIC_OR, LOGIC_NOT };
enum count_code { COUNT_NUMEL, COUNT_DIM, COUNT_BYTES };

/* A number or a bool by itself: its integer, or its float. */
struct number {
	enum dtype dtype;
	int64_t i; /* the bits of a uint64 */
	double f;
};

/* False when the cell is None, a bool, an array or a string. */
bool number_of(const struct cell *, struct number *);
bool number_is_unsigned(const struct number *);

/* As a number of that float dtype. */
double number_float(const struct number *, enum dtype);

/* The characters of a string, in the arena. */
struct text {
	const char *kind; /* char/utf32 */
	int32_t *c;
	size_t n;
};

bool text_is(const struct cell *);

/* -1 when the cell is no string. Bytes that are not UTF-8 read as U+FFFD. */
int text_of(struct cell *, struct arena *, struct text *);

/* Characters of a string, bytes of one in UTF-8. */
int64_t text_length(const struct cell *);

/* -1, 0 or 1: the order of two strings by code points, which is that of the
 * bytes of UTF-8. */
int text_order(struct cell *, struct cell *);

/* Results: -1 with a reason when there is no memory. */
int give_number(struct native_call *, enum dtype, int64_t, double);
int give_int(struct native_call *, int64_t);
int give_bool(struct native_call *, bool);
int give_text(struct native_call *, const char *kind, const int32_t *,
    size_t n);

/* The reason, "Class: …"; always -1. */
int native_fail(struct native_call *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* How a message names what a cell holds: "int64", "[2]float64", "None"; for
 * strings the kind without dims. Valid until the cell is released. */
const char *native_kind(struct cell *);

/* Read i as an integer; -1 with a reason. */
int native_index(struct native_call *, int i, int64_t *out);

int number_add(struct native_call *);     /* strings are joined */
int number_binary(struct native_call *);
int number_fold(struct native_call *);    /* max min */
int number_bits(struct native_call *);    /* and mod */
int number_real(struct native_call *);
int number_unary(struct native_call *);
int compare_run(struct native_call *);
int logic_run(struct native_call *);
int cast_number(struct native_call *);    /* code: the dtype */
int cast_text(struct native_call *);
int array_new(struct native_call *);
int array_fill(struct native_call *);
int array_append(struct native_call *);
int array_slice(struct native_call *);
int array_count(struct native_call *);
int array_shape(struct native_call *);
int array_at(struct native_call *);
int array_item(struct native_call *);
int array_set(struct native_call *);
int array_reshape(struct native_call *);
int array_reinterpret(struct native_call *);
int array_langtype(struct native_call *);
int array_reshaped(const struct value *const *in, int nin, struct shape *,
    char why[BIND_WHY]);
int text_len(struct native_call *);
int text_char(struct native_call *);
int text_ord(struct native_call *);
int text_cmp(struct native_call *);
int text_find(struct native_call *);
int text_slice(struct native_call *);
int text_concat(struct native_call *);

#endif
