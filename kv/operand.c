/* SPDX-License-Identifier: MIT */
#include "kv/infer.h"

#include <string.h>

#include "base/arena.h"
#include "kv/langtype.h"

bool
type_is_number(const struct type *t)
{
	return t->class == CLASS_INT || t->class == CLASS_UINT ||
	    t->class == CLASS_FLOAT;
}

static enum type_class
class_of(enum dtype kind)
{
	return kind == DT_BOOL ? CLASS_BOOL : dtype_is_float(kind) ?
	    CLASS_FLOAT : kind >= DT_UINT8 ? CLASS_UINT : CLASS_INT;
}

struct type
type_of(const char *text)
{
	struct type t = { .text = text };
	struct str rest = str_of(text ? text : "");
	struct kv_atom atom;
	int least, most;

	if (text && *text == '\0')
		t.class = CLASS_NONE;
	if (!kv_atom_next(&rest, &atom) || rest.n > 0)
		return t;
	kv_atom_ranks(&atom, &least, &most);
	t.dtype = dtype_of(atom.kind);
	if (str_starts(atom.kind, "char/"))
		t.class = CLASS_CHAR;
	else if (str_is(atom.kind, "any") || least != most)
		t.class = least > 0 ? CLASS_ARRAY : CLASS_UNKNOWN;
	else if (least > 0)
		t.class = CLASS_ARRAY;
	else
		t.class = t.dtype == DT_NONE ? CLASS_OTHER :
		    class_of(t.dtype);
	return t;
}

const char *
type_name(const struct type *t)
{
	if (!t->text)
		return "an unknown type";
	if (t->class == CLASS_NONE)
		return "None";
	return t->class == CLASS_CHAR && strchr(t->text, ']') ?
	    strchr(t->text, ']') + 1 : t->text;
}

enum dtype
type_promote(enum dtype a, enum dtype b)
{
	static const enum dtype mixed[] = { DT_INT16, DT_INT32, DT_INT64,
		DT_INT64 };
	size_t size = dtype_size(a) > dtype_size(b) ? dtype_size(a) :
	    dtype_size(b);
	enum type_class ca = class_of(a), cb = class_of(b);

	if (a == DT_FLOAT64 || b == DT_FLOAT64)
		return DT_FLOAT64;
	/* Each half dtype lacks what the other one has. */
	if (ca == CLASS_FLOAT && cb == CLASS_FLOAT)
		return a == b ? a : DT_FLOAT32;
	if (ca == CLASS_FLOAT || cb == CLASS_FLOAT)
		return ca == CLASS_FLOAT ? a : b;
	if (ca == cb)
		return dtype_size(a) == size ? a : b;
	return mixed[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static bool
known(const struct type *t)
{
	return t->class != CLASS_UNKNOWN;
}

static void
check_number(const struct kv_native *op, const struct type *t,
    struct diag *diag)
{
	if (t->class == CLASS_NONE)
		diag_error(diag, t->loc, "TypeError: None in arithmetic");
	else if (t->class == CLASS_ARRAY)
		diag_error(diag, t->loc, "TypeError: expected numeric, got "
		    "%s; %s works on single numbers, ops on whole tensors "
		    "are deepx·add and others", type_name(t), op->name);
	else if (known(t) && !type_is_number(t))
		diag_error(diag, t->loc, "TypeError: expected numeric, got "
		    "%s", type_name(t));
	else if (t->class == CLASS_UINT && op->rule == RULE_NEG)
		diag_error(diag, t->loc, "TypeError: cannot negate unsigned "
		    "%s", type_name(t));
}

static void
check_integer(const struct type *t, struct diag *diag)
{
	if (t->class == CLASS_NONE)
		diag_error(diag, t->loc, "TypeError: None in arithmetic");
	else if (known(t) && t->class != CLASS_INT && t->class != CLASS_UINT)
		diag_error(diag, t->loc, "TypeError: expected integer, got "
		    "%s", type_name(t));
}

static void
check_bool(const struct type *t, struct diag *diag)
{
	if (known(t) && t->class != CLASS_BOOL)
		diag_error(diag, t->loc, "TypeError: expected bool, got %s",
		    type_name(t));
}

static void
check_compare(const struct kv_native *op, const struct type *t,
    struct diag *diag)
{
	bool none = t[0].class == CLASS_NONE || t[1].class == CLASS_NONE;

	if (none && op->rule == RULE_ORDER)
		diag_error(diag, t[t[0].class != CLASS_NONE].loc,
		    "TypeError: None in comparison");
	if (none || !known(&t[0]) || !known(&t[1]) ||
	    (type_is_number(&t[0]) && type_is_number(&t[1])) ||
	    (t[0].class == t[1].class && (t[0].class == CLASS_BOOL ||
	    t[0].class == CLASS_CHAR || t[0].class == CLASS_OTHER)))
		return;
	diag_error(diag, t[0].loc, "TypeError: cannot compare %s with %s",
	    type_name(&t[0]), type_name(&t[1]));
}

/* Two strings are joined. */
static void
check_add(const struct kv_native *op, const struct type *t, size_t n,
    struct diag *diag)
{
	size_t i;

	if ((t[0].class == CLASS_CHAR && (!known(&t[1]) ||
	    t[1].class == CLASS_CHAR)) ||
	    (t[1].class == CLASS_CHAR && !known(&t[0])))
		return;
	for (i = 0; i < n; i++)
		check_number(op, &t[i], diag);
}

/* Any number of operands, of which a message names two, where both are known. */
static void
check_fold(const struct type *t, size_t n, struct diag *diag)
{
	size_t i, a;

	for (i = 0; i < n; i++) {
		if (t[i].class == CLASS_NONE) {
			diag_error(diag, t[i].loc, "TypeError: None in "
			    "arithmetic");
			return;
		}
		if (!known(&t[i]) || type_is_number(&t[i]))
			continue;
		a = i > 0 ? i - 1 : 0;
		if (known(&t[a]) && known(&t[a + 1]))
			diag_error(diag, t[i].loc, "TypeError: max/min "
			    "requires numeric, got %s and %s",
			    type_name(&t[a]), type_name(&t[a + 1]));
		else
			diag_error(diag, t[i].loc, "TypeError: max/min "
			    "requires numeric, got %s", type_name(&t[i]));
		return;
	}
}

/* All elements are of one kind. */
static void
check_elements(const struct type *t, size_t n, struct diag *diag)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (t[i].class == CLASS_CHAR || t[i].class == CLASS_NONE)
			diag_error(diag, t[i].loc, "TypeError: a compact array "
			    "[...] cannot hold %s", type_name(&t[i]));
		if (t[0].dtype == DT_NONE || t[i].dtype == DT_NONE ||
		    t[i].dtype == t[0].dtype)
			continue;
		diag_error(diag, t[i].loc, "TypeError: array: mixed kinds %s "
		    "and %s; convert one, as in float64(x)",
		    dtype_name(t[0].dtype), dtype_name(t[i].dtype));
		return;
	}
}

