/* SPDX-License-Identifier: MIT */
#include "gen/stages/program/program.h"

#include <stdio.h>
#include <string.h>

#include "gen/rows.h"
#include "gen/stages/program/build.h"
#include "kv/native.h"
#include "kv/near.h"

#define IR_DEF "gen/stages/program/program.def"
#include "gen/ir/desc.h"

struct import {
	const struct space *space;
	struct session *session;
	struct diag *diag;
	struct program_builder b;
	struct map slot;  /* name -> its present value, Value * */
	struct map count; /* name -> how often written, size_t * */
	const struct func *func;
};

/* The name of the next value of a slot: `x`, then `x‥2`, … */
static const char *
next_name(struct import *im, const char *slot)
{
	size_t *n = map_get(&im->count, slot);

	if (!n) {
		n = arena_alloc(im->b.arena, sizeof *n);
		map_set(&im->count, slot, n);
	}
	if (++*n == 1)
		return slot;
	return arena_printf(im->b.arena, "%s‥%zu", slot, *n);
}

static void
import_params(struct import *im)
{
	for (size_t i = 0; i < im->func->nread; i++) {
		const struct param *p = &im->func->read[i];
		RoleParam *role = arena_alloc(im->b.arena, sizeof *role);

		role->index = i;
		map_set(&im->slot, p->name, program_value(&im->b,
		    next_name(im, p->name), ValueRole_of_RoleParam(role),
		    p->langtype, lineage_one("root", "import", NULL,
		    im->b.arena)));
	}
}

static Value *
import_literal(struct import *im, const char *name, const char *unique,
    const struct value *v)
{
	RoleConst *role = arena_alloc(im->b.arena, sizeof *role);
	char *hex = arena_alloc(im->b.arena, 2 * v->n + 1);
	Value *value;

	hex_encode(hex, v->body, v->n);
	role->literal = (Literal){ .langtype = v->langtype, .body = hex };
	value = program_value_as(&im->b, name, unique,
	    ValueRole_of_RoleConst(role), v->langtype,
	    lineage_one("root", "import", NULL, im->b.arena));
	return value;
}

/* The value a slot reads; NULL after a diagnosis. */
static Value *
import_read(struct import *im, const struct row *row, size_t ordinal, size_t j)
{
	const struct slot *s = &row->read[j];
	Value *v;

	if (s->value)
		return import_literal(im, "", arena_printf(im->b.arena,
		    "literal %zu %zu", ordinal, j), s->value);
	v = map_get(&im->slot, s->name);
	if (!v)
		diag_error(im->diag, row->loc, "%s: `%s` is read before it "
		    "is written; write it first", im->func->name, s->name);
	return v;
}

/* The author of `deepx/cblas·sum` when `deepx·sum` is an abstract op. */
static const char *
explicit_author(struct import *im, const char *opcode)
{
	struct str pkg, name;
	size_t cut;

	name_split(opcode, &pkg, &name);
	for (cut = pkg.n; cut > 0 && pkg.p[cut - 1] != '/'; cut--)
		;
	if (cut == 0 || !rwir_is_abstract(im->space, arena_printf(im->b.arena,
	    "%.*s·%.*s", (int)cut - 1, pkg.p, (int)name.n, name.p)))
		return NULL;
	return arena_strndup(im->b.arena, pkg.p + cut, pkg.n - cut);
}

/* A name that may have been meant; members of the caller's package also have a
 * bare one. */
static void
offer(struct import *im, struct near *near, const char *name)
{
	struct str own, pkg, last;

	near_try(near, name);
	name_split(im->func->name, &own, &last);
	name_split(name, &pkg, &last);
	if (own.n && str_eq(own, pkg))
		near_try(near, last.p);
}

/* The words that the runtime has for it. */
static int
unknown_op(struct import *im, const struct row *row)
{
	struct near near = { .word = row->opcode };
	const struct value *v;
	const char *key;
	size_t it = 0;

	for (size_t i = 0; i < kv_native_count; i++)
		near_try(&near, kv_natives[i].name);
	while ((key = space_next(im->space, "/lib/", &it, &v))) {
		size_t n = strlen(key);

		if (!strcmp(v->langtype, "def rwir"))
			offer(im, &near, key + 5);
		else if (n > 11 && !strcmp(key + n - 6, "/[0,0]"))
			offer(im, &near, arena_strndup(im->b.arena, key + 5,
			    n - 11));
	}
	return diag_error(im->diag, row->loc, "NameError: rwfunc not found: "
	    "%s%s%s%s", row->opcode, near.best ? "; did you mean " : "",
	    near.best ? near.best : "", near.best ? "?" : "");
}

