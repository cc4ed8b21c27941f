/* SPDX-License-Identifier: MIT */
#include "kv/doc.h"

#include <stdbool.h>
#include <string.h>

#include "kv/ast.h"
#include "kv/token.h"

/* Who gets the lines. */
struct taker {
	kv_doc_line *line;
	void *arg;
};

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
give_line(struct str line, const struct taker *to)
{
	while (line.n > 0 && is_blank(line.p[line.n - 1]))
		line.n--;
	to->line(line, to->arg);
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
give_block(struct str text, const struct taker *to)
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
		give_line(line, to);
	}
}

static void
give_comment(struct str text, const struct taker *to)
{
	if (text.p[1] == '*') {
		give_block(text, to);
		return;
	}
	drop(&text, 2);
	if (text.n > 0 && *text.p == ' ')
		drop(&text, 1);
	give_line(text, to);
}

void
kv_doc_lines(const struct kv_file *file, const struct kv_func *f,
    kv_doc_line *line, void *arg)
{
	const struct taker to = { line, arg };
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
		give_comment(first->text, &to);
}

static void
put_line(struct str line, void *out)
{
	buf_put(out, line.p, line.n);
	buf_putc(out, '\n');
}

void
kv_doc(const struct kv_file *file, const struct kv_func *f, struct buf *out)
{
	kv_doc_lines(file, f, put_line, out);
}
