/* SPDX-License-Identifier: MIT */
/* What a source says of a function in comments. */
#ifndef KV_DOC_H
#define KV_DOC_H

#include "base/str.h"

struct kv_file;
struct kv_func;

/* Takes a line, without its end: a part of the file's own text. */
typedef void kv_doc_line(struct str line, void *arg);

/*
 * Gives the lines of the comments right above a declaration in order, without
 * comment signs: of those that stand on lines of their own with no empty line
 * between them, nor between them and the declaration.
 */
void kv_doc_lines(const struct kv_file *, const struct kv_func *,
    kv_doc_line *, void *arg);

/* Appends these lines, each ended; nothing where there are none. */
void kv_doc(const struct kv_file *, const struct kv_func *, struct buf *);

#endif
