/* SPDX-License-Identifier: MIT */
/* Makes pending versions part of the sources. */
#include "gen/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "gen/released.h"
#include "space/manifest.h"

struct releaser {
	const struct setup *setup;
	struct arena *arena;
	struct diag *diag;
	struct plan plan;
	struct versions pending, lock;
};

static int
out_of_date(struct releaser *r, const char *name)
{
	return diag_error(r->diag, (struct loc){ setup_path(r->setup, r->arena,
	    name), 0, 0 }, "the build is out of date; run `ninja -C %s` and "
	    "release again", r->setup->build);
}

static int
read_text(struct releaser *r, const char *name, struct str *text)
{
	return file_read(r->arena, setup_path(r->setup, r->arena, name),
	    text) ? out_of_date(r, name) : 0;
}

/* What the build holds as pending is what the sources say now. */
static int
check_pending(struct releaser *r)
{
	struct buf now = { 0 };
	struct str text;
	int bad;

	released_pending(&r->plan, r->setup->folder != NULL, &r->pending);
	versions_encode(&r->pending, &now);
	bad = read_text(r, "versions.pending", &text);
	if (!bad && !str_eq(buf_str(&now), text))
		bad = out_of_date(r, "versions.pending");
	buf_release(&now);
	if (!bad && !r->pending.n)
		bad = diag_error(r->diag, no_loc, "nothing is pending: each "
		    "version of this build is released");
	return bad;
}

/* The version has rows, and none that gives other bytes than its base. */
static int
check_rows(struct releaser *r, const struct manifest *m,
    const struct version_line *line, const char *file)
{
	bool found = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct manifest_row *row = &m->row[i];

		if (strcmp(row->base, line->base) ||
		    row->version != (int64_t)line->n)
			continue;
		if (!strcmp(row->cert, "failed"))
			return diag_error(r->diag, no_loc, "%s %s %s failed "
			    "its certificate; such a version is not released",
			    row->opcode, dtype_name(row->dtype), row->isa);
		found = true;
	}
	return found ? 0 : out_of_date(r, file);
}

/* The planned image is the published one, and each version has its rows. */
static int
check_published(struct releaser *r)
{
	static const char image[] = "lib/current/image";
	static const char rows[] = "lib/current/manifest";
	struct str planned, published, text;
	struct manifest m;
	int bad = 0;

	if (read_text(r, "image", &planned) ||
	    read_text(r, image, &published) || read_text(r, rows, &text))
		return -1;
	if (!str_eq(planned, published))
		return out_of_date(r, image);
	if (manifest_decode(&m, text.p, text.n, rows, r->diag))
		return -1;
	for (size_t i = 0; !bad && i < r->pending.n; i++)
		bad = check_rows(r, &m, &r->pending.line[i], rows);
	manifest_release(&m);
	return bad;
}

static int
write_lines(struct releaser *r, const char *path, struct versions *v)
{
	struct buf out = { 0 };
	int bad;

	versions_encode(v, &out);
	bad = file_write(path, out.p, out.n, true);
	buf_release(&out);
	return bad ? diag_env(r->diag, (struct loc){ path, 0, 0 },
	    "cannot write") : 0;
}

/* The files first: without its line a file is not read, and is written again
 * by the next release. */
static int
write_release(struct releaser *r)
{
	const char *folder = r->setup->folder ? r->setup->folder :
	    r->setup->lib;
	const char *path = path_join(r->arena, folder, VERSIONS_LOCK);
	struct versions none;

	versions_init(&none, r->arena);
	versions_init(&r->lock, r->arena);
	if (versions_read(&r->lock, path, r->diag))
		return -1;
	for (size_t i = 0; i < r->pending.n; i++) {
		struct version_line *line = &r->pending.line[i];

		line->folder = folder;
		if (released_write(&r->plan, map_get(&r->plan.units,
		    line->base), line, r->diag))
			return -1;
		versions_add(&r->lock, line);
	}
	return write_lines(r, path, &r->lock) || write_lines(r, setup_path(
	    r->setup, r->arena, "versions.pending"), &none) ? -1 : 0;
}

static int
release(struct releaser *r)
{
	struct plan_paths paths;

	versions_init(&r->pending, r->arena);
	if (r->setup->program)
		return diag_error(r->diag, (struct loc){ r->setup->program, 0,
		    0 }, "a program's functions are not released; put them "
		    "into a folder and build that with `kvaot gen -o DIR "
		    "FOLDER`");
	setup_plan_paths(r->setup, &paths);
	if (plan_run(&r->plan, &paths, LEVEL_FUSION, r->arena, r->diag) ||
	    check_pending(r) || check_published(r) || write_release(r))
		return -1;
	for (size_t i = 0; i < r->pending.n; i++)
		printf("released %s.%llu\n", r->pending.line[i].base,
		    (unsigned long long)r->pending.line[i].n);
	if (fflush(stdout))
		fatal("cannot write: %s", strerror(errno));
	return 0;
}

static int
run_release(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct releaser r = { .arena = &arena };
	const char *build = NULL, *v;
	struct setup setup;
	struct diag diag;
	int code;

	for (int i = 1; i < argc; i++) {
		if ((v = option_value(argc, argv, &i, "-o")))
			build = v;
		else
			usage_error("release: unexpected argument `%s`",
			    argv[i]);
	}
	diag_init(&diag);
	r.setup = &setup;
	r.diag = &diag;
	if (!setup_read(&setup, build ? build : setup_home(&arena), &arena,
	    &diag)) {
		release(&r);
		plan_release(&r.plan);
	}
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_release = {
	"release", "[-o DIR]", "make pending versions part of the sources",
	"Moves the lines of DIR/versions.pending to versions.lock in the folder of\n"
	"the .kv files, and writes a file for each into versions/ beside it, from\n"
	"which any later build makes that version again. Commit both. Lines and\n"
	"files are written once: from then on another plan of the function is a new\n"
	"version, and the released one stays as long as its source is the same.\n"
	"Refuses when nothing is pending, when DIR is not built from these sources,\n"
	"and when a kernel of a pending version failed its certificate.\n\n"
	"  -o DIR          the build folder (else that of this program)\n",
	run_release,
};
