/* SPDX-License-Identifier: MIT */
#include "kv/check.h"

#include <stdint.h>
#include <string.h>

#include "kv/native.h"
#include "kv/near.h"

static void check_expr(struct check *, const struct kv_expr *,
    size_t nwrites, bool last);
static void check_list(struct check *, const struct kv_stmt *);

/* The same words as the runtime has for rows that nobody checked. */
static void
check_native_reads(struct check *c, const struct kv_expr *e,
    const struct kv_native *op)
{
	bool few = e->nargs < op->least;

	if (!few && (op->most < 0 || e->nargs <= (size_t)op->most))
		return;
	if (kv_native_is_binary(op))
		diag_error(c->diag, e->loc, "TypeError: binary op requires 2 "
		    "inputs, got %zu (%s)", e->nargs, e->text);
	else
		diag_error(c->diag, e->loc, "TypeError: %s expects %s%zu "
		    "args, got %zu", e->text, op->most == (int)op->least ? "" :
		    few ? "at least " : "at most ",
		    few ? op->least : (size_t)op->most, e->nargs);
}

static void
check_native(struct check *c, const struct kv_expr *e,
    const struct kv_native *op, size_t nwrites)
{
	if (op->writes == 0 && nwrites > 0)
		diag_error(c->diag, e->loc, "%s has no result; write it as a "
		    "statement of its own", e->text);
	else if (nwrites > op->writes)
		diag_error(c->diag, e->loc, "TypeError: %s expects %zu "
		    "writes, got %zu", e->text, op->writes, nwrites);
	check_native_reads(c, e, op);
}

/* A callee that is neither here nor of the language may be in /lib; it is
 * worth a word, once, when it is nearly one of those. */
static void
check_foreign(struct check *c, const struct kv_expr *e)
{
	struct near near = { .word = e->text };
	bool bare = !strstr(e->text, "·");
	const struct kv_func *f;
	size_t i;

	if (map_get(&c->foreign, e->text))
		return;
	map_set(&c->foreign, e->text, c);
	for (i = 0; i < kv_native_count; i++)
		near_try(&near, kv_natives[i].name);
	for (i = 0; i < c->funcs->n; i++) {
		f = c->funcs->entry[i].value;
		near_try(&near, bare && strcmp(f->pkg, c->f->pkg) == 0 ?
		    f->name : f->qualified);
	}
	if (near.best)
		diag_warn(c->diag, e->loc, "\"%s\" is not in this file%s",
		    e->text, check_hint(c, near.best));
}

static void
check_call(struct check *c, const struct kv_expr *e, size_t nwrites)
{
	const struct kv_native *op = kv_native_of(e->text);
	const struct kv_func *f = kv_callee(c->funcs, c->f, e->text,
	    &c->arena);
	const char *more;
	size_t least;

	if (op && f && !strstr(e->text, "·"))
		diag_warn(c->diag, e->loc, "\"%s\" is the language's own op "
		    "here; write %s for the function", e->text, f->qualified);
	if (op)
		check_native(c, e, op, nwrites);
	else if (!f)
		check_foreign(c, e);
	if (op || !f)
		return;
	more = kv_is_variadic(f) ? "at least " : "";
	least = f->nreads - kv_is_variadic(f);
	if (e->nargs < least || (e->nargs > least && !*more))
		diag_error(c->diag, e->loc, "TypeError: %s expects %s%zu "
		    "args, got %zu", f->qualified, more, least, e->nargs);
	if (nwrites > 0 && nwrites != f->nwrites)
		diag_error(c->diag, e->loc, "TypeError: %s expects %zu "
		    "writes, got %zu", f->qualified, f->nwrites, nwrites);
}

/* last: the name is the last argument of a call. */
static void
check_read(struct check *c, struct loc loc, const char *name, bool last)
{
	const struct kv_slot *param = map_get(&c->reads, name);
	struct near near = { .word = name };
	size_t i;

	check_variable(c, loc, name);
	if (param && param->variadic && !last)
		diag_error(c->diag, loc, "variadic param \"%s\" can only be "
		    "passed on, as the last argument of a call", name);
	if (map_get(&c->known, name))
		return;
	for (i = 0; i < c->known.n; i++)
		near_try(&near, c->known.entry[i].key);
	if (c->whole)
		diag_warn(c->diag, loc, "\"%s\" is read but was never "
		    "assigned%s", name, check_hint(c, near.best));
	map_set(&c->known, name, c);
}

