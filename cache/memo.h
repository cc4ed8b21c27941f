/* SPDX-License-Identifier: MIT */
/*
 * Digests of files, remembered by path, size, inode, mtime and ctime, so that
 * an unchanged file is not read again. ctime cannot be set by a program, so a
 * file whose content changed under an old mtime is read again. A file that
 * changed in the very clock tick in which it was hashed is not remembered.
 */
#ifndef CACHE_MEMO_H
#define CACHE_MEMO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "base/sha256.h"

struct arena;

struct memo {
	struct arena *arena;
	const char *file;
	struct map old; /* path -> struct memo_entry */
	struct map used; /* what this run asked for */
	bool changed;
};

/* Reads the memo; a missing or unreadable one is an empty one, because it only
 * saves time. `file` must outlive the memo. */
void memo_init(struct memo *, struct arena *, const char *file);

/* The digest of a file's bytes and, if size is not NULL, its size. -1 with
 * errno set when the file cannot be read. */
int memo_digest(struct memo *, const char *path, char out[SHA256_HEX + 1],
    unsigned long long *size);

/* Writes what this run asked for when it differs from what was read. The
 * folder must exist. -1 with errno set. */
int memo_save(struct memo *);

#endif
