/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "gen/ir/ids.h"
#include "tests/t_gen_ir.h"

#define IR_DEF "tests/t_gen_ir.def"
#include "gen/ir/desc.h"

Suite *gen_ir_suite(void);

/* Schema */

START_TEST(schema__good_one_is_accepted)
{
	ck_assert_int_eq(ir_check_schema(&TUnit_type, &diag), 0);
	ck_assert_uint_eq(diag.n, 0);
}
END_TEST

START_TEST(schema__every_fault_is_reported)
{
	ck_assert_int_eq(ir_check_schema(&Bad_type, &diag), -1);
	ck_assert_int_eq(code_count("schema.wire"), 2);
	ck_assert_int_eq(code_count("schema.duplicate-wire"), 1);
	ck_assert_int_eq(code_count("schema.key"), 2);
	ck_assert_int_eq(code_count("schema.duplicate-key"), 2);
	ck_assert_int_eq(code_count("schema.duplicate-tag"), 1);
	ck_assert_int_eq(code_count("schema.payload"), 1);
	ck_assert_int_eq(code_count("schema.alias"), 1);
	ck_assert_int_eq(code_count("schema.deps"), 1);
	ck_assert_uint_eq(diag.n, 11);
}
END_TEST

START_TEST(schema__accessors_know_the_variant)
{
	TExpr e = lit(3, 0);

	ck_assert(TExpr_is_TLit(e));
	ck_assert(!TExpr_is_TAdd(e));
	ck_assert_int_eq(TExpr_as_TLit(e)->value, 3);
	ck_assert_int_eq(TExpr_TNone, 7);
	ck_assert_str_eq(TExpr_name(TExpr_TNone), "none");
	ck_assert_ptr_null(TExpr_name((enum TExpr_tag)0));
}
END_TEST

START_TEST(schema__wrong_variant_aborts)
{
	TExpr_as_TAdd(lit(3, 0));
}
END_TEST

/* Structure */

/* Checks a unit that must have exactly one fault, of that code. */
static void
ck_fault(const TUnit *u, const char *code)
{
	ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), -1);
	ck_assert_msg(code_count(code) == 1 && diag.n == 1,
	    "expected one %s, found %zu faults, first %s", code, diag.n,
	    diag.n ? diag.item[0].text : "-");
	teardown();
	setup();
}

START_TEST(check__good_unit_is_accepted)
{
	ck_assert_int_eq(ir_check(&TUnit_type, unit_new(), &diag), 0);
	ck_assert_uint_eq(diag.n, 0);
}
END_TEST

START_TEST(check__each_fault_of_a_place)
{
	TUnit *u = unit_new();

	u->unit = NULL;
	ck_fault(u, "value.null");
	u = unit_new();
	u->ops = NULL;
	u->result = u->old[0].id;
	ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), -1);
	ck_assert_int_eq(code_count("value.null"), 1);
	teardown();
	setup();
	u = unit_new();
	u->ops[0].body.p = NULL;
	ck_fault(u, "value.null");
	u = unit_new();
	u->ops[0].body.tag = (enum TExpr_tag)0;
	ck_fault(u, "adt.no-variant");
	u = unit_new();
	u->ops[0].body.tag = (enum TExpr_tag)99;
	ck_fault(u, "adt.tag");
	u = unit_new();
	memset(&u->ops[0].heavy, 2, 1);
	ck_fault(u, "bool.value");
	u = unit_new();
	u->ops[0].body = lit(0, 0xfff8000000000000);
	ck_fault(u, "f64.nan");
	u = unit_new();
	u->old[0].id.b[0] = 'v';
	ck_fault(u, "id.kind");
}
END_TEST

START_TEST(check__text_must_be_utf8_without_control)
{
	static const char *const bad[] = { "\n", "\x7f", "\xc2\x80", "\xc2\x9f",
		"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "a\xc3",
		"\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xf5\x80\x80\x80" };
	static const char *const good[] = { "", "a b", "deepx·softmax",
		"\xc2\xa0", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		TUnit *u = unit_new();

		u->unit = bad[i];
		ck_fault(u, "sym.text");
	}
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		ck_assert(ir_text_ok(good[i], strlen(good[i])));
}
END_TEST

