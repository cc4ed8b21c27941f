/* SPDX-License-Identifier: MIT */
#include "kv/lower.h"

#include "base/arena.h"
#include "kv/langtype.h"
#include "kv/operators.h"

static void lower_into(struct lower *, struct list *, const struct kv_expr *,
    const struct kv_slot *, struct kv_operand *writes);

struct kv_operand *
lower_name(struct lower *l, const char *name, struct loc loc)
{
	struct kv_operand *o = arena_alloc(l->arena, sizeof(*o));

	o->name = name;
	o->loc = loc;
	return o;
}

struct kv_operand *
lower_temp(struct lower *l, struct loc loc)
{
	return lower_name(l, arena_printf(l->arena, "_%d", ++l->count), loc);
}

struct kv_operand *
lower_number(struct lower *l, int64_t n, struct loc loc)
{
	const struct shape scalar = { 0 };
	struct kv_operand *o = lower_name(l, NULL, loc);
	int64_t *body = arena_alloc(l->arena, sizeof(*body));

	*body = n;
	o->value = value_tensor(l->arena, DT_INT64, &scalar, body);
	return o;
}

struct kv_operand *
lower_same(struct lower *l, const struct kv_operand *o)
{
	struct kv_operand *copy = lower_name(l, NULL, o->loc);

	*copy = *o;
	copy->next = NULL;
	return copy;
}

void
lower_emit(struct lower *l, struct list *out, const char *opcode,
    struct loc loc, struct kv_operand *reads, struct kv_operand *writes)
{
	struct kv_row *row = arena_alloc(l->arena, sizeof(*row));

	*row = (struct kv_row){ opcode, loc, reads, writes, NULL };
	*out->tail = row;
	out->tail = &row->next;
}

/* A literal that is no value of its slot was reported; the operand is then
 * never written. */
static struct kv_operand *
literal(struct lower *l, const struct kv_expr *e, const struct kv_slot *slot)
{
	struct kv_operand *o = lower_name(l, NULL, e->loc);

	kv_literal(e, slot, l->arena, l->diag, &o->value);
	return o;
}

struct kv_operand *
lower_operand(struct lower *l, struct list *out, const struct kv_expr *e,
    const struct kv_slot *slot)
{
	struct kv_operand *o;

	while (e->kind == KV_UNARY && *prefix_word(e->text) == '\0')
		e = e->args;
	if (kv_is_literal(e))
		return literal(l, e, slot);
	if (e->kind == KV_NAME || e->kind == KV_PATH)
		return lower_name(l, e->text, e->loc);
	o = lower_temp(l, e->loc);
	lower_into(l, out, e, slot, lower_same(l, o));
	return o;
}

static struct kv_operand **
lower_reads(struct lower *l, struct list *out, const struct kv_expr *e,
    const struct kv_slot *slot, struct kv_operand **tail)
{
	for (; e; e = e->next) {
		*tail = lower_operand(l, out, e, slot);
		tail = &(*tail)->next;
	}
	return tail;
}

static struct kv_operand *
text_operand(struct lower *l, const char *text, struct loc loc)
{
	const struct kv_expr e = { .kind = KV_STRING, .loc = loc,
		.string = str_of(text) };

	return literal(l, &e, NULL);
}

/* The one alternative of a declared type, when it is an array of numbers. */
static bool
declared_array(const struct kv_slot *slot, struct kv_atom *atom)
{
	struct str rest = str_of(slot && slot->type ? slot->type : "");

	return kv_atom_next(&rest, atom) && rest.n == 0 && atom->array &&
	    dtype_of(atom->kind) != DT_NONE;
}

/* [v...] with v known only at run time. */
static void
lower_fill(struct lower *l, struct list *out, const struct kv_expr *e,
    const struct kv_slot *slot, struct kv_operand *writes)
{
	struct kv_operand *reads;
	struct kv_atom atom;
	struct shape shape;

	if (!declared_array(slot, &atom) || !kv_atom_shape(&atom, &shape)) {
		diag_error(l->diag, e->loc, "[v...] needs a declared type "
		    "with a numeric kind and all dims known, as in "
		    "x:[2,3]float32 = [v...]");
		return;
	}
	reads = text_operand(l, slot->type, e->loc);
	reads->next = lower_operand(l, out, e->args, NULL);
	lower_emit(l, out, "array·fill", e->loc, reads, writes);
}

