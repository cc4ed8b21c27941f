/* SPDX-License-Identifier: MIT */
/*
 * What the reference kernels share: dtypes, entries, the table, NaN. A kernel
 * of ref says what an op computes in the fewest words and is the oracle of the
 * tests; speed is no aim.
 *
 * A kernel of another author that has nothing better yet includes the one of
 * ref. It may define before that
 *   AUTHOR    its author
 *   TYPES(X)  the dtypes it takes, see below
 */
#ifndef REF_TABLE_H
#define REF_TABLE_H

#include "kvk.h"

#ifndef AUTHOR
#define AUTHOR "ref"
#endif

/* X(suffix, C type, name) for each dtype of a group. */
#define FLOATS(X) X(f32, float, "float32") X(f64, double, "float64")
#define HALVES(X) X(f16, uint16_t, "float16") X(bf16, uint16_t, "bfloat16")
#define SIGNED(X) \
	X(i8, int8_t, "int8") X(i16, int16_t, "int16") \
	X(i32, int, "int32") X(i64, int64_t, "int64")
#define UNSIGNED(X) \
	X(u8, uint8_t, "uint8") X(u16, uint16_t, "uint16") \
	X(u32, uint32_t, "uint32") X(u64, uint64_t, "uint64")
#define INTS(X) SIGNED(X) UNSIGNED(X)
#define BOOLS(X) X(b, uint8_t, "bool")

/* The langtype of a parameter that is one number. */
#define SCALAR \
	"float32|float64|float16|bfloat16|" \
	"int8|int16|int32|int64|uint8|uint16|uint32|uint64"

/* A kernel that computes stores every NaN as the canonical one. */
static inline float
ref_canon_f32(float v)
{
	return v != v ? __builtin_nanf("") : v;
}

static inline double
ref_canon_f64(double v)
{
	return v != v ? __builtin_nan("") : v;
}

#define REF_ENTRY(name, types, type, class, reads, aliases, f) \
	{ .abi = KVK_ABI, .size = sizeof(struct kvk_entry), \
	  .opcode = "deepx/" AUTHOR "·" name, .langtypes = types, \
	  .dtype = type, .isa = K_ISA, .cls = class, .nin = reads, .nout = 1, \
	  .alias = aliases, .fn = f },

#define REF_TABLE(entries) \
	extern const struct kvk_table kvk_table; \
	__attribute__((visibility("default"))) \
	const struct kvk_table kvk_table = { KVK_ABI, \
		sizeof(struct kvk_table), sizeof entries / sizeof *entries, \
		sizeof(struct kvk_entry), entries }

#endif
