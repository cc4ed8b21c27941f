/* SPDX-License-Identifier: MIT */
#include "gen/ir/ir.h"

#include <string.h>

struct printer {
	struct buf *out;
	struct ir_index index;
};

static void put_line_of(struct printer *, const struct ir_type *, const void *,
    int indent);

static void
put_indent(struct printer *pr, int indent)
{
	while (indent-- > 0)
		buf_puts(pr->out, "  ");
}

static void
put_id(struct printer *pr, const Id *id)
{
	const struct ir_entity *e = ir_index_find(&pr->index, id);
	char hex[13];

	if (e) {
		buf_printf(pr->out, "%s#%u", ir_short(e->type), e->alias);
		return;
	}
	hex_encode(hex, id->b + 1, 6);
	buf_printf(pr->out, "%c:%s", id->b[0], hex);
}

/* A value that fits on the line it begins on. */
static void
put_prim(struct printer *pr, const struct ir_type *t, const void *p)
{
	char hex[13];

	switch (t->kind) {
	case IR_SYM:
		buf_printf(pr->out, "\"%s\"", *(const Sym *)p);
		return;
	case IR_ID:
		put_id(pr, p);
		return;
	case IR_DIGEST:
		hex_encode(hex, p, 6);
		buf_puts(pr->out, hex);
		return;
	case IR_U64:
		buf_printf(pr->out, "%llu", (unsigned long long)*(const U64 *)p);
		return;
	case IR_I64:
		buf_printf(pr->out, "%lld", (long long)*(const I64 *)p);
		return;
	case IR_BOOL:
		buf_puts(pr->out, *(const Bool *)p ? "true" : "false");
		return;
	case IR_F64:
		buf_printf(pr->out, "f64 0x%016llx",
		    (unsigned long long)*(const F64Bits *)p);
		return;
	case IR_REC:
	case IR_ADT:
		break;
	}
	BUG("%s does not fit on one line", t->wire);
}

static bool
is_composite(const struct ir_type *t)
{
	return t->kind == IR_REC || t->kind == IR_ADT;
}

static void
put_sequence(struct printer *pr, const struct ir_field *f, const void *rec,
    int indent)
{
	uint32_t i, n = ir_count(f, rec);

	if (!is_composite(f->type) || !n) {
		buf_puts(pr->out, " [");
		for (i = 0; i < n; i++) {
			buf_puts(pr->out, i ? ", " : "");
			put_prim(pr, f->type, ir_elem(f, rec, i));
		}
		buf_puts(pr->out, "]\n");
		return;
	}
	buf_putc(pr->out, '\n');
	for (i = 0; i < n; i++) {
		put_indent(pr, indent);
		put_line_of(pr, f->type, ir_elem(f, rec, i), indent);
	}
}

/* The fields of a record, a line each; an entity's own id is in its first
 * line. */
static void
put_fields(struct printer *pr, const struct ir_type *t, const void *rec,
    int indent)
{
	const struct ir_field *f;

	for (f = t->field; f < t->field + t->n_field; f++) {
		if (f->role == IR_SELF)
			continue;
		put_indent(pr, indent);
		buf_printf(pr->out, "%s:", f->key);
		if (f->seq) {
			put_sequence(pr, f, rec, indent + 1);
			continue;
		}
		buf_putc(pr->out, ' ');
		put_line_of(pr, f->type, ir_elem(f, rec, 0), indent);
	}
}

static void
put_name(struct printer *pr, const struct ir_type *t, const char *name,
    const void *rec)
{
	const struct ir_field *self = ir_self(t);

	if (self)
		put_id(pr, ir_elem(self, rec, 0));
	else
		buf_puts(pr->out, name);
	buf_putc(pr->out, '\n');
}

/* The rest of a line that has begun, and the lines inside the value. */
static void
put_line_of(struct printer *pr, const struct ir_type *t, const void *p,
    int indent)
{
	const struct ir_variant *v;
	struct ir_sum s;

	if (t->kind == IR_ADT) {
		s = ir_sum_of(p);
		v = ir_variant_of(t, s.tag);
		if (!v)
			BUG("printing %s with tag %u", t->wire, s.tag);
		put_name(pr, v->type, v->local, s.p);
		put_fields(pr, v->type, s.p, indent + 1);
	} else if (t->kind == IR_REC) {
		put_name(pr, t, ir_short(t), p);
		put_fields(pr, t, p, indent + 1);
	} else {
		put_prim(pr, t, p);
		buf_putc(pr->out, '\n');
	}
}

void
ir_print(const struct ir_type *t, const void *p, struct buf *out)
{
	struct printer pr = { .out = out };
	struct arena arena;

	arena_init(&arena);
	ir_index_build(&pr.index, &arena, t, p);
	put_line_of(&pr, t, p, 0);
	arena_release(&arena);
}
