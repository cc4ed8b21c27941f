/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>

#include "base/arena.h"
#include "space/masked.h"

Suite *space_masked_suite(void);

static struct arena arena;
static struct masked masked;

static int
decode(const char *text, int *line)
{
	struct diag d;
	int bad;

	diag_init(&d);
	bad = masked_decode(&masked, &arena, str_of(text), "masked", &d);
	*line = d.n ? d.item[0].loc.line : 0;
	ck_assert_int_eq(bad ? 1 : 0, (int)d.n);
	diag_release(&d);
	return bad;
}

START_TEST(valid__names_of_versions)
{
	static const char *const bad[] = { "", "f", ".1", "f.", "f.0", "f.01",
		"f.-1", "f.1x", "a b.1", "f.1\n", "f.99999999999999999999" };

	ck_assert(masked_valid("deepx·softmax.1"));
	ck_assert(masked_valid("f.10"));
	ck_assert(masked_valid("a/b·f.2"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!masked_valid(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(edit__sorted_without_doubles)
{
	struct buf out = { 0 };
	int line;

	masked = (struct masked){ 0 };
	ck_assert(masked_add(&masked, &arena, "g.1"));
	ck_assert(masked_add(&masked, &arena, "f.2"));
	ck_assert(masked_add(&masked, &arena, "f.1"));
	ck_assert(!masked_add(&masked, &arena, "f.2"));
	ck_assert(masked_del(&masked, "f.1"));
	ck_assert(!masked_del(&masked, "f.1"));
	ck_assert(masked_has(&masked, "g.1") && !masked_has(&masked, "f.1"));
	masked_encode(&masked, &out);
	ck_assert_str_eq(out.p, "kvmasked 1\nf.2\ng.1\n");
	ck_assert_int_eq(decode(out.p, &line), 0);
	ck_assert_uint_eq(masked.n, 2);
	ck_assert(masked_has(&masked, "f.2"));
	buf_release(&out);
}
END_TEST

START_TEST(decode__each_fault)
{
	static const struct {
		const char *text;
		int line;
	} bad[] = {
		{ "", 1 }, { "kvmasked 1", 1 }, { "kvmasked 2\n", 1 },
		{ "kvmasked 1\nf.1", 1 }, { "kvmasked 1\n\n", 2 },
		{ "kvmasked 1\nf\n", 2 }, { "kvmasked 1\nf.1 \n", 2 },
		{ "kvmasked 1\nf.2\nf.1\n", 3 },
		{ "kvmasked 1\nf.1\nf.1\n", 3 },
	};
	int line;

	ck_assert_int_eq(decode("kvmasked 1\n", &line), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(decode(bad[i].text, &line) == -1, "case %zu", i);
		ck_assert_msg(line == bad[i].line, "case %zu: line %d", i,
		    line);
	}
}
END_TEST

static void
release(void)
{
	arena_release(&arena);
}

Suite *
space_masked_suite(void)
{
	Suite *s = suite_create("space_masked");
	TCase *tc = tcase_create("masked");

	tcase_add_checked_fixture(tc, NULL, release);
	tcase_add_test(tc, valid__names_of_versions);
	tcase_add_test(tc, edit__sorted_without_doubles);
	tcase_add_test(tc, decode__each_fault);
	suite_add_tcase(s, tc);
	return s;
}
