/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/t_gen_ir.h"

Suite *gen_ir_codec_suite(void);

START_TEST(codec__bytes_are_the_documented_ones)
{
	/* By hand, from RFC 8949. */
	static const char want[] = "\x82\x6c" "kvaot.t.pair" "\xa2\x61" "x"
	    "\x05\x64" "name" "\x62" "ab";
	Pair p = { .x = 5, .name = "ab" };
	struct buf out = { 0 };

	ir_encode(&Pair_type, &p, &out);
	ck_assert_uint_eq(out.n, sizeof(want) - 1);
	ck_assert_mem_eq(out.p, want, out.n);
	buf_release(&out);
}
END_TEST

START_TEST(codec__integers_are_shortest)
{
	/* The examples of RFC 8949, appendix A. */
	static const struct { int64_t v; const char *bytes; size_t n; } ex[] = {
		{ 23, "\x17", 1 }, { 24, "\x18\x18", 2 },
		{ 100, "\x18\x64", 2 }, { 1000, "\x19\x03\xe8", 3 },
		{ 1000000, "\x1a\x00\x0f\x42\x40", 5 },
		{ 1000000000000, "\x1b\x00\x00\x00\xe8\xd4\xa5\x10\x00", 9 },
		{ -1, "\x20", 1 }, { -10, "\x29", 1 }, { -100, "\x38\x63", 2 },
		{ -1000, "\x39\x03\xe7", 3 },
		{ INT64_MIN, "\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", 9 } };
	size_t i;

	for (i = 0; i < sizeof(ex) / sizeof(*ex); i++) {
		struct buf out = { 0 };
		I64 *back;

		ir_encode(&I64_type, &ex[i].v, &out);
		ck_assert_uint_eq(out.n, ex[i].n);
		ck_assert_mem_eq(out.p, ex[i].bytes, out.n);
		back = decode(&I64_type, out.p, out.n);
		ck_assert_ptr_nonnull(back);
		ck_assert_int_eq(*back, ex[i].v);
		buf_release(&out);
	}
}
END_TEST

#define PAIR "\x82\x6c" "kvaot.t.pair"
#define XKEY "\x61" "x"
#define NKEY "\x64" "name"
#define BYTES(s) s, sizeof(s) - 1

START_TEST(codec__each_refusal_has_its_code)
{
	static const struct { const char *code, *bytes; size_t n; } bad[] = {
		{ "cbor.shortest", BYTES(PAIR "\xa2" XKEY "\x18\x05" NKEY
		    "\x60") },
		{ "cbor.shortest", BYTES("\x98\x02\x6c" "kvaot.t.pair\xa2") },
		{ "cbor.indefinite", BYTES("\x9f\x6c" "kvaot.t.pair") },
		{ "cbor.indefinite", BYTES(PAIR "\xbf" XKEY) },
		{ "cbor.indefinite", BYTES(PAIR "\xa2" XKEY "\5" NKEY "\x7f") },
		{ "cbor.key-order", BYTES(PAIR "\xa2" NKEY "\x60" XKEY "\5") },
		{ "cbor.key-duplicate", BYTES(PAIR "\xa2" XKEY "\5" XKEY
		    "\5") },
		{ "cbor.field-missing", BYTES(PAIR "\xa1" XKEY "\5") },
		{ "cbor.field-missing", BYTES(PAIR "\xa1" NKEY "\x60") },
		{ "cbor.field-missing", BYTES(PAIR "\xa0") },
		{ "cbor.field-extra", BYTES(PAIR "\xa3" XKEY "\5" NKEY
		    "\x60\x65" "namez\5") },
		{ "cbor.field-extra", BYTES(PAIR "\xa3\x61" "a\5" XKEY) },
		{ "cbor.text", BYTES(PAIR "\xa2" XKEY "\5" NKEY "\x62\xc0\x80")
		},
		{ "cbor.text", BYTES(PAIR "\xa2" XKEY "\5" NKEY "\x61\n") },
		{ "cbor.text", BYTES(PAIR "\xa2" XKEY "\5" NKEY "\x61\0") },
		{ "cbor.type", BYTES(PAIR "\xa2" XKEY "\x20" NKEY "\x60") },
		{ "cbor.type", BYTES(PAIR "\xa2" XKEY "\x1c") },
		{ "cbor.count", BYTES("\x83\x6c" "kvaot.t.pair") },
		{ "cbor.record-tag", BYTES("\x82\x6c" "kvaot.t.pare") },
		{ "cbor.short", BYTES(PAIR "\xa2" XKEY "\5" NKEY
		    "\x7b\x7f\xff\xff\xff\xff\xff\xff\xff") },
		{ "cbor.trailing", BYTES(PAIR "\xa2" XKEY "\5" NKEY "\x60\0") },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_ptr_null(decode(&Pair_type, bad[i].bytes, bad[i].n));
		ck_assert_msg(code_count(bad[i].code) == 1 && diag.n == 1,
		    "%zu: expected %s, found %s", i, bad[i].code,
		    diag.item[0].text);
		teardown();
		setup();
	}
}
END_TEST

