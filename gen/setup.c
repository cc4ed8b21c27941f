/* SPDX-License-Identifier: MIT */
#include "gen/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "base/str.h"
#include "cache/conf.h"
#include "cache/receipt.h"
#include "cache/store.h"

#define CONF "kvaot.conf"

/* Where an installation has its data, when not beside the programs. */
#ifndef KVAOT_DATADIR
#define KVAOT_DATADIR "/usr/local/share"
#endif

static char *
resolve(struct arena *arena, const char *folder, struct str value)
{
	char *text = arena_strndup(arena, value.p, value.n);

	return *text == '/' ? text : path_join(arena, folder, text);
}

/* *seen has a bit for each key that an earlier line has set. */
static int
setup_line(struct setup *s, struct str line, struct loc loc, unsigned *seen,
    struct arena *arena, struct diag *diag)
{
	const struct {
		const char *key;
		const char **to;
	} keys[] = {
		{ "lib", &s->lib }, { "folder", &s->folder },
		{ "authors", &s->authors },
		{ "templates", &s->templates }, { "kernels", &s->kernels },
		{ "backends", &s->backends }, { "program", &s->program },
		{ "kvobj", &s->kvobj_conf }, { "prebuilt", &s->prebuilt },
		{ "top", NULL },
		{ "vec", NULL }, { "clang", NULL }, { "graph", NULL },
		{ "isa", NULL },
	};
	const size_t n = sizeof keys / sizeof *keys;
	struct str key;
	size_t i;

	if (!str_next(&line, '\t', &key) || !line.n ||
	    memchr(line.p, '\0', line.n))
		return diag_error(diag, loc, "expected `key TAB value`");
	for (i = 0; i < n && !str_is(key, keys[i].key); i++)
		;
	if (i == n)
		return diag_error(diag, loc, "unknown key `%.*s`", (int)key.n,
		    key.p);
	if (*seen & 1u << i)
		return diag_error(diag, loc, "`%s` is set twice", keys[i].key);
	*seen |= 1u << i;
	if (keys[i].to)
		*keys[i].to = resolve(arena, s->build, line);
	if (str_is(key, "isa")) {
		s->isas = isa_all();
		return str_is(line, "all") ? 0 : diag_error(diag, loc,
		    "expected `isa TAB all`, found `%.*s`", (int)line.n,
		    line.p);
	}
	if (!str_is(key, "graph"))
		return 0;
	s->own_graph = true;
	return str_is(line, "own") ? 0 : diag_error(diag, loc, "expected "
	    "`graph TAB own`, found `%.*s`", (int)line.n, line.p);
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

/* An installation comes with its back ends' objects; the cache, which is the
 * user's, gets what it lacks. */
static int
restore_prebuilt(struct setup *s, struct arena *arena, struct diag *diag)
{
	char **name;
	size_t n;

	if (dir_list(arena, s->backends, ".ok", &name, &n))
		return diag_error(diag, (struct loc){ s->backends, 0, 0 },
		    "cannot list: %s", strerror(errno));
	for (size_t i = 0; i < n; i++) {
		char *path, hex[SHA256_HEX + 1];
		struct receipt r, known;
		struct str bytes;

		if (receipt_read(&r, path_join(arena, s->backends, name[i]),
		    diag))
			return -1;
		if (store_object_good(s->cache, r.object, r.size) &&
		    !store_lookup(s->cache, r.action, &known))
			continue;
		path = arena_printf(arena, "%s/%s.so", s->prebuilt, r.object);
		if (file_read(arena, path, &bytes))
			return diag_env(diag, (struct loc){ path, 0, 0 },
			    "cannot read");
		if (store_publish(s->cache, bytes.p, bytes.n, hex) ||
		    store_record(s->cache, &r))
			return diag_env(diag, (struct loc){ s->cache, 0, 0 },
			    "cannot copy %s into the cache", path);
		if (strcmp(hex, r.object))
			return diag_error(diag, (struct loc){ path, 0, 0 },
			    "the object is damaged; install kvaot again");
	}
	return 0;
}

const char *
setup_home(struct arena *arena)
{
	const char *exe = exe_dir(arena);
	const char *const folders[] = { "..", "../share/kvaot" };

	if (!exe)
		fatal("cannot find the folder of this program: %s",
		    strerror(errno));
	for (size_t i = 0; i < 2; i++) {
		const char *home = path_join(arena, exe, folders[i]);

		if (file_exists(path_join(arena, home, CONF)))
			return home;
	}
	return KVAOT_DATADIR "/kvaot";
}

int
setup_parse(struct setup *s, const char *build, const char *path,
    struct str text, struct arena *arena, struct diag *diag)
{
	struct loc loc = { path, 0, 1 };
	unsigned seen = 0;
	struct str line;
	int bad = 0;

