/* SPDX-License-Identifier: MIT */
/* The table of natives.def. */
#ifndef KV_NATIVE_H
#define KV_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

enum native_rule {
	RULE_FREE, /* takes anything, the result is not known */
	RULE_ADD,
	RULE_NUMBER,
	RULE_FOLD,
	RULE_INTEGER,
	RULE_BITS,
	RULE_REAL,
	RULE_NEG,
	RULE_SIGNED,
	RULE_SIGN,
	RULE_EQUAL,
	RULE_ORDER,
	RULE_LOGIC,
	RULE_CAST,
	RULE_CAST_BOOL,
	RULE_CAST_CHAR,
	RULE_ARRAY,
	RULE_FILL,
	RULE_COUNT,
	RULE_SHAPE,
	RULE_AT,
	RULE_ITEM,
	RULE_SET,
	RULE_RESHAPE,
	RULE_TEXT_COUNT,
	RULE_CONCAT,
};

struct kv_native {
	const char *name;
	size_t least;
	int most; /* -1: no limit */
	size_t writes;
	enum native_rule rule;
};

/* The op of that name, or NULL. */
const struct kv_native *kv_native(const char *name);

/* The same for an opcode that may name a kind: `int64·add`. */
const struct kv_native *kv_native_of(const char *opcode);

/* Whether it is one of the operators of two operands. */
bool kv_native_is_binary(const struct kv_native *);

/* All of them. */
extern const struct kv_native kv_natives[];
extern const size_t kv_native_count;

#endif
