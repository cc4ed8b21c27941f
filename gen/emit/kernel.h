/* SPDX-License-Identifier: MIT */
/* The C text of a kernel: what the regions of its template hold. */
#ifndef GEN_EMIT_KERNEL_H
#define GEN_EMIT_KERNEL_H

#include "gen/rules.h"
#include "gen/stages/concrete/concrete.h"
#include "ops/ops.h"

/*
 * C text and K.map of one kernel, or of several of the template `map`, which
 * differ in their dtype alone. opcode: the back end's name, "" for a fused
 * kernel; langtypes: of each, as in kvk.h. The text depends on the kernels'
 * cores alone. -1 with errors.
 */
int kernel_emit(const Kernel *const *, int n, const struct template *,
    const struct session *, const char *opcode,
    const char *const *langtypes,
    struct arena *, struct buf *c, struct buf *map, struct diag *);

/* The kernel of one elementwise op or view on its own, as a back end has it.
 * named: as for op_out_dtype(). */
Kernel *kernel_of_op(const struct op *, enum dtype t, enum dtype named,
    struct arena *);

#endif
