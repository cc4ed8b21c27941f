/* SPDX-License-Identifier: MIT */
/*
 * Whether a build folder holds just what planning now would write: `plan.key`
 * has the digest of all that the planner reads, and the names of all it wrote.
 */
#ifndef GEN_FRESH_H
#define GEN_FRESH_H

#include "base/sha256.h"
#include "gen/setup.h"

/* The digest of this program, the levels it compiles for, the settings, the .kv files and tables, the
 * templates and the receipts of back ends. -1 with errno set when one of them
 * cannot be read. */
int fresh_key(const struct setup *, struct arena *, char key[SHA256_HEX + 1]);

/* Whether plan.key has this key and every output exists. */
bool fresh_is(const struct setup *, struct arena *, const char *key);

/* Writes plan.key. -1 with errno set. */
int fresh_write(const struct setup *, struct arena *, const char *key,
    const char *const *outputs, size_t n);

#endif
