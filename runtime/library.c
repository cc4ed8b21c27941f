/* SPDX-License-Identifier: MIT */
#include "runtime/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"

/* Reads a whole file of a folder into the arena; `name` is for messages. */
static int
read_below(struct arena *a, int dir, const char *file, const char *name,
    struct str *out, struct diag *d)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	int bad = fd < 0 || file_read_fd(a, fd, out);

	if (bad)
		diag_error(d, (struct loc){ .file = name }, "cannot read: %s",
		    strerror(errno));
	if (fd >= 0)
		close(fd);
	return bad ? -1 : 0;
}

/* Expects the same image that the manifest was written with. */
static int
check_image(const struct library *l, const char *found, const char *name,
    struct diag *d)
{
	if (strcmp(found, l->manifest.image) == 0)
		return 0;
	return diag_error(d, (struct loc){ .file = name },
	    "image and manifest do not belong together: the manifest expects "
	    "%.12s…, found %.12s…; publish or copy the library again",
	    l->manifest.image, found);
}

static int
by_fit(const void *x, const void *y)
{
	const struct rowspec *a = x, *b = y;
	int order = match_order(a, b);

	/* qsort is not stable; the rows stand in one array. */
	return order ? order : (a->m > b->m) - (a->m < b->m);
}

/* Indexes n rows of one opcode. */
static int
index_op(struct library *l, const struct manifest_row *m, size_t n,
    const char *name, struct diag *d)
{
	struct lib_op *op = arena_alloc(&l->arena, sizeof(*op));
	char why[MATCH_WHY];

	op->opcode = m->opcode;
	op->row = arena_array(&l->arena, n, sizeof(*op->row));
	for (op->n = 0; op->n < n; op->n++) {
		if (match_parse(&l->arena, &m[op->n], &op->row[op->n], why))
			return diag_error(d, (struct loc){ .file = name },
			    "row of %s: %s", m->opcode, why);
	}
	qsort(op->row, op->n, sizeof(*op->row), by_fit);
	map_set(&l->ops, op->opcode, op);
	return 0;
}

/* The manifest is sorted, so the rows of an opcode stand together. */
static int
index_rows(struct library *l, const char *name, struct diag *d)
{
	const struct manifest_row *m = l->manifest.row;
	size_t i, n;

	for (i = 0; i < l->manifest.n; i += n) {
		for (n = 1; i + n < l->manifest.n &&
		    strcmp(m[i + n].opcode, m[i].opcode) == 0; n++)
			;
		if (index_op(l, &m[i], n, name, d))
			return -1;
	}
	return 0;
}

/* `at` is the publication's folder, `folder` its name. */
static int
read_library(struct library *l, const char *folder, int at, struct diag *d)
{
	const char *mname = path_join(&l->arena, folder, "manifest");
	const char *iname = path_join(&l->arena, folder, "image");
	struct str manifest, image;
	char hex[SHA256_HEX + 1];

	if (read_below(&l->arena, at, "manifest", mname, &manifest, d) ||
	    read_below(&l->arena, at, "image", iname, &image, d) ||
	    manifest_decode(&l->manifest, manifest.p, manifest.n, mname, d))
		return -1;
	if (!image_open(&l->image, image.p, image.n, iname, hex, d)) {
		if (!check_image(l, hex, iname, d) && !index_rows(l, mname, d))
			return 0;
		image_release(&l->image);
	}
	manifest_release(&l->manifest);
	return -1;
}

/* The versions to skip; the file need not be there. */
static int
read_masked(struct library *l, const char *path, struct diag *d)
{
	const char *name = path_join(&l->arena, path, MASKED_FILE);
	struct str text;

	if (faccessat(l->dir, MASKED_FILE, F_OK, 0) && errno == ENOENT)
		return 0;
	return read_below(&l->arena, l->dir, MASKED_FILE, name, &text, d) ||
	    masked_decode(&l->masked, &l->arena, text, name, d) ? -1 : 0;
}

/* A descriptor of a folder below another; -1 when it is none. */
static int
open_folder(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int
no_library(const char *path, const char *why, struct diag *d)
{
	return diag_error(d, (struct loc){ .file = path }, "holds no published "
	    "library (%s); build one with `ninja -C out`", why);
}

/* The folder of a library: *at is the publication behind `current`. */
static int
open_published(struct library *l, const char *path, int *at, struct diag *d)
{
	char why[100];

	l->dir = open_folder(AT_FDCWD, path);
	*at = l->dir < 0 ? -1 : open_folder(l->dir, "current");
	if (*at >= 0)
		return 0;
	snprintf(why, sizeof(why), "%s: %s",
	    l->dir < 0 ? "folder" : "current", strerror(errno));
	return no_library(path, why, d);
}

/* An image file: *at is its folder, and obj/ is there or one folder up, where
 * publications stand. */
static int
open_image(struct library *l, const char *folder, int *at, struct diag *d)
{
	int obj;

	*at = open_folder(AT_FDCWD, folder);
	if (*at < 0)
		return no_library(folder, strerror(errno), d);
	obj = open_folder(*at, "obj");
	l->dir = open_folder(*at, obj < 0 ? ".." : ".");
	if (obj >= 0)
		close(obj);
	return l->dir < 0 ? no_library(folder, strerror(errno), d) : 0;
}

static int
open_parts(struct library *l, const char *path, struct diag *d)
{
	const char *slash = strrchr(path, '/');
	const char *folder = path_join(&l->arena, path, "current");
	const char *top = path;
	struct stat st;
	int at = -1, rc;

	if (!stat(path, &st) && S_ISREG(st.st_mode)) {
		folder = slash ? arena_strndup(&l->arena, path,
		    (size_t)(slash - path) + 1) : ".";
		top = folder;
		if (strcmp(slash ? slash + 1 : path, "image") != 0)
			return no_library(path, "expected a folder or a file "
			    "named image", d);
		rc = open_image(l, folder, &at, d);
	} else {
		rc = open_published(l, path, &at, d);
	}
	if (!rc)
		rc = read_masked(l, top, d);
	if (!rc)
		rc = read_library(l, folder, at, d);
	if (at >= 0)
		close(at);
	return rc;
}

int
library_open(struct library *l, const char *path, struct diag *d)
{
	memset(l, 0, sizeof(*l));
	l->dir = -1;
	map_init(&l->ops, &l->arena);
	if (!open_parts(l, path, d))
		return 0;
	arena_release(&l->arena);
	if (l->dir >= 0)
		close(l->dir);
	return -1;
}

void
library_close(struct library *l)
{
	manifest_release(&l->manifest);
	image_release(&l->image);
	space_free(l->space);
	arena_release(&l->arena);
	close(l->dir);
}

const struct value *
library_get(struct library *l, const char *key)
{
	return l->space ? space_get(l->space, key) :
	    image_get(&l->image, key);
}

struct space *
library_space(struct library *l)
{
	if (!l->space)
		l->space = image_space(&l->image);
	return l->space;
}

const struct lib_op *
library_op(const struct library *l, const char *opcode)
{
	return map_get(&l->ops, opcode);
}
