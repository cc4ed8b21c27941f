/* SPDX-License-Identifier: MIT */
/*
 * stamp: turns contents into time stamps for ninja. It hashes the inputs that
 * its settings name and rewrites a stamp file only when a digest in it has
 * changed; it removes receipts whose object is absent or damaged. Contents are
 * remembered by size, inode, mtime and ctime, so a quiet run reads nothing.
 * What has changed gets a time after all that ninja remembers, so that a clock
 * that ran ahead during an earlier build hides no change.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/fatal.h"
#include "base/file.h"
#include "base/str.h"
#include "cache/conf.h"
#include "cache/memo.h"
#include "cache/receipt.h"
#include "cache/stamp_conf.h"
#include "cache/store.h"

static const char help[] =
    "usage: stamp FILE\n"
    "Keeps stamp files beside FILE, in stamps/NAME. FILE has TAB-separated\n"
    "lines, paths relative to its folder:\n"
    "  stamp NAME             begins the group of inputs of stamps/NAME\n"
    "  file PATH              an input\n"
    "  tree PATH [SUFFIX]…    all files below PATH that end so\n"
    "  toolchain [CONF]       the compiler of CONF (else kvobj.conf)\n"
    "  receipts DIR           check all *.ok below DIR\n"
    "  cache DIR              the cache of their objects ($KVAOT_CACHE first)\n"
    "  sealed LIST            remove LIST when a file in it, told as\n"
    "                         `digest TAB path`, has another digest\n"
    "--help prints this. Example: stamp out/stamp.conf\n";

struct stamp {
	struct arena arena;
	struct diag diag;
	const char *dir; /* their folder */
	const char *name; /* the open group, or NULL */
	struct buf text; /* its stamp */
	struct memo memo;
	struct conf conf; /* for the place of the cache */
	struct paths receipts, sealed;
};

/* The settings are wrong or the environment is: either way, stop. */
static _Noreturn void
die(struct stamp *s)
{
	diag_print(&s->diag, stderr, 0);
	exit(EXIT_ENV);
}

static char *
place(struct stamp *s, struct str path)
{
	char *p = arena_strndup(&s->arena, path.p, path.n);

	return *p == '/' ? p : path_join(&s->arena, s->dir, p);
}

/* The newest time of an output in ninja's log, in ns; 0 without a log. A line is
 * `start TAB end TAB time TAB output TAB hash`. */
static unsigned long long
newest_output(struct stamp *s)
{
	char *path = path_join(&s->arena, s->dir, ".ninja_log");
	unsigned long long newest = 0, time;
	struct str text, line, field;
	int i;

	if (file_read(&s->arena, path, &text)) {
		if (errno != ENOENT)
			fatal("cannot read %s: %s", path, strerror(errno));
		return 0;
	}
	while (str_next(&text, '\n', &line)) {
		for (i = 0; i < 3 && str_next(&line, '\t', &field); i++)
			;
		if (i == 3 && str_u64(field, &time) && time > newest)
			newest = time;
	}
	return newest;
}