/* Fills opcode, body and effect of an op; -1 after a diagnosis. */
static int
classify(struct import *im, const struct row *row, Op *op)
{
	static const OpAbstract abstract;
	static const OpFunction function;
	static const OpNative native;
	const struct kv_native *builtin = kv_native_of(row->opcode);
	const char *author, *full;

	op->opcode = row->opcode;
	if (builtin || !strcmp(row->opcode, "=")) {
		op->body = OpBody_of_OpNative(&native);
		op->effect = builtin && !builtin->writes; /* it prints */
		return 0;
	}
	if (rwir_is_abstract(im->space, row->opcode)) {
		op->body = OpBody_of_OpAbstract(&abstract);
		return 0;
	}
	author = explicit_author(im, row->opcode);
	if (author) {
		OpExplicit *e = arena_alloc(im->b.arena, sizeof *e);

		e->author = author;
		op->body = OpBody_of_OpExplicit(e);
		return 0;
	}
	full = func_callee(im->space, im->func->name, row->opcode,
	    im->b.arena);
	if (!full && name_version(row->opcode))
		full = row->opcode; /* made by the build; the runtime checks */
	if (!full)
		return unknown_op(im, row);
	op->opcode = full;
	op->body = OpBody_of_OpFunction(&function);
	op->effect = true; /* until inlined: it may print */
	return 0;
}

/* `a -> b` is a new name for a value; `b = literal` is a literal value. */
static int
import_copy(struct import *im, const struct row *row, size_t ordinal)
{
	for (size_t j = 0; j < row->nwrite; j++) {
		const char *name = next_name(im, row->write[j]);
		Value *v;

		if (row->read[0].value)
			v = import_literal(im, name, name, row->read[0].value);
		else
			v = import_read(im, row, ordinal, 0);
		if (!v)
			return -1;
		map_set(&im->slot, row->write[j], v);
	}
	return 0;
}

/* The declared type of what a function gives; a version has its base's. */
static const char *
result_langtype(struct import *im, const Op *op, size_t j)
{
	const struct func *f;
	size_t n = strlen(op->opcode);

	if (!OpBody_is_OpFunction(op->body))
		return "any";
	if (name_version(op->opcode))
		n = (size_t)(strrchr(op->opcode, '.') - op->opcode);
	f = func_read(im->space, arena_strndup(im->b.arena, op->opcode, n),
	    im->b.arena);
	return f && j < f->nwrite ? f->write[j].langtype : "any";
}

static int
import_row(struct import *im, const struct row *row, size_t ordinal)
{
	struct arena *arena = im->b.arena;
	Op op = { .n_inputs = (uint32_t)row->nread,
		.n_outputs = (uint32_t)row->nwrite };
	const char *first = NULL;
	int bad;

	if (!strcmp(row->opcode, "=") && row->nread == 1)
		return import_copy(im, row, ordinal);
	/* What a wrong row writes is there all the same: one error is enough. */
	bad = classify(im, row, &op);
	op.inputs = arena_array(arena, row->nread, sizeof *op.inputs);
	op.outputs = arena_array(arena, row->nwrite, sizeof *op.outputs);
	for (size_t j = 0; j < row->nread; j++) {
		Value *v = import_read(im, row, ordinal, j);

		if (v)
			op.inputs[j] = v->id;
		else
			bad = -1;
	}
	for (size_t j = 0; j < row->nwrite; j++) {
		static const RoleTemp temp;
		const char *name = next_name(im, row->write[j]);
		Value *v = program_value(&im->b, name,
		    ValueRole_of_RoleTemp(&temp),
		    bad ? "any" : result_langtype(im, &op, j),
		    lineage_one("root", "import", NULL, arena));

		op.outputs[j] = v->id;
		map_set(&im->slot, row->write[j], v);
		if (j == 0)
			first = name;
	}
	if (bad) /* its results are known all the same: no second error */
		return -1;
	op.id = program_op_id(&im->b, op.opcode, first, ordinal);
	op.lineage = lineage_one("root", "import", NULL, arena);
	place_set(im->session, &op.id, row->loc);
	program_op(&im->b, &op);
	return bad;
}

static void
import_results(struct import *im)
{
	for (size_t i = 0; i < im->func->nwrite; i++) {
		const struct param *p = &im->func->write[i];
		Value *v = map_get(&im->slot, p->name);

		/* A row that failed may have been its only writer. */
		if (v)
			program_result(&im->b, p->name, p->langtype, &v->id);
	}
}

const Program *
program_import(const struct space *space, const char *unit,
    struct session *session, struct arena *arena, struct diag *diag)
{
	struct import im = { .space = space, .session = session,
		.diag = diag };
	int bad = 0;

	im.func = func_read(space, unit, arena);
	if (!im.func)
		BUG("%s is not a function", unit);
	program_begin(&im.b, arena, unit);
	map_init(&im.slot, arena);
	map_init(&im.count, arena);
	import_params(&im);
	for (size_t i = 0; i < im.func->nrow; i++)
		bad |= import_row(&im, &im.func->row[i], i);
	import_results(&im);
	return bad ? NULL : program_end(&im.b, NULL);
}
