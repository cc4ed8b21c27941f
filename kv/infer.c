/* SPDX-License-Identifier: MIT */
/*
 * One type a variable for the whole function: that of all its writers, when
 * they agree. What is reported here would fail whenever the row runs.
 */
#include "kv/infer.h"

#include <string.h>

#include "base/arena.h"
#include "kv/ast.h"
#include "kv/langtype.h"

/* text NULL: the writers differ or one is not known. */
struct known {
	const char *text;
};

struct infer {
	struct arena *arena;
	struct diag *diag;
	const struct map *funcs;
	const struct kv_func *f;
	struct map types;  /* name -> struct known; absent: no writer so far */
	struct type *read; /* of the row at hand */
	size_t nread, cap;
	bool changed;
};

const struct kv_func *
kv_callee(const struct map *funcs, const struct kv_func *f, const char *callee,
    struct arena *arena)
{
	const struct kv_func *found = NULL;

	if (str_starts(str_of(callee), "/lib/"))
		return map_get(funcs, callee + 5);
	if (!strstr(callee, "·") && *f->pkg)
		found = map_get(funcs, arena_printf(arena, "%s·%s", f->pkg,
		    callee));
	return found ? found : map_get(funcs, callee);
}

bool
kv_is_variadic(const struct kv_func *f)
{
	const struct kv_slot *s;

	for (s = f->reads; s; s = s->next)
		if (s->variadic)
			return true;
	return false;
}

/* Joins what one more writer gives to what is known of a name. */
static void
learn(struct infer *in, const char *name, const char *text)
{
	struct known *k;

	if (strcmp(name, "_") == 0 || *name == '/')
		return;
	k = map_get(&in->types, name);
	if (k && (!k->text || (text && strcmp(k->text, text) == 0)))
		return;
	if (!k) {
		k = arena_alloc(in->arena, sizeof(*k));
		map_set(&in->types, name, k);
		k->text = text;
	} else {
		k->text = NULL;
	}
	in->changed = true;
}

/* False when the operand is a variable that nothing was learnt of yet. */
static bool
type_of_operand(const struct infer *in, const struct kv_operand *o,
    struct type *t)
{
	const struct known *k = NULL;

	if (!o->name) {
		*t = type_of(o->label ? NULL : o->value.langtype);
	} else {
		if (*o->name != '/')
			k = map_get(&in->types, o->name);
		*t = type_of(k ? k->text : NULL);
	}
	t->loc = o->loc;
	return !o->name || *o->name == '/' || k;
}

/* Whether all reads of a row are known as far as they can be. */
static bool
read_types(struct infer *in, const struct kv_row *row)
{
	const struct kv_operand *o;
	bool all = true;

	in->nread = 0;
	for (o = row->reads; o; o = o->next) {
		in->read = arena_grow(in->arena, in->read, in->nread, &in->cap,
		    sizeof(*in->read));
		all &= type_of_operand(in, o, &in->read[in->nread++]);
	}
	return all;
}

/* What the row's op gives to its first write. */
static const char *
native_result(struct infer *in, const struct kv_row *row)
{
	const struct kv_native *op = kv_native_of(row->opcode);

	return op && in->nread >= op->least ?
	    operand_result(op, in->read, in->nread, in->arena) : NULL;
}

static bool
is_function(const struct infer *in, const struct kv_row *row,
    const struct kv_func **f)
{
	if (kv_native_of(row->opcode))
		return false;
	*f = kv_callee(in->funcs, in->f, row->opcode, in->arena);
	return *f != NULL;
}

/* An annotation is what a reader may rely on, unless more is known. */
static const char *
write_type(const struct infer *in, const struct kv_row *row,
    const struct kv_operand *w, const char *given)
{
	bool literal = row->reads && !row->reads->name;

	if (strcmp(row->opcode, "=") == 0)
		given = in->read[0].text;
	return w->type && !(literal && given) ? w->type : given;
}

