/* SPDX-License-Identifier: MIT */
#include "space/fs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "space/image.h"
#include "space/space.h"

#define SCHEME "fs://"
#define MARK "kvspace"
#define MARK_TEXT "kvspace 1\n"

static struct loc
at(const char *path)
{
	return (struct loc){ .file = path };
}

static int
failed(struct diag *d, const char *path, const char *what)
{
	return diag_error(d, at(path), "cannot %s: %s", what,
	    strerror(errno));
}

/* A write that is under way, or was killed. */
static bool
is_temp(const char *name)
{
	return strncmp(name, ".tmp.", 5) == 0;
}

/* A folder of somebody else must not be filled with our files. */
static int
mark(const char *dir, const char *path, struct arena *a, struct diag *d)
{
	char **name;
	size_t n, i;

	if (make_dirs(dir))
		return failed(d, dir, "make the folder of the space");
	if (dir_list(a, dir, NULL, &name, &n))
		return failed(d, dir, "list");
	for (i = 0; i < n; i++) {
		/* Another process may be marking it at this moment. */
		if (!is_temp(name[i]) && strcmp(name[i], MARK))
			return diag_error(d, at(dir), "expected a folder with "
			    "the file `" MARK "` or an empty one, found `%s`; "
			    "name a folder of its own for fs://", name[i]);
	}
	if (file_write(path, MARK_TEXT, strlen(MARK_TEXT), true))
		return failed(d, path, "write");
	return 0;
}

int
fs_open(struct fs *fs, const char *dsn, struct diag *d)
{
	const char *path;
	struct str text;
	int bad = 0;

	*fs = (struct fs){ .dir = NULL };
	if (strncmp(dsn, SCHEME, strlen(SCHEME)) || !dsn[strlen(SCHEME)])
		return diag_error(d, no_loc, "expected a space fs://DIR, "
		    "found `%s`", dsn);
	fs->dir = arena_strdup(&fs->arena, dsn + strlen(SCHEME));
	path = path_join(&fs->arena, fs->dir, MARK);
	if (file_read(&fs->arena, path, &text) == 0) {
		if (!str_is(text, MARK_TEXT))
			bad = diag_error(d, at(path), "expected the line "
			    "`kvspace 1`, found another version or a damaged "
			    "file; name another folder for fs://");
	} else if (errno == ENOENT) {
		bad = mark(fs->dir, path, &fs->arena, d);
	} else {
		bad = failed(d, path, "read");
	}
	if (bad)
		fs_close(fs);
	return bad;
}

void
fs_close(struct fs *fs)
{
	arena_release(&fs->arena);
	*fs = (struct fs){ .dir = NULL };
}

static bool
is_key(const char *key)
{
	return key[0] == '/' && key[1];
}

static int
check_key(const char *key, struct diag *d)
{
	if (is_key(key))
		return 0;
	return diag_error(d, no_loc, "expected a key that begins with `/`, "
	    "found `%s`", key);
}

static char *
path_of(const struct fs *fs, struct arena *a, const char *key)
{
	return path_join(a, fs->dir, name_escape(a, key));
}

/* The one key of an image. */
static const char *
only_key(const struct image *image, struct arena *a)
{
	struct space *s = image_space(image);
	size_t it = 0;
	char *key = arena_strdup(a, space_next(s, "", &it, NULL));

	space_free(s);
	return key;
}

/* Opens the file of a key; its name must be that of its only key. The bytes
 * stay in the arena. */
static int
open_file(const char *path, struct str bytes, struct image *image,
    struct arena *a, const char **key, struct diag *d)
{
	const char *name = strrchr(path, '/') + 1;

	if (image_open(image, bytes.p, bytes.n, path, NULL, d))
		return -1;
	if (image->n == 1) {
		*key = only_key(image, a);
		if (!strcmp(name_escape(a, *key), name))
			return 0;
	}
	image_release(image);
	return diag_error(d, at(path), "expected a file with the one key that "
	    "its name tells, found another key or number of keys; delete the "
	    "file");
}

static const struct value *
copy(struct arena *a, const struct value *v)
{
	struct value *c = arena_alloc(a, sizeof(*c));
	void *body = arena_alloc(a, v->n);

	*c = *v;
	c->langtype = arena_strdup(a, v->langtype);
	c->body = v->n ? memcpy(body, v->body, v->n) : body;
	return c;
}

int
fs_get(const struct fs *fs, const char *key, struct arena *a,
    const struct value **v, struct diag *d)
{
	struct arena scratch = { 0 };
	const char *path, *found;
	struct image image;
	struct str bytes;
	int bad = 0;

	*v = NULL;
	if (check_key(key, d))
		return -1;
	path = path_of(fs, &scratch, key);
	if (file_read(&scratch, path, &bytes)) {
		if (errno != ENOENT)
			bad = failed(d, path, "read");
	} else if (open_file(path, bytes, &image, &scratch, &found, d)) {
		bad = -1;
	} else {
		*v = copy(a, image_get(&image, found));
		image_release(&image);
	}
	arena_release(&scratch);
	return bad;
}

