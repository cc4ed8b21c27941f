/* SPDX-License-Identifier: MIT */
/* Lowering: lower.c has control flow, lower_expr.c instructions. */
#ifndef KV_LOWER_H
#define KV_LOWER_H

#include "kv/ast.h"

/* Rows in order; the tail is where the next one is linked. */
struct list {
	struct kv_row *first, **tail;
};

struct lower {
	struct arena *arena;
	struct diag *diag;
	const char *to_break, *to_continue; /* labels of the loop around */
	int count;                          /* temporaries and labels */
};

/* Operands: a name, the next temporary, an integer, a copy without its
 * successors. */
struct kv_operand *lower_name(struct lower *, const char *, struct loc);
struct kv_operand *lower_temp(struct lower *, struct loc);
struct kv_operand *lower_number(struct lower *, int64_t, struct loc);
struct kv_operand *lower_same(struct lower *, const struct kv_operand *);

/* What the slots of a statement name; an element gets a temporary. */
struct kv_operand *lower_slots(struct lower *, const struct kv_slot *);

/* Appends a row; reads and writes are lists. */
void lower_emit(struct lower *, struct list *, const char *opcode, struct loc,
    struct kv_operand *reads, struct kv_operand *writes);

/*
 * What a read slot holds for an expression; rows that compute it go to the
 * list. A literal is converted to the type of the slot, which may be NULL. A
 * temporary gets its number when it is seen and its row after those of its own
 * arguments: numbers are in reading order, rows in execution order.
 */
struct kv_operand *lower_operand(struct lower *, struct list *,
    const struct kv_expr *, const struct kv_slot *);

void lower_instruction(struct lower *, struct list *, const struct kv_stmt *);

#endif
