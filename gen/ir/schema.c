/* SPDX-License-Identifier: MIT */
#include "gen/ir/ir.h"

#include <string.h>

/* All types reachable from one, each once, in the order they are found. */
struct types {
	struct arena arena;
	const struct ir_type **t;
	size_t n, cap;
	struct diag *diag;
	int faults;
};

__attribute__((format(printf, 4, 5)))
static void
fault(struct types *ts, const struct ir_type *t, const char *code,
    const char *fmt, ...)
{
	struct buf what = { 0 };
	va_list ap;
	char text[256];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_printf(&what, "%s: %s: %s", code, t->wire, text);
	diag_error(ts->diag, no_loc, "%s", what.p);
	ts->faults++;
	buf_release(&what);
}

/* Lower-kebab words; with dots between them when dotted is set. */
static bool
tag_ok(const char *s, bool dotted)
{
	bool start = true;

	for (; *s; s++) {
		bool lower = *s >= 'a' && *s <= 'z';
		bool digit = *s >= '0' && *s <= '9';

		if (start ? !lower && !digit :
		    !lower && !digit && *s != '-' && !(dotted && *s == '.'))
			return false;
		start = *s == '-' || *s == '.';
	}
	return !start;
}

static void
add(struct types *ts, const struct ir_type *t)
{
	size_t i;

	if (t->kind != IR_REC && t->kind != IR_ADT)
		return;
	for (i = 0; i < ts->n; i++)
		if (ts->t[i] == t)
			return;
	ts->t = arena_grow(&ts->arena, ts->t, ts->n, &ts->cap, sizeof(*ts->t));
	ts->t[ts->n++] = t;
}

static void
check_fields(struct types *ts, const struct ir_type *t)
{
	const struct ir_field *f, *g;

	for (f = t->field; f < t->field + t->n_field; f++) {
		add(ts, f->type);
		if (!tag_ok(f->key, false))
			fault(ts, t, "schema.key",
			    "key \"%s\" is not lower-kebab", f->key);
		if (!strcmp(f->key, "deps") &&
		    (f->role != IR_REF || !f->seq))
			fault(ts, t, "schema.deps",
			    "\"deps\" must be a sequence of references");
		for (g = t->field; g < f; g++)
			if (!strcmp(g->key, f->key))
				fault(ts, t, "schema.duplicate-key",
				    "key \"%s\" occurs twice", f->key);
	}
}

static void
check_variants(struct types *ts, const struct ir_type *t)
{
	const struct ir_variant *v, *w;

	for (v = t->variant; v < t->variant + t->n_variant; v++) {
		add(ts, v->type);
		if (v->type->kind != IR_REC)
			fault(ts, t, "schema.payload",
			    "the payload of \"%s\" is no record", v->local);
		if (!tag_ok(v->local, false))
			fault(ts, t, "schema.wire",
			    "tag \"%s\" is not lower-kebab", v->local);
		for (w = t->variant; w < v; w++)
			if (!strcmp(w->local, v->local))
				fault(ts, t, "schema.duplicate-tag",
				    "tag \"%s\" occurs twice", v->local);
	}
}

static void
check_type(struct types *ts, size_t k)
{
	const struct ir_type *t = ts->t[k], *u;
	size_t i;

	if (!tag_ok(t->wire, true) || !strchr(t->wire, '.'))
		fault(ts, t, "schema.wire",
		    "the wire name is not dotted lower-kebab");
	for (i = 0; i < k; i++) {
		u = ts->t[i];
		if (!strcmp(u->wire, t->wire))
			fault(ts, t, "schema.duplicate-wire",
			    "two types have this wire name");
		else if (ir_self(u) && ir_self(t) &&
		    !strcmp(ir_short(u), ir_short(t)))
			fault(ts, t, "schema.alias",
			    "its entities print as those of %s", u->wire);
	}
	if (t->kind == IR_REC)
		check_fields(ts, t);
	else
		check_variants(ts, t);
}

int
ir_check_schema(const struct ir_type *t, struct diag *diag)
{
	struct types ts = { .diag = diag };
	size_t i;

	arena_init(&ts.arena);
	add(&ts, t);
	for (i = 0; i < ts.n; i++)
		check_type(&ts, i);
	arena_release(&ts.arena);
	return ts.faults ? -1 : 0;
}
