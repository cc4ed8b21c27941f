/* SPDX-License-Identifier: MIT */
/* What the suites of kv/ share: a text laid out, and its rows as lines. */
#ifndef TESTS_T_KV_H
#define TESTS_T_KV_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "kv/kv.h"
#include "space/text.h"

static struct arena arena;
static struct diag diag;
static struct space *space;

static inline void
set_up(void)
{
	arena_init(&arena);
	diag_init(&diag);
	space = space_new();
}

static inline void
tear_down(void)
{
	space_free(space);
	diag_release(&diag);
	arena_release(&arena);
}

static inline int
lay(const char *text)
{
	return kv_layout_text(space, "f.kv", str_of(text), &diag);
}

/* The tests folder, or a path in it. */
static inline const char *
tests_path(const char *name)
{
	const char *tests = getenv("KVAOT_TESTS");

	return path_join(&arena, tests ? tests : "tests", name);
}

static inline void
put_slot(const char *key, struct buf *out)
{
	const struct value *v = space_get(space, key);

	ck_assert_ptr_nonnull(v);
	value_describe(v, out);
}

/* Slots of one side: `a, b`. */
static inline void
put_side(const char *f, int row, int sign, const char *before, struct buf *out)
{
	const char *key;
	int j;

	for (j = 1;; j++) {
		key = arena_printf(&arena, "/lib/%s/[%d,%d]", f, row, sign * j);
		if (!space_get(space, key))
			return;
		buf_puts(out, j == 1 ? before : ", ");
		put_slot(key, out);
	}
}

/* The rows of a function: `add(x, 1) -> y`, a line each. */
static inline const char *
rows_of(const char *f)
{
	struct buf out = { 0 };
	const char *key, *text;
	int i;

	for (i = 1;; i++) {
		key = arena_printf(&arena, "/lib/%s/[%d,0]", f, i);
		if (!space_get(space, key))
			break;
		put_slot(key, &out);
		put_side(f, i, -1, " ", &out);
		put_side(f, i, 1, " -> ", &out);
		buf_putc(&out, '\n');
	}
	text = arena_strndup(&arena, out.p ? out.p : "", out.n);
	buf_release(&out);
	return text;
}

/* Lays out `rwfunc f` of lib p with a body, and compares its rows. */
static inline void
body_gives(const char *signature, const char *body, const char *rows)
{
	char first[400];

	if (lay(arena_printf(&arena, "lib p { rwfunc f%s {\n%s\n} }", signature,
	    body))) {
		diag_first(&diag, first, sizeof(first));
		ck_abort_msg("%s: %s", body, first);
	}
	ck_assert_str_eq(rows_of("p·f"), rows);
}

static inline void
row_is(int row, const char *label)
{
	const struct value *v = space_get(space, arena_printf(&arena,
	    "/lib/p·f/‥labels/%s", label));

	ck_assert_msg(v != NULL, "no label %s", label);
	ck_assert_int_eq(*(const int64_t *)v->body, row);
}

#endif
