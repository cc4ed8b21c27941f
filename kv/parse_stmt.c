/* SPDX-License-Identifier: MIT */
#include "kv/parse.h"

#include "base/arena.h"

void *
parse_unsupported(struct parser *p, struct loc loc, const char *what,
    const char *instead)
{
	const struct token *t;

	diag_error(p->diag, loc, "%s is not supported yet; write %s", what,
	    instead);
	parse_skip(p);
	/* An else on a line of its own belongs to what was just skipped. */
	for (t = p->tok; t->kind == TOK_NEWLINE; t++)
		;
	while (t->kind == TOK_ELSE) {
		p->tok = t;
		parse_skip(p);
		for (t = p->tok; t->kind == TOK_NEWLINE; t++)
			;
	}
	return NULL;
}

/* The arrow that decides the form of the instruction at hand; NULL when it
 * has none. */
static const struct token *
find_arrow(const struct parser *p)
{
	const struct token *t;
	int depth = 0;

	for (t = p->tok; t->kind != TOK_EOF; t++) {
		if (t->kind == TOK_LPAREN || t->kind == TOK_LBRACE)
			depth++;
		else if (t->kind == TOK_RPAREN)
			depth--;
		else if (t->kind == TOK_RBRACE && --depth < 0)
			return NULL;
		else if (t->kind == TOK_NEWLINE && depth <= 0)
			return NULL;
		else if (t->kind == TOK_ARROW && depth <= 0)
			return t;
	}
	return NULL;
}

/* NAME [":" type]; false after an error. */
static bool
parse_slot(struct parser *p, struct kv_slot *slot)
{
	slot->loc = slot->type_loc = parse_loc(p);
	if (parse_is(p, TOK_PATH)) {
		diag_error(p->diag, slot->loc, "writing to an absolute path "
		    "is not supported yet; write a plain variable");
		return false;
	}
	if (!parse_expect(p, TOK_IDENT, "as the name of a write slot"))
		return false;
	slot->name = arena_strndup(p->arena, p->tok[-1].text.p,
	    p->tok[-1].text.n);
	if (parse_is(p, TOK_DOT) || parse_is(p, TOK_LBRACK)) {
		diag_error(p->diag, parse_loc(p), "writing to a part of \"%s\" "
		    "is not supported yet; write the whole variable",
		    slot->name);
		return false;
	}
	if (!parse_take(p, TOK_COLON))
		return true;
	slot->type_loc = parse_loc(p);
	slot->type = parse_type(p);
	return slot->type != NULL;
}

static bool
parse_writes(struct parser *p, struct kv_stmt *stmt)
{
	struct kv_slot **tail = &stmt->writes, *slot;
	bool paren = parse_take(p, TOK_LPAREN);

	do {
		slot = arena_alloc(p->arena, sizeof(*slot));
		if (!parse_slot(p, slot))
			return false;
		*tail = slot;
		tail = &slot->next;
		stmt->nwrites++;
	} while (parse_take(p, TOK_COMMA));
	return !paren ||
	    parse_expect(p, TOK_RPAREN, "or ',' after a write slot");
}

static bool
parse_instruction(struct parser *p, struct kv_stmt *stmt)
{
	const struct token *arrow = find_arrow(p);

	if (arrow && str_is(arrow->text, "=")) {
		if (!parse_writes(p, stmt) ||
		    !parse_expect(p, TOK_ARROW, "after the write slots"))
			return false;
		stmt->expr = parse_expr(p);
		return stmt->expr != NULL;
	}
	if (!arrow && parse_is(p, TOK_IDENT) && p->tok[1].kind == TOK_COLON) {
		stmt->kind = KV_DECLARATION;
		return parse_writes(p, stmt);
	}
	stmt->expr = parse_expr(p);
	if (!stmt->expr || !arrow)
		return stmt->expr != NULL;
	return parse_expect(p, TOK_ARROW, "after the expression") &&
	    parse_writes(p, stmt);
}

