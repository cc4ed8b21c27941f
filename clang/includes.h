/* SPDX-License-Identifier: MIT */
/* The includes of struct clang_face. */
#ifndef CLANG_INCLUDES_H
#define CLANG_INCLUDES_H

#include "clang/clang.h"

int includes_list(const char *dir, const char *name, const char *const *args,
    int nargs, clang_included *, void *ctx);

#endif
