/* SPDX-License-Identifier: MIT */
#include "gen/ir/type.h"

#include <stdlib.h>
#include <string.h>

const struct ir_type Sym_type = { .kind = IR_SYM, .wire = "sym",
	.size = sizeof(Sym) };
const struct ir_type Id_type = { .kind = IR_ID, .wire = "id",
	.size = sizeof(Id) };
const struct ir_type Digest_type = { .kind = IR_DIGEST, .wire = "digest",
	.size = sizeof(Digest) };
const struct ir_type U64_type = { .kind = IR_U64, .wire = "u64",
	.size = sizeof(U64) };
const struct ir_type I64_type = { .kind = IR_I64, .wire = "i64",
	.size = sizeof(I64) };
const struct ir_type Bool_type = { .kind = IR_BOOL, .wire = "bool",
	.size = sizeof(Bool) };
const struct ir_type F64Bits_type = { .kind = IR_F64,
	.wire = "kvaot.f64-bits", .size = sizeof(F64Bits) };

int
ir_key_cmp(const char *a, size_t na, const char *b, size_t nb)
{
	if (na != nb)
		return na < nb ? -1 : 1;
	return memcmp(a, b, na);
}

/* Sorts the fields once; a schema has few, so insertion does. */
static void
order_fields(const struct ir_type *t)
{
	for (uint32_t i = 0; i < t->n_field; i++) {
		const char *key = t->field[i].key;
		size_t n = strlen(key);
		uint32_t k = i;

		for (; k > 0; k--) {
			const char *before = t->field[t->order[k - 1] - 1].key;

			if (ir_key_cmp(before, strlen(before), key, n) < 0)
				break;
			t->order[k] = t->order[k - 1];
		}
		t->order[k] = (uint8_t)(i + 1);
	}
}

const struct ir_field *
ir_field_at(const struct ir_type *t, uint32_t i)
{
	if (i >= t->n_field)
		return NULL;
	if (!t->order[0])
		order_fields(t);
	return &t->field[t->order[i] - 1];
}

uint32_t
ir_count(const struct ir_field *f, const void *rec)
{
	uint32_t n = 1;

	if (f->seq)
		memcpy(&n, (const char *)rec + f->off_n, sizeof(n));
	return n;
}

const void *
ir_elem(const struct ir_field *f, const void *rec, uint32_t i)
{
	const char *at = (const char *)rec + f->off, *elem;

	if (!f->seq)
		return at;
	memcpy(&elem, at, sizeof(elem));
	return elem ? elem + (size_t)i * f->type->size : NULL;
}

struct ir_sum
ir_sum_of(const void *adt)
{
	struct ir_sum s;

	memcpy(&s, adt, sizeof(s));
	return s;
}

const struct ir_variant *
ir_variant_of(const struct ir_type *t, uint32_t ord)
{
	uint32_t i;

	for (i = 0; i < t->n_variant; i++)
		if (t->variant[i].ord == ord)
			return &t->variant[i];
	return NULL;
}

size_t
ir_least_bytes(const struct ir_type *t)
{
	switch (t->kind) {
	case IR_SYM:
	case IR_U64:
	case IR_I64:
	case IR_BOOL:
		return 1;
	case IR_ID:
	case IR_DIGEST:
		return 1 + t->size;
	case IR_F64:
	case IR_REC:
	case IR_ADT:
		return 3 + strlen(t->wire);
	}
	BUG("type %s has kind %d", t->wire, (int)t->kind);
}

const char *
ir_short(const struct ir_type *t)
{
	const char *dot = strrchr(t->wire, '.');

	return dot ? dot + 1 : t->wire;
}

static int walk_at(const struct ir_at *, ir_visit_fn *, void *);

static int
walk_fields(const struct ir_at *at, ir_visit_fn *fn, void *ctx)
{
	const struct ir_field *f;
	uint32_t i, n, k = 0;

	while ((f = ir_field_at(at->type, k++))) {
		n = ir_count(f, at->p);
		for (i = 0; i < n; i++) {
			struct ir_at in = { .up = at, .field = f, .index = i,
				.type = f->type, .p = ir_elem(f, at->p, i),
				.depth = at->depth + 1,
				.prov = at->prov || f->prov };

			if (walk_at(&in, fn, ctx))
				return -1;
			/* A sequence without memory is one fault, not n. */
			if (!in.p)
				break;
		}
	}
	return 0;
}

