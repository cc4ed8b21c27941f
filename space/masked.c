/* SPDX-License-Identifier: MIT */
#include "space/masked.h"

#include <string.h>

#include "base/arena.h"

#define FIRST_LINE "kvmasked 1"

bool
masked_valid(const char *name)
{
	const char *dot = strrchr(name, '.');
	unsigned long long n;

	return dot && dot != name && !strpbrk(name, " \t\n") &&
	    str_u64(str_of(dot + 1), &n) && n > 0;
}

/* Where a name is, or where it belongs. */
static size_t
place(const struct masked *m, const char *name, bool *there)
{
	size_t i = 0;

	while (i < m->n && strcmp(m->name[i], name) < 0)
		i++;
	*there = i < m->n && strcmp(m->name[i], name) == 0;
	return i;
}

bool
masked_has(const struct masked *m, const char *name)
{
	bool there;

	place(m, name, &there);
	return there;
}

bool
masked_add(struct masked *m, struct arena *arena, const char *name)
{
	bool there;
	size_t i = place(m, name, &there);

	if (there)
		return false;
	m->name = arena_grow(arena, m->name, m->n, &m->cap, sizeof(*m->name));
	memmove(m->name + i + 1, m->name + i,
	    (m->n++ - i) * sizeof(*m->name));
	m->name[i] = arena_strdup(arena, name);
	return true;
}

bool
masked_del(struct masked *m, const char *name)
{
	bool there;
	size_t i = place(m, name, &there);

	if (there)
		memmove(m->name + i, m->name + i + 1,
		    (--m->n - i) * sizeof(*m->name));
	return there;
}

void
masked_encode(const struct masked *m, struct buf *out)
{
	size_t i;

	buf_puts(out, FIRST_LINE "\n");
	for (i = 0; i < m->n; i++)
		buf_printf(out, "%s\n", m->name[i]);
}

int
masked_decode(struct masked *m, struct arena *arena, struct str text,
    const char *path, struct diag *diag)
{
	struct loc loc = { path, 1, 1 };
	struct str line;
	const char *name;

	*m = (struct masked){ 0 };
	if (!text.n || text.p[text.n - 1] != '\n' ||
	    !str_next(&text, '\n', &line) || !str_is(line, FIRST_LINE))
		return diag_error(diag, loc, "expected `" FIRST_LINE "` and "
		    "whole lines; write it with `kvobj mask` and `unmask`");
	while (text.n && str_next(&text, '\n', &line)) {
		loc.line++;
		name = arena_strndup(arena, line.p, line.n);
		if (strlen(name) != line.n || !masked_valid(name))
			return diag_error(diag, loc, "expected the name of a "
			    "version like deepx·softmax.1, found `%.200s`",
			    name);
		if (m->n && strcmp(m->name[m->n - 1], name) >= 0)
			return diag_error(diag, loc, "`%.200s` does not come "
			    "after the name before it", name);
		masked_add(m, arena, name);
	}
	return 0;
}
