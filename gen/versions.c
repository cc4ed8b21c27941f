/* SPDX-License-Identifier: MIT */
#include "gen/versions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FIRST_LINE "kvversions 1"

void
versions_init(struct versions *v, struct arena *arena)
{
	*v = (struct versions){ .arena = arena };
}

void
versions_add(struct versions *v, const struct version_line *line)
{
	v->line = arena_grow(v->arena, v->line, v->n, &v->cap, sizeof *line);
	v->line[v->n++] = *line;
}

static const char *
folder_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) :
	    ".";
}

/* The name of a function may not hide an end of text or a blank. */
static bool
is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
			return false;
	return s.n > 0;
}

static int
read_line(struct versions *v, struct str text, struct loc loc,
    struct diag *diag)
{
	struct str rest = text, base, n, core, program, more;
	struct version_line line;
	unsigned long long number;

	if (!str_next(&rest, '\t', &base) || !str_next(&rest, '\t', &n) ||
	    !str_next(&rest, '\t', &core) || !str_next(&rest, '\t', &program) ||
	    str_next(&rest, '\t', &more) || !is_name(base) ||
	    !str_u64(n, &number) || !number ||
	    !hex_decode(line.core.b, 32, core) ||
	    !hex_decode(line.program.b, 32, program))
		return diag_error(diag, loc, "expected `base N core program`, "
		    "separated by tabs, found `%.*s`", (int)text.n, text.p);
	line.base = arena_strndup(v->arena, base.p, base.n);
	line.n = number;
	line.folder = folder_of(v->arena, loc.file);
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->line[i].base, line.base) &&
		    v->line[i].n == line.n)
			return diag_error(diag, loc, "version %s.%llu is there "
			    "already", line.base, number);
	versions_add(v, &line);
	return 0;
}

int
versions_read(struct versions *v, const char *path, struct diag *diag)
{
	struct loc loc = { path, 1, 1 };
	struct str text, line;
	int bad = 0;

	if (!file_exists(path))
		return 0;
	if (file_read(v->arena, path, &text))
		return diag_error(diag, loc, "cannot read: %s",
		    strerror(errno));
	if (!str_next(&text, '\n', &line) || !str_is(line, FIRST_LINE))
		return diag_error(diag, loc, "expected `" FIRST_LINE "`");
	while (str_next(&text, '\n', &line)) {
		loc.line++;
		if (line.n || text.n)
			bad |= read_line(v, line, loc, diag);
	}
	return bad;
}

static bool
has_base(const struct versions *v, size_t n, const char *base)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v->line[i].base, base))
			return true;
	return false;
}

void
versions_join(struct versions *v, const struct versions *from)
{
	size_t own = v->n;

	for (size_t i = 0; i < from->n; i++)
		if (!has_base(v, own, from->line[i].base))
			versions_add(v, &from->line[i]);
}

uint64_t
versions_number(const struct versions *v, const char *base,
    const Digest *core, const Digest *program, bool *pending)
{
	uint64_t highest = 0, found = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct version_line *l = &v->line[i];

		if (strcmp(l->base, base))
			continue;
		highest = l->n > highest ? l->n : highest;
		if (ir_digest_eq(&l->core, core) &&
		    ir_digest_eq(&l->program, program) && l->n > found)
			found = l->n;
	}
	*pending = !found;
	return found ? found : highest + 1;
}

static int
by_base(const void *a, const void *b)
{
	const struct version_line *x = a, *y = b;
	int c = strcmp(x->base, y->base);

	return c ? c : (x->n > y->n) - (x->n < y->n);
}

void
versions_encode(struct versions *v, struct buf *out)
{
	if (v->n)
		qsort(v->line, v->n, sizeof *v->line, by_base);
	buf_puts(out, FIRST_LINE "\n");
	for (size_t i = 0; i < v->n; i++) {
		char core[65], program[65];

		hex_encode(core, v->line[i].core.b, 32);
		hex_encode(program, v->line[i].program.b, 32);
		buf_printf(out, "%s\t%llu\t%s\t%s\n", v->line[i].base,
		    (unsigned long long)v->line[i].n, core, program);
	}
}
