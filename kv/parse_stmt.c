/* SPDX-License-Identifier: MIT */
#include "kv/parse.h"

#include "base/arena.h"

/* Deeper blocks are refused, which bounds the recursion of every walk. */
enum { MAX_NESTED = 200 };

void
parse_skip_control(struct parser *p)
{
	const struct token *t;

	/* An else on a line of its own belongs to what was just skipped. */
	do {
		parse_skip(p);
		for (t = p->tok; t->kind == TOK_NEWLINE; t++)
			;
		if (t->kind == TOK_ELSE)
			p->tok = t;
	} while (t->kind == TOK_ELSE);
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

/* [i, j] behind the name of a slot; false after an error. */
static bool
parse_slot_index(struct parser *p, struct kv_slot *slot)
{
	struct kv_expr **tail = &slot->index;

	do {
		*tail = parse_expr(p);
		if (!*tail)
			return false;
		tail = &(*tail)->next;
		slot->nindex++;
	} while (parse_take(p, TOK_COMMA));
	if (!parse_expect(p, TOK_RBRACK, "or ',' after an index"))
		return false;
	if (!parse_is(p, TOK_COLON) && !parse_is(p, TOK_DOT))
		return true;
	diag_error(p->diag, parse_loc(p), "unexpected token %s after an "
	    "element of \"%s\"", parse_got(p), slot->name);
	return false;
}

/* The name of a slot; false after an error. */
static bool
parse_slot_name(struct parser *p, struct kv_slot *slot)
{
	if (parse_is(p, TOK_PATH)) {
		slot->name = parse_path(p);
		return slot->name != NULL;
	}
	if (!parse_is(p, TOK_IDENT)) {
		diag_error(p->diag, slot->loc, "expected IDENT as the name "
		    "of a write slot, got %s — did you put two instructions "
		    "on the same line?", parse_got(p));
		return false;
	}
	slot->name = parse_text(p);
	if (!parse_is(p, TOK_DOT))
		return true;
	diag_error(p->diag, parse_loc(p), "writing to a member of \"%s\" "
	    "is not supported yet; write the whole variable", slot->name);
	return false;
}

/* NAME [":" type] or NAME "[" indices "]"; false after an error. */
static bool
parse_slot(struct parser *p, struct kv_slot *slot)
{
	slot->loc = slot->type_loc = parse_loc(p);
	if (!parse_slot_name(p, slot))
		return false;
	if (parse_is(p, TOK_LBRACK) && *slot->name == '/') {
		diag_error(p->diag, parse_loc(p), "indexing an absolute path "
		    "is not supported yet; write the whole value");
		return false;
	}
	if (parse_take(p, TOK_LBRACK))
		return parse_slot_index(p, slot);
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
	stmt->right = true;
	return parse_expect(p, TOK_ARROW, "after the expression") &&
	    parse_writes(p, stmt);
}

/* return, break or continue. */
static bool
parse_jump(struct parser *p, struct kv_stmt *stmt)
{
	const char *word = arena_strndup(p->arena, p->tok->text.p,
	    p->tok->text.n);

	stmt->kind = parse_is(p, TOK_RETURN) ? KV_RETURN :
	    parse_is(p, TOK_BREAK) ? KV_BREAK : KV_CONTINUE;
	parse_next(p);
	if (stmt->kind != KV_RETURN && p->loops == 0) {
		diag_error(p->diag, stmt->loc, "%s outside loop", word);
		return false;
	}
	if (parse_is(p, TOK_NEWLINE) || parse_is(p, TOK_RBRACE) ||
	    parse_is(p, TOK_EOF))
		return true;
	diag_error(p->diag, stmt->loc, "%s cannot take a value%s", word,
	    stmt->kind == KV_RETURN ? " — use write-params for output" : "");
	return false;
}

/* "(" condition ")" */
static bool
parse_condition(struct parser *p, struct kv_stmt *stmt)
{
	if (!parse_expect(p, TOK_LPAREN, "before the condition"))
		return false;
	stmt->expr = parse_expr(p);
	return stmt->expr &&
	    parse_expect(p, TOK_RPAREN, "after the condition");
}

/* Says which block lacks its end. */
static bool
parse_body(struct parser *p, struct kv_stmt *stmt, const char *what)
{
	return parse_block(p, &stmt->body, arena_printf(p->arena,
	    "to close the %s of line %d", what, stmt->loc.line));
}

static struct kv_stmt *
new_stmt(struct parser *p, enum kv_stmt_kind kind)
{
	struct kv_stmt *stmt = arena_alloc(p->arena, sizeof(*stmt));

	stmt->kind = kind;
	stmt->loc = parse_loc(p);
	return stmt;
}

static bool parse_if(struct parser *, struct kv_stmt *);

/* "else" and what follows; it may begin a line. */
static bool
parse_else(struct parser *p, struct kv_stmt *stmt)
{
	const struct token *first, *t = p->tok;
	bool ok;

	while (t->kind == TOK_NEWLINE)
		t++;
	if (t->kind != TOK_ELSE)
		return true;
	p->tok = t + 1;
	first = p->tok;
	stmt->other = new_stmt(p, parse_is(p, TOK_IF) ? KV_IF : KV_LABEL);
	ok = parse_is(p, TOK_IF) ? parse_if(p, stmt->other) :
	    parse_body(p, stmt->other, "else");
	stmt->other->src = parse_since(p, first);
	return ok;
}

static bool
parse_if(struct parser *p, struct kv_stmt *stmt)
{
	bool ok;

	if (++p->controls > KV_MAX_BLOCKS) {
		diag_error(p->diag, stmt->loc, "a function has more than %d "
		    "control statements", KV_MAX_BLOCKS);
		return false;
	}
	parse_next(p);
	if (p->blocks == MAX_NESTED) {
		diag_error(p->diag, stmt->loc, "blocks are nested more than "
		    "%d deep; move some to a function", MAX_NESTED);
		return false;
	}
	p->blocks++;
	ok = parse_condition(p, stmt) && parse_body(p, stmt, "if") &&
	    parse_else(p, stmt);
	p->blocks--;
	return ok;
}

static bool
parse_while(struct parser *p, struct kv_stmt *stmt)
{
	parse_next(p);
	return parse_condition(p, stmt) && parse_body(p, stmt, "while");
}

/* "for" "(" name [":" type] "in" source ")" block */
static bool
parse_for(struct parser *p, struct kv_stmt *stmt)
{
	struct kv_slot *slot = arena_alloc(p->arena, sizeof(*slot));

	parse_next(p);
	if (!parse_expect(p, TOK_LPAREN, "before the variable of the for"))
		return false;
	stmt->writes = slot;
	stmt->nwrites = 1;
	if (!parse_slot(p, slot))
		return false;
	if (slot->nindex > 0 || *slot->name == '/') {
		diag_error(p->diag, slot->loc, "a for needs a plain variable, "
		    "as in for (x in a)");
		return false;
	}
	if (!parse_is_word(p, "in")) {
		diag_error(p->diag, parse_loc(p), "expected IDENT \"in\" "
		    "after the variable of the for, got %s", parse_got(p));
		return false;
	}
	parse_next(p);
	stmt->expr = parse_expr(p);
	return stmt->expr &&
	    parse_expect(p, TOK_RPAREN, "after the source of the for") &&
	    parse_body(p, stmt, "for");
}

static bool
parse_label(struct parser *p, struct kv_stmt *stmt)
{
	stmt->label = parse_text(p);
	parse_next(p);
	parse_newlines(p);
	return parse_body(p, stmt, arena_printf(p->arena, "block %s",
	    stmt->label));
}

/* A statement with blocks. */
static bool
parse_control(struct parser *p, struct kv_stmt *stmt)
{
	bool loop = stmt->kind == KV_WHILE || stmt->kind == KV_FOR, ok;

	if (stmt->kind == KV_IF)
		return parse_if(p, stmt);
	if (p->blocks == MAX_NESTED || ++p->controls > KV_MAX_BLOCKS) {
		diag_error(p->diag, stmt->loc, "blocks are nested more than "
		    "%d deep, or are more than %d; move some to a function",
		    MAX_NESTED, KV_MAX_BLOCKS);
		return false;
	}
	p->blocks++;
	p->loops += loop;
	ok = stmt->kind == KV_WHILE ? parse_while(p, stmt) :
	    stmt->kind == KV_FOR ? parse_for(p, stmt) : parse_label(p, stmt);
	p->blocks--;
	p->loops -= loop;
	return ok;
}

bool
parse_at_label(const struct parser *p)
{
	const struct token *t = p->tok;

	if (t[0].kind != TOK_IDENT || t[1].kind != TOK_COLON)
		return false;
	for (t += 2; t->kind == TOK_NEWLINE; t++)
		;
	return t->kind == TOK_LBRACE;
}

/* What cannot stand here: true when one was reported and skipped. */
static bool
parse_foreign(struct parser *p)
{
	struct loc loc = parse_loc(p);
	const char *word = arena_strndup(p->arena, p->tok->text.p,
	    p->tok->text.n);

	if (parse_is(p, TOK_ELSE)) {
		diag_error(p->diag, loc, "else without an if before it");
		parse_skip_control(p);
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

static enum kv_stmt_kind
kind_here(const struct parser *p)
{
	return parse_is(p, TOK_IF) ? KV_IF :
	    parse_is(p, TOK_WHILE) ? KV_WHILE :
	    parse_is(p, TOK_FOR) ? KV_FOR :
	    parse_at_label(p) ? KV_LABEL : KV_INSTRUCTION;
}

struct kv_stmt *
parse_stmt(struct parser *p)
{
	struct kv_stmt *stmt;
	const struct token *first = p->tok;
	bool ok;

	if (parse_foreign(p))
		return NULL;
	stmt = new_stmt(p, kind_here(p));
	if (stmt->kind != KV_INSTRUCTION)
		ok = parse_control(p, stmt);
	else if (parse_is(p, TOK_RETURN) || parse_is(p, TOK_BREAK) ||
	    parse_is(p, TOK_CONTINUE))
		ok = parse_jump(p, stmt);
	else
		ok = parse_instruction(p, stmt);
	stmt->src = parse_since(p, first);
	if (ok && parse_end(p, stmt))
		return stmt;
	if (stmt->kind == KV_IF)
		parse_skip_control(p);
	else
		parse_skip(p);
	return NULL;
}

bool
parse_block(struct parser *p, struct kv_block *block, const char *to_close)
{
	struct kv_stmt **tail = &block->first;

	block->open = p->tok->text.p;
	if (!parse_expect(p, TOK_LBRACE, "before the body"))
		return false;
	for (;;) {
		parse_newlines(p);
		if (parse_is(p, TOK_RBRACE) || parse_is(p, TOK_EOF))
			break;
		*tail = parse_stmt(p);
		if (*tail)
			tail = &(*tail)->next;
	}
	block->close = p->tok->text.p;
	return parse_expect(p, TOK_RBRACE, to_close);
}