	*s = (struct setup){ .build = build, .isas = isa_local() };
	s->kvobj_conf = path_join(arena, build, "kvobj.conf");
	s->backends = path_join(arena, build, "backends");
	while (str_next(&text, '\n', &line)) {
		loc.line++;
		if (line.n)
			bad |= setup_line(s, line, loc, &seen, arena, diag);
	}
	if (!bad && (!s->lib || !s->templates || !s->kernels))
		bad = diag_error(diag, (struct loc){ path, 0, 0 }, "a line "
		    "`lib`, `templates` or `kernels` is missing");
	return bad;
}

int
setup_read(struct setup *s, const char *build, struct arena *arena,
    struct diag *diag)
{
	const char *path = path_join(arena, build, CONF);
	struct str text;

	if (file_read(arena, path, &text))
		return diag_error(diag, (struct loc){ path, 0, 1 }, "cannot "
		    "read the settings of the build folder: %s; run configure "
		    "first", strerror(errno));
	if (setup_parse(s, build, path, text, arena, diag) ||
	    read_cache(s, arena, diag))
		return -1;
	/* Another cache than the build's may be in use: the library has them. */
	if (!s->prebuilt && !s->own_graph && file_exists(path_join(arena,
	    build, "lib/obj")))
		s->prebuilt = path_join(arena, build, "lib/obj");
	return s->prebuilt ? restore_prebuilt(s, arena, diag) : 0;
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

/* Whether configure made the folder: its settings have no `graph own`. */
static bool
is_configured(const char *build, struct arena *arena)
{
	struct str text;

	return !file_read(arena, path_join(arena, build, CONF), &text) &&
	    !memmem(text.p, text.n, "graph\town", 9);
}

int
setup_make(struct setup *s, const char *build, const struct setup_own *with,
    struct arena *arena, struct diag *diag)
{
	struct setup own;
	struct buf out = { 0 };
	int bad;

	if (is_configured(build, arena))
		return diag_error(diag, (struct loc){ build, 0, 0 }, "this "
		    "build folder is configure's; choose another one");
	if (setup_read(&own, setup_home(arena), arena, diag))
		return -1;
	const struct {
		const char *key, *value;
	} rows[] = {
		{ "lib", own.lib }, { "folder", with->folder },
		{ "authors", with->authors }, { "program", with->program },
		{ "templates", own.templates }, { "kernels", own.kernels },
		{ "backends", own.backends }, { "kvobj", own.kvobj_conf },
		{ "prebuilt", own.prebuilt },
	};

	bad = make_dirs(build) ? diag_env(diag, (struct loc){ build, 0, 0 },
	    "cannot make the build folder") : 0;
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
	buf_printf(&out, "%sgraph\town\n", with->isa ? "isa\tall\n" : "");
	if (!bad && file_update(path_join(arena, build, CONF), out.p, out.n,
	    NULL))
		bad = diag_env(diag, (struct loc){ build, 0, 0 },
		    "cannot write " CONF);
	buf_release(&out);
	return bad ? -1 : setup_read(s, build, arena, diag);
}

void
setup_plan_paths(const struct setup *s, struct plan_paths *p)
{
	*p = (struct plan_paths){ .lib = s->lib, .folder = s->folder,
		.authors = s->authors, .templates = s->templates,
		.backends = s->backends, .cache = s->cache,
		.program = s->program, .isas = s->isas };
}

char *
setup_path(const struct setup *s, struct arena *arena, const char *name)
{
	return path_join(arena, s->build, name);
}

const char *
setup_private(const char *program, struct arena *arena, struct diag *diag)
{
	char *real = realpath(program, NULL), hex[SHA256_HEX + 1];
	struct setup own;

	if (!real) {
		diag_error(diag, (struct loc){ program, 0, 0 }, "cannot find "
		    "the program: %s", strerror(errno));
		return NULL;
	}
	sha256_hex(real, strlen(real), hex);
	free(real);
	if (setup_read(&own, setup_home(arena), arena, diag))
		return NULL;
	return arena_printf(arena, "%s/run/%s", own.cache, hex);
}