/* Makes the file newer than all outputs that ninja knows. */
static void
date(struct stamp *s, const char *path)
{
	enum { NS = 1000000000 };
	unsigned long long newest = newest_output(s);
	struct timespec t[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat st;

	if (stat(path, &st))
		fatal("cannot read %s: %s", path, strerror(errno));
	if ((unsigned long long)st.st_mtim.tv_sec * NS +
	    (unsigned long long)st.st_mtim.tv_nsec > newest)
		return;
	newest++;
	t[1].tv_sec = (time_t)(newest / NS);
	t[1].tv_nsec = (long)(newest % NS);
	if (utimensat(AT_FDCWD, path, t, 0))
		fatal("cannot set the time of %s: %s", path, strerror(errno));
}

static void
close_group(struct stamp *s)
{
	char *path;
	bool changed;

	if (!s->name)
		return;
	path = arena_printf(&s->arena, "%s/stamps/%s", s->dir, s->name);
	if (file_update(path, s->text.p, s->text.n, &changed))
		fatal("cannot write %s: %s", path, strerror(errno));
	if (changed)
		date(s, path);
	buf_clear(&s->text);
	s->name = NULL;
}

/* An input that is not there is a fact like any other: its digest is '-'. */
static void
add_file(struct stamp *s, const char *path, const char *name)
{
	char hex[SHA256_HEX + 1];

	if (memo_digest(&s->memo, path, hex, NULL) == 0)
		buf_printf(&s->text, "%s\t%s\n", hex, name);
	else if (errno == ENOENT || errno == ENOTDIR)
		buf_printf(&s->text, "-\t%s\n", name);
	else
		fatal("cannot read %s: %s", path, strerror(errno));
}

static bool
ends_with_one(const char *path, struct str suffixes)
{
	size_t n = strlen(path);
	struct str one;

	if (suffixes.n == 0)
		return true;
	while (str_next(&suffixes, '\t', &one)) {
		if (one.n <= n && memcmp(path + n - one.n, one.p, one.n) == 0)
			return true;
	}
	return false;
}

static void
add_tree(struct stamp *s, struct str path, struct str suffixes)
{
	char *dir = place(s, path), **rel;
	size_t n, i;

	if (!file_exists(dir))
		return;
	if (dir_walk(&s->arena, dir, NULL, &rel, &n))
		fatal("cannot list %s: %s", dir, strerror(errno));
	for (i = 0; i < n; i++) {
		if (ends_with_one(rel[i], suffixes))
			add_file(s, path_join(&s->arena, dir, rel[i]),
			    arena_printf(&s->arena, "%.*s/%s", (int)path.n,
				path.p, rel[i]));
	}
}

/* Contents and order decide, so the names are numbers and not paths. */
static void
add_toolchain(struct stamp *s, struct str path)
{
	struct conf c;
	size_t i;

	if (conf_read(&c, &s->arena, path.n ? place(s, path) : NULL, &s->diag))
		die(s);
	for (i = 0; i < c.closure.n; i++)
		add_file(s, c.closure.path[i],
		    arena_printf(&s->arena, "toolchain %zu", i));
}

static void
add_path(struct stamp *s, struct paths *l, struct str path)
{
	l->path = arena_grow(
	    &s->arena, l->path, l->n, &l->cap, sizeof(*l->path));
	l->path[l->n++] = place(s, path);
}

static void
obey(struct stamp *s, const struct stamp_order *o)
{
	switch (o->word) {
	case STAMP_STAMP:
		close_group(s);
		s->name = arena_strndup(&s->arena, o->path.p, o->path.n);
		break;
	case STAMP_FILE:
		add_file(s, place(s, o->path),
		    arena_strndup(&s->arena, o->path.p, o->path.n));
		break;
	case STAMP_TREE:
		add_tree(s, o->path, o->suffixes);
		break;
	case STAMP_TOOLCHAIN:
		add_toolchain(s, o->path);
		break;
	case STAMP_RECEIPTS:
		add_path(s, &s->receipts, o->path);
		break;
	case STAMP_SEALED:
		add_path(s, &s->sealed, o->path);
		break;
	case STAMP_CACHE:
		s->conf.cache = place(s, o->path);
		break;
	}
}

static void
read_settings(struct stamp *s, const char *file)
{
	struct stamp_order *order;
	struct str text;
	size_t n, i;

	if (file_read(&s->arena, file, &text))
		fatal("cannot read %s: %s", file, strerror(errno));
	if (stamp_conf_parse(&s->arena, file, text, &order, &n, &s->diag))
		die(s);
	for (i = 0; i < n; i++)
		obey(s, &order[i]);
	close_group(s);
}

static bool
is_good(struct stamp *s, const char *path)
{
	unsigned long long size;
	char hex[SHA256_HEX + 1];
	struct receipt r;
	struct diag d;
	bool good;

	diag_init(&d);
	good = receipt_read(&r, path, &d) == 0 &&
	    memo_digest(&s->memo,
		store_object_path(&s->arena, s->conf.cache, r.object), hex,
		&size) == 0 &&
	    size == r.size && strcmp(hex, r.object) == 0;
	diag_release(&d);
	return good;
}

static void
check_receipts(struct stamp *s, const char *dir)
{
	char **rel, *path;
	size_t n, i;

	if (!file_exists(dir))
		return;
	if (dir_walk(&s->arena, dir, ".ok", &rel, &n))
		fatal("cannot list %s: %s", dir, strerror(errno));
	for (i = 0; i < n; i++) {
		path = path_join(&s->arena, dir, rel[i]);
		if (!is_good(s, path) && unlink(path) && errno != ENOENT)
			fatal("cannot remove %s: %s", path, strerror(errno));
	}
}

/* Whether every file of the list has its digest. */
static bool
is_intact(struct stamp *s, struct str text)
{
	struct str line, hex;
	char have[SHA256_HEX + 1];

	while (str_next(&text, '\n', &line)) {
		if (line.n == 0 && text.n == 0)
			break;
		if (!str_next(&line, '\t', &hex) || line.n == 0 ||
		    memo_digest(&s->memo, place(s, line), have, NULL) ||
		    !str_is(hex, have))
			return false;
	}
	return true;
}

static void
check_sealed(struct stamp *s, const char *list)
{
	struct str text;

	if (!file_exists(list))
		return;
	if (file_read(&s->arena, list, &text))
		fatal("cannot read %s: %s", list, strerror(errno));
	if (!is_intact(s, text) && unlink(list))
		fatal("cannot remove %s: %s", list, strerror(errno));
}

static void
run(struct stamp *s, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *stamps;
	size_t i;

	s->dir = slash ? arena_strndup(&s->arena, file,
			     (size_t)(slash - file) + 1)
		       : ".";
	stamps = path_join(&s->arena, s->dir, "stamps");
	if (make_dirs(stamps))
		fatal("cannot make %s: %s", stamps, strerror(errno));
	memo_init(&s->memo, &s->arena, path_join(&s->arena, stamps, "memo"));
	s->conf.arena = &s->arena;
	read_settings(s, file);
	if (s->receipts.n && conf_cache(&s->conf, NULL, &s->diag))
		die(s);
	for (i = 0; i < s->receipts.n; i++)
		check_receipts(s, s->receipts.path[i]);
	for (i = 0; i < s->sealed.n; i++)
		check_sealed(s, s->sealed.path[i]);
	if (memo_save(&s->memo))
		fatal("cannot write %s: %s", s->memo.file, strerror(errno));
}

int
main(int argc, char **argv)
{
	struct stamp s = { 0 };

	fatal_program("stamp");
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	if (argc != 2 || argv[1][0] == '-')
		usage_error("expected stamp FILE");
	diag_init(&s.diag);
	run(&s, argv[1]);
	buf_release(&s.text);
	diag_release(&s.diag);
	arena_release(&s.arena);
	return EXIT_OK;
}