START_TEST(codec__memory_is_bounded_by_the_input)
{
	/* 40 sequences in each other, each claiming all bytes that are left:
	 * 16 bytes of memory for 15 of input, 40 times. */
	enum { TOTAL = 60000, LEVELS = 40, LEAST = 15 };
	struct buf in = { 0 };
	int i;

	for (i = 0; i < LEVELS; i++) {
		unsigned n = (unsigned)(TOTAL - in.n - 26) / LEAST;

		buf_puts(&in, "\x82\x70" "kvaot.t.expr.add" "\xa1\x64"
		    "args\x99");
		buf_putc(&in, (char)(n >> 8));
		buf_putc(&in, (char)n);
	}
	while (in.n < TOTAL)
		buf_putc(&in, 0);
	ck_assert_ptr_null(decode(&TExpr_type, in.p, in.n));
	ck_assert_int_eq(code_count("cbor.memory"), 1);
	ck_assert_int_eq(diag.errors, 1);
	buf_release(&in);
}
END_TEST

START_TEST(codec__hostile_counts_and_depth)
{
	static const char huge[] = "\x82\x70" "kvaot.t.expr.add" "\xa1\x64"
	    "args\x9a\xff\xff\xff\xff";
	static const char nan[] = "\x82\x6ekvaot.f64-bits\xa1\x64" "bits"
	    "\x48\x7f\xf8\0\0\0\0\0\0";
	static const char id[] = "\x52" "o0123456789abcdef0";
	static const char wide[] = "\x1b\x80\0\0\0\0\0\0\0";
	struct buf out = { 0 };
	TExpr deep = none();
	int i;

	ck_assert_ptr_null(decode(&TExpr_type, BYTES(huge)));
	ck_assert_int_eq(code_count("cbor.short"), 1);
	ck_assert_ptr_null(decode(&F64Bits_type, BYTES(nan)));
	ck_assert_int_eq(code_count("cbor.nan"), 1);
	ck_assert_ptr_null(decode(&Id_type, BYTES(id)));
	ck_assert_int_eq(code_count("cbor.count"), 1);
	ck_assert_ptr_null(decode(&I64_type, BYTES(wide)));
	ck_assert_int_eq(code_count("cbor.range"), 1);
	ck_assert_ptr_null(decode(&TExpr_type, "", (64 << 20) + 1));
	ck_assert_int_eq(code_count("cbor.size"), 1);
	for (i = 0; i < 63; i++)
		deep = add(deep, none());
	ir_encode(&TExpr_type, &deep, &out);
	ck_assert_ptr_nonnull(decode(&TExpr_type, out.p, out.n));
	buf_clear(&out);
	deep = add(deep, none());
	ir_encode(&TExpr_type, &deep, &out);
	ck_assert_ptr_null(decode(&TExpr_type, out.p, out.n));
	ck_assert_int_eq(code_count("cbor.depth"), 1);
	buf_release(&out);
}
END_TEST

START_TEST(codec__foreign_and_unknown_variants_are_refused)
{
	static const char *const tag[] = { "kvaot.t.expr.nine", "kvaot.t.op",
		"kvaot.t.sum.same", "kvaot.t.expr", "kvaot.t.exprs.none" };
	size_t i;

	for (i = 0; i < sizeof(tag) / sizeof(*tag); i++) {
		struct buf b = { 0 };

		buf_printf(&b, "\x82%c%s\xa0", (int)(0x60 + strlen(tag[i])),
		    tag[i]);
		ck_assert_ptr_null(decode(&TExpr_type, b.p, b.n));
		buf_release(&b);
	}
	ck_assert_int_eq(code_count("adt.unregistered-tag"), 5);
}
END_TEST

static TExpr
random_expr(unsigned *seed, int depth)
{
	unsigned r = (unsigned)rand_r(seed);
	int64_t v = (int64_t)((uint64_t)rand_r(seed) << (r % 34));

	if (depth && r % 3 == 0)
		return add(random_expr(seed, depth - 1),
		    random_expr(seed, depth - 1));
	if (r % 3 == 1)
		return none();
	return lit(r & 64 ? v : -v, (F64Bits)rand_r(seed) << 31);
}

