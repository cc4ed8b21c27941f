/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "gen/explain.h"
#include "kv/near.h"

struct options {
	const char *name, *program, *build;
	bool states, rebuild, json;
};

struct work {
	struct options o;
	struct setup setup;
	struct plan plan;
	struct arena *arena;
	struct diag *diag;
	struct buf out;
};

/* The published rows, where a library is published. */
static int
read_manifest(struct work *w, struct manifest *m)
{
	const char *path = setup_path(&w->setup, w->arena,
	    "lib/current/manifest");
	struct str text;

	manifest_init(m);
	if (file_read(w->arena, path, &text))
		return errno == ENOENT ? 0 : diag_error(w->diag, (struct loc){
		    path, 0, 0 }, "cannot read: %s", strerror(errno));
	return manifest_decode(m, text.p, text.n, path, w->diag);
}

/* What is masked in it. */
static int
read_masked(struct work *w, struct masked *m)
{
	const char *path = setup_path(&w->setup, w->arena, "lib/" MASKED_FILE);
	struct str text;

	*m = (struct masked){ 0 };
	if (file_read(w->arena, path, &text))
		return errno == ENOENT ? 0 : diag_error(w->diag, (struct loc){
		    path, 0, 0 }, "cannot read: %s", strerror(errno));
	return masked_decode(m, w->arena, text, path, w->diag);
}

static void
say_unit(struct work *w, const struct unit *u)
{
	struct manifest m;
	struct masked masked;
	struct explainer x = { w->arena, &w->plan, u, &m, &masked, &w->out };

	if ((!u->interpreted && !u->fusion.root) ||
	    read_masked(w, &masked) || read_manifest(w, &m))
		return;
	if (w->o.json)
		explain_unit_json(&x);
	else
		explain_unit(&x);
	manifest_release(&m);
}

static void
say_rebuild(struct work *w, const struct unit *u)
{
	const char *path = setup_path(&w->setup, w->arena, "ir.kvs");
	struct kvs_row *rows;
	struct rebuild r;
	size_t n;

	if (u && u->interpreted) {
		diag_error(w->diag, no_loc, "%s is never planned, it has jumps, "
		    "absolute paths, reads before writes, or results that may "
		    "stay as they were: there is nothing to compare", w->o.name);
		return;
	}
	if (!file_exists(path)) {
		diag_error(w->diag, (struct loc){ path, 0, 0 }, "there is no "
		    "last plan; make one by %s", w->o.program ?
		    "`kvaot run`" : "ninja in the build folder");
		return;
	}
	if (kvs_read(path, w->arena, &rows, &n, w->diag) ||
	    rebuild_compare(rows, n, w->o.name, u, w->arena, &r, w->diag))
		return;
	if (!r.before && !r.after)
		diag_error(w->diag, no_loc, "neither the library nor its last "
		    "plan has a function `%s`", w->o.name);
	else if (w->o.json)
		explain_rebuild_json(&r, w->o.name, &w->plan.session, &w->out);
	else
		explain_rebuild(&r, w->o.name, &w->plan.session, &w->out);
}

/* The build folder to look in: the given one, else the program's private one
 * if it was ever run, else the library's. */
static int
find_setup(struct work *w)
{
	const char *build = w->o.build, *own;

	if (!build && w->o.program) {
		own = setup_private(w->o.program, w->arena, w->diag);
		if (!own)
			return -1;
		if (file_exists(path_join(w->arena, own, "kvaot.conf")))
			build = own;
		else if (w->o.rebuild)
			return diag_error(w->diag, (struct loc){ w->o.program,
			    0, 0 }, "it was never planned; run it with `kvaot "
			    "run` first");
	}
	return setup_read(&w->setup, build ? build : setup_home(w->arena),
	    w->arena, w->diag);
}

static void
say_unknown(struct work *w)
{
	struct near near = { .word = w->o.name };

	for (size_t i = 0; i < w->plan.units.n; i++)
		near_try(&near, w->plan.units.entry[i].key);
	diag_error(w->diag, no_loc, "the library has no function `%s`%s%s%s",
	    w->o.name, near.best ? "; did you mean " : "",
	    near.best ? near.best : "", near.best ? "?" : "");
}

static void
say_function(struct work *w)
{
	struct plan_paths paths;
	const struct unit *u;

	setup_plan_paths(&w->setup, &paths);
	if (w->o.program)
		paths.program = w->o.program;
	if (!plan_run(&w->plan, &paths, w->o.rebuild ? LEVEL_ARTIFACT :
	    LEVEL_FUSION, w->arena, w->diag)) {
		u = map_get(&w->plan.units, w->o.name);
		if (w->o.rebuild)
			say_rebuild(w, u);
		else if (u)
			say_unit(w, u);
		else
			say_unknown(w);
	}
	command_print(&w->out);
	plan_release(&w->plan);
}

static void
say_states(struct work *w)
{
	struct fusion_rules rules;

	if (rules_read(&rules, w->arena, w->setup.templates, w->diag))
		return;
	if (w->o.json)
		explain_rules_json(&rules, w->arena, &w->out);
	else
		explain_rules(&rules, w->arena, &w->out);
	command_print(&w->out);
}

static void
parse(struct options *o, int argc, char **argv, struct arena *arena)
{
	const char *v;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "--program")))
			o->program = v;
		else if ((v = option_value(argc, argv, &i, "-o")))
			o->build = v;
		else if (!strcmp(argv[i], "--states"))
			o->states = true;
		else if (!strcmp(argv[i], "--rebuild"))
			o->rebuild = true;
		else if (!strcmp(argv[i], "--json"))
			o->json = true;
		else if (argv[i][0] == '-' || o->name)
			usage_error("explain: unexpected argument `%s`",
			    argv[i]);
		else
			o->name = name_typed(arena, argv[i]);
	}
	if (o->states && (o->name || o->rebuild || o->program))
		usage_error("explain: --states is about no function");
	if (!o->states && !o->name)
		usage_error("explain: expected one NAME, e.g. deepx:softmax");
}

static int
run_explain(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct work w = { .arena = &arena };
	struct diag diag;
	int code;

	parse(&w.o, argc, argv, &arena);
	diag_init(&diag);
	w.diag = &diag;
	if (!find_setup(&w)) {
		if (w.o.states)
			say_states(&w);
		else
			say_function(&w);
	}
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_explain = {
	"explain", "NAME | --states", "say why a function has its versions and kernels",
	"Prints each version and its digests, its groups with state, ops and places\n"
	"in the source, and the rows that the library has for them; first the one\n"
	"that today's sources give, then released ones. A superseded version was\n"
	"made from another source of the function; it and a masked one never run.\n\n"
	"  --program=FILE  a function of this .kv file, as `kvaot run` has it\n"
	"  -o DIR          look in this build folder\n"
	"  --rebuild       plan anew and say what changed since the last plan: the\n"
	"                  first level that differs, and what was removed, added or\n"
	"                  changed there\n"
	"  --states        print the rules of fusion instead, a TAB-separated line\n"
	"                  each: classes of ops, limits, templates, the four states\n"
	"  --json          print one JSON value\n\n"
	"Examples: kvaot explain deepx:softmax\n"
	"          kvaot explain --rebuild --program=model.kv test\n",
	run_explain,
};
