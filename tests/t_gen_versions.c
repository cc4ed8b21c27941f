/* SPDX-License-Identifier: MIT */
/* versions.lock: reading, numbering, writing. */
#include "gen/released.h"
#include "tests/t_gen.h"

Suite *gen_versions_suite(void);

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C64 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static int
read_lock(const char *text)
{
	char *folder = temp_folder();
	char *path = path_join(&arena, folder, "versions.lock");
	int bad;

	versions_init(&plan.locked, &arena);
	write_file(path, text);
	bad = versions_read(&plan.locked, path, &diag);
	ck_assert_int_eq(remove_tree(folder), 0);
	return bad;
}

static Digest
digest_of(char c)
{
	Digest d;

	memset(d.b, c, sizeof d.b);
	return d;
}

static uint64_t
number(const char *base, int core, int program, bool *pending)
{
	Digest c = digest_of((char)core), p = digest_of((char)program);

	return versions_number(&plan.locked, base, &c, &p, pending);
}

START_TEST(read__missing_file_is_empty)
{
	bool pending;

	ck_assert_int_eq(versions_read(&plan.locked, "/no/versions.lock",
	    &diag), 0);
	ck_assert_uint_eq(plan.locked.n, 0);
	ck_assert_uint_eq(number("deepx·f", 1, 1, &pending), 1);
	ck_assert(pending);
}
END_TEST

START_TEST(read__lines)
{
	ck_assert_int_eq(read_lock("kvversions 1\n"
	    "deepx·f\t2\t" A64 "\t" B64 "\ndeepx·g\t1\t" C64 "\t" B64 "\n"),
	    0);
	ck_assert_uint_eq(plan.locked.n, 2);
	ck_assert_str_eq(plan.locked.line[0].base, "deepx·f");
	ck_assert_uint_eq(plan.locked.line[0].n, 2);
	ck_assert_uint_eq(plan.locked.line[0].core.b[31], 0xaa);
	ck_assert_uint_eq(plan.locked.line[0].program.b[0], 0xbb);
}
END_TEST

START_TEST(read__each_fault)
{
	static const struct {
		const char *text;
		int line;
	} bad[] = {
		{ "", 1 },
		{ "kvversions 2\n", 1 },
		{ "kvversions 1\nf\t1\t" A64 "\n", 2 },
		{ "kvversions 1\nf\t1\t" A64 "\t" B64 "\t" B64 "\n", 2 },
		{ "kvversions 1\nf\t0\t" A64 "\t" B64 "\n", 2 },
		{ "kvversions 1\nf\t01\t" A64 "\t" B64 "\n", 2 },
		{ "kvversions 1\n\t1\t" A64 "\t" B64 "\n", 2 },
		{ "kvversions 1\nf\t1\tAA\t" B64 "\n", 2 },
		{ "kvversions 1\nf 1 " A64 " " B64 "\n", 2 },
		{ "kvversions 1\n\nf\t1\t" A64 "\t" B64 "\n", 2 },
		{ "kvversions 1\nf\t1\t" A64 "\t" B64 "\nf\t1\t" C64 "\t" B64
		    "\n", 3 },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(read_lock(bad[i].text) == -1, "case %zu", i);
		ck_assert_msg(diag.n == 1 && diag.item[0].loc.line ==
		    bad[i].line, "case %zu: %zu faults, line %d", i, diag.n,
		    diag.n ? diag.item[0].loc.line : 0);
		again();
	}
}
END_TEST

static void
lock(const char *base, uint64_t n, int core, int program)
{
	versions_add(&plan.locked, &(struct version_line){ .base = base,
		.n = n, .core = digest_of((char)core),
		.program = digest_of((char)program) });
}

START_TEST(number__line_of_the_digests)
{
	bool pending;

	lock("f", 1, 'a', 'p');
	lock("f", 2, 'b', 'p');
	lock("g", 7, 'c', 'p');
	ck_assert_uint_eq(number("f", 'a', 'p', &pending), 1);
	ck_assert(!pending);
	ck_assert_uint_eq(number("f", 'b', 'p', &pending), 2);
	ck_assert(!pending);
}
END_TEST

START_TEST(number__new_plan_is_the_next_and_pending)
{
	bool pending;

	lock("f", 1, 'a', 'p');
	lock("f", 4, 'b', 'p');
	lock("g", 7, 'c', 'p');
	ck_assert_uint_eq(number("f", 'c', 'p', &pending), 5);
	ck_assert(pending);
	ck_assert_uint_eq(number("h", 'a', 'p', &pending), 1);
	ck_assert(pending);
}
END_TEST

