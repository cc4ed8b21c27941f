/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "tests/bytes/bytes.h"

static const char help[] =
"usage: bytes composites|graphs --lib=DIR [options]\n"
"       bytes print [options]\n"
"\n"
"Whether every fused result equals the unfused composition, byte for byte:\n"
"the composites of lib/nn.kv on random shapes, or the random graphs that `print`\n"
"writes as kvlang, to be planned and built before.\n"
"\n"
"  --seed=N   another choice of shapes, data and graphs\n"
"  --count=N  how many cases or graphs\n"
"  --only=N   just this case or graph\n"
"  --full     larger shapes, and all of them at the baseline too\n";

static bool
take_number(const char *arg, const char *name, unsigned long long *n)
{
	size_t len = strlen(name);

	return strncmp(arg, name, len) == 0 && str_u64(str_of(arg + len), n);
}

static void
take_option(struct bytes_options *o, const char *arg)
{
	unsigned long long n;

	if (strncmp(arg, "--lib=", 6) == 0)
		o->lib = arg + 6;
	else if (take_number(arg, "--seed=", &n))
		o->seed = n;
	else if (take_number(arg, "--count=", &n))
		o->count = (long)n;
	else if (take_number(arg, "--only=", &n))
		o->only = (long)n;
	else if (strcmp(arg, "--full") == 0)
		o->full = true;
	else
		usage_error("unknown option, or one without a number: %s",
		    arg);
}

int
main(int argc, char **argv)
{
	struct bytes_options o = { .seed = 1, .only = -1 };
	struct tally tally = { 0 };
	int i;

	fatal_program("bytes");
	if (argc < 2 || strcmp(argv[1], "--help") == 0) {
		fputs(help, argc < 2 ? stderr : stdout);
		return argc < 2 ? EXIT_USAGE : EXIT_OK;
	}
	for (i = 2; i < argc; i++)
		take_option(&o, argv[i]);
	if (strcmp(argv[1], "print") == 0) {
		graphs_print(&o);
		return EXIT_OK;
	}
	if (!o.lib)
		usage_error("expected --lib=DIR");
	if (strcmp(argv[1], "composites") == 0)
		composites_test(&o, &tally);
	else if (strcmp(argv[1], "graphs") == 0)
		graphs_test(&o, &tally);
	else
		usage_error("expected composites, graphs or print, found %s",
		    argv[1]);
	printf("%ld passed, %ld failed\n", tally.passed, tally.failed);
	return tally.failed ? EXIT_REFUSED : EXIT_OK;
}
