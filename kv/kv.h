/* SPDX-License-Identifier: MIT */
/*
 * kvlang text to rows in a space (kvlang.md 2, 4.5, 5): parse, check, lower,
 * lay out. Never optimises and never reads /lib.
 */
#ifndef KV_KV_H
#define KV_KV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/str.h"
#include "space/space.h"
#include "space/value.h"

struct kv_file;

/*
 * Parses a text, which is copied. `file` is the name used in messages and in
 * ‥file. Faults go to the diag; the result is never NULL and remembers
 * whether there were any. It lives in the arena.
 */
struct kv_file *kv_parse(struct arena *, const char *file, struct str text,
    struct diag *);

/*
 * Checks, lowers and writes the functions of a file. Each function replaces
 * the one of its name, and only that. -1 when parsing or checking found an
 * error; then nothing is written.
 */
int kv_layout(const struct kv_file *, struct space *, struct diag *);

/* All that kv_layout refuses, without writing anything. */
int kv_vet(const struct kv_file *, struct diag *);

/* kv_parse and kv_layout. */
int kv_layout_text(struct space *, const char *file, struct str text,
    struct diag *);

/* The names (`init`, `P·init`) of the functions made of bare statements, in
 * order of appearance. */
size_t kv_entries(const struct kv_file *, const char ***names);

/* Whether a text is a langtype: atoms joined by '|', each [dims]kind or any,
 * or dims and any (kvlang.md 2.2 without pointers, maps and structs). */
bool kv_langtype_valid(struct str);

/*
 * Whether a value has a langtype (kvlang.md 3.8). False for NULL and for a
 * malformed langtype.
 */
bool kv_langtype_match(struct str langtype, const struct value *);

#endif
