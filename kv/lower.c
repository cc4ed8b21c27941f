/* SPDX-License-Identifier: MIT */
#include "kv/ast.h"

#include "base/arena.h"

struct lower {
	struct arena *arena;
	struct diag *diag;
	struct kv_row *rows, **tail;
	int temps; /* given out so far in this function */
};

static struct kv_operand *
operand(struct lower *l, const char *name)
{
	struct kv_operand *o = arena_alloc(l->arena, sizeof(*o));

	o->name = name;
	return o;
}

/* The names that a statement writes to. */
static struct kv_operand *
targets(struct lower *l, const struct kv_slot *slot)
{
	struct kv_operand *list = NULL, **tail = &list;

	for (; slot; slot = slot->next) {
		*tail = operand(l, slot->name);
		tail = &(*tail)->next;
	}
	return list;
}

static void
emit(struct lower *l, const char *opcode, struct loc loc,
    struct kv_operand *reads, struct kv_operand *writes)
{
	struct kv_row *row = arena_alloc(l->arena, sizeof(*row));

	*row = (struct kv_row){ opcode, loc, reads, writes, NULL };
	*l->tail = row;
	l->tail = &row->next;
}

/* A literal that is no value of its slot was reported; the operand is then
 * never written. */
static struct kv_operand *
literal(struct lower *l, const struct kv_expr *e, const struct kv_slot *slot)
{
	struct kv_operand *o = operand(l, NULL);

	kv_literal(e, slot, l->arena, l->diag, &o->value);
	return o;
}

/*
 * A nested call gets its temporary when it is seen and its row after those of
 * its own arguments: numbers are in reading order, rows in execution order.
 */
static void
lower_call(struct lower *l, const struct kv_expr *e, struct kv_operand *writes)
{
	struct kv_operand *reads = NULL, **tail = &reads;
	const struct kv_expr *arg;

	for (arg = e->args; arg; arg = arg->next) {
		if (arg->kind == KV_NAME) {
			*tail = operand(l, arg->text);
		} else if (arg->kind == KV_CALL) {
			*tail = operand(l, arena_printf(l->arena, "_%d",
			    ++l->temps));
			lower_call(l, arg, operand(l, (*tail)->name));
		} else {
			*tail = literal(l, arg, NULL);
		}
		tail = &(*tail)->next;
	}
	emit(l, e->text, e->loc, reads, writes);
}

static bool
any_type(const struct kv_slot *slot)
{
	for (; slot; slot = slot->next)
		if (slot->type)
			return true;
	return false;
}

/* A literal is converted for each slot that has a type of its own. */
static void
lower_literal(struct lower *l, const struct kv_stmt *stmt)
{
	const struct kv_slot *s;

	if (!any_type(stmt->writes)) {
		emit(l, "=", stmt->loc, literal(l, stmt->expr, NULL),
		    targets(l, stmt->writes));
		return;
	}
	for (s = stmt->writes; s; s = s->next)
		emit(l, "=", stmt->loc, literal(l, stmt->expr, s),
		    operand(l, s->name));
}

static void
lower_stmt(struct lower *l, const struct kv_stmt *stmt)
{
	const struct kv_expr *e = stmt->expr;

	if (stmt->kind != KV_INSTRUCTION)
		return;
	if (e->kind == KV_CALL)
		lower_call(l, e, targets(l, stmt->writes));
	else if (e->kind == KV_NAME)
		emit(l, "=", stmt->loc, operand(l, e->text),
		    targets(l, stmt->writes));
	else
		lower_literal(l, stmt);
}

struct kv_row *
kv_lower(const struct kv_func *f, struct arena *arena, struct diag *diag)
{
	struct lower l = { .arena = arena, .diag = diag };
	const struct kv_stmt *stmt, *last = NULL;

	l.tail = &l.rows;
	for (stmt = f->body; stmt; stmt = stmt->next) {
		lower_stmt(&l, stmt);
		last = stmt;
	}
	emit(&l, "return", last && last->kind == KV_RETURN ? last->loc :
	    f->end, NULL, NULL);
	return l.rows;
}
