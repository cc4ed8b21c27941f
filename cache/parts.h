/* SPDX-License-Identifier: MIT */
/*
 * What an action key was made of, kept so that `kvobj why` can say which part
 * differs. <cache>/why/SOURCE/HEX, SOURCE the file name of the source and HEX
 * the action, is text:
 *	kvparts 1
 *	action HEX
 *	abi N, route TEXT, toolchain HEX, isa NAME, features WORDS,
 *	flags WORDS, link WORDS    a line each, `-` when empty
 *	text HEX NAME              a line a file: its digest, as source_read names it
 * Nothing is decided by it: a key is always made from the texts themselves.
 */
#ifndef CACHE_PARTS_H
#define CACHE_PARTS_H

#include <stddef.h>

#include "base/sha256.h"
#include "base/str.h"

struct arena;
struct diag;
struct isa;
struct source;

/* name: "abi", …, or "text NAME". */
struct part {
	const char *name, *value;
};

struct parts {
	char action[SHA256_HEX + 1];
	struct part *part;
	size_t n, cap;
};

/* The parts of the key that key_action makes of the same arguments. */
void parts_of(struct parts *, struct arena *, const struct source *,
    const struct isa *, const char *toolchain);

const char *parts_get(const struct parts *, const char *name);

void parts_format(const struct parts *, struct buf *);

/* Strict. `name` is what messages call the text. -1 with the reason in diag. */
int parts_parse(struct parts *, struct arena *, struct str text,
    const char *name, struct diag *);

/* <cache>/why/SOURCE, for the file name of a source's path. */
char *parts_folder(struct arena *, const char *cache, const char *source);

/* Keeps the parts of a source, unless they are kept already. -1 with errno
 * set: EINVAL when the source's name has a control character. */
int parts_keep(const struct parts *, const char *cache, const char *source);

#endif