/* nwrites: how many results the place of the expression takes. */
static void
check_expr(struct check *c, const struct kv_expr *e, size_t nwrites, bool last)
{
	const struct kv_expr *arg;

	if (e->kind == KV_NAME)
		check_read(c, e->loc, e->text, last);
	for (arg = e->args; arg; arg = arg->next)
		check_expr(c, arg, 1, e->kind == KV_CALL && !arg->next);
	if (e->kind == KV_CALL)
		check_call(c, e, nwrites);
}

static void
check_write(struct check *c, const struct kv_stmt *stmt, struct kv_slot *slot)
{
	const struct kv_slot *s;
	const struct kv_expr *index;

	if (*slot->name == '/')
		return;
	for (index = slot->index; index; index = index->next)
		check_expr(c, index, 1, false);
	if (slot->index)
		check_read(c, slot->loc, slot->name, false);
	else
		check_variable(c, slot->loc, slot->name);
	check_write_type(c, slot);
	if (map_get(&c->reads, slot->name))
		diag_error(c->diag, slot->loc, "func %s: read param \"%s\" "
		    "cannot be used as write slot (read params are "
		    "read-only)", c->f->qualified, slot->name);
	for (s = stmt->writes; s != slot; s = s->next)
		if (strcmp(s->name, slot->name) == 0 && !slot->index &&
		    strcmp(s->name, "_") != 0)
			diag_error(c->diag, slot->loc, "\"%s\" is written "
			    "twice by one instruction; write _ to discard a "
			    "result", s->name);
	map_set(&c->known, slot->name, slot);
}

/* What a loop writes may be read from its second round on. */
static void
know_writes(struct check *c, const struct kv_stmt *stmt)
{
	struct kv_slot *s;

	for (; stmt; stmt = stmt->next) {
		for (s = stmt->writes; s; s = s->next)
			if (!s->index)
				map_set(&c->known, s->name, s);
		know_writes(c, stmt->body.first);
		if (stmt->other)
			know_writes(c, stmt->other);
	}
}

static void
check_label(struct check *c, const struct kv_stmt *stmt)
{
	const struct kv_stmt *first = map_get(&c->labels, stmt->label);

	if (*stmt->label == '_')
		diag_error(c->diag, stmt->loc, "label \"%s\": labels that "
		    "start with _ are the compiler's own; choose another",
		    stmt->label);
	else if (first)
		diag_error(c->diag, stmt->loc, "label \"%s\" is used twice; "
		    "the first is in line %d", stmt->label, first->loc.line);
	else if (check_variable(c, stmt->loc, stmt->label))
		map_set(&c->labels, stmt->label, (void *)(uintptr_t)stmt);
}

static bool
is_jump(const struct kv_stmt *stmt)
{
	return stmt->kind == KV_RETURN || stmt->kind == KV_BREAK ||
	    stmt->kind == KV_CONTINUE;
}

static void
check_stmt(struct check *c, const struct kv_stmt *stmt)
{
	struct kv_slot *s;

	if (stmt->kind == KV_WHILE || stmt->kind == KV_FOR)
		know_writes(c, stmt->body.first);
	if (stmt->kind == KV_LABEL && stmt->label)
		check_label(c, stmt);
	if (stmt->expr)
		check_expr(c, stmt->expr, stmt->nwrites, false);
	if (stmt->kind == KV_INSTRUCTION && stmt->nwrites == 0 &&
	    stmt->expr->kind != KV_CALL)
		diag_error(c->diag, stmt->loc, "this does nothing: expected a "
		    "call, `value -> name`, `name = value` or `name:type`");
	for (s = stmt->writes; s; s = s->next)
		check_write(c, stmt, s);
	if (is_jump(stmt) && stmt->next)
		diag_error(c->diag, stmt->next->loc, "statements after %.*s "
		    "are never executed; remove them", (int)stmt->src.n,
		    stmt->src.p);
	check_list(c, stmt->body.first);
	if (stmt->other)
		check_list(c, stmt->other);
}

static void
check_list(struct check *c, const struct kv_stmt *stmt)
{
	for (; stmt; stmt = stmt->next)
		check_stmt(c, stmt);
}

void
check_body(struct check *c)
{
	check_list(c, c->f->body.first);
}
