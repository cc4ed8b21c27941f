/* SPDX-License-Identifier: MIT */
#include "gen/fresh.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/isa.h"

#define KEY "plan.key"

/* A file that may be absent: its digest, or `-`, under its name. */
static int
add_file(struct sha256 *h, const char *name, const char *path)
{
	char hex[SHA256_HEX + 1] = "-";

	if (path && sha256_file(path, hex) && errno != ENOENT)
		return -1;
	sha256_add(h, name, strlen(name) + 1);
	sha256_add(h, hex, strlen(hex) + 1);
	return 0;
}

static int
add_tree(struct sha256 *h, struct arena *arena, const char *what,
    const char *folder, const char *suffix)
{
	char **path;
	size_t n;

	sha256_add(h, what, strlen(what) + 1);
	if (!folder)
		return 0;
	if (dir_walk(arena, folder, suffix, &path, &n))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (add_file(h, path[i], path_join(arena, folder, path[i])))
			return -1;
	return 0;
}

/* The tables that may lie beside .kv files. */
static int
add_tables(struct sha256 *h, struct arena *arena, const char *folder)
{
	return folder && (add_file(h, "authors", path_join(arena, folder,
	    "authors.map")) || add_file(h, "versions", path_join(arena, folder,
	    "versions.lock")));
}

/* The plans of released versions, in versions/ beside the lock. */
static int
add_released(struct sha256 *h, struct arena *arena, const char *folder)
{
	const char *dir = folder ? path_join(arena, folder, "versions") : NULL;

	return add_tree(h, arena, "released", dir && file_exists(dir) ? dir :
	    NULL, ".kvs");
}

int
fresh_key(const struct setup *s, struct arena *arena,
    char key[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_LEN];
	struct sha256 h;

	sha256_init(&h);
	for (const char *const *isa = s->isas; *isa; isa++)
		sha256_add(&h, *isa, strlen(*isa) + 1);
	if (add_file(&h, "kvaot", "/proc/self/exe") ||
	    add_file(&h, "settings", setup_path(s, arena, "kvaot.conf")) ||
	    add_tree(&h, arena, "lib", s->lib, ".kv") ||
	    add_tables(&h, arena, s->lib) ||
	    add_released(&h, arena, s->lib) ||
	    add_tree(&h, arena, "folder", s->folder, ".kv") ||
	    add_tables(&h, arena, s->folder) ||
	    add_released(&h, arena, s->folder) ||
	    add_file(&h, "authors", s->authors) ||
	    add_file(&h, "program", s->program) ||
	    add_tree(&h, arena, "templates", s->templates, ".c") ||
	    add_tree(&h, arena, "backends", s->backends, ".ok"))
		return -1;
	sha256_done(&h, digest);
	hex_encode(key, digest, sizeof digest);
	return 0;
}

bool
fresh_is(const struct setup *s, struct arena *arena, const char *key)
{
	struct str text, line;

	if (file_read(arena, setup_path(s, arena, KEY), &text) ||
	    !str_next(&text, '\n', &line) || !str_is(line, key))
		return false;
	while (str_next(&text, '\n', &line))
		if (line.n && !file_exists(setup_path(s, arena,
		    arena_strndup(arena, line.p, line.n))))
			return false;
	return true;
}

int
fresh_write(const struct setup *s, struct arena *arena, const char *key,
    const char *const *outputs, size_t n)
{
	struct buf out = { 0 };
	int bad;

	buf_printf(&out, "%s\n", key);
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%s\n", outputs[i]);
	bad = file_update(setup_path(s, arena, KEY), out.p, out.n, NULL);
	buf_release(&out);
	return bad;
}
