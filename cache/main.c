/* SPDX-License-Identifier: MIT */
/* kvobj: stored objects. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/isa.h"
#include "base/version.h"
#include "cache/cc.h"
#include "cache/cmd.h"
#include "cache/scan.h"

#define COMMON                                                                \
	"  --cache=DIR   the cache folder (else $KVAOT_CACHE, kvobj.conf,\n"  \
	"                $XDG_CACHE_HOME/kvaot, ~/.cache/kvaot)\n"            \
	"  --config=F    the settings (else kvobj.conf beside bin/)\n"

#define LIBRARY                                                               \
	"  --lib=DIR     the library (else $KVAOT_LIB, lib beside bin/)\n"

/* bare: needs neither settings nor a cache. */
static const struct command {
	const char *name, *args, *what, *help;
	int (*run)(struct cmd *);
	bool bare;
} commands[] = {
	{ "cc", "--isa=NAME[,NAME…] [-o K.ok] K.c…", "compile kernels, or find them",
	    "Gives the receipts of kernels: from the cache, else by compiling.\n"
	    "  --isa=NAME    the instruction set levels, e.g. x86-64-v3\n"
	    "  -o FILE       the receipt to write, of one kernel for one level;\n"
	    "                else each is K.NAME.ok beside K.c\n"
	    "  --hand        a kernel written by hand: may include under #if\n"
	    COMMON "Example: kvobj cc --isa=x86-64-v3 -o k.v3.ok k.c\n",
	    cmd_cc, false },
	{ "ls", "", "list the objects",
	    "Prints a line an object: digest, size, action (TAB-separated;\n"
	    "'-' when no action names it).\n" COMMON
	    "Example: kvobj ls --cache=out/cache\n",
	    cmd_ls, false },
	{ "show", "OBJECT…", "what an object offers",
	    "Prints the entries of each object's table. OBJECT: a digest or\n"
	    "the beginning of one, a receipt (.ok), or a file.\n" COMMON
	    "Example: kvobj show out/kernels/k.x86-64-v3.ok\n",
	    cmd_show, false },
	{ "why", "RECEIPT | [--isa=NAME] K.c", "why it is compiled or a hit",
	    "Prints what the key of an action is made of, whether the cache\n"
	    "holds its object, and which parts differ from the nearest stored\n"
	    "action of a source of the same name. For a source: what cc would\n"
	    "find now, for each level that a local build makes.\n"
	    "  --isa=NAME    for this instruction set level only\n"
	    "  --hand        a kernel written by hand: see cc\n"
	    COMMON "Example: kvobj why out/kernels/k.x86-64-v3.ok\n",
	    cmd_why, false },
	{ "verify", "", "hash everything again",
	    "Names each damaged object and action, and fails if there is one.\n"
	    "  --repair      removes them, and what killed processes left\n"
	    COMMON "Example: kvobj verify --repair\n",
	    cmd_verify, false },
	{ "stats", "", "hits, misses, compiles, repairs, sizes",
	    "Prints what the cache did and holds, a TAB-separated line each.\n"
	    "  --json        prints one JSON object instead\n"
	    COMMON "Example: kvobj stats\n",
	    cmd_stats, false },
	{ "scan", "[--isa=NAME] OBJECT…", "check the instructions",
	    "Prints each instruction that the level does not have, and fails\n"
	    "if there is one. OBJECT: as for show.\n"
	    "  --isa=NAME    the level (else the one in the object's table)\n"
	    COMMON "Example: kvobj scan --isa=x86-64 3f9a01\n",
	    cmd_scan, false },
	{ "mask", "VERSION…", "have versions of a library not chosen",
	    "Adds the versions to the file `masked` of the library's folder.\n"
	    "Programs that open it from then on never choose them by themselves;\n"
	    "a call that names one still runs it. Publishing keeps the file.\n"
	    LIBRARY "Example: kvobj mask deepx:softmax.2\n",
	    cmd_mask, true },
	{ "unmask", "VERSION…", "have them chosen again",
	    "Takes the versions out of the file `masked` again.\n"
	    LIBRARY "Example: kvobj unmask deepx:softmax.2\n",
	    cmd_unmask, true },
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void
help(void)
{
	size_t i;

	puts("usage: kvobj COMMAND [OPTION]… [ARGUMENT]…\n"
	     "Compiles kernels into a cache of objects named by digest.\n");
	for (i = 0; i < N_COMMANDS; i++)
		printf("  %-7s %s\n", commands[i].name, commands[i].what);
	puts("\nkvobj COMMAND --help tells more; kvobj --version the version.\n"
	     "Exit codes: 0 done, 1 refused, 2 usage, 3 environment, 70 bug.");
}

static const struct command *
find_command(const char *name)
{
	size_t i;

	for (i = 0; i < N_COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	usage_error("unknown command '%s'", name);
}

struct options {
	const char *cache, *config;
};

/* An option that the command's help does not tell of is not one of its own. */
static void
check_option(const struct command *command, const char *option)
{
	if (!strstr(command->help, option))
		usage_error("%s has no option %s", command->name, option);
}

/* Fills the command; false when help was asked for. */
static bool
parse(const struct command *command, struct cmd *m, struct options *o,
    int argc, char **argv)
{
	static const struct option longs[] = {
		{ "cache", required_argument, NULL, 'c' },
		{ "config", required_argument, NULL, 'f' },
		{ "isa", required_argument, NULL, 'i' },
		{ "hand", no_argument, NULL, 'H' },
		{ "repair", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "lib", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "o:", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			check_option(command, "--cache");
			o->cache = optarg;
			break;
		case 'f':
			check_option(command, "--config");
			o->config = optarg;
			break;
		case 'i':
			check_option(command, "--isa");
			m->isa = optarg;
			break;
		case 'o':
			check_option(command, "-o FILE");
			m->out = optarg;
			break;
		case 'l':
			check_option(command, "--lib");
			m->lib = optarg;
			break;
		case 'H':
			check_option(command, "--hand");
			m->hand = true;
			break;
		case 'r':
			check_option(command, "--repair");
			m->repair = true;
			break;
		case 'j':
			check_option(command, "--json");
			m->json = true;
			break;
		case 'h': return false;
		default: usage_error("see the option above");
		}
	}
	m->arg = argv + optind;
	m->n = argc - optind;
	return true;
}

enum { MAX_LEVELS = 64 };

/* The receipts of one source for all levels of the list. */
static int
cc_source(struct cmd *m, struct cc_run *run, const char *source)
{
	struct cc_level level[MAX_LEVELS];
	struct cc_job job = { .source = source, .level = level };
	struct str isas = str_of(m->isa), name;
	size_t n = strlen(source);

	if (!m->out && (n < 3 || strcmp(source + n - 2, ".c") != 0))
		usage_error("expected the name of a source K.c, found '%s'",
		    source);
	while (str_next(&isas, ',', &name)) {
		char *text = arena_strndup(&m->arena, name.p, name.n);

		if (job.n == MAX_LEVELS || !isa_find(text))
			usage_error("unknown instruction set level '%s'",
			    text);
		level[job.n++] = (struct cc_level){ isa_find(text), m->out ?
			m->out : arena_printf(&m->arena, "%.*s.%s.ok",
			(int)n - 2, source, text) };
	}
	return cc_make(run, &job, stderr, &m->diag);
}

/* What one source is refused for keeps no other from its receipt. */
int
cmd_cc(struct cmd *m)
{
	struct cc_run run = { .conf = &m->conf };
	int worst = 0;

	if (m->n < 1 || !m->isa ||
	    (m->out && (m->n != 1 || strchr(m->isa, ','))))
		usage_error("expected cc --isa=NAME -o K.ok K.c, or "
		    "cc --isa=NAME[,NAME…] K.c…");
	headers_init(&run.headers, &m->arena, &m->conf.include, m->hand);
	for (int i = 0; i < m->n; i++) {
		int r = cc_source(m, &run, m->arg[i]);

		worst = r > worst ? r : worst;
	}
	return worst;
}

int
main(int argc, char **argv)
{
	const struct command *command;
	struct options o = { 0 };
	struct cmd m = { 0 };
	int r;

	fatal_program("kvobj");
	if (argc < 2)
		usage_error("expected a command");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		help();
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("kvobj " KVAOT_VERSION);
		return EXIT_OK;
	}
	command = find_command(argv[1]);
	if (!parse(command, &m, &o, argc - 1, argv + 1)) {
		printf("usage: kvobj %s%s%s\n%s", command->name,
		    *command->args ? " " : "", command->args, command->help);
		return EXIT_OK;
	}
	diag_init(&m.diag);
	r = EXIT_ENV;
	if (command->bare || (
	    conf_read(&m.conf, &m.arena, o.config, &m.diag) == 0 &&
	    conf_cache(&m.conf, o.cache, &m.diag) == 0))
		r = command->run(&m);
	diag_print(&m.diag, stderr, 0);
	diag_release(&m.diag);
	arena_release(&m.arena);
	if (fflush(stdout) || ferror(stdout))
		fatal("cannot write to the standard output");
	return r;
}