/* A flat list for a declared array of several axes is reshaped. */
static void
lower_array(struct lower *l, struct list *out, const struct kv_expr *e,
    const struct kv_slot *slot, struct kv_operand *writes)
{
	struct kv_operand *reads = NULL, *flat, **tail;
	struct kv_slot element = { 0 };
	struct kv_atom atom;
	struct shape shape = { 0 };
	bool reshape = false;
	int i;

	if (declared_array(slot, &atom)) {
		element = *slot;
		element.type = arena_printf(l->arena, "[*]%.*s",
		    (int)atom.kind.n, atom.kind.p);
		reshape = kv_atom_shape(&atom, &shape) && shape.rank > 1 &&
		    e->args->kind != KV_ARRAY;
	}
	if (reshape && shape_count(&shape, 1) != (int64_t)e->nargs) {
		diag_error(l->diag, e->loc, "write \"%s\": declared %s but "
		    "the array has %zu elements", slot->name, slot->type,
		    e->nargs);
		return;
	}
	flat = reshape ? lower_temp(l, e->loc) : NULL;
	lower_reads(l, out, e->args, &element, &reads);
	lower_emit(l, out, "array", e->loc, reads, flat ? flat : writes);
	if (!flat)
		return;
	flat = lower_same(l, flat);
	for (i = 0, tail = &flat->next; i < shape.rank; i++) {
		*tail = lower_number(l, shape.dim[i], e->loc);
		tail = &(*tail)->next;
	}
	lower_emit(l, out, "xv·reshape", e->loc, flat, writes);
}

/* Computes an expression that is no leaf into slots. */
static void
lower_into(struct lower *l, struct list *out, const struct kv_expr *e,
    const struct kv_slot *slot, struct kv_operand *writes)
{
	struct kv_operand *reads = NULL;
	const char *opcode = e->kind == KV_BINARY ? infix_word(e->text) :
	    e->kind == KV_UNARY ? prefix_word(e->text) :
	    e->kind == KV_INDEX ? "xv·at" : e->text;

	if (e->kind == KV_ARRAY) {
		lower_array(l, out, e, slot, writes);
	} else if (e->kind == KV_FILL) {
		lower_fill(l, out, e, slot, writes);
	} else {
		lower_reads(l, out, e->args, NULL, &reads);
		lower_emit(l, out, opcode, e->loc, reads, writes);
	}
}

static bool
is_leaf(const struct kv_expr *e)
{
	while (e->kind == KV_UNARY && *prefix_word(e->text) == '\0')
		e = e->args;
	return kv_is_literal(e) || e->kind == KV_NAME || e->kind == KV_PATH;
}

struct kv_operand *
lower_slots(struct lower *l, const struct kv_slot *slot)
{
	struct kv_operand *list = NULL, **tail = &list;

	for (; slot; slot = slot->next) {
		*tail = slot->index ? lower_temp(l, slot->loc) :
		    lower_name(l, slot->name, slot->loc);
		(*tail)->type = slot->type;
		tail = &(*tail)->next;
	}
	return list;
}

/* a[i, j] = value is xv·set(a, i, j, value) -> a. */
static void
emit_set(struct lower *l, struct list *out, const struct kv_slot *slot,
    const struct kv_expr *e, const struct kv_operand *value, struct loc loc)
{
	struct kv_operand *reads = lower_name(l, slot->name, slot->loc), **tail;

	tail = lower_reads(l, out, slot->index, NULL, &reads->next);
	*tail = e ? lower_operand(l, out, e, NULL) : lower_same(l, value);
	lower_emit(l, out, "xv·set", loc, reads,
	    lower_name(l, slot->name, slot->loc));
}

/* A leaf is converted for each slot that has a type of its own. */
static void
lower_leaf(struct lower *l, struct list *out, const struct kv_stmt *stmt)
{
	const struct kv_slot *s;
	bool each = false;
	struct kv_operand *o;

	for (s = stmt->writes; s; s = s->next)
		each = each || s->type || s->index;
	if (!each) {
		lower_emit(l, out, "=", stmt->loc,
		    lower_operand(l, out, stmt->expr, NULL),
		    lower_slots(l, stmt->writes));
		return;
	}
	for (s = stmt->writes; s; s = s->next) {
		if (s->index) {
			emit_set(l, out, s, stmt->expr, NULL, stmt->loc);
			continue;
		}
		o = lower_name(l, s->name, s->loc);
		o->type = s->type;
		lower_emit(l, out, "=", stmt->loc,
		    lower_operand(l, out, stmt->expr, s), o);
	}
}

void
lower_instruction(struct lower *l, struct list *out,
    const struct kv_stmt *stmt)
{
	const struct kv_expr *e = stmt->expr;
	const struct kv_operand *o;
	const struct kv_slot *s = stmt->writes;
	struct kv_operand *writes, *value;

	if (is_leaf(e)) {
		/* Without a slot it does nothing, which is an error. */
		if (s)
			lower_leaf(l, out, stmt);
		return;
	}
	if (stmt->nwrites == 1 && s->index) {
		emit_set(l, out, s, e, NULL, stmt->loc);
		return;
	}
	if (stmt->nwrites > 1 && e->kind != KV_CALL) {
		/* Computed once, the same for each slot. */
		value = lower_temp(l, e->loc);
		lower_into(l, out, e, NULL, lower_same(l, value));
		writes = lower_slots(l, s);
		lower_emit(l, out, "=", stmt->loc, value, writes);
	} else {
		writes = lower_slots(l, s);
		lower_into(l, out, e, s, writes);
	}
	for (o = writes; s; s = s->next, o = o->next)
		if (s->index)
			emit_set(l, out, s, NULL, o, stmt->loc);
}
