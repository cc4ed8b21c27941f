/* SPDX-License-Identifier: MIT */
/* The ninja graphs. What ninja itself reads from them is the oracle. */
#include "gen/emit/ninja.h"
#include "tests/t_gen.h"

Suite *gen_ninja_suite(void);

/* What a command prints; it must succeed. */
static char *
output_of(const char *command)
{
	FILE *f = popen(command, "r");
	char *text = arena_alloc(&arena, 4096);
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, 4095, f);
	ck_assert_msg(pclose(f) == 0, "%s: %s", command, text);
	text[n] = '\0';
	return text;
}

/* What `ninja OPTIONS` prints of a graph. */
static char *
ninja(const char *graph, const char *options)
{
	char *folder = temp_folder(), *text;

	write_file(path_join(&arena, folder, "build.ninja"), graph);
	text = output_of(arena_printf(&arena, "cd %s && ninja %s", folder,
	    options));
	ck_assert_int_eq(remove_tree(folder), 0);
	return text;
}

START_TEST(escape__path)
{
	struct buf b = { 0 };

	ninja_path("a b/c$d:e", &b);
	ck_assert_str_eq(b.p, "a$ b/c$$d$:e");
	buf_release(&b);
}
END_TEST

START_TEST(escape__ninja_reads_the_path_back)
{
	static const char *const path[] = { "plain", "a b", "c$d", "e:f",
		" $: $:", "kernels/deepx.softmax,k0,float32,dyn.c",
		"deepx%2Fmiaobyte·sum", "it's" };

	for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
		struct buf b = { 0 };

		buf_puts(&b, "rule r\n  command = true\nbuild ");
		ninja_path(path[i], &b);
		buf_puts(&b, ": r\n");
		ck_assert_str_eq(ninja(b.p, "-t targets all"),
		    arena_printf(&arena, "%s: r\n", path[i]));
		buf_release(&b);
	}
}
END_TEST

START_TEST(escape__the_shell_gets_the_word)
{
	static const char *const word[] = { "plain", "a b", "it's", "$HOME",
		"a\\b\"c", "$$ `ls` ;x" };

	for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
		struct buf b = { 0 };

		buf_puts(&b, "rule r\n  command = printf %s ");
		ninja_shell(word[i], &b);
		buf_puts(&b, " > out\nbuild out: r\n");
		ck_assert_str_eq(ninja(b.p, "> log && cat out"), word[i]);
		buf_release(&b);
	}
}
END_TEST

static void
ck_holds(const char *text, const char *line)
{
	ck_assert_msg(strstr(text, line) != NULL, "no `%s` in\n%s", line,
	    text);
}

static char *
kernels_of(bool own, bool complete)
{
	struct buf b = { 0 };
	char *text;

	ninja_kernels(&plan, own, complete, &b);
	text = arena_strdup(&arena, b.p);
	buf_release(&b);
	return text;
}

#define STEM "kernels/deepx.softmax,k0,float32,dyn"

START_TEST(kernels__edges)
{
	char *text;

	unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT);
	text = kernels_of(false, true);
	ck_holds(text, "build " STEM ".x86-64.ok: kvobj_cc " STEM ".c");
	ck_holds(text, "\n  isa = x86-64\n");
	/* The planner's edge makes each source and its map. */
	ck_holds(text, "build kernels.ninja build.ninja | ");
	ck_holds(text, " " STEM ".c " STEM ".map ");
	ck_holds(text, "build library: phony library.sealed\n");
	/* No kernel depends on a .kv file. */
	ck_assert_ptr_null(strstr(text, ".kv "));
	ck_assert_ptr_null(strstr(text, ".kv\n"));
	ck_assert_ptr_null(strchr(text, '\t'));
}
END_TEST

START_TEST(kernels__own_graph_has_no_tools)
{
	char *text;

	unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT);
	text = kernels_of(true, true);
	ck_holds(text, "build " STEM ".x86-64.ok: kvobj_cc " STEM ".c\n");
	ck_assert_ptr_null(strstr(text, "bin/"));
	ck_assert_ptr_null(strstr(text, "build kernels.ninja"));
}
END_TEST

START_TEST(kernels__incomplete_plan_has_the_planner_alone)
{
	char *text = kernels_of(false, false);

	ck_holds(text, "build kernels.ninja build.ninja: plan");
	ck_holds(text, "build library: phony kernels.ninja\n");
	ck_assert_ptr_null(strstr(text, "kvobj_cc"));
}
END_TEST

START_TEST(kernels__same_plan_same_bytes)
{
	char *first, *copy;

	unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT);
	first = kernels_of(false, true);
	ck_assert_str_eq(kernels_of(false, true), first);
	copy = strdup(first);
	ck_assert_ptr_nonnull(copy);
	again();
	unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT);
	ck_assert_str_eq(kernels_of(false, true), copy);
	free(copy);
}
END_TEST

