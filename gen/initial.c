/* SPDX-License-Identifier: MIT */
#include "gen/initial.h"

#include <string.h>

#include "base/arena.h"
#include "kv/native.h"

/* Calls that are followed; deeper ones are taken to look at the value. */
enum { MAX_FOLLOWED = 8 };

/* A function that is looked into, and the one that calls it. */
struct trail {
	const char *name;
	size_t j;
	int depth;
	const struct trail *up;
};

static bool needs_initial(const struct space *, const struct func *, size_t j,
    const struct trail *, struct arena *);

/* The function that a row calls, NULL when it calls none. */
static const struct func *
callee(const struct space *space, const struct func *f, const struct row *row,
    struct arena *arena)
{
	const char *name = row->opcode;

	if (kv_native_of(name))
		return NULL;
	if (!strncmp(name, "/lib/", 5))
		name += 5;
	name = func_callee(space, f->name, name, arena);
	return name ? func_read(space, name, arena) : NULL;
}

static bool
reads(const struct row *row, const char *name)
{
	for (size_t j = 0; j < row->nread; j++)
		if (row->read[j].name && !strcmp(row->read[j].name, name))
			return true;
	return false;
}

/* Whether write j of a row is handed to a function that looks at it. */
static bool
hands(const struct space *space, const struct func *f, const struct row *row,
    size_t j, const struct trail *trail, struct arena *arena)
{
	const struct func *g = callee(space, f, row, arena);

	return g && j < g->nwrite && needs_initial(space, g, j, trail, arena);
}

/* The row, from 0, that read j of a jump names. A target that is none counts
 * as the end of the function. */
static size_t
target(const struct func *f, const struct row *row, size_t j)
{
	const struct value *v = j < row->nread ? row->read[j].value : NULL;
	int64_t n = 0;

	if (v && v->dtype == DT_INT64 && v->n == sizeof n)
		memcpy(&n, v->body, sizeof n);
	return n > 0 && (uint64_t)n <= f->nrow ? (size_t)n - 1 : f->nrow;
}

struct walk {
	size_t *todo, n;
	bool *seen;
};

static void
walk_to(struct walk *w, size_t i)
{
	if (w->seen[i])
		return;
	w->seen[i] = true;
	w->todo[w->n++] = i;
}

/* From row i on. */
static void
walk_on(struct walk *w, const struct func *f, size_t i)
{
	const struct row *row = &f->row[i];

	if (!strcmp(row->opcode, "goto")) {
		walk_to(w, target(f, row, 0));
	} else if (!strcmp(row->opcode, "br")) {
		walk_to(w, target(f, row, 1));
		walk_to(w, target(f, row, 2));
	} else {
		walk_to(w, strcmp(row->opcode, "return") ? i + 1 : f->nrow);
	}
}

static bool
is_on(const struct trail *t, const char *name, size_t j)
{
	for (; t; t = t->up)
		if (t->j == j && !strcmp(t->name, name))
			return true;
	return false;
}

/* Whether a way through f reads result j, or ends, before writing it. What a
 * recursive call adds is found where f was first entered. */
static bool
needs_initial(const struct space *space, const struct func *f, size_t j,
    const struct trail *up, struct arena *arena)
{
	const struct trail here = { f->name, j, up ? up->depth + 1 : 1, up };
	const char *name = f->write[j].name;
	struct walk w = { .n = 0 };

	if (is_on(up, f->name, j))
		return false;
	if (here.depth > MAX_FOLLOWED)
		return true;
	w.todo = arena_array(arena, f->nrow + 1, sizeof *w.todo);
	w.seen = arena_array(arena, f->nrow + 1, sizeof *w.seen);
	walk_to(&w, 0);
	while (w.n > 0) {
		size_t i = w.todo[--w.n], k;
		const struct row *row = &f->row[i];

		if (i == f->nrow || reads(row, name))
			return true;
		for (k = 0; k < row->nwrite; k++)
			if (!strcmp(row->write[k], name))
				break;
		if (k == row->nwrite)
			walk_on(&w, f, i);
		else if (hands(space, f, row, k, &here, arena))
			return true;
	}
	return false;
}

static bool
holds_value(const struct func *f, size_t i, const char *name)
{
	for (size_t j = 0; j < f->nwrite; j++)
		if (!strcmp(f->write[j].name, name))
			return true;
	return func_writes_before(f, i, name);
}

bool
func_hands_initial(const struct space *space, const struct func *f,
    struct arena *arena)
{
	for (size_t i = 0; i < f->nrow; i++)
		for (size_t j = 0; j < f->row[i].nwrite; j++)
			if (strcmp(f->row[i].write[j], "_") &&
			    holds_value(f, i, f->row[i].write[j]) &&
			    hands(space, f, &f->row[i], j, NULL, arena))
				return true;
	return false;
}