START_TEST(check__each_fault_of_ids)
{
	TUnit *u = unit_new();
	Id *deps;

	u->old[0].id = u->ops[0].id;
	ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), -1);
	ck_assert_int_eq(code_count("id.duplicate"), 1);
	teardown();
	setup();
	u = unit_new();
	u->result = id_of('o', "nobody");
	ck_fault(u, "reference.unknown");
	u = unit_new();
	u->result = u->old[0].id;
	ck_fault(u, "reference.provenance");
	u = unit_new();
	u->ops[1].deps[0] = u->ops[1].id;
	ck_fault(u, "dag.self-dependency");
	u = unit_new();
	u->ops[0].deps = u->ops[1].deps;
	u->ops[0].n_deps = 1;
	u->ops[1].n_deps = 0;
	u->ops[0].deps[0] = u->ops[1].id;
	ck_fault(u, "dag.not-topological");
	u = unit_new();
	deps = arena_array(&arena, 2, sizeof(*deps));
	deps[0] = deps[1] = u->ops[0].id;
	u->ops[1].deps = deps;
	u->ops[1].n_deps = 2;
	ck_fault(u, "dag.duplicate-dependency");
}
END_TEST

START_TEST(check__depth_and_cycles_end)
{
	TUnit *u = unit_new();
	TExpr deep = none();
	TAdd *self = arena_alloc(&arena, sizeof(*self));
	int i;

	/* Unit and operation are two records, so 62 may follow. */
	for (i = 0; i < 61; i++)
		deep = add(deep, none());
	u->ops[0].body = deep;
	ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), 0);
	u->ops[0].body = add(deep, none());
	ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), -1);
	ck_assert_int_eq(code_count("value.depth"), 1);
	diag_release(&diag);
	diag_init(&diag);
	u->ops[0].body = TExpr_of_TAdd(self);
	self->args = &u->ops[0].body;
	self->n_args = 1;
	ck_fault(u, "value.depth");
}
END_TEST

START_TEST(check__shared_parts_end)
{
	TUnit *u = unit_new();
	TExpr e = none();
	int i;

	/* Not deep, but 2^40 parts when written out. */
	for (i = 0; i < 40; i++)
		e = add(e, e);
	u->ops[0].body = e;
	ck_fault(u, "value.size");
}
END_TEST

START_TEST(check__all_faults_are_reported_in_one_order)
{
	static const char *const want[] = {
		"adt.tag: unit.ops[0].body: ",
		"sym.text: unit.ops[1].name: ",
		"value.null: unit.unit: ",
		"reference.unknown: unit.ops[1].deps[0]: ",
		"reference.unknown: unit.result: ",
	};
	TUnit *u = unit_new();
	size_t i;

	u->unit = NULL;
	u->ops[0].body.tag = (enum TExpr_tag)99;
	u->ops[1].name = "\t";
	u->result.b[16] ^= 1;
	u->ops[1].deps[0].b[16] ^= 1;
	ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), -1);
	ck_assert_uint_eq(diag.n, 5);
	for (i = 0; i < 5; i++)
		ck_assert_msg(!strncmp(diag.item[i].text, want[i],
		    strlen(want[i])), "%zu: %s", i, diag.item[i].text);
}
END_TEST

/* Digests and text */

START_TEST(digest__equals_sha256sum)
{
	Pair p = { .x = 5, .name = "ab" };
	TUnit *u = unit_new();
	Id deps[3];

	ck_hex(ir_digest(&Pair_type, &p), PAIR_SHA);
	ck_hex(ir_digest(&TUnit_type, u), UNIT_SHA);
	ck_hex(ir_core_digest(&TUnit_type, u), UNIT_CORE_SHA);
	ck_hex(ir_core_digest(&TOp_type, &u->ops[1]), OP_CORE_SHA);
	/* Outside of it are two, one of them named twice. */
	deps[0] = deps[2] = id_of('o', "t0");
	deps[1] = id_of('o', "t9");
	u->ops[1].deps = deps;
	u->ops[1].n_deps = 3;
	ck_hex(ir_core_digest(&TOp_type, &u->ops[1]), OP_OUTSIDE_SHA);
}
END_TEST

