/* SPDX-License-Identifier: MIT */
/* What the formatter puts on one line. */
#ifndef KV_FORMAT_EXPR_H
#define KV_FORMAT_EXPR_H

#include "kv/ast.h"

void format_expr(struct buf *, const struct kv_expr *);

/* name:type, name[i, j], … */
void format_slots(struct buf *, const struct kv_slot *);

/* An instruction in the form it was written, or a declaration. */
void format_instruction(struct buf *, const struct kv_stmt *);

#endif
