/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/json.h"
#include "gen/progress.h"
#include "gen/published.h"
#include "gen/trial.h"
#include "kv/kv.h"
#include "space/find.h"

struct tester {
	struct arena *arena;
	struct diag *diag;
	struct trial trial;
	bool as_json, differs;
	size_t examples;
	struct buf out;
	struct json json;
};

static void
put_run(const struct trial_run *run, struct buf *out)
{
	if (run->version)
		buf_printf(out, "\t.%lld", (long long)run->version);
	else
		buf_puts(out, "\tbase");
	if (run->fits)
		buf_printf(out, " %lld.%lld us", run->ns / 1000,
		    run->ns % 1000 / 100);
	else
		buf_puts(out, " does not fit");
}

static void
put_json(struct json *j, const struct kv_func *f, const struct kv_example *ex,
    const struct trial_result *r)
{
	json_open(j, NULL, '{');
	json_text(j, "name", f->qualified);
	json_text(j, "file", ex->loc.file);
	json_number(j, "line", ex->loc.line);
	json_bool(j, "ok", !r->problem);
	json_text(j, "problem", r->problem);
	json_open(j, "runs", '[');
	for (size_t i = 0; i < r->n; i++) {
		json_open(j, NULL, '{');
		json_number(j, "version", r->run[i].version);
		json_bool(j, "fits", r->run[i].fits);
		json_number(j, "ns", r->run[i].ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

/* A line an example as it comes, the array of JSON at the end. */
static void
test_example(struct tester *t, const struct kv_func *f,
    const struct kv_example *ex)
{
	struct trial_result r = trial_run(&t->trial, f, ex);

	t->examples++;
	t->differs |= r.problem != NULL;
	if (t->as_json) {
		put_json(&t->json, f, ex, &r);
		return;
	}
	buf_printf(&t->out, "%s\t%s:%d\t%s", f->qualified, ex->loc.file,
	    ex->loc.line, r.problem ? "differs" : "ok");
	for (size_t i = 0; i < r.n; i++)
		put_run(&r.run[i], &t->out);
	if (r.problem)
		buf_printf(&t->out, "\t%s", r.problem);
	buf_putc(&t->out, '\n');
	command_print(&t->out);
}

/* Reads a source; all its examples must be well-formed before one runs. */
static const struct kv_file *
read_source(struct tester *t, const char *path, const char *shown)
{
	const struct kv_file *file;
	struct str text;

	if (file_read(t->arena, path, &text)) {
		diag_error(t->diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
		return NULL;
	}
	diag_source(t->diag, shown, path);
	file = kv_parse(t->arena, shown, text, t->diag);
	if (kv_vet(file, t->diag))
		return NULL;
	for (const struct kv_func *f = file->funcs; f; f = f->next)
		kv_examples(file, f, t->diag);
	return file;
}

static void
test_source(struct tester *t, const struct kv_file *file)
{
	for (const struct kv_func *f = file->funcs; f; f = f->next)
		for (const struct kv_example *ex = kv_examples(file, f,
		    t->diag); ex; ex = ex->next)
			test_example(t, f, ex);
}

/* The sources of a folder, or the one file where `folder` is false; names are
 * shown in `as`. NULL at the end; NULL with errors. */
static const struct kv_file **
read_sources(struct tester *t, const char *path, const char *as, bool folder)
{
	const struct kv_file **file;
	char *self = arena_strdup(t->arena, ""), **name = &self;
	size_t n = 1;

	if (folder && dir_walk(t->arena, path, ".kv", &name, &n)) {
		diag_error(t->diag, (struct loc){ path, 0, 0 },
		    "cannot list the folder: %s", strerror(errno));
		return NULL;
	}
	file = arena_array(t->arena, n + 1, sizeof *file);
	for (size_t i = 0; i < n; i++)
		file[i] = folder ? read_source(t, path_join(t->arena, path,
		    name[i]), path_join(t->arena, as, name[i])) :
		    read_source(t, path, as);
	file[n] = NULL;
	return t->diag->errors ? NULL : file;
}

/* Runs what the sources say on a published library. */
static void
run_sources(struct tester *t, const struct kv_file **file, const char *cache,
    const char *lib)
{
	char *dir = arena_printf(t->arena, "%s/tmp/XXXXXX", cache);
	struct manifest m;
	const char *folder;

	if (published_read(&m, lib, &folder, t->arena, t->diag))
		return;
	if (make_parents(dir) || !mkdtemp(dir))
		fatal("cannot make the folder %s: %s", dir, strerror(errno));
	t->trial.lib = lib;
	t->trial.m = &m;
	t->trial.dir = dir;
	while (*file)
		test_source(t, *file++);
	if (remove_tree(dir))
		fatal("cannot remove %s: %s", dir, strerror(errno));
	manifest_release(&m);
}

/* The library that came with this program. */
static void
test_library(struct tester *t)
{
	const struct kv_file **file;
	const char *tried, *lib = library_find(t->arena, NULL, &tried);
	struct setup own;

	if (!lib) {
		diag_error(t->diag, no_loc, "no published library in %s; build "
		    "one with `ninja -C out`", tried);
		return;
	}
	if (setup_read(&own, setup_home(t->arena), t->arena, t->diag))
		return;
	file = read_sources(t, own.lib, "lib", true);
	if (file)
		run_sources(t, file, own.cache, lib);
}

/* A folder of .kv files or a program, compiled in its private build folder. */
static void
test_path(struct tester *t, const char *path)
{
	const struct kv_file **file;
	const char *build;
	struct stat st;
	struct setup_own own = { 0 };
	struct setup setup;
	bool folder;

	if (stat(path, &st)) {
		diag_error(t->diag, (struct loc){ path, 0, 0 }, "cannot find: "
		    "%s", strerror(errno));
		return;
	}
	folder = S_ISDIR(st.st_mode);
	file = read_sources(t, path, path, folder);
	build = file ? setup_private(path, t->arena, t->diag) : NULL;
	*(folder ? &own.folder : &own.program) = path;
	if (!build || setup_make(&setup, build, &own, t->arena, t->diag) ||
	    build_plan(&setup, t->arena, t->diag))
		return;
	progress_ninja(build, t->arena);
	run_sources(t, file, setup.cache, path_join(t->arena, build, "lib"));
}

static int
end(struct tester *t)
{
	int code;

	if (!t->examples && !t->diag->errors)
		diag_warn(t->diag, no_loc, "there is no example; write one "
		    "above a function, as in // ex: twice([1.5]) -> [3.0]");
	if (t->as_json && !t->diag->errors) {
		json_close(&t->json, ']');
		buf_putc(&t->out, '\n');
		command_print(&t->out);
	}
	buf_release(&t->out);
	code = command_end(t->diag);
	return code ? code : t->differs ? EXIT_REFUSED : EXIT_OK;
}

static const char *
find_kvrun(struct arena *arena)
{
	const char *exe = exe_dir(arena);

	if (!exe)
		fatal("cannot find the folder of this program: %s",
		    strerror(errno));
	return path_join(arena, exe, "kvrun");
}

static int
run_test(int argc, char **argv)
{
	struct arena arena = { 0 };
	const char **path = arena_array(&arena, (size_t)argc, sizeof *path);
	struct tester t = { .arena = &arena };
	struct diag diag;
	size_t n = 0;
	int code;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			t.as_json = true;
		else if (argv[i][0] == '-')
			usage_error("test: unexpected argument `%s`", argv[i]);
		else
			path[n++] = argv[i];
	}
	diag_init(&diag);
	t.diag = &diag;
	t.json.out = &t.out;
	t.trial.arena = &arena;
	t.trial.kvrun = find_kvrun(&arena);
	if (t.as_json)
		json_open(&t.json, NULL, '[');
	if (!n)
		test_library(&t);
	for (size_t i = 0; i < n && !diag.errors; i++)
		test_path(&t, path[i]);
	code = end(&t);
	arena_release(&arena);
	return code;
}

const struct command command_test = {
	"test", "[OPTIONS] [DIR|FILE.kv...]", "run the examples in comments",
	"Runs the examples in the comments right above functions of the folders and\n"
	"programs, or of this installation's library: the base and every version that\n"
	"exists. A folder or program is compiled first, in a build folder of its own\n"
	"in the cache. An example is a line of such a comment, one line for one call:\n\n"
	"  // ex: twice([1.5, -2.0]) -> [3.0, -4.0]\n\n"
	"A call of the function, with or without its package; then a value for each\n"
	"result, with commas between. A value is a number, true, false, or an array of\n"
	"these; it has the kind that the parameter's type names first, or that of\n"
	"KIND(VALUE), as in float64([1, 2]). NaN and infinities cannot be written.\n\n"
	"Versions must give the bytes of the base, and the base what is stated: floats\n"
	"to 1e-6 (float64: 1e-12) of the number plus as much of the largest one in its\n"
	"array, all else exactly. Prints a line an example, TAB-separated: function,\n"
	"place, ok or differs, what ran and the median time of 21 calls; last, what\n"
	"differs. A version that has no kernel for these values does not fit, and is\n"
	"not compared. Exit 1 when something differs.\n\n"
	"  --json  print one JSON array; times in ns\n",
	run_test,
};
