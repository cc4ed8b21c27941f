/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "gen/seal.h"
#include "ops/ops.h"

int
command_end(struct diag *diag)
{
	int code = diag->env ? EXIT_ENV :
	    diag->errors ? EXIT_REFUSED : EXIT_OK;

	diag_print(diag, stderr, 0);
	diag_release(diag);
	return code;
}

void
command_print(struct buf *out)
{
	if (out->n && (fwrite(out->p, 1, out->n, stdout) != out->n ||
	    fflush(stdout)))
		fatal("cannot write: %s", strerror(errno));
	buf_release(out);
}

const char *
option_value(int argc, char **argv, int *i, const char *name)
{
	const char *arg = argv[*i];
	size_t n = strlen(name);

	if (strncmp(arg, name, n) || (arg[n] && arg[n] != '='))
		return NULL;
	if (arg[n] == '=')
		return arg + n + 1;
	if (*i + 1 >= argc)
		usage_error("%s needs a value", name);
	return argv[++*i];
}

struct gen_options {
	const char *build;
	struct setup_own own;
	bool backends, abstract;
};

static void
gen_parse(int argc, char **argv, struct gen_options *o)
{
	const char *v;

	*o = (struct gen_options){ 0 };
	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "-o")))
			o->build = v;
		else if ((v = option_value(argc, argv, &i, "--program")))
			o->own.program = v;
		else if ((v = option_value(argc, argv, &i, "--authors")))
			o->own.authors = v;
		else if ((v = option_value(argc, argv, &i, "--isa")))
			o->own.isa = v;
		else if (!strcmp(argv[i], "--backends"))
			o->backends = true;
		else if (!strcmp(argv[i], "--abstract"))
			o->abstract = true;
		else if (argv[i][0] == '-' || o->own.folder)
			usage_error("gen: unexpected argument `%s`", argv[i]);
		else
			o->own.folder = argv[i];
	}
	if (!o->abstract && !o->build)
		usage_error("gen: -o DIR is missing");
	if (o->own.isa && strcmp(o->own.isa, "all"))
		usage_error("gen: expected --isa=all, found `%s`", o->own.isa);
}

static int
gen_abstract(void)
{
	struct buf out = { 0 };
	int bad;

	ops_kv(&out);
	bad = fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout);
	buf_release(&out);
	if (bad)
		fatal("cannot write the ops: %s", strerror(errno));
	return EXIT_OK;
}

static int
run_gen(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct gen_options o;
	struct setup setup;
	struct diag diag;
	int bad, code;

	gen_parse(argc, argv, &o);
	if (o.abstract)
		return gen_abstract();
	diag_init(&diag);
	if (o.own.folder || o.own.program || o.own.authors || o.own.isa ||
	    !file_exists(path_join(&arena, o.build, "kvaot.conf")))
		bad = setup_make(&setup, o.build, &o.own, &arena, &diag);
	else
		bad = setup_read(&setup, o.build, &arena, &diag);
	if (!bad && o.backends)
		build_backends(&setup, &arena, &diag);
	else if (!bad)
		build_plan(&setup, &arena, &diag);
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

static int
run_seal(int argc, char **argv)
{
	struct arena arena = { 0 };
	const char *build = NULL, *v;
	struct setup setup;
	struct diag diag;
	int code;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "-o")))
			build = v;
		else
			usage_error("seal: unexpected argument `%s`", argv[i]);
	}
	if (!build)
		usage_error("seal: -o DIR is missing");
	diag_init(&diag);
	if (!setup_read(&setup, build, &arena, &diag))
		seal_run(&setup, &arena, &diag);
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_gen = {
	"gen", "-o DIR [FOLDER]", "plan a library and write its ninja graph",
	"Plans the library that came with kvaot, and the .kv files of FOLDER on top\n"
	"of it, and writes C sources, kernels.ninja and the image into DIR; then\n"
	"`ninja -C DIR` compiles and publishes DIR/lib.\n\n"
	"  -o DIR          the build folder\n"
	"  --program FILE  plan this .kv file on top of the library\n"
	"  --isa=all       make kernels for all instruction set levels, not only for\n"
	"                  the lowest and the best of this machine\n"
	"  --authors FILE  lay this table of authors over the library's\n"
	"  --backends      write the back ends' sources and backends.ninja only\n"
	"  --abstract      print the abstract ops as kvlang and do nothing else\n",
	run_gen,
};

const struct command command_seal = {
	"seal", "-o DIR", "check what was compiled and publish DIR/lib",
	"Run by ninja after the kernels: reads the receipts, checks and scans the\n"
	"objects, writes the manifest and moves DIR/lib/current.\n\n"
	"  -o DIR          the build folder\n",
	run_seal,
};
