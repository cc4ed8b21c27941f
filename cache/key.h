/* SPDX-License-Identifier: MIT */
/*
 * The action key: everything that decides an object's bytes, and nothing
 * else. No path, time, user or environment.
 */
#ifndef CACHE_KEY_H
#define CACHE_KEY_H

#include <stddef.h>

#include "base/sha256.h"

struct arena;
struct isa;
struct source;

/* The compile route; another one gives other bytes from the same text. */
#define KEY_ROUTE "clang-c+ld"

/* The compiler's arguments after its name for a source with n_include folders
 * 0, 1, …, up to `kernel.c`; ended by NULL. No path is in them. */
char **key_flags(struct arena *, const struct isa *, size_t n_include);

/* The linker's arguments after its name, ended by NULL. */
extern const char *const key_link_flags[];

/* The key; toolchain is a digest as hexadecimal. */
void key_action(const struct source *, const struct isa *,
    const char *toolchain, char out[SHA256_HEX + 1]);

#endif
