/* SPDX-License-Identifier: MIT */
/*
 * What the suites of gen/ share: a plan over texts in memory. Its catalog is
 * made by hand: author miaobyte provides every op of ops/, nothing is
 * compiled.
 */
#ifndef TESTS_T_GEN_H
#define TESTS_T_GEN_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gen/plan.h"
#include "gen/rows.h"
#include "kv/kv.h"
#include "ops/ops.h"

#define FLOATS "[*]float32|[*]float64"
#define AXES "int32|int64|[]int32|[]int64"

/* The softmax of design.md section 8.5. */
#define SOFTMAX \
	"lib deepx {\n" \
	"\trwfunc softmax(A:" FLOATS ", axis:" AXES ") -> (B:" FLOATS ") {\n" \
	"\t\tdeepx·reducemax(A, axis, true) -> m\n" \
	"\t\tdeepx·expshift(A, m) -> e\n" \
	"\t\tdeepx·sum(e, axis, true) -> s\n" \
	"\t\tdeepx·div(e, s) -> B\n" \
	"\t}\n" \
	"}\n"

static struct arena arena;
static struct diag diag;
static struct plan plan;

/* A file below the top of the sources. */
static inline char *
top_path(const char *path)
{
	const char *top = getenv("KVAOT_TOP");

	return path_join(&arena, top ? top : ".", path);
}

static inline void
add_backend(const char *opcode, const char *dtype)
{
	catalog_add(&plan.catalog, &(struct backend){ .opcode = opcode,
		.langtypes = "", .dtype = dtype, .isa = "x86-64",
		.cls = "map", .object = "0" });
	catalog_sort(&plan.catalog);
}

static inline struct policy_row *
policy_row(const char *op, const char *author)
{
	struct policy_row *row = arena_alloc(&arena, sizeof *row);

	*row = (struct policy_row){ op, author };
	return row;
}

static inline void
setup(void)
{
	static const char *const isas[] = { "x86-64", NULL };
	struct buf ops = { 0 };

	arena_init(&arena);
	diag_init(&diag);
	plan = (struct plan){ .arena = &arena, .diag = &diag,
		.space = space_new() };
	map_init(&plan.units, &arena);
	map_init(&plan.program, &arena);
	map_init(&plan.origin, &arena);
	catalog_init(&plan.catalog, &arena);
	versions_init(&plan.locked, &arena);
	for (size_t i = 0; i < op_count; i++)
		add_backend(arena_printf(&arena, "deepx/miaobyte·%s",
		    op_table[i].name), "float32");
	plan.policy = (struct policy){ policy_row("*", "miaobyte"), 1, NULL };
	ck_assert_int_eq(rules_read(&plan.rules, &arena, top_path("templates"),
	    &diag), 0);
	plan.session = (struct session){ .catalog = &plan.catalog,
		.policy = &plan.policy, .rules = &plan.rules, .plan = &plan,
		.isas = isas };
	map_init(&plan.session.places, &arena);
	map_init(&plan.session.library, &arena);
	map_init(&plan.session.texts, &arena);
	ops_kv(&ops);
	ck_assert_int_eq(kv_layout_text(plan.space, "lib/deepx.kv",
	    buf_str(&ops), &diag), 0);
	buf_release(&ops);
}

static inline void
teardown(void)
{
	plan_release(&plan);
	diag_release(&diag);
	arena_release(&arena);
}

/* Starts over, for tests that plan twice. */
static inline void
again(void)
{
	teardown();
	setup();
}

static inline void
layout(const char *text)
{
	if (kv_layout_text(plan.space, "t.kv", str_of(text), &diag)) {
		diag_print(&diag, stderr, 1);
		ck_abort_msg("the text of the test is refused");
	}
}

/* Lays out a text and plans all its functions; 0 or -1 with errors. */
static inline int
plan_text(const char *text, enum level last)
{
	layout(text);
	return plan_units(&plan, last);
}

/* A unit of a text that must be planned. */
static inline struct unit *
unit_of(const char *text, const char *name, enum level last)
{
	struct unit *u;

	if (plan_text(text, last)) {
		diag_print(&diag, stderr, 1);
		ck_abort_msg("the plan is refused");
	}
	u = map_get(&plan.units, name);
	ck_assert_msg(u != NULL, "no unit %s", name);
	return u;
}

/* The unit t·f of `lib t { … }`. */
static inline struct unit *
unit_f(const char *functions, enum level last)
{
	return unit_of(arena_printf(&arena, "lib t {\n%s\n}\n", functions),
	    "t·f", last);
}

/* How many messages begin with a code, `fusion.convex:`. */
static inline int
code_count(const char *code)
{
	size_t n = strlen(code);
	int count = 0;

	for (size_t i = 0; i < diag.n; i++)
		count += !strncmp(diag.item[i].text, code, n) &&
		    diag.item[i].text[n] == ':';
	return count;
}

/* Exactly one error, that begins `file:line:col: text`, is there. */
static inline void
ck_error(const char *want)
{
	char first[1024];

	ck_assert_int_eq(diag.errors, 1);
	diag_first(&diag, first, sizeof first);
	ck_assert_msg(!strncmp(first, want, strlen(want)),
	    "expected %s, found %s", want, first);
}

static inline void
write_file(const char *path, const char *text)
{
	ck_assert_int_eq(make_parents(path), 0);
	ck_assert_int_eq(file_write(path, text, strlen(text), false), 0);
}

/* A file of its own for a test, removed by nobody else. */
static inline char *
temp_folder(void)
{
	char *path = arena_strdup(&arena, "/tmp/kvaot.t_gen.XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(path));
	return path;
}

static inline TCase *
gen_case(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	suite_add_tcase(s, tc);
	return tc;
}

#endif
