/* SPDX-License-Identifier: MIT */
/* All levels together: schemas, goldens, and what changes which digest
 * (ir-convention 3.6, item 56). */
#include "tests/t_gen.h"

Suite *gen_stages_suite(void);

static const struct ir_type *const root[] = { &Program_type, &Bound_type,
	&Fusion_type, &Concrete_type, &Artifact_type };

static const char *const level_name[] = { "program", "bound", "fusion",
	"concrete", "artifact" };

enum { LEVELS = 5 };

static const struct snapshot *
level_of(const struct unit *u, int level)
{
	const struct snapshot *of[LEVELS] = { &u->program, &u->bound,
		&u->fusion, &u->concrete, &u->artifact };

	return of[level];
}

START_TEST(schema__of_each_level)
{
	int i = _i;

	ck_assert_int_eq(ir_check_schema(root[i], &diag), 0);
	ck_assert_str_eq(root[i]->wire, arena_printf(&arena, "kvaot.l%d.%s",
	    i + 1, level_name[i]));
	ck_assert(*root[i]->root);
}
END_TEST

/* Digests become `-`: they are what other tests are about, and those of the
 * templates change with every edit. The length of the C text too. */
static char *
without_digests(const char *text)
{
	static const char length[] = "length: ";
	struct buf out = { 0 };
	char *copy;

	while (*text) {
		size_t hex = strspn(text, "0123456789abcdef");

		if (!strncmp(text, length, sizeof length - 1)) {
			buf_puts(&out, length);
			text += sizeof length - 1;
			text += strspn(text, "0123456789");
			buf_puts(&out, "-");
		} else if (hex == 12) {
			buf_puts(&out, "-");
			text += hex;
		} else {
			buf_put(&out, text, hex + 1);
			text += hex + 1;
		}
	}
	copy = arena_strdup(&arena, out.p);
	buf_release(&out);
	return copy;
}

START_TEST(golden__softmax)
{
	const struct snapshot *s;
	struct buf out = { 0 };
	struct str want;
	char *text;

	s = level_of(unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT), _i);
	ir_print(s->type, s->root, &out);
	text = without_digests(out.p);
	buf_release(&out);
	ck_assert_int_eq(file_read(&arena, top_path(arena_printf(&arena,
	    "tests/golden/ir/softmax.%s.txt", level_name[_i])), &want), 0);
	ck_assert_str_eq(text, want.p);
}
END_TEST

#define STEM "kernels/deepx.softmax,k0,float32,dyn"

/* What two runs of the planner are compared by; lives longer than a run. */
struct outcome {
	Digest digest[LEVELS], core[LEVELS], inlined_core;
	uint64_t version;
	char *c, *map;
};

static char *
text_of(const char *path)
{
	const struct str *text = map_get(&plan.session.texts, path);

	ck_assert_msg(text != NULL, "no text %s", path);
	return strndup(text->p, text->n);
}

/* Plans softmax from a text and starts over. */
static struct outcome
outcome_of(const char *text)
{
	const struct unit *u = unit_of(text, "deepx·softmax", LEVEL_ARTIFACT);
	struct outcome o = { .inlined_core = u->inlined.core,
		.version = u->version, .c = text_of(STEM ".c"),
		.map = text_of(STEM ".map") };

	for (int i = 0; i < LEVELS; i++) {
		o.digest[i] = level_of(u, i)->digest;
		o.core[i] = level_of(u, i)->core;
	}
	again();
	return o;
}

static void
outcome_free(struct outcome *o)
{
	free(o->c);
	free(o->map);
}

/* The levels at which two outcomes have other digests, as `--###`. */
static const char *
differ(const Digest *a, const Digest *b)
{
	char *text = arena_strdup(&arena, "-----");

	for (int i = 0; i < LEVELS; i++)
		if (!ir_digest_eq(&a[i], &b[i]))
			text[i] = '#';
	return text;
}

