/* SPDX-License-Identifier: MIT */
/* The commands of kvaot: each takes its own arguments and gives the exit
 * code. */
#ifndef GEN_COMMAND_H
#define GEN_COMMAND_H

#include "gen/setup.h"

struct command {
	const char *name, *args, *summary, *help;
	int (*run)(int argc, char **argv);
};

extern const struct command command_gen, command_seal, command_run,
    command_layout, command_dump, command_explain, command_ls, command_fmt,
    command_vet, command_release, command_doctor, command_doc, command_test,
    command_kernel;

/* Prints what is in diag and releases it: the exit code it stands for. */
int command_end(struct diag *);

/* Writes the text to standard output and releases it. */
void command_print(struct buf *);

/* The value of `--name=VALUE` or `--name VALUE`, moving *i on; NULL when
 * argv[*i] is another argument. A missing value is a usage error. */
const char *option_value(int argc, char **argv, int *i, const char *name);

/* Plans and writes everything of a build folder. -1 with errors. */
int build_plan(const struct setup *, struct arena *, struct diag *);

/* Writes the back ends' sources and backends.ninja. -1 with errors. */
int build_backends(const struct setup *, struct arena *, struct diag *);

#endif
