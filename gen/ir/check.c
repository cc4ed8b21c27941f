/* SPDX-License-Identifier: MIT */
#include "gen/ir/ir.h"

#include <string.h>

struct check {
	struct diag *diag;
	struct ir_index index;
	uint64_t bytes; /* the fewest its encoding can have so far */
	int faults;
};

static void
put_path(struct buf *out, const struct ir_at *at)
{
	if (at->up)
		put_path(out, at->up);
	else
		buf_puts(out, ir_short(at->type));
	if (at->variant)
		buf_printf(out, ".%s", at->variant->local);
	if (at->field)
		buf_printf(out, ".%s", at->field->key);
	if (at->field && at->field->seq)
		buf_printf(out, "[%u]", at->index);
}

static void
fault(struct check *ck, const struct ir_at *at, const char *code,
    const char *what)
{
	struct buf path = { 0 };

	put_path(&path, at);
	diag_error(ck->diag, no_loc, "%s: %s: %s", code, path.p, what);
	ck->faults++;
	buf_release(&path);
}

static void
check_sum(struct check *ck, const struct ir_at *at)
{
	struct ir_sum s = ir_sum_of(at->p);
	struct buf what = { 0 };

	if (!s.tag) {
		fault(ck, at, "adt.no-variant",
		    "expected a variant, found tag 0 (never set)");
	} else if (!ir_variant_of(at->type, s.tag)) {
		buf_printf(&what, "expected a variant of %s, found tag %u",
		    at->type->wire, s.tag);
		fault(ck, at, "adt.tag", what.p);
	}
	buf_release(&what);
}

static void
check_prim(struct check *ck, const struct ir_at *at)
{
	const uint64_t exponent = (uint64_t)0x7ff << 52;
	const char *text;
	unsigned char byte;
	F64Bits bits;

	switch (at->type->kind) {
	case IR_SYM:
		memcpy(&text, at->p, sizeof(text));
		if (!text)
			fault(ck, at, "value.null", "expected text, found NULL");
		else if (!ir_text_ok(text, strlen(text)))
			fault(ck, at, "sym.text",
			    "expected UTF-8 without control characters");
		return;
	case IR_BOOL:
		memcpy(&byte, at->p, 1);
		if (byte > 1)
			fault(ck, at, "bool.value",
			    "expected false or true, found another byte");
		return;
	case IR_F64:
		memcpy(&bits, at->p, sizeof(bits));
		if ((bits & ~((uint64_t)1 << 63)) > exponent)
			fault(ck, at, "f64.nan", "expected a number, found NaN");
		return;
	case IR_ID:
		memcpy(&byte, at->p, 1);
		if (at->field && at->field->role == IR_SELF &&
		    byte != (unsigned char)at->field->kind)
			fault(ck, at, "id.kind",
			    "the first byte of the id is not its kind");
		return;
	case IR_DIGEST:
	case IR_U64:
	case IR_I64:
	case IR_REC:
	case IR_ADT:
		return;
	}
}

/* First pass: each place by itself. */
static int
visit_place(void *ctx, const struct ir_at *at)
{
	struct check *ck = ctx;
	enum ir_kind kind = at->type->kind;

	/* A shared part counts each time, so sharing cannot make this run
	 * for ever. A payload is counted with its sum. */
	if (!at->variant)
		ck->bytes += ir_least_bytes(at->type);
	if (ck->bytes > IR_MAX_BYTES) {
		fault(ck, at, "value.size", "encoded, it is over 64 MiB");
		return -1;
	}
	if (!at->p) {
		fault(ck, at, "value.null", "expected a value, found NULL");
		return 0;
	}
	if ((kind == IR_REC || kind == IR_ADT) && at->depth >= IR_MAX_DEPTH) {
		fault(ck, at, "value.depth", "records nest too deep");
		return -1;
	}
	if (kind == IR_ADT)
		check_sum(ck, at);
	else if (kind != IR_REC)
		check_prim(ck, at);
	return 0;
}

static void
check_dependency(struct check *ck, const struct ir_at *at,
    const struct ir_entity *target)
{
	const struct ir_at *up = at->up;
	const struct ir_entity *own;
	Id id;
	uint32_t i;

	for (i = 0; i < at->index; i++)
		if (ir_id_eq(ir_elem(at->field, at->up->p, i), at->p)) {
			fault(ck, at, "dag.duplicate-dependency",
			    "the same entity is named before");
			break;
		}
	while (up && !ir_self(up->type))
		up = up->up;
	if (!up)
		return;
	memcpy(&id, ir_elem(ir_self(up->type), up->p, 0), sizeof(id));
	own = ir_index_find(&ck->index, &id);
	if (target == own)
		fault(ck, at, "dag.self-dependency",
		    "the entity depends on itself");
	else if (target->type == own->type && target->order > own->order)
		fault(ck, at, "dag.not-topological",
		    "expected an entity stored before this one, found a later");
}

static void
check_ref(struct check *ck, const struct ir_at *at)
{
	const struct ir_entity *e = ir_index_find(&ck->index, at->p);

	if (!e) {
		fault(ck, at, "reference.unknown",
		    "no entity of this snapshot has this id");
		return;
	}
	if (e->core == IR_NO_CORE && !at->prov)
		fault(ck, at, "reference.provenance",
		    "the entity only occurs inside provenance");
	if (!strcmp(at->field->key, "deps"))
		check_dependency(ck, at, e);
}

/* Second pass: ids and references, over the whole value. */
static int
visit_ids(void *ctx, const struct ir_at *at)
{
	struct check *ck = ctx;

	if (!at->p || !at->field)
		return 0;
	if (at->field->role == IR_REF)
		check_ref(ck, at);
	/* Of entities with one id the index finds the first. */
	if (at->field->role == IR_SELF &&
	    ir_index_find(&ck->index, at->p)->p != at->up->p)
		fault(ck, at, "id.duplicate",
		    "an earlier entity has the same id");
	return 0;
}

int
ir_check(const struct ir_type *t, const void *p, struct diag *diag)
{
	struct check ck = { .diag = diag };
	struct arena arena;

	if (ir_walk(t, p, visit_place, &ck))
		return -1;
	arena_init(&arena);
	ir_index_build(&ck.index, &arena, t, p);
	ir_walk(t, p, visit_ids, &ck);
	arena_release(&arena);
	return ck.faults ? -1 : 0;
}
