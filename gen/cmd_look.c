/* SPDX-License-Identifier: MIT */
/* Commands that show what the planner sees and decides: layout, dump. */
#include "gen/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "kv/kv.h"
#include "space/text.h"

/* The tree of one file alone, as layout makes it. */
static void
show_layout(const char *file, struct arena *arena, struct diag *diag)
{
	struct space *space = space_new();
	struct buf out = { 0 };
	struct str text;

	if (file_read(arena, file, &text))
		diag_error(diag, (struct loc){ file, 0, 0 }, "cannot read: %s",
		    strerror(errno));
	else if (!kv_layout_text(space, file, text, diag))
		space_print(space, "", &out);
	command_print(&out);
	space_free(space);
}

static int
run_layout(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct diag diag;
	int code;

	if (argc != 2 || argv[1][0] == '-')
		usage_error("layout: expected one FILE");
	diag_init(&diag);
	show_layout(argv[1], &arena, &diag);
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

static const struct stage {
	const char *name;
	enum level level;
} stages[] = {
	{ "layout", LEVEL_LAYOUT }, { "program", LEVEL_PROGRAM },
	{ "bound", LEVEL_BOUND }, { "fusion", LEVEL_FUSION },
	{ "concrete", LEVEL_CONCRETE }, { "artifact", LEVEL_ARTIFACT },
	{ "c", LEVEL_ARTIFACT },
};

static const struct stage *
find_stage(const char *name)
{
	for (size_t i = 0; name && i < sizeof stages / sizeof *stages; i++)
		if (!strcmp(stages[i].name, name))
			return &stages[i];
	usage_error("dump: --stage must be layout, program, bound, fusion, "
	    "concrete, artifact or c");
}

static void
dump_unit(const struct plan *p, const struct unit *u,
    const struct stage *stage, struct buf *out)
{
	const struct snapshot *snap[] = { NULL, &u->inlined, &u->bound,
		&u->fusion, &u->concrete, &u->artifact };
	const struct snapshot *s = snap[stage->level];

	if (!s->root)
		return;
	if (stage->level == LEVEL_BOUND) {
		bound_print(s->root, &p->session, out);
	} else if (!strcmp(stage->name, "c")) {
		const Artifact *a = s->root;

		for (uint32_t i = 0; i < a->n_sources; i++) {
			const struct str *text = map_get(&p->session.texts,
			    a->sources[i].path);

			buf_printf(out, "/* %s */\n", a->sources[i].path);
			buf_put(out, text->p, text->n);
		}
	} else {
		ir_print(s->type, s->root, out);
	}
}

static void
show_stage(const struct stage *stage, const char *file, const char *authors,
    struct arena *arena, struct diag *diag)
{
	struct plan_paths paths;
	struct setup setup;
	struct buf out = { 0 };
	struct plan plan;

	if (stage->level == LEVEL_LAYOUT) {
		show_layout(file, arena, diag);
		return;
	}
	if (setup_read(&setup, setup_home(arena), arena, diag))
		return;
	setup_plan_paths(&setup, &paths);
	paths.program = file;
	paths.authors = authors ? authors : paths.authors;
	plan_run(&plan, &paths, stage->level, arena, diag);
	for (size_t i = 0; i < plan.units.n; i++)
		if (map_get(&plan.program, plan.units.entry[i].key))
			dump_unit(&plan, plan.units.entry[i].value, stage,
			    &out);
	command_print(&out);
	plan_release(&plan);
}

static int
run_dump(int argc, char **argv)
{
	const char *stage = NULL, *file = NULL, *authors = NULL, *v;
	struct arena arena = { 0 };
	const struct stage *s;
	struct diag diag;
	int code;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "--stage")))
			stage = v;
		else if ((v = option_value(argc, argv, &i, "--authors")))
			authors = v;
		else if (argv[i][0] == '-' || file)
			usage_error("dump: unexpected argument `%s`", argv[i]);
		else
			file = argv[i];
	}
	s = find_stage(stage);
	if (!file)
		usage_error("dump: expected a FILE");
	diag_init(&diag);
	show_stage(s, file, authors, &arena, &diag);
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_layout = {
	"layout", "FILE", "print the tree that a .kv file is laid out to",
	"Prints `path TAB langtype TAB value`, sorted by path.\n",
	run_layout,
};

const struct command command_dump = {
	"dump", "--stage=STAGE FILE", "print what a stage of the planner makes",
	"Plans FILE over the library and prints one stage of its functions.\n\n"
	"  --stage=STAGE   layout, program, bound, fusion, concrete, artifact, c\n"
	"  --authors=FILE  lay this table of authors over the library's\n\n"
	"The stage `bound` has a line a call: which back end and why.\n",
	run_dump,
};