int
fs_set(const struct fs *fs, const char *key, const struct value *v,
    struct diag *d)
{
	struct arena scratch = { 0 };
	struct value checked = *v;
	struct buf bytes = { 0 };
	struct space *s;
	const char *path;
	char why[120];
	int bad = 0;

	if (check_key(key, d))
		return -1;
	if (value_check(&checked, why))
		return diag_error(d, no_loc, "%s cannot be kept: %s", key,
		    why);
	s = space_new();
	space_set(s, key, v);
	image_encode(s, &bytes);
	space_free(s);
	path = path_of(fs, &scratch, key);
	if (file_write(path, bytes.p, bytes.n, true))
		bad = failed(d, path, "write");
	buf_release(&bytes);
	arena_release(&scratch);
	return bad;
}

/* Undoes name_escape where nothing was cut off. */
static char *
unescape(struct arena *a, const char *name)
{
	struct buf b = { 0 };
	unsigned char c;
	char *key;

	for (; *name; name++) {
		if (*name == '.') {
			buf_puts(&b, "·");
		} else if (*name != '%') {
			buf_putc(&b, *name);
		} else {
			char hex[3] = { name[1], name[1] ? name[2] : 0, 0 };

			c = (unsigned char)strtoul(hex, NULL, 16);
			buf_putc(&b, (char)c);
			name += strlen(hex);
		}
	}
	key = arena_strdup(a, buf_str(&b).p);
	buf_release(&b);
	return key;
}

/* The key of a file; a long one is only told by the content. NULL when the file
 * has just been deleted. */
static int
key_of(const struct fs *fs, const char *name, struct arena *a, char **key,
    struct diag *d)
{
	const char *path = path_join(a, fs->dir, name), *found;
	struct image image;
	struct str bytes;

	if (!strchr(name, '~')) {
		*key = unescape(a, name);
		if (is_key(*key) && !strcmp(name_escape(a, *key), name))
			return 0;
		return diag_error(d, at(path), "expected the name of a key, "
		    "found a file that is none of this space; move it away");
	}
	*key = NULL;
	if (file_read(a, path, &bytes))
		return errno == ENOENT ? 0 : failed(d, path, "read");
	if (open_file(path, bytes, &image, a, &found, d))
		return -1;
	image_release(&image);
	*key = arena_strdup(a, found);
	return 0;
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
fs_list(const struct fs *fs, const char *prefix, struct arena *a,
    char ***keys, size_t *n, struct diag *d)
{
	size_t files, i;
	char **name, *key;

	*n = 0;
	*keys = NULL;
	if (dir_list(a, fs->dir, NULL, &name, &files))
		return failed(d, fs->dir, "list");
	*keys = arena_array(a, files, sizeof(**keys));
	for (i = 0; i < files; i++) {
		if (is_temp(name[i]) || !strcmp(name[i], MARK))
			continue;
		if (key_of(fs, name[i], a, &key, d))
			return -1;
		if (key && !strncmp(key, prefix, strlen(prefix)))
			(*keys)[(*n)++] = key;
	}
	if (*n)
		qsort(*keys, *n, sizeof(**keys), by_bytes);
	return 0;
}

/* Without the sync of the folder that makes it last. */
static int
delete(const struct fs *fs, struct arena *a, const char *key, struct diag *d)
{
	const char *path = path_of(fs, a, key);

	return unlink(path) && errno != ENOENT ? failed(d, path, "delete") : 0;
}

static int
sync_folder(const struct fs *fs, struct diag *d)
{
	return dir_sync(fs->dir) ? failed(d, fs->dir, "sync") : 0;
}

int
fs_del(const struct fs *fs, const char *key, struct diag *d)
{
	struct arena a = { 0 };
	int bad = check_key(key, d) || delete(fs, &a, key, d) ||
	    sync_folder(fs, d) ? -1 : 0;

	arena_release(&a);
	return bad;
}

int
fs_del_tree(const struct fs *fs, const char *key, struct diag *d)
{
	struct arena a = { 0 };
	size_t n, i, len = strlen(key);
	char **keys;
	int bad;

	if (check_key(key, d))
		return -1;
	bad = fs_list(fs, key, &a, &keys, &n, d);
	for (i = 0; i < n && !bad; i++) {
		if (!keys[i][len] || keys[i][len] == '/')
			bad = delete(fs, &a, keys[i], d);
	}
	if (!bad)
		bad = sync_folder(fs, d);
	arena_release(&a);
	return bad;
}
