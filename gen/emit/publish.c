/* SPDX-License-Identifier: MIT */
#include "gen/emit/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/sha256.h"
#include "cache/store.h"
#include "space/manifest.h"

struct publisher {
	struct arena arena;
	const char *lib, *cache;
	struct diag *diag;
};

static int
failed(struct publisher *p, const char *path, const char *what)
{
	return diag_env(p->diag, (struct loc){ path, 0, 0 }, "cannot %s, and "
	    "the published library is as it was", what);
}

/* The digest that names a library: of its image and manifest digests. */
static void
library_digest(struct str image, const struct buf *manifest,
    char hex[SHA256_HEX + 1])
{
	char a[SHA256_HEX + 1], b[SHA256_HEX + 1], text[2 * SHA256_HEX + 3];

	sha256_hex(image.p, image.n, a);
	sha256_hex(manifest->p, manifest->n, b);
	snprintf(text, sizeof text, "%s\n%s\n", a, b);
	sha256_hex(text, strlen(text), hex);
}

static int
put_object(struct publisher *p, const char *hex)
{
	char *to = arena_printf(&p->arena, "%s/obj/%s.so", p->lib, hex);
	char *from = store_object_path(&p->arena, p->cache, hex);
	char have[SHA256_HEX + 1];
	struct str bytes;

	if (!link(from, to))
		return 0;
	if (!sha256_file(to, have) && !strcmp(have, hex))
		return 0;
	if (unlink(to) && errno != ENOENT)
		return failed(p, to, "replace it");
	if (!link(from, to))
		return 0;
	if (store_object_read(&p->arena, p->cache, hex, &bytes, p->diag))
		return -1;
	if (file_write(to, bytes.p, bytes.n, true))
		return failed(p, to, "write it");
	return 0;
}

static int
put_objects(struct publisher *p, const struct manifest *m)
{
	char *folder = path_join(&p->arena, p->lib, "obj");
	int bad = 0;

	if (make_dirs(folder))
		return failed(p, folder, "make the folder");
	for (size_t i = 0; !bad && i < m->n; i++)
		bad = put_object(p, m->row[i].object);
	if (!bad && dir_sync(folder))
		return failed(p, folder, "write it to disk");
	return bad;
}

static int
put_folder(struct publisher *p, const char *hex, struct str image,
    const struct buf *manifest)
{
	char *folder = path_join(&p->arena, p->lib, hex);
	char *path;

	if (make_dirs(folder))
		return failed(p, folder, "make the folder");
	path = path_join(&p->arena, folder, "image");
	if (file_write(path, image.p, image.n, true))
		return failed(p, path, "write it");
	path = path_join(&p->arena, folder, "manifest");
	if (file_write(path, manifest->p, manifest->n, true))
		return failed(p, path, "write it");
	return dir_sync(p->lib) ? failed(p, p->lib, "write it to disk") : 0;
}

/* The name `current` leads to, or "" when there is none. */
static const char *
current_of(struct publisher *p)
{
	char name[256];
	ssize_t n = readlink(path_join(&p->arena, p->lib, "current"), name,
	    sizeof name);

	return n > 0 && (size_t)n < sizeof name ?
	    arena_strndup(&p->arena, name, (size_t)n) : "";
}

static int
move_current(struct publisher *p, const char *hex)
{
	char *link_ = path_join(&p->arena, p->lib, "current");
	char *temp = arena_printf(&p->arena, "%s/.current.%ld", p->lib,
	    (long)getpid());

	if (unlink(temp) && errno != ENOENT)
		return failed(p, temp, "replace it");
	if (symlink(hex, temp) || rename(temp, link_)) {
		failed(p, link_, "move the link");
		unlink(temp);
		return -1;
	}
	return dir_sync(p->lib) ? failed(p, p->lib, "write it to disk") : 0;
}

/* Marks the objects a library uses, by its manifest. */
static void
mark_objects(struct publisher *p, const char *folder, struct map *used)
{
	char *path = arena_printf(&p->arena, "%s/%s/manifest", p->lib, folder);
	struct manifest m;
	struct diag quiet;
	struct str text;

	diag_init(&quiet);
	if (!file_read(&p->arena, path, &text) &&
	    !manifest_decode(&m, text.p, text.n, path, &quiet)) {
		for (size_t i = 0; i < m.n; i++)
			map_set(used, arena_printf(&p->arena, "%s.so",
			    m.row[i].object), used);
		manifest_release(&m);
	}
	diag_release(&quiet);
}

/* Removes libraries other than these two, and objects neither uses. What
 * cannot be removed stays: it harms nobody. */
static void
tidy(struct publisher *p, const char *now, const char *before)
{
	char *folder = path_join(&p->arena, p->lib, "obj");
	struct map used;
	char **name;
	size_t n;

	map_init(&used, &p->arena);
	mark_objects(p, now, &used);
	mark_objects(p, before, &used);
	if (!dir_list(&p->arena, p->lib, NULL, &name, &n))
		for (size_t i = 0; i < n; i++)
			if (strlen(name[i]) == SHA256_HEX &&
			    strcmp(name[i], now) && strcmp(name[i], before))
				remove_tree(path_join(&p->arena, p->lib,
				    name[i]));
	if (!dir_list(&p->arena, folder, ".so", &name, &n))
		for (size_t i = 0; i < n; i++)
			if (!map_get(&used, name[i]))
				remove_tree(path_join(&p->arena, folder,
				    name[i]));
}

int
publish(const char *lib, struct str image, struct manifest *m,
    const char *cache, struct diag *diag)
{
	struct publisher p = { .lib = lib, .cache = cache, .diag = diag };
	char hex[SHA256_HEX + 1];
	struct buf text = { 0 };
	const char *before;
	int bad;

	sha256_hex(image.p, image.n, m->image);
	manifest_encode(m, &text);
	library_digest(image, &text, hex);
	before = current_of(&p);
	bad = put_objects(&p, m) || put_folder(&p, hex, image, &text) ||
	    (strcmp(before, hex) && move_current(&p, hex));
	if (!bad && strcmp(before, hex))
		tidy(&p, hex, before);
	buf_release(&text);
	arena_release(&p.arena);
	return bad ? -1 : 0;
}