START_TEST(digest__knows_no_environment)
{
	ck_assert_int_eq(setenv("LC_ALL", "tr_TR.UTF-8", 1), 0);
	ck_assert_int_eq(setenv("TZ", "Asia/Tokyo", 1), 0);
	ck_assert_int_eq(setenv("HOME", "/", 1), 0);
	setlocale(LC_ALL, "");
	ck_assert_int_eq(chdir("/"), 0);
	ck_hex(ir_digest(&TUnit_type, unit_new()), UNIT_SHA);
}
END_TEST

START_TEST(digest__follows_the_wire_not_the_c_names)
{
	Pair p = { .x = 1, .name = "ab" };
	PairRenamed same = { .number = 1, .text = "ab" };
	PairWire wire = { .x = 1, .name = "ab" };
	PairKey key = { .x = 1, .name = "ab" };
	PairMore more = { .x = 1, .name = "ab" };
	PairType type = { .x = true, .name = "ab" };
	Digest d = ir_digest(&Pair_type, &p), e;

	e = ir_digest(&PairRenamed_type, &same);
	ck_assert(ir_digest_eq(&d, &e));
	e = ir_digest(&PairWire_type, &wire);
	ck_assert(!ir_digest_eq(&d, &e));
	e = ir_digest(&PairKey_type, &key);
	ck_assert(!ir_digest_eq(&d, &e));
	e = ir_digest(&PairMore_type, &more);
	ck_assert(!ir_digest_eq(&d, &e));
	e = ir_digest(&PairType_type, &type);
	ck_assert(!ir_digest_eq(&d, &e));
}
END_TEST

START_TEST(digest__domains_and_kinds_are_separate)
{
	Digest a = ir_digest_bytes("a", "x", 1), b = ir_digest_bytes("b", "x", 1);
	Id o = id_of('o', "t0"), v = id_of('v', "t0");
	/* printf 'kvaot-ido\000\x82\x61u\x62t0' | sha256sum */
	char hex[35];

	ck_assert(!ir_digest_eq(&a, &b));
	ck_assert(!ir_id_eq(&o, &v));
	ck_assert_mem_ne(o.b + 1, v.b + 1, 16);
	hex_encode(hex, o.b, sizeof(o.b));
	ck_assert_str_eq(hex, "6f" "fb4c73e2d48ddffa6bae0d06ddb3f213");
}
END_TEST

START_TEST(digest__core_leaves_provenance_out)
{
	TUnit *u = unit_new();
	Digest whole = ir_digest(&TUnit_type, u), d;

	u->ops[0].name = "renamed";
	u->ops[0].id = id_of('o', "renamed");
	u->ops[1].deps[0] = u->ops[0].id;
	u->header.parents->b[0] ^= 1;
	u->n_old = 0;
	ck_hex(ir_core_digest(&TUnit_type, u), UNIT_CORE_SHA);
	d = ir_digest(&TUnit_type, u);
	ck_assert(!ir_digest_eq(&whole, &d));
	u->result = u->ops[0].id;
	d = ir_core_digest(&TUnit_type, u);
	hex_decode(whole.b, 32, str_of(UNIT_CORE_SHA));
	ck_assert(!ir_digest_eq(&whole, &d));
}
END_TEST

