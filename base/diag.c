/* SPDX-License-Identifier: MIT */
#include "base/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

/* A longer source line says nothing to a reader (it is data). */
enum { LINE_SHOWN = 400 };

const struct loc no_loc = { NULL, 0, 0 };

void
diag_init(struct diag *d)
{
	*d = (struct diag){ 0 };
}

void
diag_release(struct diag *d)
{
	arena_release(&d->arena);
	*d = (struct diag){ 0 };
}

static bool
same_file(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Items of one file share one copy of its name: neighbours do most often. */
static const char *
keep_file(struct diag *d, const char *file)
{
	if (!file)
		return NULL;
	if (d->n && same_file(d->item[d->n - 1].loc.file, file))
		return d->item[d->n - 1].loc.file;
	return arena_strdup(&d->arena, file);
}

static int
add(struct diag *d, enum diag_level level, struct loc loc, const char *fmt,
    va_list ap)
{
	struct buf text = { 0 };
	struct diag_item *it;
	size_t i;

	buf_vprintf(&text, fmt, ap);
	for (i = 0; i < d->n; i++) {
		it = &d->item[i];
		if (it->level == level && it->loc.line == loc.line &&
		    it->loc.col == loc.col && strcmp(it->text, text.p) == 0 &&
		    same_file(it->loc.file, loc.file))
			break;
	}
	if (i == d->n) {
		d->item = arena_grow(&d->arena, d->item, d->n, &d->cap,
		    sizeof(*d->item));
		it = &d->item[d->n];
		it->level = level;
		it->loc = loc;
		it->loc.file = keep_file(d, loc.file);
		it->text = arena_strndup(&d->arena, text.p, text.n);
		d->n++;
		d->errors += level == DIAG_ERROR;
	}
	buf_release(&text);
	return -1;
}

int
diag_error(struct diag *d, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, DIAG_ERROR, loc, fmt, ap);
	va_end(ap);
	return -1;
}

int
diag_warn(struct diag *d, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, DIAG_WARN, loc, fmt, ap);
	va_end(ap);
	return -1;
}

int
diag_info(struct diag *d, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, DIAG_INFO, loc, fmt, ap);
	va_end(ap);
	return -1;
}

static const char *
remedy(int fault)
{
	switch (fault) {
	case ENOSPC:
	case EDQUOT: return "; make space there and do it again";
	case EROFS:
	case EACCES:
	case EPERM: return "; let this user write there, or choose another "
	    "folder";
	default: return "";
	}
}

int
diag_env(struct diag *d, struct loc loc, const char *fmt, ...)
{
	struct buf text = { 0 };
	int fault = errno;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	diag_error(d, loc, "%s: %s%s", text.p, strerror(fault), remedy(fault));
	d->env = true;
	buf_release(&text);
	return -1;
}

void
diag_source(struct diag *d, const char *name, const char *path)
{
	struct diag_source *s = arena_alloc(&d->arena, sizeof(*s));

	s->name = arena_strdup(&d->arena, name);
	s->path = arena_strdup(&d->arena, path);
	s->next = d->source;
	d->source = s;
}

static int
by_place(const void *pa, const void *pb)
{
	const struct diag_item *a = *(const struct diag_item *const *)pa;
	const struct diag_item *b = *(const struct diag_item *const *)pb;
	int c;

	c = strcmp(a->loc.file ? a->loc.file : "",
	    b->loc.file ? b->loc.file : "");
	if (c)
		return c;
	if (a->loc.line != b->loc.line)
		return a->loc.line < b->loc.line ? -1 : 1;
	if (a->loc.col != b->loc.col)
		return a->loc.col < b->loc.col ? -1 : 1;
	return a < b ? -1 : a > b; /* one array: the order of arrival */
}

static void
put_place(struct buf *b, struct loc loc)
{
	if (!loc.file)
		return;
	buf_puts(b, loc.file);
	if (loc.line > 0)
		buf_printf(b, ":%d", loc.line);
	if (loc.line > 0 && loc.col > 0)
		buf_printf(b, ":%d", loc.col);
	buf_puts(b, ": ");
}

/* The text of the file last asked for. */
struct source {
	struct arena arena;
	const struct diag_source *known;
	const char *file;
	struct str text;
};

static const char *
source_path(const struct source *s, const char *file)
{
	const struct diag_source *k;

	for (k = s->known; k; k = k->next) {
		if (strcmp(k->name, file) == 0)
			return k->path;
	}
	return file;
}

static struct str
source_text(struct source *s, const char *file)
{
	const char *path = source_path(s, file);
	struct stat st;

	if (same_file(s->file, file))
		return s->text;
	arena_release(&s->arena);
	s->file = file;
	/* Only a regular file can be read a second time. */
	if (stat(path, &st) || !S_ISREG(st.st_mode) ||
	    file_read(&s->arena, path, &s->text))
		s->text = (struct str){ "", 0 };
	return s->text;
}

/* The caret line: tabs stay tabs, and a character of several bytes is one
 * blank, so that the caret is below its character. */
static void
put_caret(FILE *f, struct str line, int col)
{
	int i;

	for (i = 0; i < col - 1; i++) {
		if (line.p[i] == '\t')
			fputc('\t', f);
		else if (((unsigned char)line.p[i] & 0xc0) != 0x80)
			fputc(' ', f);
	}
	fputs("^\n", f);
}

static void
print_source(FILE *f, struct source *s, struct loc loc)
{
	struct str rest, line;
	int i;

	if (!loc.file || loc.line <= 0)
		return;
	rest = source_text(s, loc.file);
	for (i = 0; i < loc.line; i++) {
		if (!str_next(&rest, '\n', &line))
			return;
	}
	if (line.n > LINE_SHOWN || memchr(line.p, '\0', line.n))
		return;
	fprintf(f, "%.*s\n", (int)line.n, line.p);
	if (loc.col > 0 && (size_t)loc.col <= line.n + 1)
		put_caret(f, line, loc.col);
}

void
diag_print(struct diag *d, FILE *f, int with_info)
{
	static const char *const level[] = { "", "error", "warning", "info" };
	struct source source = { .known = d->source };
	struct arena arena = { 0 };
	const struct diag_item **item;
	struct buf place = { 0 };
	size_t i;

	item = arena_array(&arena, d->n, sizeof(*item));
	for (i = 0; i < d->n; i++)
		item[i] = &d->item[i];
	qsort(item, d->n, sizeof(*item), by_place);
	for (i = 0; i < d->n; i++) {
		if (item[i]->level == DIAG_INFO && !with_info)
			continue;
		buf_clear(&place);
		put_place(&place, item[i]->loc);
		fprintf(f, "%s: %s%s\n", level[item[i]->level],
		    buf_str(&place).p, item[i]->text);
		print_source(f, &source, item[i]->loc);
	}
	buf_release(&place);
	arena_release(&source.arena);
	arena_release(&arena);
}

void
diag_first(const struct diag *d, char *out, size_t cap)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < d->n && d->item[i].level != DIAG_ERROR; i++)
		;
	if (i < d->n) {
		put_place(&b, d->item[i].loc);
		buf_puts(&b, d->item[i].text);
	}
	snprintf(out, cap, "%s", buf_str(&b).p);
	buf_release(&b);
}
