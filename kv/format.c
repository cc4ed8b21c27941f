/* SPDX-License-Identifier: MIT */
#include "kv/format.h"

#include <string.h>

#include "kv/ast.h"
#include "kv/format_expr.h"

struct format {
	struct buf *out;
	const struct comment *comment; /* the next one */
	const char *end; /* in the source, behind what was printed last */
	int depth;
	bool first; /* nothing was printed in this block */
	bool after; /* an empty line must follow */
};

static void
newline(struct format *f)
{
	buf_putc(f->out, '\n');
}

/* How many lines end between two places of the source. */
static int
line_ends(const char *from, const char *to)
{
	int n = 0;

	for (; from && from < to; from++)
		n += *from == '\n';
	return n;
}

/* Starts the line of what begins at `start` in the source. */
static void
begin(struct format *f, const char *start, bool apart)
{
	int i;

	if (!f->first && (apart || f->after || line_ends(f->end, start) > 1))
		newline(f);
	f->first = f->after = false;
	for (i = 0; i < f->depth; i++)
		buf_putc(f->out, '\t');
}

/* The next comment; lines end in LF alone. */
static void
put_comment(struct format *f)
{
	struct str text = f->comment->text;
	size_t i;

	for (i = 0; i < text.n; i++)
		if (text.p[i] != '\r')
			buf_putc(f->out, text.p[i]);
	if (f->end < text.p + text.n)
		f->end = text.p + text.n;
	f->comment = f->comment->next;
}

/* Comments up to a place of the source, each on lines of its own. True when
 * there were some. */
static bool
comments_before(struct format *f, const char *place, bool apart)
{
	bool any = false;

	while (f->comment && f->comment->text.p < place) {
		begin(f, f->comment->text.p, apart && !any);
		put_comment(f);
		newline(f);
		any = true;
	}
	return any;
}

/* Comments and the begin of a line for what starts at `start`, whose head
 * ends at `head`. */
static void
open_line(struct format *f, const char *start, const char *head, bool apart)
{
	bool any = comments_before(f, head, apart);

	begin(f, start, apart && !any);
}

/*
 * Ends a line that shows the source up to `end`: comments from within and
 * those that follow on the same line, before `limit`, stay there.
 */
static void
end_line(struct format *f, const char *end, const char *limit)
{
	f->end = end;
	while (f->comment && (f->comment->text.p < end ||
	    (f->comment->text.p < limit &&
	    line_ends(f->end, f->comment->text.p) == 0))) {
		buf_putc(f->out, ' ');
		put_comment(f);
	}
	newline(f);
}

/* Ends the line of an opening brace; what came before it and is still to be
 * printed goes into the block. */
static void
open_block(struct format *f, const char *open, const char *limit)
{
	f->end = open + 1;
	while (f->comment && f->comment->text.p > open &&
	    f->comment->text.p < limit &&
	    line_ends(f->end, f->comment->text.p) == 0) {
		buf_putc(f->out, ' ');
		put_comment(f);
	}
	newline(f);
	f->depth++;
	f->first = true;
	f->after = false;
}

/* The closing brace, without the end of its line. */
static void
close_block(struct format *f, const char *close)
{
	comments_before(f, close, false);
	f->depth--;
	f->first = true;
	begin(f, close, false);
	buf_putc(f->out, '}');
	f->end = close + 1;
}

static void put_stmts(struct format *, const struct kv_block *);

static void
put_block(struct format *f, const struct kv_block *block)
{
	buf_puts(f->out, " {");
	open_block(f, block->open, block->first ? block->first->src.p :
	    block->close);
	put_stmts(f, block);
	close_block(f, block->close);
}

static void
put_condition(struct format *f, const char *word, const struct kv_stmt *stmt)
{
	buf_printf(f->out, "%s (", word);
	format_expr(f->out, stmt->expr);
	buf_putc(f->out, ')');
	put_block(f, &stmt->body);
}

static void
put_if(struct format *f, const struct kv_stmt *stmt)
{
	put_condition(f, "if", stmt);
	for (stmt = stmt->other; stmt; stmt = stmt->other) {
		buf_puts(f->out, " else");
		if (stmt->kind == KV_IF) {
			put_condition(f, " if", stmt);
		} else {
			put_block(f, &stmt->body);
			return;
		}
	}
}

