/* SPDX-License-Identifier: MIT */
#include "cache/cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "cache/conf.h"
#include "cache/elf.h"
#include "cache/key.h"
#include "cache/parts.h"
#include "cache/receipt.h"
#include "cache/scan.h"
#include "cache/source.h"
#include "cache/spawn.h"
#include "cache/store.h"
#include "cache/toolchain.h"
#include "clang/clang.h"

struct cc {
	struct cc_run *run;
	const struct conf *conf;
	const struct cc_job *job;
	const struct cc_level *level; /* the one that is made now */
	FILE *out;
	struct diag *diag;
	struct arena *arena;
	struct source source;
	struct receipt receipt;
	char *dir; /* the compiler's folder */
};

/* The environment failed at `path`; errno says how. */
static int
broken(struct cc *c, const char *path, const char *what)
{
	diag_env(c->diag, (struct loc){ path, 0, 0 }, "cannot %s", what);
	return EXIT_ENV;
}

/* Copies the texts, so that the compiler sees what the key covers. */
static int
fill_folder(struct cc *c)
{
	const struct source_file *f;
	char *path;
	size_t i;

	/* The folder of an include path may stay empty, but it must exist. */
	for (i = 0; i < c->conf->include.n; i++) {
		path = arena_printf(c->arena, "%s/%zu", c->dir, i);
		if (make_dirs(path))
			return broken(c, path, "make this folder");
	}
	for (i = 0; i < c->source.n; i++) {
		f = &c->source.file[i];
		path = path_join(c->arena, c->dir, f->name);
		if (make_parents(path) ||
		    file_write(path, f->text.p, f->text.n, false))
			return broken(c, path, "copy a source to this file");
	}
	return 0;
}

/* Prints the compiler's words with the user's paths for our copies' names. */
static void
show_output(struct cc *c, struct str text)
{
	const struct source_file *f;
	size_t i, n;
	char before = '\n';

	while (text.n) {
		n = 0;
		for (i = 0; i < c->source.n && strchr("\n '\"", before); i++) {
			f = &c->source.file[i];
			n = strlen(f->name);
			if (text.n > n && memcmp(text.p, f->name, n) == 0 &&
			    text.p[n] == ':')
				break;
			n = 0;
		}
		if (n)
			fputs(f->path, c->out);
		else
			fputc(text.p[0], c->out);
		n += n == 0;
		before = text.p[n - 1];
		text = (struct str){ text.p + n, text.n - n };
	}
}

/* Whether a program says in its own words, in the C locale, that it could not
 * write. */
static bool
says_full(struct str output)
{
	static const char words[] = "No space left on device";

	return output.n && memmem(output.p, output.n, words, strlen(words));
}

/* Runs one program of the toolchain; its refusal is the source's fault. */
static int
run_tool(struct cc *c, const char *program, char *const *args)
{
	struct buf output = { 0 };
	size_t n = 0;
	char **argv;
	bool full;
	int status;

	while (args[n])
		n++;
	argv = arena_array(c->arena, n + 2, sizeof(*argv));
	argv[0] = arena_strdup(c->arena, program);
	memcpy(argv + 1, args, n * sizeof(*argv));
	status = spawn_run(c->dir, argv, NULL, &output);
	show_output(c, buf_str(&output));
	full = says_full(buf_str(&output));
	buf_release(&output);
	if (status < 0)
		return broken(c, program, "run this program");
	if (status == 0)
		return 0;
	if (full) {
		errno = ENOSPC;
		return broken(c, c->dir, "compile in this folder");
	}
	diag_error(c->diag, (struct loc){ c->job->source, 0, 0 },
	    "%s refused it for %s (exit status %d)",
	    strrchr(program, '/') + 1, c->level->isa->name, status);
	return status > 128 ? EXIT_ENV : EXIT_REFUSED;
}

struct check {
	struct cc *cc;
	int missed;
};

static void
check_included(void *ctx, const char *path)
{
	struct check *k = ctx;
	struct source *s = &k->cc->source;
	size_t i, n = strlen(k->cc->dir);

	if (strncmp(path, k->cc->dir, n) == 0 && path[n] == '/')
		path += n + 1;
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	for (i = 0; i < s->n; i++) {
		if (strcmp(s->file[i].name, path) == 0)
			return;
	}
	k->missed = diag_error(k->cc->diag,
	    (struct loc){ k->cc->job->source, 0, 0 },
	    "it includes '%s', which reading the text did not show", path);
}

/* A source written by hand may include under conditions: the compiler's own
 * list of included files must hold nothing that the key does not cover. */