START_TEST(print__is_as_documented)
{
	static const char want[] =
	    "unit\n"
	    "  header: header\n"
	    "    schema: \"0.0.0\"\n"
	    "    producer: \"test\"\n"
	    "    parents: [aaaaaaaaaaaa]\n"
	    "  unit: \"deepx·softmax\"\n"
	    "  ops:\n"
	    "    op#2\n"
	    "      name: \"y\"\n"
	    "      opcode: \"deepx·matmul\"\n"
	    "      deps: [op#1]\n"
	    "      body: add\n"
	    "        args:\n"
	    "          none\n"
	    "          lit\n"
	    "            value: 7\n"
	    "            scale: f64 0x3ee4f8b588e368f1\n"
	    "      heavy: true\n"
	    "      lineage: lineage\n"
	    "        kind: \"lowered\"\n"
	    "        rule: \"bind\"\n"
	    "        sources: [o:fb4c73e2d48d]\n"
	    "  result: op#2\n"
	    "  rules: 000102030405\n"
	    "  limit: 70000\n"
	    "  old:\n"
	    "    op#1\n"
	    "      name: \"x\"\n"
	    "      opcode: \"deepx·sum\"\n"
	    "      deps: []\n"
	    "      body: none\n"
	    "      heavy: false\n"
	    "      lineage: lineage\n"
	    "        kind: \"root\"\n"
	    "        rule: \"import\"\n"
	    "        sources: []\n";
	struct buf out = { 0 };
	TUnit *u = unit_new();

	u->old[0] = op("t9", "x", "deepx·sum", none());
	u->ops[1].deps[0] = u->old[0].id;
	u->ops[1].lineage.sources[0] = id_of('o', "t0");
	u->ops = &u->ops[1];
	u->n_ops = 1;
	ir_print(&TUnit_type, u, &out);
	ck_assert_str_eq(out.p, want);
	buf_release(&out);
}
END_TEST

START_TEST(ids__finds_the_first_position)
{
	struct row { int before; Id id; } row[300];
	struct ir_ids ids;
	Id absent = id_of('x', "absent");

	for (int i = 0; i < 300; i++) {
		char name[8];

		/* 100 ids, three times each. */
		snprintf(name, sizeof name, "n%d", i * 7 % 100);
		row[i] = (struct row){ i, id_of('x', name) };
	}
	ir_ids_init(&ids, &arena, row, 300, sizeof *row,
	    offsetof(struct row, id));
	for (int i = 0; i < 300; i++)
		ck_assert_int_eq(ir_ids_find(&ids, &row[i].id), i % 100);
	ck_assert_int_eq(ir_ids_find(&ids, &absent), -1);
	ir_ids_init(&ids, &arena, NULL, 0, sizeof *row, 0);
	ck_assert_int_eq(ir_ids_find(&ids, &absent), -1);
}
END_TEST

Suite *
gen_ir_suite(void)
{
	Suite *s = suite_create("gen_ir");
	TCase *tc = tcase_create("gen_ir");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, schema__good_one_is_accepted);
	tcase_add_test(tc, schema__every_fault_is_reported);
	tcase_add_test(tc, schema__accessors_know_the_variant);
	tcase_add_exit_test(tc, schema__wrong_variant_aborts, EXIT_BUG);
	tcase_add_test(tc, check__good_unit_is_accepted);
	tcase_add_test(tc, check__each_fault_of_a_place);
	tcase_add_test(tc, check__text_must_be_utf8_without_control);
	tcase_add_test(tc, check__each_fault_of_ids);
	tcase_add_test(tc, check__depth_and_cycles_end);
	tcase_add_test(tc, check__shared_parts_end);
	tcase_add_test(tc, check__all_faults_are_reported_in_one_order);
	tcase_add_test(tc, digest__equals_sha256sum);
	tcase_add_test(tc, digest__knows_no_environment);
	tcase_add_test(tc, digest__follows_the_wire_not_the_c_names);
	tcase_add_test(tc, digest__domains_and_kinds_are_separate);
	tcase_add_test(tc, digest__core_leaves_provenance_out);
	tcase_add_test(tc, print__is_as_documented);
	tcase_add_test(tc, ids__finds_the_first_position);
	suite_add_tcase(s, tc);
	return s;
}
