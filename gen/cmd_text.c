/* SPDX-License-Identifier: MIT */
/* Commands on the text of .kv files: fmt, vet. */
#include "gen/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fatal.h"
#include "base/file.h"
#include "kv/format.h"
#include "kv/kv.h"

struct text_job {
	struct arena *arena;
	struct diag *diag;
	bool check;   /* only say what would change */
	bool differs; /* something would */
};

typedef void file_fn(struct text_job *, const char *path);

static void
put(const void *bytes, size_t n)
{
	if ((n && fwrite(bytes, 1, n, stdout) != n) || fflush(stdout))
		fatal("cannot write: %s", strerror(errno));
}

/* "-" is the standard input. -1 after an error. */
static int
read_text(struct text_job *job, const char **path, struct str *text)
{
	bool standard = strcmp(*path, "-") == 0;
	int r = file_read(job->arena, standard ? "/dev/stdin" : *path, text);

	if (standard)
		*path = "<stdin>";
	return r == 0 ? 0 : diag_error(job->diag, (struct loc){ *path, 0, 0 },
	    "cannot read: %s", strerror(errno));
}

/* A formatter that is wrong must not touch anybody's text: what it made has to
 * be its own format. */
static void
make_sure(struct text_job *job, const char *path, struct str made)
{
	struct buf again = { 0 };
	struct diag own;

	diag_init(&own);
	if (kv_format(kv_parse(job->arena, path, made, &own), &again, &own) ||
	    !str_eq(buf_str(&again), made))
		BUG("formatting %s twice gives two texts", path);
	diag_release(&own);
	buf_release(&again);
}

/* The new text in place of the old one, with its mode; a link stays one. */
static void
replace(const char *path, struct str text)
{
	char *real = realpath(path, NULL);
	struct stat st;

	if (!real || stat(real, &st) ||
	    file_write(real, text.p, text.n, false) ||
	    chmod(real, st.st_mode & 07777))
		fatal("cannot write %s: %s", path, strerror(errno));
	free(real);
}

static void
format_file(struct text_job *job, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct buf out = { 0 };
	struct str text, made;

	if (read_text(job, &path, &text) || kv_format(kv_parse(job->arena,
	    path, text, job->diag), &out, job->diag)) {
		buf_release(&out);
		return;
	}
	made = buf_str(&out);
	make_sure(job, path, made);
	if (job->check && !str_eq(text, made)) {
		job->differs = true;
		put(path, strlen(path));
		put("\n", 1);
	} else if (standard && !job->check) {
		put(made.p, made.n);
	} else if (!str_eq(text, made)) {
		replace(path, made);
	}
	buf_release(&out);
}

static void
vet_file(struct text_job *job, const char *path)
{
	struct str text;

	if (!read_text(job, &path, &text))
		kv_vet(kv_parse(job->arena, path, text, job->diag),
		    job->diag);
}

/* A file, or all .kv files below a folder. */
static void
each_file(struct text_job *job, const char *path, file_fn *fn)
{
	struct stat st;
	char **name;
	size_t n, i;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		fn(job, path);
		return;
	}
	if (dir_walk(job->arena, path, ".kv", &name, &n)) {
		diag_error(job->diag, (struct loc){ path, 0, 0 },
		    "cannot list: %s", strerror(errno));
		return;
	}
	for (i = 0; i < n; i++)
		fn(job, path_join(job->arena, path, name[i]));
}

/* The arguments are options, then paths. */
static int
run_text(int argc, char **argv, bool format)
{
	struct arena arena = { 0 };
	struct diag diag;
	struct text_job job = { .arena = &arena, .diag = &diag };
	int i, code;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!format || strcmp(argv[i], "--check"))
			usage_error("%s: unknown option `%s`", argv[0],
			    argv[i]);
		job.check = true;
	}
	if (i == argc)
		usage_error("%s: expected a FILE or a DIR", argv[0]);
	diag_init(&diag);
	for (; i < argc; i++)
		each_file(&job, argv[i], format ? format_file : vet_file);
	code = command_end(&diag);
	arena_release(&arena);
	return job.differs ? EXIT_REFUSED : code;
}

static int
run_fmt(int argc, char **argv)
{
	return run_text(argc, argv, true);
}

static int
run_vet(int argc, char **argv)
{
	return run_text(argc, argv, false);
}

const struct command command_fmt = {
	"fmt", "[--check] FILE|DIR...", "give .kv files their one layout",
	"Rewrites each FILE, and each .kv file below DIR, whose text changes; `-`\n"
	"formats the standard input to the standard output. Comments, the order of\n"
	"things and the spelling of literals stay. A file with errors is left alone.\n\n"
	"  --check   change nothing, print the names of files that would change,\n"
	"            exit 1 when there are some\n",
	run_fmt,
};

const struct command command_vet = {
	"vet", "FILE|DIR...", "check .kv files without building anything",
	"Reports all errors and warnings of each FILE, and of each .kv file below\n"
	"DIR, each file by itself: syntax, names, types, calls of functions that\n"
	"the same file declares. `-` is the standard input. Exit 1 with errors.\n",
	run_vet,
};
