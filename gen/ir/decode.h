/* SPDX-License-Identifier: MIT */
/* Decoding into memory of a known size, for sealed snapshots. */
#ifndef GEN_IR_DECODE_H
#define GEN_IR_DECODE_H

#include "gen/ir/ir.h"

/*
 * Where a decoded value goes: an arena, or when that is NULL the zeroed, 16
 * byte aligned region p of `size` bytes, at least ir_decode_room(). `used`
 * counts what of a region is taken. p and size are what is left of the region,
 * or of what was last taken from the arena.
 */
struct ir_pool {
	struct arena *arena;
	uint8_t *p;
	size_t size, used;
};

/* The most that a value of the type which n bytes encode can take of a
 * region. */
size_t ir_decode_room(const struct ir_type *, size_t n);

/* As ir_decode. */
void *ir_decode_pool(const struct ir_type *, const uint8_t *, size_t,
    struct ir_pool *, struct diag *);

#endif
