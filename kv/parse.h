/* SPDX-License-Identifier: MIT */
/*
 * The parser: parse.c has libs and functions, parse_stmt.c statements,
 * parse_expr.c expressions and types. Faults go to the diag and parsing goes
 * on with the next statement.
 */
#ifndef KV_PARSE_H
#define KV_PARSE_H

#include "kv/ast.h"
#include "kv/token.h"

struct parser {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	const struct token *tok; /* the next token; the last is TOK_EOF */
	int depth;               /* of nested expressions */
	int blocks, loops;       /* nested here: of any kind, loops alone */
	int controls;            /* control statements of the function */
};

/*
 * `{ statements }`; false after an error. to_close says what is missing when
 * the closing brace is. The block is filled either way.
 */
bool parse_block(struct parser *, struct kv_block *, const char *to_close);

/*
 * One statement. NULL after an error, reported with the tokens skipped.
 * Consumes something unless it stands at `}` or the end of the file.
 */
struct kv_stmt *parse_stmt(struct parser *);

/* Skips a control statement with its blocks, else included. */
void parse_skip_control(struct parser *);

/* An expression, or NULL after an error that was reported. */
struct kv_expr *parse_expr(struct parser *);

/* An absolute path with its ·names, or NULL after an error. */
const char *parse_path(struct parser *);

/* Whether `ident : {` stands here, a label and not a typed slot. */
bool parse_at_label(const struct parser *);

/* The text of the type at the next token, ended by what cannot be in a type;
 * NULL after an error. Whether there is such a type is checked later. */
const char *parse_type(struct parser *);

struct loc parse_loc(const struct parser *);
bool parse_is(const struct parser *, enum token_kind);

/* Whether the next token is an identifier spelled so. */
bool parse_is_word(const struct parser *, const char *);

/* Consumes the next token (not the end of the file). */
void parse_next(struct parser *);

/* Consumes the next token if it is of the kind. */
bool parse_take(struct parser *, enum token_kind);

/* As parse_take, but anything else is an error; `what` (may be NULL) is a
 * clause added to the message. */
bool parse_expect(struct parser *, enum token_kind, const char *what);

void parse_newlines(struct parser *);

/* Skips to the end of the statement; blocks in braces are skipped whole. */
void parse_skip(struct parser *);

/* The next token in words: `RBRACE "}"`. */
const char *parse_got(const struct parser *);

/* The text of the next token, consumed, in the arena. */
const char *parse_text(struct parser *);

/* The source text from a token to the last one consumed. */
struct str parse_since(const struct parser *, const struct token *first);

#endif
