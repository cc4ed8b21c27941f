/* SPDX-License-Identifier: MIT */
/*
 * The program of libFuzzer, for all readers: fuzz --reader=NAME, then
 * libFuzzer's own options, folders of seeds, or files to run once.
 */
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static fuzz_fn *chosen;

/* libFuzzer passes over arguments that begin with two dashes. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char option[] = "--reader=";
	const struct fuzz_reader *r;
	const char *name = *argc > 1 ? (*argv)[1] : "";

	fatal_program("fuzz");
	if (strncmp(name, option, strlen(option)) != 0)
		usage_error("expected --reader=NAME first");
	name += strlen(option);
	for (r = fuzz_readers; r->name && strcmp(r->name, name) != 0; r++)
		;
	if (!r->name)
		usage_error("no reader is called %s", name);
	chosen = r->run;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	chosen(p, n);
	return 0;
}