static TUnit *
random_unit(unsigned *seed)
{
	static const char *const text[] = { "", "a", "deepx·sum", "\"\\",
		"a name of more than twenty-three bytes" };
	TUnit *u = unit_new();
	uint32_t i, j;

	u->n_ops = 1 + (uint32_t)rand_r(seed) % 30;
	u->ops = arena_array(&arena, u->n_ops, sizeof(*u->ops));
	u->limit = (uint64_t)rand_r(seed) * (uint64_t)rand_r(seed) * 7;
	for (i = 0; i < u->n_ops; i++) {
		TOp *o = &u->ops[i];

		*o = op(arena_printf(&arena, "r%u", i), text[rand_r(seed) % 5],
		    text[rand_r(seed) % 5], random_expr(seed, 4));
		o->heavy = rand_r(seed) & 1;
		o->deps = arena_array(&arena, u->n_ops, sizeof(*o->deps));
		for (j = 0; j < i; j++)
			if (rand_r(seed) % 3 == 0)
				o->deps[o->n_deps++] = u->ops[j].id;
	}
	u->result = u->ops[(uint32_t)rand_r(seed) % u->n_ops].id;
	return u;
}

START_TEST(codec__random_values_come_back)
{
	unsigned seed = 1;
	int i;

	for (i = 0; i < 200; i++) {
		TUnit *u = random_unit(&seed), *back;
		struct buf a = { 0 }, b = { 0 };

		ck_assert_int_eq(ir_check(&TUnit_type, u, &diag), 0);
		ir_encode(&TUnit_type, u, &a);
		back = decode(&TUnit_type, a.p, a.n);
		ck_assert_ptr_nonnull(back);
		ck_assert_int_eq(ir_check(&TUnit_type, back, &diag), 0);
		ir_encode(&TUnit_type, back, &b);
		ck_assert(str_eq(buf_str(&a), buf_str(&b)));
		ck_assert_uint_eq(back->n_ops, u->n_ops);
		ck_assert_str_eq(back->ops[0].name, u->ops[0].name);
		ck_assert(back->limit == u->limit);
		buf_release(&a);
		buf_release(&b);
		teardown();
		setup();
	}
}
END_TEST

START_TEST(codec__prefixes_are_refused)
{
	struct buf out = { 0 };
	size_t i;

	ir_encode(&TUnit_type, unit_new(), &out);
	for (i = 0; i < out.n; i++)
		ck_assert_ptr_null(decode(&TUnit_type, out.p, i));
	ck_assert_ptr_nonnull(decode(&TUnit_type, out.p, out.n));
	buf_release(&out);
}
END_TEST

/* All values of one byte; what is accepted must encode to the same bytes.
 * Returns how many were accepted. Structure is checked too: it must not
 * crash, whatever it finds. */
static int
mutate_byte(struct buf *bytes, size_t at)
{
	unsigned char *byte = (unsigned char *)bytes->p + at, old = *byte;
	struct buf again = { 0 };
	int v, accepted = 0;
	void *p;

	for (v = 0; v < 256; v++) {
		*byte = (unsigned char)v;
		p = v == old ? NULL : decode(&TUnit_type, bytes->p, bytes->n);
		if (!p)
			continue;
		accepted++;
		ir_check(&TUnit_type, p, &diag);
		buf_clear(&again);
		ir_encode(&TUnit_type, p, &again);
		ck_assert(str_eq(buf_str(&again), buf_str(bytes)));
	}
	*byte = old;
	buf_release(&again);
	return accepted;
}

START_TEST(codec__accepted_mutants_encode_to_themselves)
{
	struct buf out = { 0 };
	int accepted = 0;
	size_t i;

	ir_encode(&TUnit_type, unit_new(), &out);
	for (i = 0; i < out.n; i++) {
		accepted += mutate_byte(&out, i);
		teardown();
		setup();
	}
	/* Both outcomes must have been seen: 17 bytes of `result` alone may
	 * be anything, most bytes of wire names may not. */
	ck_assert_int_gt(accepted, 17 * 255);
	ck_assert_int_lt(accepted, (int)out.n * 255 / 2);
	buf_release(&out);
}
END_TEST

Suite *
gen_ir_codec_suite(void)
{
	Suite *s = suite_create("gen_ir_codec");
	TCase *tc = tcase_create("gen_ir_codec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, codec__bytes_are_the_documented_ones);
	tcase_add_test(tc, codec__integers_are_shortest);
	tcase_add_test(tc, codec__each_refusal_has_its_code);
	tcase_add_test(tc, codec__memory_is_bounded_by_the_input);
	tcase_add_test(tc, codec__hostile_counts_and_depth);
	tcase_add_test(tc, codec__foreign_and_unknown_variants_are_refused);
	tcase_add_test(tc, codec__random_values_come_back);
	tcase_add_test(tc, codec__prefixes_are_refused);
	tcase_add_test(tc, codec__accepted_mutants_encode_to_themselves);
	suite_add_tcase(s, tc);
	return s;
}
