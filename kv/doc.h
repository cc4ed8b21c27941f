/* SPDX-License-Identifier: MIT */
/* What a source says of a function in comments. */
#ifndef KV_DOC_H
#define KV_DOC_H

#include "base/str.h"

struct kv_file;
struct kv_func;

/*
 * Appends the text of the comments right above a declaration, a line each,
 * without comment signs: those that stand on lines of their own with no empty
 * line between them, nor between them and the declaration. Nothing where there
 * are none.
 */
void kv_doc(const struct kv_file *, const struct kv_func *, struct buf *);

#endif
