/* SPDX-License-Identifier: MIT */
#include "gen/emit/template.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"

struct expander {
	const struct template *t;
	struct filling *fill;
	struct buf *c, *map;
	struct diag *diag;
	bool whole; /* no block: the text is that of the only copy */
	int out_line;
	struct map used;
};

void
filling_init(struct filling *f, struct arena *arena, const char *each,
    int copies)
{
	f->arena = arena;
	f->each = each;
	f->copies = copies;
	map_init(&f->region, arena);
}

static const char *
region_key(struct filling *f, const char *name, int copy)
{
	return copy < 0 ? name : arena_printf(f->arena, "%s.%d", name, copy);
}

struct lines *
filling_region(struct filling *f, const char *name, int copy)
{
	const char *key = region_key(f, name, copy);
	struct lines *l = map_get(&f->region, key);

	if (!l) {
		l = arena_alloc(f->arena, sizeof *l);
		l->arena = f->arena;
		map_set(&f->region, key, l);
	}
	return l;
}

void
lines_add(struct lines *l, struct loc loc, const char *fmt, ...)
{
	char text[512];
	size_t cap = l->cap;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof text)
		BUG("a line of %d bytes in a kernel", n);
	l->text = arena_grow(l->arena, l->text, l->n, &cap, sizeof *l->text);
	l->loc = arena_grow(l->arena, l->loc, l->n, &l->cap, sizeof *l->loc);
	l->text[l->n] = arena_strdup(l->arena, text);
	l->loc[l->n++] = loc;
}

static void
put_line(struct expander *x, const char *indent, int nindent,
    const char *text, size_t n, struct loc loc)
{
	x->out_line++;
	if (n)
		buf_printf(x->c, "%.*s%.*s\n", nindent, indent, (int)n, text);
	else
		buf_puts(x->c, "\n");
	if (loc.file)
		buf_printf(x->map, "%d %s:%d\n", x->out_line, loc.file,
		    loc.line);
}

/* NAME of a line that is only a mark like `@begin NAME`. */
static bool
mark(struct str line, const char *word, struct str *name)
{
	size_t i = 0, n = strlen(word);

	while (i < line.n && (line.p[i] == '\t' || line.p[i] == ' '))
		i++;
	if (line.n - i < n + 6 || memcmp(line.p + i, "/* ", 3) ||
	    memcmp(line.p + i + 3, word, n) ||
	    memcmp(line.p + line.n - 3, " */", 3))
		return false;
	*name = (struct str){ line.p + i + 3 + n, line.n - i - n - 6 };
	return true;
}

static int
indent_of(struct str line)
{
	int n = 0;

	while ((size_t)n < line.n && line.p[n] == '\t')
		n++;
	return n;
}

static int
put_region(struct expander *x, struct str line, struct str name, int copy,
    struct loc loc)
{
	char *word = arena_strndup(x->fill->arena, name.p, name.n);
	const char *key = region_key(x->fill, word, copy);
	struct lines *l = map_get(&x->fill->region, key);

	if (!l && x->whole &&
	    (l = map_get(&x->fill->region, region_key(x->fill, word, 0))))
		key = region_key(x->fill, word, 0);
	if (!l)
		return diag_error(x->diag, loc, "nothing fills the region "
		    "`%s`", key);
	map_set(&x->used, key, l);
	for (size_t i = 0; i < l->n; i++)
		put_line(x, line.p, indent_of(line), l->text[i],
		    strlen(l->text[i]), l->loc[i]);
	return 0;
}

/* Expands a run of lines; copy -1 outside of `@each`. */
static int
expand_lines(struct expander *x, struct str text, int line0, int copy)
{
	struct loc loc = { x->t->path, line0, 1 };
	struct str line, name, open = { 0 };
	bool skipping = false;

	while (str_next(&text, '\n', &line)) {
		loc.line++;
		if (skipping) {
			if (mark(line, "@end ", &name) && str_eq(name, open))
				skipping = false;
			continue;
		}
		if (mark(line, "@match ", &name))
			continue;
		if (mark(line, "@begin ", &name)) {
			if (put_region(x, line, name, copy, loc))
				return -1;
			open = name;
			skipping = true;
			continue;
		}
		if (mark(line, "@each ", &name))
			return diag_error(x->diag, loc, "`@each %.*s` where "
			    "none is expected", (int)name.n, name.p);
		if (mark(line, "@end ", &name))
			return diag_error(x->diag, loc, "`@end %.*s` without "
			    "`@begin`", (int)name.n, name.p);
		put_line(x, "", 0, line.p, line.n, no_loc);
	}
	return skipping ? diag_error(x->diag, loc, "region `%.*s` is not "
	    "closed", (int)open.n, open.p) : 0;
}

/* Where the next line that is this mark starts; its end goes to *after. */
static const char *
find_mark(struct str text, const char *word, const char *arg,
    const char **after, int *lines)
{
	const char *end = text.p + text.n;
	struct str line, name;

	*lines = 0;
	while (str_next(&text, '\n', &line)) {
		if (mark(line, word, &name) && str_is(name, arg)) {
			*after = line.p + line.n;
			*after += *after < end;
			return line.p;
		}
		++*lines;
	}
	return NULL;
}

/* The lines from one place to the start of another line, without the line end
 * of the last one. */
static struct str
between(const char *from, const char *to)
{
	return (struct str){ from, to > from ? (size_t)(to - from - 1) : 0 };
}

static int
check_used(struct expander *x)
{
	for (size_t i = 0; i < x->fill->region.n; i++) {
		const struct map_entry *e = &x->fill->region.entry[i];
		const struct lines *l = e->value;

		if (l->n && !map_get(&x->used, e->key))
			return diag_error(x->diag, (struct loc){ x->t->path,
			    0, 0 }, "the template has no region `%s`", e->key);
	}
	return 0;
}

int
template_expand(const struct template *t, struct filling *fill,
    struct buf *c, struct buf *map, struct diag *diag)
{
	struct expander x = { .t = t, .fill = fill, .c = c, .map = map,
		.diag = diag };
	const char *from = t->text.p, *end = t->text.p + t->text.n;
	const char *block, *body, *close, *after;
	bool first = true;
	int line = 0, before, inside;

	map_init(&x.used, fill->arena);
	x.whole = fill->copies == 1 && !strcmp(fill->each, "dtype") &&
	    !find_mark(t->text, "@each ", "dtype", &after, &before);
	buf_puts(map, "kvmap 1\n");
	put_line(&x, "", 0, "/* Generated by kvaot; do not edit. */", 38,
	    no_loc);
	while ((block = find_mark((struct str){ from, (size_t)(end - from) },
	    "@each ", fill->each, &body, &before))) {
		close = find_mark((struct str){ body, (size_t)(end - body) },
		    "@end ", "each", &after, &inside);
		if (!close)
			return diag_error(diag, (struct loc){ t->path,
			    line + before + 1, 1 }, "`@each %s` is not "
			    "closed", fill->each);
		if (expand_lines(&x, between(from, block), line, -1))
			return -1;
		for (int i = 0; first && i < fill->copies; i++)
			if (expand_lines(&x, between(body, close),
			    line + before + 1, i))
				return -1;
		first = false;
		line += before + inside + 2;
		from = after;
	}
	if (end > from && end[-1] == '\n')
		end--;
	if (expand_lines(&x, (struct str){ from, (size_t)(end - from) }, line,
	    -1))
		return -1;
	return check_used(&x);
}
