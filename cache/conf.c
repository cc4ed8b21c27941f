/* SPDX-License-Identifier: MIT */
#include "cache/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"

static void
paths_add(struct arena *a, struct paths *l, char *path)
{
	l->path = arena_grow(a, l->path, l->n, &l->cap, sizeof(*l->path));
	l->path[l->n++] = path;
}

static char *
from_folder(struct arena *a, const char *file, const char *value)
{
	const char *slash = strrchr(file, '/');

	if (*value == '/' || !slash)
		return arena_strdup(a, value);
	return arena_printf(
	    a, "%.*s/%s", (int)(slash - file), file, value);
}

/* The setting that a key names, NULL for a list or an unknown key. */
static char **
single(struct conf *c, struct str key)
{
	if (str_is(key, "clang"))
		return &c->clang;
	if (str_is(key, "ld"))
		return &c->ld;
	if (str_is(key, "cache"))
		return &c->cache;
	return str_is(key, "scan") ? &c->scan : NULL;
}

static int
set(struct conf *c, struct str key, struct str value, struct loc l,
    struct diag *d)
{
	char *v = arena_strndup(c->arena, value.p, value.n);
	char **one = single(c, key);

	v = from_folder(c->arena, c->file, v);
	if (one && *one)
		return diag_error(d, l, "'%.*s' is set twice", (int)key.n,
		    key.p);
	if (one)
		*one = v;
	else if (str_is(key, "closure"))
		paths_add(c->arena, &c->closure, v);
	else if (str_is(key, "include"))
		paths_add(c->arena, &c->include, v);
	else
		return diag_error(d, l,
		    "expected clang, ld, closure, include, cache or scan, "
		    "found '%.*s'",
		    (int)key.n, key.p);
	return 0;
}

static int
read_lines(struct conf *c, struct str text, struct diag *d)
{
	struct loc l = { c->file, 0, 0 };
	struct str line, key;

	while (str_next(&text, '\n', &line)) {
		l.line++;
		if (line.n == 0)
			continue;
		if (!str_next(&line, '\t', &key) || line.n == 0)
			return diag_error(d, l, "expected 'key TAB value'");
		if (set(c, key, line, l, d))
			return -1;
	}
	return 0;
}

/* The compiler runs in another folder, so no path may depend on ours. */
static char *
absolute(struct arena *a, const char *path)
{
	char *cwd, *full;

	if (*path == '/' || !(cwd = getcwd(NULL, 0)))
		return arena_strdup(a, path);
	full = path_join(a, cwd, path);
	free(cwd);
	return full;
}

int
conf_read(struct conf *c, struct arena *a, const char *file, struct diag *d)
{
	char *dir;
	struct str text;

	*c = (struct conf){ .arena = a };
	if (file) {
		c->file = absolute(a, file);
	} else {
		dir = exe_dir(a);
		if (!dir)
			return diag_error(d, no_loc,
			    "cannot find the folder of this program: %s",
			    strerror(errno));
		c->file = path_join(a, dir, "../kvobj.conf");
	}
	if (file_read(a, c->file, &text) == 0)
		return read_lines(c, text, d);
	if (!file && errno == ENOENT) {
		c->file = NULL;
		return 0;
	}
	return diag_error(d, (struct loc){ c->file, 0, 0 },
	    "cannot read the settings: %s; run configure, or say --config=F",
	    strerror(errno));
}

/* A variable that is set and not empty. */
static const char *
env(const char *name)
{
	const char *s = getenv(name);

	return s && *s ? s : NULL;
}

static char *
choose_cache(struct conf *c, const char *dir)
{
	struct arena *a = c->arena;

	if (dir)
		return arena_strdup(a, dir);
	if (env("KVAOT_CACHE"))
		return arena_strdup(a, env("KVAOT_CACHE"));
	if (c->cache)
		return c->cache;
	if (env("XDG_CACHE_HOME"))
		return path_join(a, env("XDG_CACHE_HOME"), "kvaot");
	if (env("HOME"))
		return path_join(a, env("HOME"), ".cache/kvaot");
	return NULL;
}

int
conf_cache(struct conf *c, const char *dir, struct diag *d)
{
	struct stat st;

	dir = choose_cache(c, dir);
	if (!dir) {
		d->env = true;
		return diag_error(d, no_loc,
		    "no cache folder: say --cache=DIR or set KVAOT_CACHE");
	}
	c->cache = absolute(c->arena, dir);
	if (make_dirs(c->cache) || stat(c->cache, &st))
		return diag_env(d, (struct loc){ c->cache, 0, 0 },
		    "cannot make the cache folder");
	if (st.st_mode & S_IWOTH)
		return diag_error(d, (struct loc){ c->cache, 0, 0 },
		    "every user may write this cache folder, so its code "
		    "cannot be trusted; take a folder of your own");
	return 0;
}
