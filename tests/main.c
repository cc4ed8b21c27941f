/* SPDX-License-Identifier: MIT */
/*
 * Runs the suites of suites.def, or those named on the command line. Exit 0
 * when all tests passed, 1 when one failed or none ran, 2 on wrong usage.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"

#define SUITE(name) Suite *name##_suite(void);
#include "tests/suites.def"
#undef SUITE

static const struct {
	const char *name;
	Suite *(*make)(void);
} suites[] = {
#define SUITE(name) { #name, name##_suite },
#include "tests/suites.def"
#undef SUITE
};

enum { N_SUITES = sizeof(suites) / sizeof(suites[0]) };

static void
help(FILE *f)
{
	fputs("usage: tests [--list] [SUITE...]\n"
	    "Runs the named suites, or all. CK_FORK=no runs them in this "
	    "process.\n", f);
}

static void
list(void)
{
	size_t i;

	for (i = 0; i < N_SUITES; i++)
		puts(suites[i].name);
}

/* Marks the suites named by the arguments, all when there are none. */
static void
choose(bool *chosen, int argc, char **argv)
{
	size_t i;
	int k;

	for (i = 0; i < N_SUITES; i++)
		chosen[i] = argc == 1;
	for (k = 1; k < argc; k++) {
		for (i = 0; i < N_SUITES; i++) {
			if (strcmp(argv[k], suites[i].name) == 0)
				break;
		}
		if (i == N_SUITES)
			usage_error("expected a suite of --list, found %s",
			    argv[k]);
		chosen[i] = true;
	}
}

static int
run(const bool *chosen)
{
	SRunner *runner = srunner_create(NULL);
	int ran, failed;
	size_t i;

	for (i = 0; i < N_SUITES; i++) {
		if (chosen[i])
			srunner_add_suite(runner, suites[i].make());
	}
	srunner_run_all(runner, CK_NORMAL);
	ran = srunner_ntests_run(runner);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	printf("%d passed, %d failed\n", ran - failed, failed);
	return failed || ran == 0 ? EXIT_REFUSED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	bool chosen[N_SUITES];

	fatal_program("tests");
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		help(stdout);
		return EXIT_OK;
	}
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list();
		return EXIT_OK;
	}
	choose(chosen, argc, argv);
	return run(chosen);
}
