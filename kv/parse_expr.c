/* SPDX-License-Identifier: MIT */
#include "kv/parse.h"

#include "base/arena.h"

/* Deeper nesting is refused, which bounds the recursion of every walk. */
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

/* Comma-separated expressions up to `close`, which is consumed. */
static bool
parse_list(struct parser *p, struct kv_expr *e, enum token_kind close)
{
	struct kv_expr **tail = &e->args;

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

static bool
is_element(const struct kv_expr *e)
{
	return e->kind == KV_NUMBER || e->kind == KV_BOOL ||
	    e->kind == KV_ARRAY;
}

static struct kv_expr *
parse_array(struct parser *p)
{
	struct kv_expr *e = new_expr(p, KV_ARRAY), *arg;

	parse_next(p);
	if (!parse_list(p, e, TOK_RBRACK))
		return NULL;
	for (arg = e->args; arg; arg = arg->next) {
		if (arg->kind == KV_STRING) {
			diag_error(p->diag, arg->loc, "compact array [...] "
			    "cannot hold variable-length string element "
			    "\"%.*s\"; write one variable for each string",
			    (int)arg->string.n, arg->string.p);
			return NULL;
		}
		if (!is_element(arg))
			return unsupported(p, arg->loc, "an array element "
			    "that is not a literal", "numbers or bools");
	}
	return e;
}

static struct kv_expr *
parse_number(struct parser *p, const char *sign)
{
	struct kv_expr *e = new_expr(p, KV_NUMBER);

	e->text = arena_printf(p->arena, "%s%.*s", sign,
	    (int)p->tok->text.n, p->tok->text.p);
	parse_next(p);
	return e;
}

/* `a·b·c`, joined to one name; only calls have such names. */
static const char *
parse_qualified(struct parser *p)
{
	const char *name = parse_text(p);
	struct loc loc = parse_loc(p);

	while (parse_take(p, TOK_DOT)) {
		if (!parse_is(p, TOK_IDENT))
			return unsupported(p, loc, "this kind of member "
			    "access", "a plain variable");
		name = arena_printf(p->arena, "%s·%s", name, parse_text(p));
	}
	if (!parse_is(p, TOK_LPAREN))
		return unsupported(p, loc, "member access",
		    "a plain variable");
	return name;
}

/* A name or a call. */
static struct kv_expr *
parse_name(struct parser *p)
{
	struct kv_expr *e = new_expr(p, KV_NAME);
	bool qualified = p->tok[1].kind == TOK_DOT;

	if (parse_is_word(p, "true") || parse_is_word(p, "false")) {
		e->kind = KV_BOOL;
		e->text = parse_text(p);
		return e;
	}
	if (parse_is_word(p, "None"))
		return unsupported(p, e->loc, "None", "a value");
	e->text = qualified ? parse_qualified(p) : parse_text(p);
	if (!e->text)
		return NULL;
	if (parse_take(p, TOK_LPAREN)) {
		e->kind = KV_CALL;
		if (!parse_list(p, e, TOK_RPAREN))
			return NULL;
	} else if (parse_is(p, TOK_LBRACE)) {
		return unsupported(p, e->loc, "a struct literal",
		    "separate variables");
	}
	return e;
}

static struct kv_expr *
parse_operator(struct parser *p)
{
	struct loc loc = parse_loc(p);
	struct kv_expr *e;

	if (str_is(p->tok->text, "-") && p->tok[1].kind == TOK_NUMBER) {
		parse_next(p);
		e = parse_number(p, "-");
		e->loc = loc;
		return e;
	}
	return unsupported(p, loc, arena_printf(p->arena, "the operator '%s'",
	    parse_text(p)), "a call such as deepx·mul(x, y)");
}

static struct kv_expr *
parse_string(struct parser *p)
{
	struct kv_expr *e = new_expr(p, KV_STRING);

	e->string = p->tok->string;
	parse_next(p);
	return e;
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
		return parse_string(p);
	if (parse_is(p, TOK_LBRACK))
		return parse_array(p);
	if (parse_is(p, TOK_LPAREN))
		return parse_paren(p);
	if (parse_is(p, TOK_OPERATOR))
		return parse_operator(p);
	if (parse_is(p, TOK_PATH))
		return unsupported(p, loc, "an absolute path",
		    "a variable, or pkg·name for a function");
	if (parse_is(p, TOK_LBRACE))
		return unsupported(p, loc, "a literal in braces",
		    "an array literal [ … ]");
	diag_error(p->diag, loc, "expected an expression, got %s",
	    parse_got(p));
	return NULL;
}

struct kv_expr *
parse_expr(struct parser *p)
{
	struct kv_expr *e;

	if (p->depth == MAX_DEPTH) {
		diag_error(p->diag, parse_loc(p), "expressions are nested "
		    "more than %d deep; use more variables", MAX_DEPTH);
		return NULL;
	}
	p->depth++;
	e = parse_primary(p);
	p->depth--;
	if (!e)
		return NULL;
	if (parse_is(p, TOK_OPERATOR))
		return unsupported(p, parse_loc(p), arena_printf(p->arena,
		    "the infix operator '%.*s'", (int)p->tok->text.n,
		    p->tok->text.p), "a call such as deepx·add(x, y)");
	if (parse_is(p, TOK_DOT))
		return unsupported(p, parse_loc(p), "member access",
		    "a plain variable");
	if (parse_is(p, TOK_LBRACK))
		return unsupported(p, parse_loc(p), "indexing",
		    "an op on the whole tensor");
	return e;
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
	    parse_is(p, TOK_COLON);
}

/* Blanks are dropped, except between two words, which are no type. */
const char *
parse_type(struct parser *p)
{
	const struct token *first = p->tok;
	struct buf type = { 0 };
	const char *out;
	int depth = 0;

	for (; !ends_type(p, depth); parse_next(p)) {
		if (p->tok > first && parse_is(p, TOK_IDENT) &&
		    p->tok[-1].kind == TOK_IDENT)
			buf_putc(&type, ' ');
		depth += parse_is(p, TOK_LBRACK);
		depth -= parse_is(p, TOK_RBRACK);
		buf_put(&type, p->tok->text.p, p->tok->text.n);
	}
	if (p->tok == first) {
		diag_error(p->diag, parse_loc(p), "expected a type such as "
		    "float64 or [2,3]float32, got %s", parse_got(p));
		return NULL;
	}
	out = arena_strndup(p->arena, type.p, type.n);
	buf_release(&type);
	return out;
}
