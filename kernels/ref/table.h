/* SPDX-License-Identifier: MIT */
/*
 * What the reference kernels share: entries, the table, NaN. A kernel of ref
 * says what an op computes in the fewest words and is the oracle of the
 * tests; speed is no aim.
 */
#ifndef REF_TABLE_H
#define REF_TABLE_H

#include "kvk.h"

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
	  .opcode = "deepx/ref·" name, .langtypes = types, .dtype = type, \
	  .isa = K_ISA, .cls = class, .nin = reads, .nout = 1, \
	  .alias = aliases, .fn = f }

#define REF_TABLE(entries) \
	extern const struct kvk_table kvk_table; \
	__attribute__((visibility("default"))) \
	const struct kvk_table kvk_table = { KVK_ABI, \
		sizeof(struct kvk_table), sizeof entries / sizeof *entries, \
		sizeof(struct kvk_entry), entries }

#endif
