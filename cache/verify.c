/* SPDX-License-Identifier: MIT */
/* kvobj verify and kvobj stats: the cache as a whole. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/json.h"
#include "cache/cmd.h"
#include "cache/parts.h"
#include "cache/receipt.h"
#include "cache/store.h"

/* What a process still at work may own: nothing compiles for so long. */
enum { STALE_SECONDS = 3600 };

/* Names what is wrong with a file and removes it if asked to. */
static int
damaged(struct cmd *m, const char *path, const char *what)
{
	if (!m->repair)
		return diag_error(&m->diag, (struct loc){ path, 0, 0 },
		    "%s; remove it with verify --repair", what);
	if (unlink(path))
		return diag_error(&m->diag, (struct loc){ path, 0, 0 },
		    "cannot remove it: %s", strerror(errno));
	printf("removed\t%s\n", path);
	return 0;
}

/* Whether "ab/HEX<suffix>" is spelt as the store spells it. */
static bool
is_name(const char *rel, const char *suffix)
{
	unsigned char raw[SHA256_LEN];
	struct str hex = { rel + 3, SHA256_HEX };

	return strlen(rel) == 3 + SHA256_HEX + strlen(suffix) &&
	    rel[2] == '/' && memcmp(rel, rel + 3, 2) == 0 &&
	    hex_decode(raw, sizeof(raw), hex) &&
	    strcmp(rel + 3 + SHA256_HEX, suffix) == 0;
}

static bool
is_stale(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && time(NULL) - st.st_ctime > STALE_SECONDS;
}

static int
verify_objects(struct cmd *m)
{
	char **rel, *path, hex[SHA256_HEX + 1];
	size_t n, i;
	int r = 0;

	if (cmd_walk(m, "objects", NULL, &rel, &n))
		return -1;
	for (i = 0; i < n; i++) {
		path = arena_printf(
		    &m->arena, "%s/objects/%s", m->conf.cache, rel[i]);
		if (!is_name(rel[i], ".so")) {
			if (is_stale(path))
				r |= damaged(m, path, "not an object's name");
			continue;
		}
		if (sha256_file(path, hex) ||
		    memcmp(hex, rel[i] + 3, SHA256_HEX) != 0)
			r |= damaged(m, path, "damaged object");
	}
	return r;
}

static int
verify_actions(struct cmd *m)
{
	char **rel, *path, action[SHA256_HEX + 1];
	struct receipt rc;
	size_t n, i;
	int r = 0;

	if (cmd_walk(m, "actions", NULL, &rel, &n))
		return -1;
	for (i = 0; i < n; i++) {
		path = arena_printf(
		    &m->arena, "%s/actions/%s", m->conf.cache, rel[i]);
		if (!is_name(rel[i], "")) {
			if (is_stale(path))
				r |= damaged(m, path, "not an action's name");
			continue;
		}
		memcpy(action, rel[i] + 3, sizeof(action));
		if (store_lookup(m->conf.cache, action, &rc))
			r |= damaged(m, path, "damaged action");
		else if (!store_object_good(
			     m->conf.cache, rc.object, rc.size))
			r |= damaged(m, path, "action without its object");
	}
	return r;
}

static bool
parts_good(struct cmd *m, const char *path, const char *action)
{
	struct parts p;
	struct str text;
	struct diag d;
	bool good;

	diag_init(&d);
	good = file_read(&m->arena, path, &text) == 0 &&
	    parts_parse(&p, &m->arena, text, path, &d) == 0 &&
	    strcmp(p.action, action) == 0;
	diag_release(&d);
	return good;
}

static int
verify_parts(struct cmd *m)
{
	unsigned char raw[SHA256_LEN];
	const char *name;
	char **rel, *path;
	size_t n, i;
	int r = 0;

	if (cmd_walk(m, "why", NULL, &rel, &n))
		return -1;
	for (i = 0; i < n; i++) {
		path = arena_printf(
		    &m->arena, "%s/why/%s", m->conf.cache, rel[i]);
		name = strrchr(path, '/') + 1;
		if (!hex_decode(raw, sizeof(raw), str_of(name))) {
			if (is_stale(path))
				r |= damaged(m, path, "not an action's name");
		} else if (!parts_good(m, path, name)) {
			r |= damaged(m, path, "damaged parts of a key");
		}
	}
	return r;
}

/* Folders that killed compiles left. */
static int
clean_temporary(struct cmd *m)
{
	char *dir = path_join(&m->arena, m->conf.cache, "tmp"), **name, *path;
	size_t n, i;

	if (!m->repair || !file_exists(dir))
		return 0;
	if (dir_list(&m->arena, dir, NULL, &name, &n))
		return diag_error(&m->diag, (struct loc){ dir, 0, 0 },
		    "cannot list this folder: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		path = path_join(&m->arena, dir, name[i]);
		if (!is_stale(path))
			continue;
		if (remove_tree(path))
			return diag_error(&m->diag,
			    (struct loc){ path, 0, 0 }, "cannot remove it: %s",
			    strerror(errno));
		printf("removed\t%s\n", path);
	}
	return 0;
}

int
cmd_verify(struct cmd *m)
{
	int r;

	if (m->n)
		usage_error("verify takes no argument");
	/* Objects first: removing one leaves an action without its object. */
	r = verify_objects(m);
	r |= verify_actions(m);
	r |= verify_parts(m);
	r |= clean_temporary(m);
	return r ? EXIT_REFUSED : EXIT_OK;
}

static int
count_events(struct cmd *m, const char *const *event, size_t n,
    unsigned long long *count)
{
	char *path = path_join(&m->arena, m->conf.cache, "stats");
	struct str text, line, word;
	size_t i;

	if (!file_exists(path))
		return 0;
	if (file_read(&m->arena, path, &text))
		return diag_error(&m->diag, (struct loc){ path, 0, 0 },
		    "cannot read it: %s", strerror(errno));
	while (str_next(&text, '\n', &line)) {
		if (!str_next(&line, ' ', &word))
			continue;
		for (i = 0; i < n; i++)
			count[i] += str_is(word, event[i]);
	}
	return 0;
}

static void
put_stats(bool as_json, const char *const *event,
    const unsigned long long *count, size_t objects, unsigned long long bytes)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };
	size_t i;

	if (!as_json) {
		for (i = 0; i < 4; i++)
			printf("%s\t%llu\n", event[i], count[i]);
		printf("objects\t%zu\nbytes\t%llu\n", objects, bytes);
		return;
	}
	json_open(&j, NULL, '{');
	for (i = 0; i < 4; i++)
		json_number(&j, event[i], (long long)count[i]);
	json_number(&j, "objects", (long long)objects);
	json_number(&j, "bytes", (long long)bytes);
	json_close(&j, '}');
	puts(out.p);
	buf_release(&out);
}

int
cmd_stats(struct cmd *m)
{
	static const char *const event[] = { "hit", "miss", "compile",
		"repair" };
	unsigned long long count[4] = { 0 }, bytes = 0;
	char **rel;
	struct stat st;
	size_t n, i;

	if (m->n)
		usage_error("stats takes no argument");
	if (count_events(m, event, 4, count) ||
	    cmd_walk(m, "objects", ".so", &rel, &n))
		return EXIT_ENV;
	for (i = 0; i < n; i++) {
		if (stat(arena_printf(&m->arena, "%s/objects/%s",
			     m->conf.cache, rel[i]),
			&st) == 0)
			bytes += (unsigned long long)st.st_size;
	}
	put_stats(m->json, event, count, n, bytes);
	return EXIT_OK;
}
