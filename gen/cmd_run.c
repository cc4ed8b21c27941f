/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/sha256.h"
#include "gen/progress.h"
#include "kv/kv.h"
#include "space/kept.h"

/* The entries of a program: every init in order, else `test`. */
static size_t
entries_of(const char *file, struct arena *arena, const char ***names,
    struct diag *diag)
{
	static const char *test[] = { "test" };
	struct str text;
	size_t n;

	if (file_read(arena, file, &text)) {
		diag_error(diag, (struct loc){ file, 0, 0 }, "cannot read: %s",
		    strerror(errno));
		return 0;
	}
	n = kv_entries(kv_parse(arena, file, text, diag), names);
	if (n)
		return n;
	*names = test;
	return 1;
}

static bool
names_entry(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (argv[i] && (!strcmp(argv[i], "--entry") ||
		    !strncmp(argv[i], "--entry=", 8)))
			return true;
	return false;
}

static struct str
read_whole(const char *file, struct arena *arena)
{
	struct str text;

	if (file_read(arena, file, &text))
		fatal("cannot read %s: %s", file, strerror(errno));
	return text;
}

/* Puts the program into a space fs://DIR, marked as compiled in the private
 * library. */
static void
keep_program(const char *dsn, const char *build, const char *file,
    struct arena *arena, struct diag *diag)
{
	struct str image = read_whole(
	    path_join(arena, build, "lib/current/image"), arena);
	struct space *laid = space_new();
	char hex[SHA256_HEX + 1];
	struct fs fs;

	sha256_hex(image.p, image.n, hex);
	if (!kv_layout_text(laid, file, read_whole(file, arena), diag) &&
	    !fs_open(&fs, dsn, diag)) {
		kept_mark(laid, hex);
		kept_store(&fs, laid, diag);
		fs_close(&fs);
	}
	space_free(laid);
}

/* Becomes kvrun on the private library. */
static void
become_kvrun(const char *build, const char *file, int argc, char **argv,
    struct arena *arena, struct diag *diag)
{
	const char **entry = NULL;
	size_t n = names_entry(argc, argv) ? 0 :
	    entries_of(file, arena, &entry, diag);
	char **args = arena_array(arena, (size_t)argc + n + 4, sizeof *args);
	size_t k = 0;

	if (diag->errors)
		return;
	args[k++] = path_join(arena, exe_dir(arena), "kvrun");
	args[k++] = arena_printf(arena, "--lib=%s/lib", build);
	for (size_t i = 0; i < n; i++)
		args[k++] = arena_printf(arena, "--entry=%s", entry[i]);
	for (int i = 1; i < argc; i++)
		if (argv[i])
			args[k++] = argv[i];
	execv(args[0], args);
	fatal("cannot start %s: %s", args[0], strerror(errno));
}

static int
run_run(int argc, char **argv)
{
	const char *file = NULL, *authors = NULL, *space = NULL, *build, *v;
	struct arena arena = { 0 };
	struct setup_own own;
	struct setup setup;
	struct diag diag;
	int code;

	for (int i = 1; i < argc; i++) {
		int at = i;

		if ((v = option_value(argc, argv, &i, "--authors"))) {
			authors = v;
			while (at <= i)
				argv[at++] = NULL;
		} else if ((v = option_value(argc, argv, &i, "--space"))) {
			space = v;
		} else if (argv[i][0] != '-' && !file &&
		    strlen(argv[i]) > 3 && !strcmp(argv[i] +
		    strlen(argv[i]) - 3, ".kv")) {
			file = argv[i];
			argv[i] = NULL;
		}
	}
	if (!file)
		usage_error("run: expected a FILE.kv");
	diag_init(&diag);
	build = setup_private(file, &arena, &diag);
	own = (struct setup_own){ .authors = authors, .program = file };
	if (build && !setup_make(&setup, build, &own, &arena, &diag) &&
	    !build_plan(&setup, &arena, &diag)) {
		progress_ninja(build, &arena);
		/* A space of another kind is for kvrun to take or refuse. */
		if (space && !strncmp(space, "fs://", 5))
			keep_program(space, build, file, &arena, &diag);
		become_kvrun(build, file, argc, argv, &arena, &diag);
	}
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_run = {
	"run", "FILE.kv [OPTIONS OF kvrun]", "compile a program and run it",
	"Plans FILE.kv over the library, compiles what is new, and runs the result\n"
	"with kvrun: every init function in order, else `test`. The build folder is\n"
	"private to the file, in the cache.\n\n"
	"  --authors=FILE  lay this table of authors over the library's\n"
	"  --entry=NAME    run this function (with --in and --out, see kvrun)\n\n"
	"All other options go to kvrun: --space=DSN, --base, --trace, --digest, --time=N, …\n",
	run_run,
};