/* The edges that ninja finds of one rule. */
static int
edges(const char *folder, const char *rule)
{
	return atoi(output_of(arena_printf(&arena, "cd %s && ninja -t targets "
	    "rule %s | wc -l", folder, rule)));
}

/* 300 kernels: no edge has one alone, all have their receipts. */
START_TEST(kernels__many_share_edges)
{
	struct buf text = { 0 }, own = { 0 };
	char *folder = temp_folder(), *commands;

	buf_puts(&text, "lib m {\n");
	for (int i = 0; i < 300; i++)
		buf_printf(&text, "rwfunc f%d(A:[*]float32) -> (B:any) {\n"
		    "deepx·relu(A) -> t\ndeepx·exp(t) -> B\n}\n", i);
	buf_puts(&text, "}\n");
	unit_of(text.p, "m·f0", LEVEL_ARTIFACT);
	ninja_own("/bin", "/conf", &own);
	write_file(path_join(&arena, folder, "build.ninja"), own.p);
	write_file(path_join(&arena, folder, "kernels.ninja"),
	    kernels_of(true, true));
	ck_assert_int_eq(edges(folder, "kvobj_cc"), 0);
	ck_assert_int_eq(edges(folder, "kvobj_all"), 300);
	commands = output_of(arena_printf(&arena, "cd %s && ninja -t commands "
	    "library | sed -n '1p;$='", folder));
	/* Four a command, and one that seals. */
	ck_assert_str_eq(commands, "'/bin/kvobj' cc --config='/conf' "
	    "--isa=x86-64 'kernels/m.f0,k0,float32,dyn.c' "
	    "'kernels/m.f1,k0,float32,dyn.c' "
	    "'kernels/m.f10,k0,float32,dyn.c' "
	    "'kernels/m.f100,k0,float32,dyn.c'\n76\n");
	ck_assert_int_eq(remove_tree(folder), 0);
	buf_release(&text);
	buf_release(&own);
}
END_TEST

/* A whole graph of its own: ninja reads it and runs what is meant (and quotes
 * paths with a comma by itself). */
START_TEST(own__ninja_accepts_it)
{
	struct buf own = { 0 };
	char *folder = temp_folder(), *text;

	unit_of(SOFTMAX, "deepx·softmax", LEVEL_ARTIFACT);
	ninja_own("/opt/a b/$bin", "/etc/it's.conf", &own);
	write_file(path_join(&arena, folder, "build.ninja"), own.p);
	write_file(path_join(&arena, folder, "kernels.ninja"),
	    kernels_of(true, true));
	text = output_of(arena_printf(&arena, "cd %s && ninja -t commands "
	    "library", folder));
	ck_holds(text, "'/opt/a b/$bin/kvobj' cc --config='/etc/it'\\''s.conf'"
	    " --isa=x86-64 -o '" STEM ".x86-64.ok' '" STEM ".c'\n");
	ck_holds(text, "'/opt/a b/$bin/kvaot' seal -o .\n");
	ck_assert_int_eq(remove_tree(folder), 0);
	buf_release(&own);
}
END_TEST

START_TEST(backends__one_receipt_an_isa)
{
	static const char *const isas[] = { "x86-64", "x86-64-v3", NULL };
	static const char *const made[] = { "backends/a,b.c" };
	const struct ninja_source source[] = {
		{ "backends/a,b.c", "backends/a,b" },
		{ "/top dir/k.c", "backends/k" },
	};
	struct buf b = { 0 };

	ninja_backends(source, 2, made, 1, isas, &b);
	ck_holds(b.p, "build backends.ninja | backends/a,b.c: gen_backends");
	ck_holds(b.p, "build backends/a,b.x86-64.ok: kvobj_cc backends/a,b.c");
	ck_holds(b.p, "build backends/a,b.x86-64-v3.ok: kvobj_cc "
	    "backends/a,b.c");
	ck_holds(b.p, "build backends/k.x86-64-v3.ok: kvobj_cc "
	    "/top$ dir/k.c");
	ck_holds(b.p, " backends/a,b.x86-64.ok backends/a,b.x86-64-v3.ok "
	    "backends/k.x86-64.ok backends/k.x86-64-v3.ok\n");
	buf_release(&b);
}
END_TEST

Suite *
gen_ninja_suite(void)
{
	Suite *s = suite_create("gen_ninja");
	TCase *tc = gen_case(s, "ninja");

	tcase_add_test(tc, escape__path);
	tcase_add_test(tc, escape__ninja_reads_the_path_back);
	tcase_add_test(tc, escape__the_shell_gets_the_word);
	tcase_add_test(tc, kernels__edges);
	tcase_add_test(tc, kernels__own_graph_has_no_tools);
	tcase_add_test(tc, kernels__incomplete_plan_has_the_planner_alone);
	tcase_add_test(tc, kernels__same_plan_same_bytes);
	tcase_add_test(tc, kernels__many_share_edges);
	tcase_add_test(tc, own__ninja_accepts_it);
	tcase_add_test(tc, backends__one_receipt_an_isa);
	return s;
}