static void
learn_row(struct infer *in, const struct kv_row *row)
{
	const struct kv_slot *s = NULL;
	const struct kv_func *f;
	const struct kv_operand *w;
	const char *given;

	if (!row->writes || !read_types(in, row))
		return;
	if (is_function(in, row, &f))
		s = f->writes;
	given = s ? NULL : native_result(in, row);
	for (w = row->writes; w; w = w->next) {
		learn(in, w->name, write_type(in, row, w,
		    s ? s->type : given));
		s = s ? s->next : NULL;
		given = NULL;
	}
}

/* Until nothing is learnt; what takes too many rounds stays unknown. */
static void
learn_rows(struct infer *in, const struct kv_row *rows)
{
	enum { MAX_ROUNDS = 100 };
	const struct kv_row *row;
	int round = 0;
	size_t i;

	do {
		in->changed = false;
		for (row = rows; row; row = row->next)
			learn_row(in, row);
	} while (in->changed && ++round < MAX_ROUNDS);
	for (i = 0; in->changed && i < in->types.n; i++)
		((struct known *)in->types.entry[i].value)->text = NULL;
}

/* Parameters have their declared types; what a variadic one holds differs
 * from call to call. */
static void
learn_params(struct infer *in)
{
	const struct kv_slot *s;

	for (s = in->f->reads; s; s = s->next)
		learn(in, s->name, s->variadic ? NULL : s->type);
	for (s = in->f->writes; s; s = s->next)
		learn(in, s->name, s->type);
}

static void
check_args(struct infer *in, const struct kv_func *f)
{
	const struct kv_slot *s = f->reads;
	const struct type *t;
	size_t i;

	for (i = 0; i < in->nread && s; i++) {
		t = &in->read[i];
		if (t->text && s->type && (t->class == CLASS_NONE ||
		    !kv_langtype_overlap(str_of(t->text), str_of(s->type))))
			diag_error(in->diag, t->loc, "TypeError: %s arg %zu "
			    "(%s): expected %s, got %s", f->qualified, i + 1,
			    s->name, s->type,
			    t->class == CLASS_NONE ? "None" : t->text);
		s = s->variadic ? s : s->next;
	}
}

/* An annotation that what is given contradicts. */
static void
check_annotation(struct infer *in, const struct kv_operand *w,
    const char *given)
{
	if (w->type && given && *given &&
	    !kv_langtype_overlap(str_of(given), str_of(w->type)))
		diag_warn(in->diag, w->loc, "\"%s\" is declared %s but is "
		    "given %s; convert it first, or declare that", w->name,
		    w->type, given);
}

static void
check_row(struct infer *in, const struct kv_row *row)
{
	const struct kv_native *op = kv_native_of(row->opcode);
	const struct kv_func *f;

	read_types(in, row);
	if (strcmp(row->opcode, "br") == 0)
		operand_check_condition(&in->read[0], in->diag);
	else if (strcmp(row->opcode, "=") == 0)
		check_annotation(in, row->writes, in->read[0].text);
	else if (op)
		operand_check(op, in->read, in->nread, in->diag);
	else if (is_function(in, row, &f))
		check_args(in, f);
	if (op && row->writes && in->nread >= op->least)
		check_annotation(in, row->writes, native_result(in, row));
}

/* add -> int64·add. Purely a hint to whoever runs it. */
static void
specialise(struct infer *in, struct kv_row *row)
{
	const struct kv_native *op = kv_native(row->opcode);
	enum dtype kind = DT_NONE;

	if (op && in->nread >= op->least)
		kind = operand_kind(op, in->read, in->nread);
	if (kind != DT_NONE)
		row->opcode = arena_printf(in->arena, "%s·%s",
		    dtype_name(kind), op->name);
}

void
kv_infer(const struct kv_func *f, struct kv_code *code,
    const struct map *funcs, struct arena *arena, struct diag *diag)
{
	struct infer in = { .arena = arena, .diag = diag, .funcs = funcs,
		.f = f };
	struct kv_row *row;

	map_init(&in.types, arena);
	learn_params(&in);
	learn_rows(&in, code->rows);
	for (row = code->rows; row; row = row->next) {
		check_row(&in, row);
		specialise(&in, row);
	}
}