/* What has elements at all. */
static void
check_indexed(const struct type *t, const char *name, struct diag *diag)
{
	if (type_is_number(t) || t->class == CLASS_BOOL ||
	    t->class == CLASS_NONE)
		diag_error(diag, t->loc, "TypeError: %s requires a compact "
		    "array, got %s", name, type_name(t));
}

static void
check_at(const struct type *t, size_t n, bool set, struct diag *diag)
{
	const char *name = set ? "xv·set" : "xv·at";
	struct str rest = str_of(t[0].text ? t[0].text : "");
	struct kv_atom atom;
	int least, most;
	size_t i;

	check_indexed(&t[0], name, diag);
	for (i = 1; i < n - set; i++)
		check_integer(&t[i], diag);
	if (!kv_atom_next(&rest, &atom) || rest.n > 0 || !atom.array)
		return;
	kv_atom_ranks(&atom, &least, &most);
	if (least == most && n - 1 - set != (size_t)least)
		diag_error(diag, t[0].loc, "IndexError: %s: %d-dim array "
		    "needs %d indices, got %zu", name, least, least,
		    n - 1 - set);
}

void
operand_check(const struct kv_native *op, const struct type *t, size_t n,
    struct diag *diag)
{
	size_t i;

	if (n < op->least)
		return;
	if (op->rule == RULE_ADD) {
		check_add(op, t, n, diag);
	} else if (op->rule == RULE_FOLD) {
		check_fold(t, n, diag);
	} else if (op->rule == RULE_EQUAL || op->rule == RULE_ORDER) {
		check_compare(op, t, diag);
	} else if (op->rule == RULE_AT || op->rule == RULE_SET) {
		check_at(t, n, op->rule == RULE_SET, diag);
	} else if (op->rule == RULE_ITEM) {
		check_indexed(&t[0], "for", diag);
	} else if (op->rule == RULE_ARRAY) {
		check_elements(t, n, diag);
	} else if (op->rule == RULE_CONCAT) {
		if (known(&t[0]) && known(&t[1]) &&
		    (t[0].class != CLASS_CHAR || t[1].class != CLASS_CHAR))
			diag_error(diag, t[0].loc, "TypeError: string·concat "
			    "requires strings, got %s and %s",
			    type_name(&t[0]), type_name(&t[1]));
	} else if (op->rule >= RULE_CAST && op->rule <= RULE_CAST_CHAR) {
		if (t[0].class == CLASS_NONE)
			diag_error(diag, t[0].loc, "TypeError: cannot cast "
			    "None");
		else if (op->rule == RULE_CAST_BOOL)
			check_bool(&t[0], diag);
	}
	for (i = 0; i < n; i++) {
		if (op->rule == RULE_NUMBER || op->rule == RULE_REAL ||
		    op->rule == RULE_NEG || op->rule == RULE_SIGNED ||
		    op->rule == RULE_SIGN)
			check_number(op, &t[i], diag);
		else if (op->rule == RULE_INTEGER || op->rule == RULE_BITS)
			check_integer(&t[i], diag);
		else if (op->rule == RULE_LOGIC)
			check_bool(&t[i], diag);
	}
}

