/* SPDX-License-Identifier: MIT */
#include "kv/parse.h"

#include <string.h>

#include "base/arena.h"
#include "kv/operators.h"

/* Deeper nesting is refused, which bounds the recursion of the parser. */
enum { MAX_DEPTH = 200 };

static void *
unsupported(struct parser *p, struct loc loc, const char *what,
    const char *instead)
{
	diag_error(p->diag, loc, "%s is not supported yet; write %s", what,
	    instead);
	return NULL;
}

static struct kv_expr *
new_expr(struct parser *p, enum kv_expr_kind kind)
{
	struct kv_expr *e = arena_alloc(p->arena, sizeof(*e));

	e->kind = kind;
	e->loc = parse_loc(p);
	return e;
}

/* Measures a tree that is complete; NULL after an error. */
static struct kv_expr *
measured(struct parser *p, struct kv_expr *e)
{
	const struct kv_expr *arg;

	for (arg = e->args; arg; arg = arg->next)
		if (e->height < arg->height)
			e->height = arg->height;
	if (++e->height <= KV_MAX_HEIGHT)
		return e;
	diag_error(p->diag, e->loc, "an expression has more than %d levels; "
	    "use more variables", KV_MAX_HEIGHT);
	return NULL;
}

/* Comma-separated expressions behind those that e has, up to `close`, which is
 * consumed. */
static bool
parse_list(struct parser *p, struct kv_expr *e, enum token_kind close)
{
	struct kv_expr **tail = &e->args;

	while (*tail)
		tail = &(*tail)->next;
	if (parse_take(p, close))
		return true;
	do {
		*tail = parse_expr(p);
		if (!*tail)
			return false;
		tail = &(*tail)->next;
		e->nargs++;
	} while (parse_take(p, TOK_COMMA));
	if (e->kind == KV_ARRAY && e->nargs == 1 &&
	    parse_take(p, TOK_ELLIPSIS))
		e->kind = KV_FILL;
	return parse_expect(p, close, parse_is(p, TOK_NEWLINE) ?
	    "(a list stays on one line)" : "or ',' in a list");
}

static struct kv_expr *
parse_array(struct parser *p)
{
	struct kv_expr *e = new_expr(p, KV_ARRAY), *arg;

	parse_next(p);
	if (!parse_list(p, e, TOK_RBRACK))
		return NULL;
	for (arg = e->args; arg; arg = arg->next)
		if (arg->kind == KV_STRING) {
			diag_error(p->diag, arg->loc, "compact array [...] "
			    "cannot hold variable-length string element "
			    "\"%.*s\"; write one variable for each string",
			    (int)arg->string.n, arg->string.p);
			return NULL;
		}
	return e;
}

/* Glued to a name, as in 7up or 0x10, it is no number. */
static struct kv_expr *
parse_number(struct parser *p, const char *sign)
{
	struct kv_expr *e = new_expr(p, KV_NUMBER);
	struct str text = p->tok->text;

	e->text = arena_printf(p->arena, "%s%.*s", sign, (int)text.n, text.p);
	parse_next(p);
	if (parse_is(p, TOK_IDENT) && p->tok->text.p == text.p + text.n) {
		diag_error(p->diag, e->loc, "invalid numeric literal "
		    "\"%.*s\": expected decimal digits, as in 12 or 1.5e-3",
		    (int)(text.n + p->tok->text.n), text.p);
		return NULL;
	}
	return e;
}

/* NAME {·NAME} joined to one text; NULL after an error. */
static const char *
parse_joined(struct parser *p)
{
	const char *name = parse_text(p);
	struct loc loc = parse_loc(p);

	while (parse_take(p, TOK_DOT)) {
		if (!parse_is(p, TOK_IDENT))
			return unsupported(p, loc, "this kind of member "
			    "access", "a plain variable");
		name = arena_printf(p->arena, "%s·%s", name, parse_text(p));
	}
	return name;
}

const char *
parse_path(struct parser *p)
{
	struct loc loc = parse_loc(p);
	const char *path = parse_joined(p);

	if (path && strstr(path, "‥")) {
		diag_error(p->diag, loc, "\"%s\": names that start with ‥ "
		    "belong to the system; choose another path", path);
		return NULL;
	}
	return path;
}

static struct kv_expr *
parse_call(struct parser *p, struct kv_expr *e)
{
	e->kind = KV_CALL;
	parse_next(p);
	return parse_list(p, e, TOK_RPAREN) ? e : NULL;
}

static struct kv_expr *
parse_word(struct parser *p, enum kv_expr_kind kind)
{
	struct kv_expr *e = new_expr(p, kind);

	e->text = parse_text(p);
	return e;
}

