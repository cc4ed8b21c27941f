/* SPDX-License-Identifier: MIT */
#include "kv/doc.h"

#include <stdbool.h>
#include <string.h>

#include "kv/ast.h"
#include "kv/token.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Whether `to` begins the line after the one in which `from` ends. */
static bool
is_next_line(const char *from, const char *to)
{
	int ends = 0;

	for (; from < to; from++) {
		if (!is_blank(*from) && *from != '\n')
			return false;
		ends += *from == '\n';
	}
	return ends == 1;
}

/* Whether nothing stands before a comment in its line. */
static bool
is_alone(const struct kv_file *file, const struct comment *c)
{
	const char *p = c->text.p;

	while (p > file->text.p && is_blank(p[-1]))
		p--;
	return p == file->text.p || p[-1] == '\n';
}

/* Blanks at the end, carriage returns among them, are nobody's text. */
static void
put_line(struct str line, struct buf *out)
{
	while (line.n > 0 && is_blank(line.p[line.n - 1]))
		line.n--;
	buf_put(out, line.p, line.n);
	buf_putc(out, '\n');
}

static void
drop(struct str *s, size_t n)
{
	s->p += n;
	s->n -= n;
}

static bool
is_space(char c)
{
	return is_blank(c) || c == '\n';
}

/* The lines of a block comment may each begin with a star; the first and the
 * last one often hold nothing else. */
static void
put_block(struct str text, struct buf *out)
{
	struct str line;

	drop(&text, 2);
	text.n -= 2;
	while (text.n > 0 && is_space(*text.p))
		drop(&text, 1);
	while (text.n > 0 && is_space(text.p[text.n - 1]))
		text.n--;
	while (str_next(&text, '\n', &line)) {
		while (line.n > 0 && is_blank(*line.p))
			drop(&line, 1);
		if (line.n > 0 && *line.p == '*')
			drop(&line, line.n > 1 && line.p[1] == ' ' ? 2 : 1);
		put_line(line, out);
	}
}

static void
put_comment(struct str text, struct buf *out)
{
	if (text.p[1] == '*') {
		put_block(text, out);
		return;
	}
	drop(&text, 2);
	if (text.n > 0 && *text.p == ' ')
		drop(&text, 1);
	put_line(text, out);
}

void
kv_doc(const struct kv_file *file, const struct kv_func *f, struct buf *out)
{
	const struct comment *c, *first = NULL;
	const char *end = NULL;

	for (c = file->comments; c && c->text.p < f->src.p; c = c->next) {
		if (!is_alone(file, c))
			first = NULL;
		else if (!first || !is_next_line(end, c->text.p))
			first = c;
		end = c->text.p + c->text.n;
	}
	if (!first || !is_next_line(end, f->src.p))
		return;
	for (; first != c; first = first->next)
		put_comment(first->text, out);
}
