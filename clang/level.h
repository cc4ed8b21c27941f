/* SPDX-License-Identifier: MIT */
/*
 * Which CPU feature an x86-64 instruction needs, from its encoding. LLVM
 * decodes and assembles every x86 instruction whatever features are set, so
 * it cannot be asked.
 */
#ifndef CLANG_LEVEL_H
#define CLANG_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The feature that the instruction of these n bytes needs: NULL when every
 * x86-64 has it, a name as in base/isa.def, or a description of what no level
 * of that file offers. *fma says whether it is a fused multiply-add. Where
 * AVX and AVX2 share an encoding the answer is "avx2"; the parts of AVX-512 that
 * came first (F, BW, CD, DQ, VL) are all "avx512vl".
 */
const char *level_needs(const unsigned char *code, size_t n, bool *fma);

/* Whether all n bytes are prefixes, which belong to the next instruction. */
bool level_is_prefix(const unsigned char *code, size_t n);

#endif
