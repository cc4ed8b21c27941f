/* SPDX-License-Identifier: MIT */
/* From the ids of a sequence of entities to their positions in it. */
#ifndef GEN_IR_IDS_H
#define GEN_IR_IDS_H

#include "gen/ir/type.h"

struct ir_ids {
	struct ir_ids_row *row; /* sorted by id, then by position */
	size_t n;
};

/* Of n entities of `size` bytes each, whose id is `off` bytes into each. The
 * table is in the arena and needs the entities no more. */
void ir_ids_init(struct ir_ids *, struct arena *, const void *entity,
    size_t n, size_t size, size_t off);

/* The position of the first entity of that id, or -1. */
int64_t ir_ids_find(const struct ir_ids *, const Id *);

#endif
