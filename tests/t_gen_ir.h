/* SPDX-License-Identifier: MIT */
/* What the suites of gen/ir share: the test schema, a unit that is right, and
 * fixtures. Each suite has its own arena and diagnostics. */
#ifndef TESTS_T_GEN_IR_H
#define TESTS_T_GEN_IR_H

#include <check.h>
#include <string.h>

#include "gen/ir/ir.h"

#define IR_DEF "tests/t_gen_ir.def"
#include "gen/ir/decl.h"

/* Printed by sha256sum for the header and bytes that another program made of
 * the same unit, from the documented form alone. */
#define UNIT_SHA \
	"a5d9cd81010d12af422d8d3dbd7f38d4c692b93e42a17b1cbfd6a3eafd6ce86b"
#define UNIT_CORE_SHA \
	"202c1d0954f2c17902b3a2e907e55c47dea4146f23904d3d6f525fe712d26c01"
#define OP_CORE_SHA \
	"c3d927c12f41061685ee97619d712969102c859cd921d88e633e557605c9e569"
#define OP_OUTSIDE_SHA \
	"f8ecaff1f78c05ccb7ebd5325db634f20f19add6685cbcb8518d2fa975183198"
#define PAIR_SHA \
	"35d7f5ad533fe726a2853a22055f28a8c238a3fccd5bfea1e1672051432aa054"

static struct arena arena;
static struct diag diag;

static inline void
setup(void)
{
	arena_init(&arena);
	diag_init(&diag);
}

static inline void
teardown(void)
{
	diag_release(&diag);
	arena_release(&arena);
}

static inline int
code_count(const char *code)
{
	size_t i, n = strlen(code);
	int count = 0;

	for (i = 0; i < diag.n; i++)
		count += !strncmp(diag.item[i].text, code, n) &&
		    diag.item[i].text[n] == ':';
	return count;
}

static inline Id
id_of(char kind, const char *name)
{
	const char *const parts[] = { "u", name };

	return ir_id(kind, parts, 2);
}

static inline TExpr
lit(int64_t value, F64Bits scale)
{
	TLit *l = arena_alloc(&arena, sizeof(*l));

	l->value = value;
	l->scale = scale;
	return TExpr_of_TLit(l);
}

static inline TExpr
none(void)
{
	return TExpr_of_TNone(arena_alloc(&arena, sizeof(TNone)));
}

static inline TExpr
add(TExpr a, TExpr b)
{
	TAdd *s = arena_alloc(&arena, sizeof(*s));

	s->args = arena_array(&arena, 2, sizeof(*s->args));
	s->n_args = 2;
	s->args[0] = a;
	s->args[1] = b;
	return TExpr_of_TAdd(s);
}

static inline TOp
op(const char *id, const char *name, const char *opcode, TExpr body)
{
	return (TOp){ .id = id_of('o', id), .name = name, .opcode = opcode,
		.body = body,
		.lineage = { .kind = "root", .rule = "import" } };
}

/* The unit of the golden digests. */
static inline TUnit *
unit_new(void)
{
	TUnit *u = arena_alloc(&arena, sizeof(*u));
	int i;

	u->header.schema = IR_SCHEMA;
	u->header.producer = "test";
	u->header.n_parents = 1;
	u->header.parents = arena_alloc(&arena, sizeof(Digest));
	memset(u->header.parents, 0xaa, sizeof(Digest));
	u->unit = "deepx·softmax";
	u->limit = 70000;
	for (i = 0; i < 32; i++)
		u->rules.b[i] = (uint8_t)i;
	u->ops = arena_array(&arena, 2, sizeof(TOp));
	u->n_ops = 2;
	u->ops[0] = op("t0", "x", "deepx·sum", lit(-300, (F64Bits)1 << 63));
	/* 1e-5, by the IEEE converter of another program. */
	u->ops[1] = op("t1", "y", "deepx·matmul",
	    add(none(), lit(7, 0x3ee4f8b588e368f1)));
	u->ops[1].heavy = true;
	u->ops[1].deps = arena_alloc(&arena, sizeof(Id));
	u->ops[1].deps[0] = u->ops[0].id;
	u->ops[1].n_deps = 1;
	u->ops[1].lineage = (Lineage){ .kind = "lowered", .rule = "bind",
		.sources = arena_alloc(&arena, sizeof(Id)), .n_sources = 1 };
	u->ops[1].lineage.sources[0] = id_of('c', "call");
	u->result = u->ops[1].id;
	u->old = arena_alloc(&arena, sizeof(TOp));
	u->old[0] = op("t2", "z", "old", none());
	u->n_old = 1;
	return u;
}

static inline void
ck_hex(Digest d, const char *want)
{
	char hex[65];

	hex_encode(hex, d.b, sizeof(d.b));
	ck_assert_str_eq(hex, want);
}

static inline void *
decode(const struct ir_type *t, const void *p, size_t n)
{
	return ir_decode(t, p, n, &arena, &diag);
}

#endif