static bool
parse_return(struct parser *p, struct kv_stmt *stmt)
{
	stmt->kind = KV_RETURN;
	parse_next(p);
	if (parse_is(p, TOK_NEWLINE) || parse_is(p, TOK_RBRACE) ||
	    parse_is(p, TOK_EOF))
		return true;
	diag_error(p->diag, stmt->loc, "return cannot take a value — use "
	    "write-params for output");
	return false;
}

/* Whether what follows `ident :` is a block and not a type. */
static bool
at_label(const struct parser *p)
{
	const struct token *t = p->tok;

	if (t[0].kind != TOK_IDENT || t[1].kind != TOK_COLON)
		return false;
	for (t += 2; t->kind == TOK_NEWLINE; t++)
		;
	return t->kind == TOK_LBRACE;
}

/* Control flow and declarations that cannot stand here: true when one was
 * reported and skipped. */
static bool
parse_foreign(struct parser *p)
{
	struct loc loc = parse_loc(p);
	const char *word = arena_strndup(p->arena, p->tok->text.p,
	    p->tok->text.n);

	if (parse_is(p, TOK_IF) || parse_is(p, TOK_WHILE) ||
	    parse_is(p, TOK_FOR) || parse_is(p, TOK_ELSE)) {
		parse_unsupported(p, loc, word,
		    "straight-line code with whole-tensor ops");
	} else if (parse_is(p, TOK_BREAK) || parse_is(p, TOK_CONTINUE)) {
		diag_error(p->diag, loc, "%s outside loop", word);
		parse_skip(p);
	} else if (at_label(p)) {
		/* The newlines before the block belong to the label. */
		while (!parse_is(p, TOK_LBRACE))
			parse_next(p);
		parse_unsupported(p, loc, "a label", "its statements without "
		    "a block");
	} else if (parse_is(p, TOK_IDENT) && p->tok[1].kind == TOK_IDENT &&
	    (parse_is_word(p, "rwfunc") || parse_is_word(p, "rwir") ||
	    parse_is_word(p, "lib") || parse_is_word(p, "struct"))) {
		diag_error(p->diag, loc, "%s inside a function — is a `}` "
		    "missing above? Declare it outside", word);
		parse_skip(p);
	} else {
		return false;
	}
	return true;
}

/* One statement must end where the line or the block does. */
static bool
parse_end(struct parser *p, const struct kv_stmt *stmt)
{
	if (parse_is(p, TOK_RBRACE) || parse_is(p, TOK_EOF) ||
	    parse_take(p, TOK_NEWLINE))
		return true;
	if (stmt->nwrites > 0 && stmt->expr && parse_is(p, TOK_IDENT))
		diag_error(p->diag, parse_loc(p), "unexpected token \"%.*s\" "
		    "after the write slots — did you put two instructions on "
		    "the same line? Each needs a line of its own, or ';'",
		    (int)p->tok->text.n, p->tok->text.p);
	else
		diag_error(p->diag, parse_loc(p), "unexpected token %s after "
		    "the end of a statement", parse_got(p));
	return false;
}

struct kv_stmt *
parse_stmt(struct parser *p)
{
	struct kv_stmt *stmt;
	const struct token *first = p->tok, *last;
	bool ok;

	if (parse_foreign(p))
		return NULL;
	stmt = arena_alloc(p->arena, sizeof(*stmt));
	stmt->kind = KV_INSTRUCTION;
	stmt->loc = parse_loc(p);
	ok = parse_is(p, TOK_RETURN) ? parse_return(p, stmt) :
	    parse_instruction(p, stmt);
	last = p->tok - 1;
	if (!ok || !parse_end(p, stmt)) {
		parse_skip(p);
		return NULL;
	}
	stmt->src = (struct str){ first->text.p,
		(size_t)(last->text.p + last->text.n - first->text.p) };
	return stmt;
}

void
parse_body(struct parser *p, struct kv_func *f)
{
	struct kv_stmt *stmt;

	for (;;) {
		parse_newlines(p);
		if (parse_is(p, TOK_RBRACE) || parse_is(p, TOK_EOF))
			return;
		stmt = parse_stmt(p);
		if (!stmt)
			continue;
		*f->tail = stmt;
		f->tail = &stmt->next;
	}
}