/* The recorded base must be the base that is there. */
START_TEST(number__other_program_is_another_version)
{
	bool pending;

	lock("f", 1, 'a', 'p');
	ck_assert_uint_eq(number("f", 'a', 'q', &pending), 2);
	ck_assert(pending);
}
END_TEST

START_TEST(number__does_not_change_the_lock)
{
	bool pending;

	number("f", 'a', 'p', &pending);
	ck_assert_uint_eq(plan.locked.n, 0);
}
END_TEST

START_TEST(encode__sorted_and_read_back)
{
	struct buf out = { 0 };

	lock("g", 1, 0xcc, 0xbb);
	lock("f", 10, 0xaa, 0xbb);
	lock("f", 2, 0xaa, 0xbb);
	versions_encode(&plan.locked, &out);
	ck_assert_str_eq(out.p, "kvversions 1\n"
	    "f\t2\t" A64 "\t" B64 "\nf\t10\t" A64 "\t" B64 "\n"
	    "g\t1\t" C64 "\t" B64 "\n");
	ck_assert_int_eq(read_lock(out.p), 0);
	ck_assert_uint_eq(plan.locked.n, 3);
	buf_release(&out);
}
END_TEST

START_TEST(encode__empty)
{
	struct buf out = { 0 };

	versions_encode(&plan.locked, &out);
	ck_assert_str_eq(out.p, "kvversions 1\n");
	buf_release(&out);
}
END_TEST

/* A unit gets the number of its line; a changed plan gets the next one. */
START_TEST(unit__numbered_by_the_lock)
{
	struct unit *u = unit_of(SOFTMAX, "deepx·softmax", LEVEL_FUSION);
	struct version_line line = { .base = "deepx·softmax", .n = 3,
		.core = u->fusion.core, .program = u->inlined.core };

	ck_assert(u->has_kernels);
	ck_assert_uint_eq(u->version, 1);
	ck_assert(u->pending);
	again();
	versions_add(&plan.locked, &line);
	u = unit_of(SOFTMAX, "deepx·softmax", LEVEL_FUSION);
	ck_assert_uint_eq(u->version, 3);
	ck_assert(!u->pending);
	again();
	/* Of another program: superseded, so nobody asks for its file. */
	line.core.b[0] ^= 1;
	line.program.b[0] ^= 1;
	versions_add(&plan.locked, &line);
	u = unit_of(SOFTMAX, "deepx·softmax", LEVEL_FUSION);
	ck_assert_uint_eq(u->version, 4);
	ck_assert(u->pending);
}
END_TEST

START_TEST(join__own_lines_decide_about_their_bases)
{
	struct versions from;

	versions_init(&from, &arena);
	versions_add(&from, &(struct version_line){ .base = "f", .n = 1 });
	versions_add(&from, &(struct version_line){ .base = "g", .n = 1 });
	versions_add(&from, &(struct version_line){ .base = "g", .n = 2 });
	lock("f", 4, 'a', 'p');
	versions_join(&plan.locked, &from);
	ck_assert_uint_eq(plan.locked.n, 3);
	ck_assert_str_eq(plan.locked.line[0].base, "f");
	ck_assert_uint_eq(plan.locked.line[0].n, 4);
	ck_assert_uint_eq(plan.locked.line[2].n, 2);
	ck_assert_str_eq(plan.locked.line[2].base, "g");
}
END_TEST

/* Plans with template rows changed in memory, so that today's plan is not the
 * released one. */
static struct unit *
plan_changed(const struct version_line *line, int *bad)
{
	struct template *t = (struct template *)rules_template(&plan.rules,
	    "rows");

	t->text = str_of(arena_printf(&arena, "%.*s\nint changed;\n",
	    (int)t->text.n, t->text.p));
	t->revision.b[0] ^= 1;
	versions_add(&plan.locked, line);
	*bad = plan_text(SOFTMAX, LEVEL_ARTIFACT);
	return map_get(&plan.units, "deepx·softmax.3");
}

/* Writes the file of softmax.3 and starts over. */
static struct version_line
release_softmax(const char *folder)
{
	struct unit *u = unit_of(SOFTMAX, "deepx·softmax", LEVEL_FUSION);
	struct version_line line = { .base = "deepx·softmax", .n = 3,
		.core = u->fusion.core, .program = u->inlined.core,
		.folder = folder };

	ck_assert_int_eq(released_write(&plan, u, &line, &diag), 0);
	again();
	return line;
}

