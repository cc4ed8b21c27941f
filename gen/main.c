/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/version.h"
#include "gen/command.h"

static const struct command *const commands[] = {
	&command_gen, &command_run, &command_test, &command_kernel,
	&command_layout, &command_dump, &command_explain, &command_doc,
	&command_ls, &command_fmt, &command_vet, &command_release,
	&command_seal, &command_doctor,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int
help(void)
{
	printf("Usage: kvaot COMMAND [ARGUMENTS]\n\n"
	    "Compiles a library of tensor operations written in kvlang ahead of "
	    "time.\nOn command lines `:` stands for the separator of names: "
	    "deepx:softmax.\n\n");
	for (int i = 0; i < N_COMMANDS; i++)
		printf("  %-8s %s\n", commands[i]->name,
		    commands[i]->summary);
	printf("\n`kvaot COMMAND --help` tells more; `kvaot --version` the "
	    "version.\n");
	return EXIT_OK;
}

static int
help_of(const struct command *c)
{
	printf("Usage: kvaot %s %s\n\n%s", c->name, c->args, c->help);
	return EXIT_OK;
}

int
main(int argc, char **argv)
{
	fatal_program("kvaot");
	if (argc < 2)
		usage_error("expected a command");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		printf("kvaot " KVAOT_VERSION "\n");
		return EXIT_OK;
	}
	for (int i = 0; i < N_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i]->name))
			continue;
		if (argc > 2 && !strcmp(argv[2], "--help"))
			return help_of(commands[i]);
		return commands[i]->run(argc - 1, argv + 1);
	}
	usage_error("there is no command `%s`", argv[1]);
}
