/* SPDX-License-Identifier: MIT */
/*
 * JSON (RFC 8259), written for tools that read our output and read from theirs.
 * The writer: UTF-8, no blanks. The
 * caller opens and closes in pairs; a key is NULL exactly inside an array and
 * at the top.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
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

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY,
	JSON_OBJECT };

/*
 * A value that was read. text: of JSON_TEXT what it says, of JSON_NUMBER as it
 * is written, of JSON_BOOL true or false; it ends with a NUL. name: of a member
 * of an object. first: of an array or object, which has n of them.
 */
struct json_value {
	enum json_kind kind;
	struct loc loc;
	struct str name, text;
	struct json_value *first, *next;
	size_t n;
};

enum { JSON_DEPTH = 16 };

/* One value and nothing else, in the arena; `file` is what messages call the
 * text. No name twice in an object, no U+0000, at most JSON_DEPTH arrays and
 * objects in one another. NULL with an error. */
const struct json_value *json_read(struct arena *, const char *file,
    struct str text, struct diag *);

/* The member of an object, NULL when it has none of that name. */
const struct json_value *json_member(const struct json_value *,
    const char *name);

/* A number without fraction and exponent. */
bool json_int(const struct json_value *, int64_t *);

/* `an object`, `the text "…"`, for messages. */
const char *json_what(const struct json_value *, struct arena *);

/* How many of the n bytes at p the UTF-8 sequence there has; 0: none is. */
size_t json_sequence(const char *p, size_t n);

#endif
