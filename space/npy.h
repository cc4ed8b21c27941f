/* SPDX-License-Identifier: MIT */
/* Tensors as .npy files (NumPy format 1.0): little-endian, C order. */
#ifndef SPACE_NPY_H
#define SPACE_NPY_H

#include "base/diag.h"
#include "space/value.h"

/* Reads a strict subset: versions 1.0 and 2.0, dtypes of value.h, C order,
 * rank 0..MAX_RANK, exact length. NumPy has no bfloat16: as ml_dtypes writes
 * them they have the descr '<V2', and nothing else has it here. The body is in
 * the arena. */
int npy_decode(struct arena *, const void *, size_t, const char *name,
    struct value *, struct diag *);

/* The file's bytes for a numeric value. */
void npy_encode(const struct value *, struct buf *);

#endif