static int
check_hand(struct cc *c, char **flags)
{
	const struct clang_face *face = scan_face(c->conf, c->diag);
	struct check k = { c, 0 };
	int n = 0;

	if (!face)
		return EXIT_ENV;
	while (strcmp(flags[n], "-o") != 0)
		n++;
	if (face->includes(c->dir, "kernel.c", (const char *const *)flags, n,
		check_included, &k)) {
		diag_error(c->diag, (struct loc){ c->job->source, 0, 0 },
		    "libclang cannot read it");
		return EXIT_REFUSED;
	}
	return k.missed ? EXIT_REFUSED : 0;
}

static int
publish(struct cc *c)
{
	char *path = path_join(c->arena, c->dir, "kernel.so");
	struct str so;

	if (file_read(c->arena, path, &so))
		return broken(c, path, "read the linked object");
	if (elf_check(so.p, so.n, c->job->source, c->diag))
		return EXIT_REFUSED;
	if (store_publish(c->conf->cache, so.p, so.n, c->receipt.object))
		return broken(c, c->conf->cache, "store the object");
	c->receipt.size = so.n;
	if (store_record(c->conf->cache, &c->receipt))
		return broken(c, c->conf->cache, "store the receipt");
	return 0;
}

static int
compile_in(struct cc *c)
{
	char **flags = key_flags(
	    c->arena, c->level->isa, c->conf->include.n);
	int r = fill_folder(c);

	if (r == 0 && c->run->headers.hand)
		r = check_hand(c, flags);
	if (r == 0)
		r = run_tool(c, c->conf->clang, flags);
	if (r == 0)
		r = run_tool(
		    c, c->conf->ld, (char *const *)key_link_flags);
	return r ? r : publish(c);
}

static int
compile(struct cc *c)
{
	int r;

	c->dir = arena_printf(c->arena, "%s/tmp/XXXXXX", c->conf->cache);
	if (make_parents(c->dir) || !mkdtemp(c->dir))
		return broken(c, c->dir, "make a folder to compile in");
	r = compile_in(c);
	if (remove_tree(c->dir) && r == 0)
		return broken(c, c->dir, "remove this folder");
	if (r == 0 &&
	    store_count(c->conf->cache, "compile", c->receipt.action))
		return broken(c, c->conf->cache, "write statistics in");
	return r;
}

/* Finds the object of the action or makes it. */
static int
provide(struct cc *c, const char *action)
{
	const char *cache = c->conf->cache, *event = "miss";
	bool known = store_lookup(cache, action, &c->receipt) == 0;

	if (known && store_object_good(
			 cache, c->receipt.object, c->receipt.size))
		event = "hit";
	else if (known)
		event = "repair";
	memcpy(c->receipt.action, action, SHA256_HEX + 1);
	if (store_count(cache, event, action))
		return broken(c, cache, "write statistics in");
	return strcmp(event, "hit") == 0 ? 0 : compile(c);
}

static int
work(struct cc *c)
{
	struct parts parts;
	int r;

	parts_of(&parts, c->arena, &c->source, c->level->isa,
	    c->run->toolchain);
	r = provide(c, parts.action);
	if (r == 0 && parts_keep(&parts, c->conf->cache, c->job->source))
		r = broken(c, c->job->source, "keep what its key is made of");
	if (r == 0 && receipt_write(&c->receipt, c->level->receipt, NULL))
		r = broken(c, c->level->receipt, "write the receipt");
	return r;
}

/* What all levels have in common: the texts and the digest of the compiler. */
static int
prepare(struct cc *c)
{
	const struct conf *conf = c->conf;

	if (!conf->clang || !conf->ld) {
		diag_error(c->diag, (struct loc){ conf->file, 0, 0 },
		    "no compiler: expected 'clang' and 'ld' lines in "
		    "kvobj.conf; run configure");
		return EXIT_ENV;
	}
	if (source_read(&c->source, c->arena, &c->run->headers,
		c->job->source, c->diag))
		return EXIT_REFUSED;
	if (!*c->run->toolchain &&
	    toolchain_digest(conf, c->run->toolchain, c->diag)) {
		*c->run->toolchain = '\0';
		return EXIT_ENV;
	}
	return 0;
}

int
cc_make(struct cc_run *run, const struct cc_job *job, FILE *out,
    struct diag *d)
{
	struct arena a = { 0 };
	struct cc c = {
		.run = run, .conf = run->conf, .job = job, .out = out,
		.diag = d, .arena = &a
	};
	int ready = prepare(&c), worst = ready, r;

	for (size_t i = 0; i < job->n; i++) {
		c.level = &job->level[i];
		r = ready ? ready : work(&c);
		/* An older receipt must not stand for a source that failed. */
		if (r && unlink(c.level->receipt) && errno != ENOENT)
			r = broken(&c, c.level->receipt,
			    "remove the old receipt");
		worst = r > worst ? r : worst;
	}
	arena_release(&a);
	return worst;
}
