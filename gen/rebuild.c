/* SPDX-License-Identifier: MIT */
#include "gen/rebuild.h"

#include <stdlib.h>
#include <string.h>

struct side {
	struct ir_index index;
	const struct ir_entity **order; /* as the level stores them */
};

static int
by_order(const void *a, const void *b)
{
	const struct ir_entity *const *x = a, *const *y = b;

	return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static void
side_build(struct side *s, const struct snapshot *snap, struct arena *arena)
{
	*s = (struct side){ .order = NULL };
	if (!snap)
		return;
	ir_index_build(&s->index, arena, snap->type, snap->root);
	s->order = arena_array(arena, s->index.n, sizeof *s->order);
	for (size_t i = 0; i < s->index.n; i++)
		s->order[i] = &s->index.entity[i];
	if (s->index.n)
		qsort(s->order, s->index.n, sizeof *s->order, by_order);
}

static const struct ir_field *
field_of(const struct ir_type *t, const char *key)
{
	for (uint32_t i = 0; i < t->n_field; i++)
		if (!strcmp(t->field[i].key, key))
			return &t->field[i];
	return NULL;
}

/* The name of what a reference points to; `_` for a value without one. */
static const char *
name_of(const struct side *s, const Id *id)
{
	const struct ir_entity *e = ir_index_find(&s->index, id);
	const struct ir_field *f = e ? field_of(e->type, "name") : NULL;
	const char *name = f ? *(const Sym *)ir_elem(f, e->p, 0) : "";

	return *name ? name : "_";
}

static void
put_refs(const struct side *s, const struct ir_entity *e, const char *key,
    struct buf *out)
{
	const struct ir_field *f = field_of(e->type, key);

	if (!f || f->role != IR_REF)
		return;
	buf_puts(out, strcmp(key, "outputs") ? "(" : " -> (");
	for (uint32_t i = 0; i < ir_count(f, e->p); i++)
		buf_printf(out, "%s%s", i ? ", " : "",
		    name_of(s, ir_elem(f, e->p, i)));
	buf_puts(out, ")");
}

/* `op deepx·sum(e, axis) -> (s)`: its type, its texts, its operands. */
static const char *
words(const struct side *s, const struct ir_entity *e, struct arena *arena)
{
	struct buf out = { 0 };
	const char *text;

	buf_puts(&out, ir_short(e->type));
	for (uint32_t i = 0; i < e->type->n_field; i++) {
		const struct ir_field *f = &e->type->field[i];

		if (f->seq || f->type->kind != IR_SYM)
			continue;
		text = *(const Sym *)ir_elem(f, e->p, 0);
		if (*text)
			buf_printf(&out, " %s", text);
	}
	put_refs(s, e, "inputs", &out);
	put_refs(s, e, "outputs", &out);
	text = arena_strndup(arena, out.p, out.n);
	buf_release(&out);
	return text;
}

static void
encode_field(const struct ir_field *f, const void *rec, struct buf *out)
{
	buf_clear(out);
	for (uint32_t i = 0; i < ir_count(f, rec); i++)
		ir_encode(f->type, ir_elem(f, rec, i), out);
	buf_putc(out, '\0');
}

/* The keys of the fields in which two entities of one type differ. */
static void
compare_fields(const struct ir_entity *a, const struct ir_entity *b,
    struct arena *arena, struct rebuild_change *c)
{
	struct buf was = { 0 }, now = { 0 };

	c->field = arena_array(arena, a->type->n_field, sizeof *c->field);
	for (uint32_t i = 0; i < a->type->n_field; i++) {
		const struct ir_field *f = &a->type->field[i];

		encode_field(f, a->p, &was);
		encode_field(f, b->p, &now);
		if (!str_eq(buf_str(&was), buf_str(&now)))
			c->field[c->nfield++] = f->key;
	}
	buf_release(&was);
	buf_release(&now);
}

/* Entities of `from` that `other` has not. */
static void
add_missing(struct rebuild *r, const struct side *from,
    const struct side *other, bool is_new, struct arena *arena)
{
	for (size_t i = 0; i < from->index.n; i++) {
		const struct ir_entity *e = from->order[i];
		struct rebuild_change *c = &r->change[r->n];

		if (ir_index_find(&other->index, &e->id))
			continue;
		*c = (struct rebuild_change){ .id = e->id };
		*(is_new ? &c->now : &c->was) = words(from, e, arena);
		r->n++;
	}
}

static void
add_changed(struct rebuild *r, const struct side *old,
    const struct side *new, struct arena *arena)
{
	for (size_t i = 0; i < new->index.n; i++) {
		const struct ir_entity *b = new->order[i], *a;
		struct rebuild_change *c = &r->change[r->n];

		a = ir_index_find(&old->index, &b->id);
		if (!a || a->type != b->type)
			continue;
		*c = (struct rebuild_change){ .id = b->id };
		compare_fields(a, b, arena, c);
		if (!c->nfield)
			continue;
		c->was = words(old, a, arena);
		c->now = words(new, b, arena);
		r->n++;
	}
}

static void
compare_level(struct rebuild *r, const struct snapshot *was,
    const struct snapshot *now, struct arena *arena)
{
	struct side old, new;

	side_build(&old, was, arena);
	side_build(&new, now, arena);
	r->change = arena_array(arena, old.index.n + new.index.n + 1,
	    sizeof *r->change);
	add_missing(r, &old, &new, false, arena);
	add_missing(r, &new, &old, true, arena);
	add_changed(r, &old, &new, arena);
}

static bool
is_same(const struct kvs_row *row, const struct snapshot *snap)
{
	return row && snap ? ir_digest_eq(&row->digest, &snap->digest) :
	    !row && !snap;
}

int
rebuild_compare(const struct kvs_row *rows, size_t n, const char *name,
    const struct unit *unit, struct arena *arena, struct rebuild *r,
    struct diag *diag)
{
	*r = (struct rebuild){ .after = unit != NULL };
	for (size_t i = 0; i < UNIT_LEVELS; i++) {
		struct unit_level l = unit_level(unit, i);
		const struct kvs_row *row = kvs_find(rows, n, name, l.name);
		struct snapshot was = { 0 };

		r->before |= row != NULL;
		if (r->level || is_same(row, l.snap))
			continue;
		r->level = l.name;
		if (row && snapshot_open(l.type, row->bytes, &row->digest,
		    arena, &was, diag))
			return -1;
		compare_level(r, row ? &was : NULL, l.snap, arena);
		snapshot_release(&was);
	}
	return 0;
}
