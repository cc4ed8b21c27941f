/* SPDX-License-Identifier: MIT */
/*
 * The receipt of a compile: which action was done, which object it gave.
 * The text is four lines, `kvreceipt 1`, `action HEX`, `object HEX`, `size N`,
 * and nothing else.
 */
#ifndef CACHE_RECEIPT_H
#define CACHE_RECEIPT_H

#include <stdbool.h>

#include "base/sha256.h"
#include "base/str.h"

struct diag;

struct receipt {
	char action[SHA256_HEX + 1];
	char object[SHA256_HEX + 1];
	unsigned long long size;
};

/* Strict. `name` is what messages call the text. -1 with the reason in diag. */
int receipt_parse(
    struct receipt *, struct str text, const char *name, struct diag *);

/* Reads and parses a file. -1 with the reason in diag. */
int receipt_read(struct receipt *, const char *path, struct diag *);

/* Appends the text. */
void receipt_format(const struct receipt *, struct buf *);

/* Writes the text when the file does not hold it already; *changed may be
 * NULL. -1 with errno set. */
int receipt_write(const struct receipt *, const char *path, bool *changed);

#endif