static int
walk_payload(const struct ir_at *at, ir_visit_fn *fn, void *ctx)
{
	struct ir_sum s = ir_sum_of(at->p);
	const struct ir_variant *v = ir_variant_of(at->type, s.tag);
	struct ir_at in = { .up = at, .variant = v, .p = s.p,
		.depth = at->depth, .prov = at->prov };

	if (!v)
		return 0;
	in.type = v->type;
	return walk_at(&in, fn, ctx);
}

static int
walk_at(const struct ir_at *at, ir_visit_fn *fn, void *ctx)
{
	int rc = fn(ctx, at);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (!at->p || at->depth >= IR_MAX_DEPTH)
		return 0;
	if (at->type->kind == IR_REC)
		return walk_fields(at, fn, ctx);
	if (at->type->kind == IR_ADT)
		return walk_payload(at, fn, ctx);
	return 0;
}

int
ir_walk(const struct ir_type *t, const void *p, ir_visit_fn *fn, void *ctx)
{
	struct ir_at at = { .type = t, .p = p };

	return walk_at(&at, fn, ctx);
}

const struct ir_field *
ir_self(const struct ir_type *t)
{
	uint32_t i;

	for (i = 0; i < t->n_field; i++)
		if (t->field[i].role == IR_SELF)
			return &t->field[i];
	return NULL;
}

struct indexer {
	struct ir_index *index;
	struct arena *arena;
	uint32_t core;
};

static int
index_visit(void *ctx, const struct ir_at *at)
{
	struct indexer *ix = ctx;
	struct ir_index *index = ix->index;
	const struct ir_field *self = ir_self(at->type);
	struct ir_entity *e;
	size_t i;

	if (!self || !at->p)
		return 0;
	index->entity = arena_grow(ix->arena, index->entity, index->n,
	    &index->cap, sizeof(*e));
	e = &index->entity[index->n];
	*e = (struct ir_entity){ .type = at->type, .p = at->p, .alias = 1,
		.order = (uint32_t)index->n,
		.core = at->prov ? IR_NO_CORE : ix->core++ };
	memcpy(&e->id, ir_elem(self, at->p, 0), sizeof(e->id));
	for (i = index->n; i-- > 0;)
		if (index->entity[i].type == at->type) {
			e->alias = index->entity[i].alias + 1;
			break;
		}
	index->n++;
	return 0;
}

static int
entity_cmp(const void *a, const void *b)
{
	const struct ir_entity *x = a, *y = b;
	int c = memcmp(&x->id, &y->id, sizeof(x->id));

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

void
ir_index_build(struct ir_index *index, struct arena *arena,
    const struct ir_type *t, const void *p)
{
	struct indexer ix = { .index = index, .arena = arena };

	*index = (struct ir_index){ 0 };
	ir_walk(t, p, index_visit, &ix);
	if (index->n)
		qsort(index->entity, index->n, sizeof(*index->entity),
		    entity_cmp);
}

const struct ir_entity *
ir_index_find(const struct ir_index *index, const Id *id)
{
	size_t lo = 0, hi = index->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (memcmp(&index->entity[mid].id, id, sizeof(*id)) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < index->n &&
	    !memcmp(&index->entity[lo].id, id, sizeof(*id)))
		return &index->entity[lo];
	return NULL;
}

/* The length of the UTF-8 sequence at s, or 0 when it is none: over-long
 * forms, surrogates and code points past U+10FFFF are none. */
static size_t
utf8_len(const unsigned char *s, size_t n)
{
	size_t len, i;
	uint32_t c;

	if (s[0] < 0x80)
		return 1;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || len > n)
		return 0;
	c = s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((len == 3 && c < 0x800) || (len == 4 && c < 0x10000) ||
	    (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	return len;
}

bool
ir_text_ok(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = 1;
		if (s[i] >= 0x20 && s[i] < 0x7f)
			continue;
		len = utf8_len(s + i, n - i);
		if (!len || s[i] < 0x20 || s[i] == 0x7f)
			return false;
		if (s[i] == 0xc2 && s[i + 1] < 0xa0)
			return false;
	}
	return true;
}
