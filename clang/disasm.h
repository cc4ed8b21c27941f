/* SPDX-License-Identifier: MIT */
/* The scan of struct clang_face. */
#ifndef CLANG_DISASM_H
#define CLANG_DISASM_H

#include "clang/clang.h"

int disasm_scan(const unsigned char *code, size_t n, uint64_t addr,
    const char *features, struct clang_verdict *, clang_bad *, void *ctx);

#endif