/* A name, a call, or one of the words that are literals. */
static struct kv_expr *
parse_name(struct parser *p)
{
	struct kv_expr *e;
	bool qualified = p->tok[1].kind == TOK_DOT;

	if (parse_is_word(p, "true") || parse_is_word(p, "false"))
		return parse_word(p, KV_BOOL);
	if (parse_is_word(p, "None"))
		return parse_word(p, KV_NONE);
	e = new_expr(p, KV_NAME);
	if (parse_is_word(p, "null")) {
		diag_error(p->diag, e->loc, "there is no null; write None");
		return NULL;
	}
	e->text = parse_joined(p);
	if (!e->text)
		return NULL;
	if (parse_is(p, TOK_LPAREN))
		return parse_call(p, e);
	if (qualified)
		return unsupported(p, e->loc, "member access",
		    "a plain variable");
	if (parse_is(p, TOK_LBRACE))
		return unsupported(p, e->loc, "a struct literal",
		    "separate variables");
	return e;
}

static struct kv_expr *
parse_path_expr(struct parser *p)
{
	struct kv_expr *e = new_expr(p, KV_PATH);

	e->text = parse_path(p);
	if (!e->text)
		return NULL;
	return parse_is(p, TOK_LPAREN) ? parse_call(p, e) : e;
}

static bool
is_number(struct parser *p, struct str text)
{
	struct token *tok;
	struct diag own;
	size_t n;
	bool yes;

	diag_init(&own);
	tok = token_scan(p->arena, p->file, text, &own, &n, NULL);
	yes = n == 2 && tok->kind == TOK_NUMBER && own.errors == 0;
	diag_release(&own);
	return yes;
}

/* '…' is a path, a number or a string by its first character. */
static struct kv_expr *
parse_quoted(struct parser *p)
{
	struct kv_expr *e = new_expr(p, KV_STRING);
	struct str text = p->tok->string;

	e->token = p->tok->text;
	e->string = text;
	parse_next(p);
	if (e->token.p[0] != '\'' || text.n == 0 || (text.p[0] != '/' &&
	    (text.p[0] < '0' || text.p[0] > '9')))
		return e;
	e->text = arena_strndup(p->arena, text.p, text.n);
	e->kind = text.p[0] == '/' ? KV_PATH : KV_NUMBER;
	if (e->kind == KV_PATH ? strlen(e->text) == text.n && text.n > 1 &&
	    !strstr(e->text, "‥") : is_number(p, text))
		return e;
	diag_error(p->diag, e->loc, "'%s' is no %s; in double quotes it is a "
	    "string", e->text, e->kind == KV_PATH ? "path" : "number");
	return NULL;
}

static struct kv_expr *
parse_paren(struct parser *p)
{
	struct kv_expr *e;

	parse_next(p);
	e = parse_expr(p);
	return e && parse_expect(p, TOK_RPAREN, NULL) ? e : NULL;
}

static struct kv_expr *
parse_primary(struct parser *p)
{
	struct loc loc = parse_loc(p);

	if (parse_is(p, TOK_IDENT))
		return parse_name(p);
	if (parse_is(p, TOK_NUMBER))
		return parse_number(p, "");
	if (parse_is(p, TOK_STRING))
		return parse_quoted(p);
	if (parse_is(p, TOK_LBRACK))
		return parse_array(p);
	if (parse_is(p, TOK_LPAREN))
		return parse_paren(p);
	if (parse_is(p, TOK_PATH))
		return parse_path_expr(p);
	if (parse_is(p, TOK_LBRACE))
		return unsupported(p, loc, "a literal in braces",
		    "an array literal [ … ]");
	diag_error(p->diag, loc, "expected an expression, got %s",
	    parse_got(p));
	return NULL;
}

/* Indices behind a primary: a[i, j][k]. */
static struct kv_expr *
parse_postfix(struct parser *p)
{
	struct kv_expr *e = parse_primary(p), *index;
	struct loc loc;

	while (e && measured(p, e) && parse_is(p, TOK_LBRACK)) {
		if (e->kind == KV_PATH)
			return unsupported(p, parse_loc(p), "indexing an "
			    "absolute path", "a copy of it to a variable");
		loc = parse_loc(p);
		index = new_expr(p, KV_INDEX);
		index->loc = e->loc;
		index->args = e;
		index->nargs = 1;
		parse_next(p);
		if (!parse_list(p, index, TOK_RBRACK))
			return NULL;
		if (index->nargs == 1) {
			diag_error(p->diag, loc, "expected an index "
			    "between [ and ]");
			return NULL;
		}
		e = index;
	}
	if (e && parse_is(p, TOK_DOT))
		return unsupported(p, parse_loc(p), "member access",
		    "a plain variable");
	return e && e->height <= KV_MAX_HEIGHT ? e : NULL;
}

static struct kv_expr *parse_unary(struct parser *);

/* At an operator that cannot begin an expression. */
static struct kv_expr *
wrong_prefix(struct parser *p)
{
	struct loc loc = parse_loc(p);

	if (str_is(p->tok->text, "&") || str_is(p->tok->text, "*"))
		return unsupported(p, loc, str_is(p->tok->text, "&") ?
		    "the address of a variable" : "a dereference",
		    "the variable");
	diag_error(p->diag, loc, "expected an expression, got %s",
	    parse_got(p));
	return NULL;
}

