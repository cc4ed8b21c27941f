/* SPDX-License-Identifier: MIT */
#include "kv/format_expr.h"

#include <string.h>

#include "kv/operators.h"

enum { ANY_LEVEL = 0, PREFIX_LEVEL = 1000, POSTFIX_LEVEL = 1001 };

static void put_expr(struct buf *, const struct kv_expr *, int level);

static void
put_list(struct buf *out, const struct kv_expr *e)
{
	for (; e; e = e->next) {
		put_expr(out, e, ANY_LEVEL);
		if (e->next)
			buf_puts(out, ", ");
	}
}

/* How tight an expression binds by itself. */
static int
level_of(const struct kv_expr *e)
{
	if (e->kind == KV_BINARY)
		return infix_level(e->text);
	if (e->kind == KV_NUMBER && e->text[0] == '-' && !e->token.p)
		return PREFIX_LEVEL;
	return e->kind == KV_UNARY && strcmp(e->text, "√") != 0 ?
	    PREFIX_LEVEL : POSTFIX_LEVEL;
}

/* A minus before a number would become part of it. */
static void
put_unary(struct buf *out, const struct kv_expr *e)
{
	const struct kv_expr *arg = e->args;
	bool paren = strcmp(e->text, "√") == 0 ||
	    (strcmp(e->text, "-") == 0 && arg->kind == KV_NUMBER &&
	    !arg->token.p);

	buf_puts(out, e->text);
	if (paren)
		buf_putc(out, '(');
	put_expr(out, arg, paren ? ANY_LEVEL : PREFIX_LEVEL);
	if (paren)
		buf_putc(out, ')');
}

static void
put_bare(struct buf *out, const struct kv_expr *e)
{
	switch (e->kind) {
	case KV_NAME:
	case KV_PATH:
	case KV_NUMBER:
	case KV_BOOL:
	case KV_NONE:
	case KV_STRING:
		if (e->token.p)
			buf_put(out, e->token.p, e->token.n);
		else
			buf_puts(out, e->text);
		break;
	case KV_ARRAY:
	case KV_FILL:
		buf_putc(out, '[');
		put_list(out, e->args);
		buf_puts(out, e->kind == KV_FILL ? "...]" : "]");
		break;
	case KV_CALL:
		buf_printf(out, "%s(", e->text);
		put_list(out, e->args);
		buf_putc(out, ')');
		break;
	case KV_UNARY:
		put_unary(out, e);
		break;
	case KV_BINARY:
		put_expr(out, e->args, infix_level(e->text));
		buf_printf(out, " %s ", e->text);
		put_expr(out, e->args->next, infix_level(e->text) + 1);
		break;
	case KV_INDEX:
		put_expr(out, e->args, POSTFIX_LEVEL);
		buf_putc(out, '[');
		put_list(out, e->args->next);
		buf_putc(out, ']');
		break;
	}
}

/* In parentheses when it binds less tightly than the level. */
static void
put_expr(struct buf *out, const struct kv_expr *e, int level)
{
	bool paren = level_of(e) < level;

	if (paren)
		buf_putc(out, '(');
	put_bare(out, e);
	if (paren)
		buf_putc(out, ')');
}

void
format_expr(struct buf *out, const struct kv_expr *e)
{
	put_expr(out, e, ANY_LEVEL);
}

void
format_slots(struct buf *out, const struct kv_slot *slot)
{
	for (; slot; slot = slot->next) {
		buf_puts(out, slot->name);
		if (slot->index) {
			buf_putc(out, '[');
			put_list(out, slot->index);
			buf_putc(out, ']');
		}
		if (slot->type)
			buf_printf(out, ":%s", slot->type);
		if (slot->variadic)
			buf_puts(out, "...");
		if (slot->next)
			buf_puts(out, ", ");
	}
}

static void
put_writes(struct buf *out, const struct kv_stmt *stmt)
{
	if (stmt->nwrites > 1)
		buf_putc(out, '(');
	format_slots(out, stmt->writes);
	if (stmt->nwrites > 1)
		buf_putc(out, ')');
}

void
format_instruction(struct buf *out, const struct kv_stmt *stmt)
{
	if (stmt->kind == KV_DECLARATION) {
		format_slots(out, stmt->writes);
		return;
	}
	if (stmt->nwrites > 0 && !stmt->right) {
		put_writes(out, stmt);
		buf_puts(out, " = ");
	}
	format_expr(out, stmt->expr);
	if (stmt->right) {
		buf_puts(out, " -> ");
		put_writes(out, stmt);
	}
}