START_TEST(runs__same_text_same_bytes)
{
	struct outcome a = outcome_of(SOFTMAX), b = outcome_of(SOFTMAX);

	ck_assert_str_eq(differ(a.digest, b.digest), "-----");
	ck_assert_str_eq(a.c, b.c);
	ck_assert_str_eq(a.map, b.map);
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

/* A comment, another layout, other functions beside it. */
START_TEST(runs__what_means_nothing_changes_nothing)
{
	struct outcome a = outcome_of(SOFTMAX), b = outcome_of(
	    "// A comment.\nlib t {\nrwfunc f(A:any) -> (B:any) {\n"
	    "deepx·relu(A) -> t\ndeepx·exp(t) -> B\n}\n}\n\n" SOFTMAX);

	ck_assert_str_eq(differ(a.digest, b.digest), "-----");
	ck_assert_str_eq(a.c, b.c);
	/* The map alone says where the lines went. */
	ck_assert_str_ne(a.map, b.map);
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

#define RENAMED \
	"lib deepx {\n" \
	"\t// The largest element of each row.\n" \
	"\trwfunc softmax(A:" FLOATS ", axis:" AXES ") -> (B:" FLOATS ") {\n" \
	"\t\tdeepx·reducemax(A, axis, true) -> largest\n" \
	"\n\t\t// Moved.\n" \
	"\t\tdeepx·expshift(A, largest) -> shifted\n" \
	"\t\tdeepx·sum(shifted, axis, true) -> total\n" \
	"\t\tdeepx·div(shifted, total) -> B\n" \
	"\t}\n" \
	"}\n"

START_TEST(runs__renamed_temporary)
{
	struct outcome a = outcome_of(SOFTMAX), b = outcome_of(RENAMED);

	ck_assert_str_eq(differ(a.digest, b.digest), "#####");
	ck_assert_str_eq(differ(a.core, b.core), "-----");
	ck_assert(ir_digest_eq(&a.inlined_core, &b.inlined_core));
	ck_assert_str_eq(a.c, b.c);
	ck_assert_uint_eq(a.version, b.version);
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

START_TEST(runs__other_op_is_another_plan)
{
	struct outcome a = outcome_of(SOFTMAX), b;
	char *text = strdup(SOFTMAX), *at = strstr(text, "deepx·div");

	memcpy(at, "deepx·sub", strlen("deepx·sub"));
	b = outcome_of(text);
	ck_assert_str_eq(differ(a.core, b.core), "#####");
	ck_assert_str_ne(a.c, b.c);
	free(text);
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

/* Nothing but the last level knows the CPU (item 48). */
START_TEST(runs__other_isa)
{
	static const char *const isas[] = { "x86-64", "x86-64-v3", NULL };
	struct outcome a = outcome_of(SOFTMAX), b;

	plan.session.isas = isas;
	b = outcome_of(SOFTMAX);
	ck_assert_str_eq(differ(a.digest, b.digest), "----#");
	ck_assert_str_eq(a.c, b.c);
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

START_TEST(runs__other_row_of_authors)
{
	struct outcome a = outcome_of(SOFTMAX), b;

	plan.policy.row->op = "reducemax";
	b = outcome_of(SOFTMAX);
	/* The reason is recorded, but the same back ends make the same plan. */
	ck_assert_str_eq(differ(a.digest, b.digest), "-####");
	ck_assert_str_eq(differ(a.core, b.core), "-----");
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

START_TEST(runs__template_revision)
{
	struct outcome a = outcome_of(SOFTMAX), b;

	plan.rules.template_[0].revision.b[0] ^= 1;
	b = outcome_of(SOFTMAX);
	ck_assert_str_eq(differ(a.core, b.core), "--##-");
	outcome_free(&a);
	outcome_free(&b);
	again();
	/* Of the one for the other axes. */
	a = outcome_of(SOFTMAX);
	plan.rules.template_[1].revision.b[0] ^= 1;
	b = outcome_of(SOFTMAX);
	ck_assert_str_eq(differ(a.core, b.core), "--##-");
	outcome_free(&a);
	outcome_free(&b);
	again();
	/* Of a template that the unit does not use. */
	a = outcome_of(SOFTMAX);
	plan.rules.template_[2].revision.b[0] ^= 1;
	b = outcome_of(SOFTMAX);
	ck_assert_str_eq(differ(a.digest, b.digest), "-----");
	outcome_free(&a);
	outcome_free(&b);
}
END_TEST

START_TEST(snapshots__name_their_parents)
{
	const struct unit *u = unit_of(SOFTMAX, "deepx·softmax",
	    LEVEL_ARTIFACT);

	ck_assert_uint_eq(((const Program *)u->program.root)->header.n_parents,
	    0);
	ck_assert(ir_digest_eq(&((const Bound *)u->bound.root)->header.
	    parents[0], &u->inlined.digest));
	ck_assert(ir_digest_eq(&((const Fusion *)u->fusion.root)->header.
	    parents[0], &u->bound.digest));
	ck_assert(ir_digest_eq(&((const Concrete *)u->concrete.root)->header.
	    parents[0], &u->fusion.digest));
	ck_assert(ir_digest_eq(&((const Artifact *)u->artifact.root)->header.
	    parents[0], &u->concrete.digest));
}
END_TEST

START_TEST(snapshots__open_again_from_bytes)
{
	const struct unit *u = unit_of(SOFTMAX, "deepx·softmax",
	    LEVEL_ARTIFACT);

	for (int i = 0; i < LEVELS; i++) {
		const struct snapshot *s = level_of(u, i);
		struct snapshot back;

		ck_assert_int_eq(snapshot_open(root[i], s->bytes, &s->digest,
		    &arena, &back, &diag), 0);
		ck_assert(ir_digest_eq(&back.core, &s->core));
		snapshot_release(&back);
	}
}
END_TEST

START_TEST(artifact__never_names_a_version_in_a_path)
{
	const Artifact *a = unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT)->
	    artifact.root;

	ck_assert_uint_eq(a->n_sources, 4);
	ck_assert_str_eq(a->sources[0].path, STEM ".c");
	ck_assert_str_eq(a->sources[2].path,
	    "kernels/deepx.softmax,k0,float32,cols,dyn.c");
	ck_assert_str_eq(a->actions[0].receipt, STEM ".x86-64.ok");
	ck_assert_str_eq(a->registrations[0].opcode, "deepx·softmax.1.k0");
	ck_assert_str_eq(a->registrations[0].cls, "rows");
	ck_assert(BuildState_is_StatePlanned(a->actions[0].state));
}
END_TEST

START_TEST(artifact__verifier_refuses)
{
	struct str b = unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT)->
	    artifact.bytes;
	Artifact *a = ir_decode(&Artifact_type, (const uint8_t *)b.p, b.n,
	    &arena, &diag);

	ck_assert_int_eq(artifact_verify(a, &diag), 0);
	a->sources[0].path = "/tmp/x.c";
	a->actions[0].receipt = "kernels/../x.ok";
	a->registrations[0].version = 0;
	a->registrations[1].base = "deepx·other";
	ck_assert_int_eq(artifact_verify(a, &diag), -1);
	ck_assert_int_eq(code_count("artifact.path"), 2);
	ck_assert_int_eq(code_count("artifact.base"), 2);
}
END_TEST

/* C text carries no source position, version, author or pattern. */
START_TEST(artifact__c_text_is_about_the_kernel_alone)
{
	static const char *const never[] = { "t.kv", "softmax.1", "miaobyte",
		"*xn", "axis" };
	char *c;

	unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT);
	c = text_of(STEM ".c");
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		ck_assert_msg(!strstr(c, never[i]), "%s", never[i]);
	ck_assert_ptr_nonnull(strstr(c, "\n#include \"vec/expshift.h\"\n"));
	ck_assert_ptr_null(strchr(c, '@'));
	free(c);
}
END_TEST

Suite *
gen_stages_suite(void)
{
	Suite *s = suite_create("gen_stages");
	TCase *tc = gen_case(s, "stages");

	tcase_add_loop_test(tc, schema__of_each_level, 0, LEVELS);
	tcase_add_loop_test(tc, golden__softmax, 0, LEVELS);
	tcase_add_test(tc, runs__same_text_same_bytes);
	tcase_add_test(tc, runs__what_means_nothing_changes_nothing);
	tcase_add_test(tc, runs__renamed_temporary);
	tcase_add_test(tc, runs__other_op_is_another_plan);
	tcase_add_test(tc, runs__other_isa);
	tcase_add_test(tc, runs__other_row_of_authors);
	tcase_add_test(tc, runs__template_revision);
	tcase_add_test(tc, snapshots__name_their_parents);
	tcase_add_test(tc, snapshots__open_again_from_bytes);
	tcase_add_test(tc, artifact__never_names_a_version_in_a_path);
	tcase_add_test(tc, artifact__verifier_refuses);
	tcase_add_test(tc, artifact__c_text_is_about_the_kernel_alone);
	return s;
}
