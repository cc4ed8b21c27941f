/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON (RFC 8259) for tools that read our output: UTF-8, no blanks. The
 * caller opens and closes in pairs; a key is NULL exactly inside an array and
 * at the top.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>

#include "base/str.h"

/* Zeroed but for `out`. */
struct json {
	struct buf *out;
	bool more; /* the next value follows another one */
};

/* bracket: '{' or '['. */
void json_open(struct json *, const char *key, char bracket);

/* bracket: '}' or ']'. */
void json_close(struct json *, char bracket);

/* Bytes that are not UTF-8 become U+FFFD each; NULL becomes null. */
void json_text(struct json *, const char *key, const char *);
void json_number(struct json *, const char *key, long long);
void json_bool(struct json *, const char *key, bool);

#endif
