/* SPDX-License-Identifier: MIT */
#include "gen/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/str.h"
#include "cache/conf.h"

#define CONF "kvaot.conf"

static char *
resolve(struct arena *arena, const char *folder, struct str value)
{
	char *text = arena_strndup(arena, value.p, value.n);

	return *text == '/' ? text : path_join(arena, folder, text);
}

static int
setup_line(struct setup *s, struct str line, struct loc loc,
    struct arena *arena, struct diag *diag)
{
	const struct {
		const char *key;
		const char **to;
	} keys[] = {
		{ "lib", &s->lib }, { "authors", &s->authors },
		{ "templates", &s->templates }, { "kernels", &s->kernels },
		{ "backends", &s->backends }, { "program", &s->program },
		{ "kvobj", &s->kvobj_conf }, { "top", NULL },
		{ "vec", NULL }, { "clang", NULL },
	};
	struct str key;

	if (!str_next(&line, '\t', &key) || !line.n)
		return diag_error(diag, loc, "expected `key TAB value`");
	if (str_is(key, "graph")) {
		s->own_graph = str_is(line, "own");
		return 0;
	}
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (str_is(key, keys[i].key)) {
			if (keys[i].to)
				*keys[i].to = resolve(arena, s->build, line);
			return 0;
		}
	return diag_error(diag, loc, "unknown key `%.*s`", (int)key.n, key.p);
}

static int
read_cache(struct setup *s, struct arena *arena, struct diag *diag)
{
	struct conf conf;

	if (conf_read(&conf, arena, s->kvobj_conf, diag) ||
	    conf_cache(&conf, NULL, diag))
		return -1;
	s->cache = conf.cache;
	return 0;
}

int
setup_read(struct setup *s, const char *build, struct arena *arena,
    struct diag *diag)
{
	const char *path = path_join(arena, build, CONF);
	struct loc loc = { path, 0, 1 };
	struct str text, line;
	int bad = 0;

	*s = (struct setup){ .build = build };
	s->kvobj_conf = path_join(arena, build, "kvobj.conf");
	s->backends = path_join(arena, build, "backends");
	if (file_read(arena, path, &text))
		return diag_error(diag, loc, "cannot read the settings of the "
		    "build folder: %s; run configure first", strerror(errno));
	while (str_next(&text, '\n', &line)) {
		loc.line++;
		if (line.n)
			bad |= setup_line(s, line, loc, arena, diag);
	}
	if (!bad && (!s->lib || !s->templates || !s->kernels))
		bad = diag_error(diag, (struct loc){ path, 0, 0 }, "a line "
		    "`lib`, `templates` or `kernels` is missing");
	return bad ? -1 : read_cache(s, arena, diag);
}

static const char *
absolute(struct arena *arena, const char *path, struct diag *diag)
{
	char *real = realpath(path, NULL);
	const char *copy;

	if (!real) {
		diag_error(diag, (struct loc){ path, 0, 0 }, "cannot find: %s",
		    strerror(errno));
		return NULL;
	}
	copy = arena_strdup(arena, real);
	free(real);
	return copy;
}

int
setup_make(struct setup *s, const char *build, const char *lib,
    const char *authors, const char *program, struct arena *arena,
    struct diag *diag)
{
	const char *exe = exe_dir(arena);
	struct setup own;
	struct buf out = { 0 };
	int bad;

	if (!exe)
		fatal("cannot find the folder of this program: %s",
		    strerror(errno));
	if (setup_read(&own, path_join(arena, exe, ".."), arena, diag))
		return -1;
	const struct {
		const char *key, *value;
	} rows[] = {
		{ "lib", lib ? lib : own.lib },
		{ "authors", authors }, { "program", program },
		{ "templates", own.templates }, { "kernels", own.kernels },
		{ "backends", own.backends }, { "kvobj", own.kvobj_conf },
	};

	bad = make_dirs(build) ? diag_error(diag, (struct loc){ build, 0, 0 },
	    "cannot make the build folder: %s", strerror(errno)) : 0;
	for (size_t i = 0; !bad && i < sizeof rows / sizeof *rows; i++) {
		const char *path;

		if (!rows[i].value)
			continue;
		path = absolute(arena, rows[i].value, diag);
		if (!path)
			bad = -1;
		else
			buf_printf(&out, "%s\t%s\n", rows[i].key, path);
	}
	buf_puts(&out, "graph\town\n");
	if (!bad && file_update(path_join(arena, build, CONF), out.p, out.n,
	    NULL))
		bad = diag_error(diag, (struct loc){ build, 0, 0 },
		    "cannot write " CONF ": %s", strerror(errno));
	buf_release(&out);
	return bad ? -1 : setup_read(s, build, arena, diag);
}

void
setup_plan_paths(const struct setup *s, struct plan_paths *p)
{
	*p = (struct plan_paths){ .lib = s->lib, .authors = s->authors,
		.templates = s->templates, .backends = s->backends,
		.cache = s->cache, .program = s->program };
}

char *
setup_path(const struct setup *s, struct arena *arena, const char *name)
{
	return path_join(arena, s->build, name);
}