static struct kv_expr *
parse_prefix(struct parser *p)
{
	struct loc loc = parse_loc(p);
	struct kv_expr *e = new_expr(p, KV_UNARY);
	bool minus = str_is(p->tok->text, "-");

	e->text = arena_strndup(p->arena, p->tok->text.p, p->tok->text.n);
	if (!prefix_word(e->text))
		return wrong_prefix(p);
	parse_next(p);
	if (minus && parse_is(p, TOK_NUMBER)) {
		e = parse_number(p, "-");
		if (!e)
			return NULL;
		e->loc = loc;
		return measured(p, e);
	}
	e->args = parse_unary(p);
	e->nargs = 1;
	return e->args ? measured(p, e) : NULL;
}

static struct kv_expr *
parse_unary(struct parser *p)
{
	struct kv_expr *e;

	if (p->depth == MAX_DEPTH) {
		diag_error(p->diag, parse_loc(p), "expressions are nested "
		    "more than %d deep; use more variables", MAX_DEPTH);
		return NULL;
	}
	p->depth++;
	e = parse_is(p, TOK_OPERATOR) ? parse_prefix(p) : parse_postfix(p);
	p->depth--;
	return e;
}

/* The level of the infix operator at the next token; 0 when there is none, -1
 * after an error. */
static int
next_level(struct parser *p)
{
	struct str text = p->tok->text;
	int level;

	if (!parse_is(p, TOK_OPERATOR))
		return 0;
	level = infix_level(arena_strndup(p->arena, text.p, text.n));
	if (level > 0)
		return level;
	if (str_is(text, "*") || str_is(text, "/"))
		diag_error(p->diag, parse_loc(p), "'%.*s' is no infix "
		    "operator; write %s", (int)text.n, text.p,
		    text.p[0] == '*' ? "× to multiply" : "÷ to divide");
	else
		diag_error(p->diag, parse_loc(p), "'%.*s' is a prefix: "
		    "expected an infix operator, a ',' or the end of the "
		    "expression", (int)text.n, text.p);
	return -1;
}

/* Operators of at least this level; equal ones group to the left. */
static struct kv_expr *
parse_infix(struct parser *p, int least)
{
	struct kv_expr *left = parse_unary(p), *e;
	int level = 0;

	while (left && (level = next_level(p)) >= least) {
		e = new_expr(p, KV_BINARY);
		e->loc = left->loc;
		e->text = parse_text(p);
		e->args = left;
		e->nargs = 2;
		left->next = parse_infix(p, level + 1);
		if (!left->next || !measured(p, e))
			return NULL;
		left = e;
	}
	return level < 0 ? NULL : left;
}

struct kv_expr *
parse_expr(struct parser *p)
{
	return parse_infix(p, 1);
}

static bool
ends_type(const struct parser *p, int depth)
{
	if (parse_is(p, TOK_COMMA))
		return depth == 0;
	return parse_is(p, TOK_EOF) || parse_is(p, TOK_NEWLINE) ||
	    parse_is(p, TOK_ARROW) || parse_is(p, TOK_LPAREN) ||
	    parse_is(p, TOK_RPAREN) || parse_is(p, TOK_LBRACE) ||
	    parse_is(p, TOK_RBRACE) || parse_is(p, TOK_ELLIPSIS) ||
	    parse_is(p, TOK_COLON) || parse_is(p, TOK_STRING) ||
	    parse_is_word(p, "in");
}

/* Whether a token would become part of a word beside it. */
static bool
is_wordy(const struct token *t)
{
	return t->kind != TOK_LBRACK && t->kind != TOK_RBRACK &&
	    t->kind != TOK_COMMA && t->kind != TOK_DOT &&
	    (t->kind != TOK_OPERATOR || str_is(t->text, "/"));
}

/* Blanks are dropped, except between two words, which are no type. */
const char *
parse_type(struct parser *p)
{
	const struct token *first = p->tok;
	struct loc loc = parse_loc(p);
	struct buf type = { 0 };
	const char *out;
	int depth = 0;

	for (; !ends_type(p, depth); parse_next(p)) {
		if (p->tok > first && is_wordy(p->tok - 1) &&
		    is_wordy(p->tok))
			buf_putc(&type, ' ');
		depth += parse_is(p, TOK_LBRACK);
		depth -= parse_is(p, TOK_RBRACK);
		buf_put(&type, p->tok->text.p, p->tok->text.n);
	}
	out = arena_strndup(p->arena, type.p ? type.p : "", type.n);
	buf_release(&type);
	if (p->tok > first && !strstr(out, "//") && !strstr(out, "/*"))
		return out;
	diag_error(p->diag, loc, "expected a type such as float64 or "
	    "[2,3]float32, got %s", p->tok > first ? out : parse_got(p));
	return NULL;
}