void
operand_check_condition(const struct type *t, struct diag *diag)
{
	if (t->class == CLASS_NONE)
		diag_error(diag, t->loc, "TypeError: None in branch "
		    "condition");
	else if (known(t) && t->class != CLASS_BOOL)
		diag_error(diag, t->loc, "TypeError: branch condition must "
		    "be bool, got %s", type_name(t));
}

/* The promoted kind of the operands that are known to be numbers. */
static enum dtype
common_kind(const struct type *t, size_t n)
{
	enum dtype kind = DT_NONE;
	size_t i;

	for (i = 0; i < n; i++)
		if (type_is_number(&t[i]))
			kind = kind == DT_NONE ? t[i].dtype :
			    type_promote(kind, t[i].dtype);
	return kind;
}

enum dtype
operand_kind(const struct kv_native *op, const struct type *t, size_t n)
{
	enum dtype kind = common_kind(t, n);
	bool real = dtype_is_float(kind);

	if (kind == DT_NONE || op->rule < RULE_ADD || op->rule > RULE_ORDER)
		return DT_NONE;
	if (op->rule == RULE_REAL)
		return real ? kind : DT_FLOAT64;
	if (op->rule == RULE_INTEGER)
		return real ? DT_NONE : kind;
	if (op->rule == RULE_BITS)
		return real ? DT_NONE : kind >= DT_UINT8 ? DT_UINT64 :
		    DT_INT64;
	if (op->rule == RULE_NEG || op->rule == RULE_SIGNED)
		return class_of(kind) == CLASS_UINT ? DT_NONE : kind;
	return kind;
}

/* The kind of numbers when all operands are such. */
static const char *
number_result(const struct type *t, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!type_is_number(&t[i]))
			return NULL;
	return dtype_name(common_kind(t, n));
}

/* [n]kind when all elements are of one kind. */
static const char *
array_result(const struct type *t, size_t n, struct arena *arena)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (t[i].dtype == DT_NONE || t[i].class == CLASS_ARRAY ||
		    t[i].dtype != t[0].dtype || !known(&t[i]))
			return NULL;
	return n == 0 ? NULL : arena_printf(arena, "[%zu]%s", n,
	    dtype_name(t[0].dtype));
}

const char *
operand_result(const struct kv_native *op, const struct type *t, size_t n,
    struct arena *arena)
{
	switch (op->rule) {
	case RULE_ADD:
		return t[0].class == CLASS_CHAR && t[1].class == CLASS_CHAR ?
		    "[]char/utf32" : number_result(t, n);
	case RULE_NUMBER:
	case RULE_FOLD:
	case RULE_INTEGER:
	case RULE_BITS:
	case RULE_NEG:
	case RULE_SIGNED:
		return number_result(t, n);
	case RULE_REAL:
		return "float64";
	case RULE_SIGN:
	case RULE_COUNT:
	case RULE_TEXT_COUNT:
		return "int64";
	case RULE_EQUAL:
	case RULE_ORDER:
	case RULE_LOGIC:
		return "bool";
	case RULE_CAST:
	case RULE_CAST_BOOL:
		return t[0].class == CLASS_ARRAY ? NULL : op->name;
	case RULE_CAST_CHAR:
		return arena_printf(arena, "[]%s", op->name);
	case RULE_SHAPE:
		return "[]int64";
	case RULE_AT:
	case RULE_ITEM:
		return t[0].class == CLASS_ARRAY && t[0].dtype != DT_NONE ?
		    dtype_name(t[0].dtype) : NULL;
	case RULE_SET:
		return t[0].text;
	case RULE_ARRAY:
		return array_result(t, n, arena);
	case RULE_RESHAPE:
		return t[0].class == CLASS_ARRAY && t[0].dtype != DT_NONE ?
		    arena_printf(arena, "[*]%s", dtype_name(t[0].dtype)) :
		    NULL;
	case RULE_CONCAT:
	case RULE_FILL:
	case RULE_FREE:
		return NULL;
	}
	return NULL;
}
