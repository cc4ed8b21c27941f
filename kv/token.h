/* SPDX-License-Identifier: MIT */
/* kvlang text to tokens (kvlang.md 1). */
#ifndef KV_TOKEN_H
#define KV_TOKEN_H

#include <stdint.h>

#include "base/diag.h"
#include "base/str.h"

enum token_kind {
#define TOKEN(kind, name) TOK_##kind,
#define KEYWORD(kind, name, spelling) TOK_##kind,
#include "kv/tokens.def"
#undef TOKEN
#undef KEYWORD
};

struct token {
	enum token_kind kind;
	struct str text;   /* as in the source; empty at the end of file */
	struct str string; /* TOK_STRING: the content, escapes resolved */
	int line, col;
};

/* Comments are kept apart from the tokens, in order of appearance. */
struct comment {
	struct str text; /* as in the source, without the end of the line */
	struct comment *next;
};

/* The name of a kind in messages, "RBRACE". */
const char *token_name(enum token_kind);

/*
 * All tokens of a text, the last one TOK_EOF; comments give none and go to
 * *comments (which may be NULL). Slices point into the text, strings with
 * escapes into the arena. Faults go to the diag and the scanner goes on; after
 * text that is not UTF-8 only TOK_EOF is left.
 */
struct token *token_scan(struct arena *, const char *file, struct str text,
    struct diag *, size_t *n, struct comment **comments);

/* Takes one code point off the front of *rest; -1 when the bytes there are
 * not UTF-8 or nothing is left. */
int32_t utf8_next(struct str *rest);

#endif
