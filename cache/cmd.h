/* SPDX-License-Identifier: MIT */
/* The subcommands of kvobj. */
#ifndef CACHE_CMD_H
#define CACHE_CMD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/sha256.h"
#include "base/str.h"
#include "cache/conf.h"

/* A command line after parsing. arg holds what is no option. */
struct cmd {
	struct arena arena;
	struct diag diag;
	struct conf conf;
	const char *isa, *out, *lib;
	bool hand, repair, json;
	char **arg;
	int n;
};

/* Each returns the exit code; reasons are in diag. */
int cmd_cc(struct cmd *);
int cmd_ls(struct cmd *);
int cmd_show(struct cmd *);
int cmd_verify(struct cmd *);
int cmd_stats(struct cmd *);
int cmd_scan(struct cmd *);
int cmd_why(struct cmd *);
int cmd_mask(struct cmd *);
int cmd_unmask(struct cmd *);

/* An object named on the command line: its bytes and where they lie. */
struct cmd_object {
	char digest[SHA256_HEX + 1];
	const char *path;
	struct str bytes;
};

/* Finds the object of a digest (or the beginning of one, if only one object
 * has it), of a receipt (a path ending in .ok), or of any other path; checks
 * digest and form. -1 with the reason in diag. */
int cmd_find(struct cmd *, const char *arg, struct cmd_object *);

/* The paths below <cache>/KIND, relative to it; none when there is no such
 * folder. -1 with the reason in diag. */
int cmd_walk(struct cmd *, const char *kind, const char *suffix, char ***paths,
    size_t *n);

#endif
