/* SPDX-License-Identifier: MIT */
/* Building a Program value by value: used by import and inline. */
#ifndef GEN_STAGES_PROGRAM_BUILD_H
#define GEN_STAGES_PROGRAM_BUILD_H

#include "gen/stages/program/program.h"

/* Values are kept by pointer while building, so that they can be renamed. */
struct program_builder {
	struct arena *arena;
	const char *unit;
	Value **value;
	Op *op;
	Result *result;
	size_t nvalue, cap_value, nop, cap_op, nresult, cap_result;
};

void program_begin(struct program_builder *, struct arena *, const char *unit);

/* A value whose id comes from its name. */
Value *program_value(struct program_builder *, const char *name, ValueRole,
    const char *langtype, Lineage);

/* The same with an id that comes from another text, for values without a name
 * of their own. */
Value *program_value_as(struct program_builder *, const char *name,
    const char *unique, ValueRole, const char *langtype, Lineage);

/* The id of an op: from its first output, or its opcode and ordinal. */
Id program_op_id(const struct program_builder *, const char *opcode,
    const char *output, size_t ordinal);

void program_op(struct program_builder *, const Op *);
void program_result(struct program_builder *, const char *name,
    const char *langtype, const Id *value);

/* The finished root, with `parent` in its header. Values that nothing uses are
 * left out, but for parameters. */
const Program *program_end(struct program_builder *,
    const struct snapshot *parent);

#endif