/* Without the begin and the end of its line. */
static void
put_stmt(struct format *f, const struct kv_stmt *stmt)
{
	switch (stmt->kind) {
	case KV_INSTRUCTION:
	case KV_DECLARATION:
		format_instruction(f->out, stmt);
		break;
	case KV_RETURN:
	case KV_BREAK:
	case KV_CONTINUE:
		buf_put(f->out, stmt->src.p, stmt->src.n);
		break;
	case KV_IF:
		put_if(f, stmt);
		break;
	case KV_WHILE:
		put_condition(f, "while", stmt);
		break;
	case KV_FOR:
		buf_puts(f->out, "for (");
		format_slots(f->out, stmt->writes);
		buf_puts(f->out, " in ");
		format_expr(f->out, stmt->expr);
		buf_putc(f->out, ')');
		put_block(f, &stmt->body);
		break;
	case KV_LABEL:
		buf_printf(f->out, "%s:", stmt->label);
		put_block(f, &stmt->body);
		break;
	}
}

/* One statement; `limit` is where the next one or the end of the block is. */
static void
put_line(struct format *f, const struct kv_stmt *stmt, const char *limit)
{
	bool apart = stmt->kind == KV_IF || stmt->kind == KV_LABEL;

	open_line(f, stmt->src.p, stmt->body.open ? stmt->body.open :
	    stmt->src.p, apart);
	put_stmt(f, stmt);
	end_line(f, stmt->src.p + stmt->src.n, limit);
	f->after = apart;
}

static void
put_stmts(struct format *f, const struct kv_block *block)
{
	const struct kv_stmt *stmt;

	for (stmt = block->first; stmt; stmt = stmt->next)
		put_line(f, stmt, stmt->next ? stmt->next->src.p :
		    block->close);
}

static void put_items(struct format *, const struct kv_item *,
    const char *limit);

static void
put_func(struct format *f, const struct kv_item *item)
{
	const struct kv_func *func = item->func;
	const char *end = item->src.p + item->src.n;
	bool body = func->kind == KV_RWFUNC;

	open_line(f, item->src.p, body ? func->body.open : end, body);
	buf_printf(f->out, "%s %s(", body ? "rwfunc" : "rwir", func->name);
	format_slots(f->out, func->reads);
	buf_puts(f->out, ") -> (");
	format_slots(f->out, func->writes);
	buf_putc(f->out, ')');
	if (body)
		put_block(f, &func->body);
}

static void
put_lib(struct format *f, const struct kv_item *item)
{
	open_line(f, item->src.p, item->open, true);
	buf_printf(f->out, "lib %s {", item->name);
	open_block(f, item->open, item->items ? item->items->src.p :
	    item->close);
	put_items(f, item->items, item->close);
	close_block(f, item->close);
}

static void
put_item(struct format *f, const struct kv_item *item, const char *limit)
{
	if (item->kind == KV_ITEM_STMT) {
		put_line(f, item->stmt, limit);
		return;
	}
	if (item->kind == KV_ITEM_LIB)
		put_lib(f, item);
	else
		put_func(f, item);
	end_line(f, item->src.p + item->src.n, limit);
	f->after = item->kind == KV_ITEM_LIB || item->func->kind == KV_RWFUNC;
}

static void
put_items(struct format *f, const struct kv_item *item, const char *limit)
{
	for (; item; item = item->next)
		put_item(f, item, item->next ? item->next->src.p : limit);
}

int
kv_format(const struct kv_file *file, struct buf *out, struct diag *diag)
{
	const char *end = file->text.p + file->text.n;
	struct format f = { .out = out, .comment = file->comments,
		.end = file->text.p, .first = true };

	if (file->errors > 0)
		return diag_error(diag, (struct loc){ file->name, 0, 0 },
		    "a file with errors is not formatted");
	put_items(&f, file->items, end);
	/* The end of the text is behind the last comment. */
	comments_before(&f, end + 1, false);
	return 0;
}
