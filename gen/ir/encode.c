/* SPDX-License-Identifier: MIT */
#include "gen/ir/ir.h"

#include <string.h>

#include "gen/ir/cbor.h"

/* Numbers of references in a core walk: entities of the value, then ids met
 * that are none, in order of first use. */
struct core {
	struct arena arena;
	struct ir_index index;
	uint32_t n_inside;
	Id *outside;
	size_t n_outside, cap;
};

/* core is NULL for the whole walk. */
struct encoder {
	struct buf *out;
	struct core *core;
};

static void put_value(struct encoder *, const struct ir_type *, const void *);

static uint64_t
core_number(struct core *c, const Id *id)
{
	const struct ir_entity *e = ir_index_find(&c->index, id);
	size_t i;

	if (e && e->core != IR_NO_CORE)
		return e->core;
	for (i = 0; i < c->n_outside; i++)
		if (ir_id_eq(&c->outside[i], id))
			return c->n_inside + i;
	c->outside = arena_grow(&c->arena, c->outside, c->n_outside, &c->cap,
	    sizeof(*id));
	c->outside[c->n_outside++] = *id;
	return c->n_inside + i;
}

static void
put_element(struct encoder *e, const struct ir_field *f, const void *p)
{
	if (e->core && f->role == IR_REF)
		cbor_head(e->out, CBOR_UINT, core_number(e->core, p));
	else
		put_value(e, f->type, p);
}

static void
put_fields(struct encoder *e, const struct ir_type *t, const void *rec)
{
	const struct ir_field *f;
	uint32_t i, n = 0, k = 0;

	for (i = 0; i < t->n_field; i++)
		n += !(e->core && t->field[i].prov);
	cbor_head(e->out, CBOR_MAP, n);
	while ((f = ir_field_at(t, k++))) {
		if (e->core && f->prov)
			continue;
		cbor_text(e->out, f->key, f->key_n);
		n = ir_count(f, rec);
		if (f->seq)
			cbor_head(e->out, CBOR_ARRAY, n);
		for (i = 0; i < n; i++)
			put_element(e, f, ir_elem(f, rec, i));
	}
}

static void
put_variant(struct encoder *e, const struct ir_type *t, const void *p)
{
	struct ir_sum s = ir_sum_of(p);
	const struct ir_variant *v = ir_variant_of(t, s.tag);

	if (!v)
		BUG("encoding %s with tag %u", t->wire, s.tag);
	cbor_head(e->out, CBOR_ARRAY, 2);
	cbor_head(e->out, CBOR_TEXT, strlen(t->wire) + 1 + strlen(v->local));
	buf_puts(e->out, t->wire);
	buf_putc(e->out, '.');
	buf_puts(e->out, v->local);
	put_fields(e, v->type, s.p);
}

static void
put_f64(struct encoder *e, const void *p)
{
	F64Bits bits;
	unsigned char b[8];
	int i;

	memcpy(&bits, p, sizeof(bits));
	for (i = 0; i < 8; i++)
		b[i] = (unsigned char)(bits >> 8 * (7 - i));
	cbor_head(e->out, CBOR_ARRAY, 2);
	cbor_text(e->out, F64Bits_type.wire, strlen(F64Bits_type.wire));
	cbor_head(e->out, CBOR_MAP, 1);
	cbor_text(e->out, "bits", 4);
	cbor_bytes(e->out, b, sizeof(b));
}

static void
put_value(struct encoder *e, const struct ir_type *t, const void *p)
{
	switch (t->kind) {
	case IR_SYM:
		cbor_text(e->out, *(const Sym *)p, strlen(*(const Sym *)p));
		return;
	case IR_ID:
	case IR_DIGEST:
		cbor_bytes(e->out, p, t->size);
		return;
	case IR_U64:
		cbor_head(e->out, CBOR_UINT, *(const U64 *)p);
		return;
	case IR_I64:
		cbor_int(e->out, *(const I64 *)p);
		return;
	case IR_BOOL:
		cbor_head(e->out, CBOR_SIMPLE,
		    *(const Bool *)p ? CBOR_TRUE : CBOR_FALSE);
		return;
	case IR_F64:
		put_f64(e, p);
		return;
	case IR_REC:
		cbor_head(e->out, CBOR_ARRAY, 2);
		cbor_text(e->out, t->wire, strlen(t->wire));
		put_fields(e, t, p);
		return;
	case IR_ADT:
		put_variant(e, t, p);
		return;
	}
	BUG("type %s has kind %d", t->wire, (int)t->kind);
}

void
ir_encode(const struct ir_type *t, const void *p, struct buf *out)
{
	struct encoder e = { .out = out };

	put_value(&e, t, p);
}

void
ir_encode_core(const struct ir_type *t, const void *p, struct buf *out)
{
	struct core core = { .n_inside = 0 };
	struct encoder e = { .out = out, .core = &core };
	size_t i;

	arena_init(&core.arena);
	ir_index_build(&core.index, &core.arena, t, p);
	for (i = 0; i < core.index.n; i++)
		core.n_inside += core.index.entity[i].core != IR_NO_CORE;
	put_value(&e, t, p);
	arena_release(&core.arena);
}
