/* SPDX-License-Identifier: MIT */
/* What compiles: the bytes of compiler, linker and their libraries. */
#ifndef CACHE_TOOLCHAIN_H
#define CACHE_TOOLCHAIN_H

#include "base/sha256.h"

struct conf;
struct diag;

/*
 * The digest over the closure's files in the order of the settings, file
 * contents only. Contents are remembered in <cache>/memo. Needs conf_cache.
 * -1 with the reason in diag.
 */
int toolchain_digest(
    const struct conf *, char out[SHA256_HEX + 1], struct diag *);

#endif
