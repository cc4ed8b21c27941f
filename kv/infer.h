/* SPDX-License-Identifier: MIT */
/*
 * What is known of a value before anything runs: infer.c finds it for each
 * variable, operand.c says which operands the ops of the language take.
 */
#ifndef KV_INFER_H
#define KV_INFER_H

#include "base/diag.h"
#include "kv/native.h"
#include "space/value.h"

enum type_class {
	CLASS_UNKNOWN, /* nothing certain: any, a union, an open rank */
	CLASS_NONE,    /* None */
	CLASS_BOOL,
	CLASS_INT,
	CLASS_UINT,
	CLASS_FLOAT,
	CLASS_CHAR,    /* a string */
	CLASS_ARRAY,
	CLASS_OTHER,
};

/* text NULL: unknown; "": None. dtype is that of numbers and arrays. */
struct type {
	const char *text;
	enum type_class class;
	enum dtype dtype;
	struct loc loc; /* of the operand */
};

struct type type_of(const char *text);
bool type_is_number(const struct type *);

/* How a message names a type: "int64", "char/utf32", "None". */
const char *type_name(const struct type *);

/* The kind that arithmetic on two numbers gives (kvlang.md 3.2). */
enum dtype type_promote(enum dtype, enum dtype);

/* Reports operands that an op cannot take. */
void operand_check(const struct kv_native *, const struct type *, size_t n,
    struct diag *);

/* Reports a condition that is no bool. */
void operand_check_condition(const struct type *, struct diag *);

/* The kind that goes before the op's word, DT_NONE when none does. */
enum dtype operand_kind(const struct kv_native *, const struct type *,
    size_t n);

/* The type that an op gives, NULL when it is not known. */
const char *operand_result(const struct kv_native *, const struct type *,
    size_t n, struct arena *);

#endif
