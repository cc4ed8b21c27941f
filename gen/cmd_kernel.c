/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "cache/cc.h"
#include "cache/conf.h"
#include "cache/store.h"
#include "gen/leaf.h"

/* What messages call the standard input. */
#define REQUEST "<stdin>"

struct job {
	const char *dir;
	const struct isa *isa;
	struct setup setup;
	struct arena arena;
	struct diag diag;
	char *stem; /* of the files written: DIR/FUNC */
};

static int
write_out(struct job *j, const char *suffix, const void *p, size_t n)
{
	char *path = arena_printf(&j->arena, "%s%s", j->stem, suffix);

	return file_write(path, p, n, false) ? diag_env(&j->diag,
	    (struct loc){ path, 0, 0 }, "cannot write") : 0;
}

/* Compiles DIR/FUNC.c; its object is then in the cache. */
static int
compile(struct job *j, struct receipt *r)
{
	struct cc_level level = { j->isa, arena_printf(&j->arena, "%s.ok",
		j->stem) };
	struct cc_job cc = { arena_printf(&j->arena, "%s.c", j->stem), &level,
		1 };
	struct conf conf;
	struct cc_run run = { .conf = &conf };
	int bad;

	if (conf_read(&conf, &j->arena, j->setup.kvobj_conf, &j->diag) ||
	    conf_cache(&conf, NULL, &j->diag))
		return -1;
	headers_init(&run.headers, &j->arena, &conf.include, false);
	bad = cc_make(&run, &cc, stderr, &j->diag);
	if (bad == EXIT_REFUSED)
		BUG("the text of a kernel is refused: %s", cc.source);
	j->diag.env |= bad == EXIT_ENV;
	if (bad)
		return -1;
	bad = receipt_read(r, level.receipt, &j->diag);
	unlink(level.receipt);
	return bad;
}

static void
write_kernel(struct job *j, const struct leaf *l)
{
	struct catalog table;
	struct receipt r;
	struct buf meta = { 0 };
	struct str object;

	j->stem = path_join(&j->arena, j->dir, name_escape(&j->arena,
	    l->request.func->text.p));
	if (make_dirs(j->dir)) {
		diag_env(&j->diag, (struct loc){ j->dir, 0, 0 },
		    "cannot make the folder");
		return;
	}
	catalog_init(&table, &j->arena);
	if (write_out(j, ".c", l->c.p, l->c.n) || compile(j, &r) ||
	    catalog_read(&table, j->setup.cache, r.object, &j->diag))
		return;
	if (file_read(&j->arena, store_object_path(&j->arena, j->setup.cache,
	    r.object), &object)) {
		diag_env(&j->diag, (struct loc){ j->setup.cache, 0, 0 },
		    "cannot read the object");
		return;
	}
	leaf_meta(l, &r, &table.backend[0], &j->arena, &meta);
	if (!write_out(j, ".so", object.p, object.n))
		write_out(j, ".json", meta.p, meta.n);
	buf_release(&meta);
}

static void
make_kernel(struct job *j)
{
	const char *const isas[] = { j->isa->name, NULL };
	struct plan_paths paths;
	struct plan plan;
	struct leaf leaf;
	struct str text;

	if (file_read_fd(&j->arena, STDIN_FILENO, &text))
		fatal("cannot read the standard input: %s", strerror(errno));
	if (setup_read(&j->setup, setup_home(&j->arena), &j->arena, &j->diag))
		return;
	setup_plan_paths(&j->setup, &paths);
	paths.isas = isas;
	if (!plan_run(&plan, &paths, LEVEL_LAYOUT, &j->arena, &j->diag) &&
	    !leaf_plan(&leaf, &plan, &paths, REQUEST, text))
		write_kernel(j, &leaf);
	plan_release(&plan);
}

static int
run_kernel(int argc, char **argv)
{
	struct job j = { .dir = ".", .isa = isa_best() };
	const char *v;
	int code;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "-o")))
			j.dir = v;
		else if ((v = option_value(argc, argv, &i, "--isa")))
			j.isa = isa_find(v);
		else
			usage_error("kernel: unexpected argument `%s`",
			    argv[i]);
		if (!j.isa)
			usage_error("kernel: unknown instruction set level "
			    "`%s`", v);
	}
	diag_init(&j.diag);
	make_kernel(&j);
	code = command_end(&j.diag);
	arena_release(&j.arena);
	return code;
}

const struct command command_kernel = {
	"kernel", "[-o DIR] [--isa=NAME] < REQUEST", "compile one kernel from a request",
	"Reads a request as JSON on the standard input and writes its kernel as\n"
	"DIR/FUNC.so, the C text of it as FUNC.c, and what a caller needs to know as\n"
	"FUNC.json. It changes no library. A request of ops that are not one kernel is\n"
	"refused, with the state of each part.\n\n"
	"  -o DIR        write into this folder instead of .\n"
	"  --isa=NAME    for this instruction set level instead of this machine's best\n\n"
	"A request has func, ops, inputs and outputs, and perhaps pattern (a label),\n"
	"accum_dtype, edges and attributes:\n\n"
	"  {\"func\": \"f\", \"ops\": [\"add\", \"gelu\"],\n"
	"   \"inputs\": [{\"shape\": [512,512], \"dtype\": \"float32\"},\n"
	"              {\"shape\": [512], \"dtype\": \"float32\"}],\n"
	"   \"outputs\": [{\"shape\": [512,512], \"dtype\": \"float32\"}]}\n\n"
	"An op takes the result before it and then the inputs not taken yet; edges has\n"
	"an array for each op, of \"in0\" and \"op0\". attributes has an object for each\n"
	"op: parameters that are literals, {\"axis\": -1, \"keepdims\": true}. A shape of\n"
	"null is any. An output says by \"from\": \"op0\" whose result it is, else it is\n"
	"the last op's, or of several in order those that no op reads.\n",
	run_kernel,
};