START_TEST(released__is_planned_beside_todays)
{
	static char folder[] = "/tmp/kvaot.t_gen_rel.XXXXXX";
	struct version_line line;
	const Artifact *a;
	struct unit *old, *today;
	int bad;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	line = release_softmax(folder);
	old = plan_changed(&line, &bad);
	ck_assert_int_eq(bad, 0);
	today = map_get(&plan.units, "deepx·softmax");
	ck_assert_uint_eq(today->version, 4);
	ck_assert(today->pending && !today->released);
	ck_assert_ptr_nonnull(old);
	ck_assert(old->released && !old->pending && old->has_kernels);
	ck_assert_uint_eq(old->version, 3);
	ck_assert(ir_digest_eq(&old->fusion.core, &line.core));
	a = old->artifact.root;
	ck_assert_str_eq(a->registrations[0].opcode, "deepx·softmax.3.k0");
	/* Its files are its own, and hold the text of its template. */
	ck_assert(strncmp(a->sources[0].path, "kernels/deepx.softmax,k0", 24));
	ck_assert_ptr_null(strstr(((struct str *)map_get(&plan.session.texts,
	    a->sources[0].path))->p, "int changed;"));
	a = today->artifact.root;
	ck_assert(!strncmp(a->sources[0].path, "kernels/deepx.softmax,k0", 24));
	ck_assert_ptr_nonnull(strstr(((struct str *)map_get(
	    &plan.session.texts, a->sources[0].path))->p, "int changed;"));
	ck_assert_int_eq(remove_tree(folder), 0);
}
END_TEST

START_TEST(released__other_program_is_not_planned)
{
	static char folder[] = "/tmp/kvaot.t_gen_rel.XXXXXX";
	struct version_line line;
	int bad;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	line = release_softmax(folder);
	line.program.b[0] ^= 1;
	ck_assert_ptr_null(plan_changed(&line, &bad));
	ck_assert_int_eq(bad, 0);
	ck_assert_int_eq(remove_tree(folder), 0);
}
END_TEST

START_TEST(released__file_must_be_the_one_of_the_line)
{
	static char folder[] = "/tmp/kvaot.t_gen_rel.XXXXXX";
	struct version_line line;
	int bad;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	line = release_softmax(folder);
	line.core.b[0] ^= 1;
	ck_assert_ptr_null(plan_changed(&line, &bad));
	ck_assert_int_eq(bad, -1);
	ck_assert_ptr_nonnull(strstr(diag.item[0].text, "not the plan that the "
	    "lock names"));
	again();
	ck_assert_int_eq(remove_tree(folder), 0);
	line.core.b[0] ^= 1;
	ck_assert_ptr_null(plan_changed(&line, &bad));
	ck_assert_int_eq(bad, -1);
	ck_assert_ptr_nonnull(strstr(diag.item[0].text, "it is missing"));
}
END_TEST

/* A unit without a kernel group gets no version. */
START_TEST(unit__without_kernels_has_no_version)
{
	struct unit *u = unit_f("rwfunc f(A:[*]float32) -> (B:[*]float32) {\n"
	    "deepx·relu(A) -> B\n}", LEVEL_ARTIFACT);

	ck_assert(!u->has_kernels);
	ck_assert_uint_eq(u->version, 0);
	ck_assert_ptr_null(u->artifact.root);
}
END_TEST

Suite *
gen_versions_suite(void)
{
	Suite *s = suite_create("gen_versions");
	TCase *tc = gen_case(s, "versions");

	tcase_add_test(tc, read__missing_file_is_empty);
	tcase_add_test(tc, read__lines);
	tcase_add_test(tc, read__each_fault);
	tcase_add_test(tc, number__line_of_the_digests);
	tcase_add_test(tc, number__new_plan_is_the_next_and_pending);
	tcase_add_test(tc, number__other_program_is_another_version);
	tcase_add_test(tc, number__does_not_change_the_lock);
	tcase_add_test(tc, encode__sorted_and_read_back);
	tcase_add_test(tc, encode__empty);
	tcase_add_test(tc, unit__numbered_by_the_lock);
	tcase_add_test(tc, join__own_lines_decide_about_their_bases);
	tcase_add_test(tc, released__is_planned_beside_todays);
	tcase_add_test(tc, released__other_program_is_not_planned);
	tcase_add_test(tc, released__file_must_be_the_one_of_the_line);
	tcase_add_test(tc, unit__without_kernels_has_no_version);
	return s;
}
