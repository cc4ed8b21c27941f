/* SPDX-License-Identifier: MIT */
#include "runtime/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "space/image.h"

static bool
holds_library(struct arena *a, const char *folder)
{
	return file_exists(path_join(a, folder, "current/manifest"));
}

const char *
library_find(struct arena *a, const char *given, const char **tried)
{
	const char *env = getenv("KVAOT_LIB"), *place[2] = { 0 };
	const char *exe = exe_dir(a);
	size_t i;

	*tried = "";
	if (given)
		return given;
	if (env && *env)
		return env;
	if (exe)
		place[0] = path_join(a, exe, "../lib");
#ifdef KVAOT_LIBDIR
	place[1] = KVAOT_LIBDIR "/kvaot";
#endif
	for (i = 0; i < 2; i++) {
		if (!place[i])
			continue;
		if (holds_library(a, place[i]))
			return place[i];
		*tried = arena_printf(
		    a, "%s%s%s", *tried, **tried ? ", " : "", place[i]);
	}
	return NULL;
}

/* Reads a whole file below a folder into the arena; `name` is for messages. */
static int
read_below(struct arena *a, int dir, const char *file, const char *name,
    struct str *out, struct diag *d)
{
	struct loc loc = { .file = name };
	struct stat st;
	ssize_t got = 0;
	size_t n = 0;
	char *p;
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return diag_error(d, loc, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return diag_error(d, loc, "expected a regular file");
	}
	p = arena_alloc(a, (size_t)st.st_size + 1);
	while (n < (size_t)st.st_size &&
	    (got = read(fd, p + n, (size_t)st.st_size - n)) > 0)
		n += (size_t)got;
	close(fd);
	if (got < 0)
		return diag_error(d, loc, "cannot read: %s", strerror(errno));
	*out = (struct str){ p, n };
	return 0;
}

/* Expects the same image that the manifest was written with. */
static int
check_image(const struct library *l, struct str image, const char *name,
    struct diag *d)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(image.p, image.n, hex);
	if (strcmp(hex, l->manifest.image) == 0)
		return 0;
	return diag_error(d, (struct loc){ .file = name },
	    "image and manifest do not belong together: the manifest expects "
	    "%.12s…, found %.12s…; publish or copy the library again",
	    l->manifest.image, hex);
}

static int
by_fit(const void *x, const void *y)
{
	const struct rowspec *a = x, *b = y;
	int order = match_order(a, b);

	/* qsort is not stable; the rows stand in one array. */
	return order ? order : (a->m > b->m) - (a->m < b->m);
}

static int
index_row(struct library *l, const struct manifest_row *m, const char *name,
    struct diag *d)
{
	struct lib_op *op = map_get(&l->ops, m->opcode);
	char why[MATCH_WHY];

	if (!op) {
		op = arena_alloc(&l->arena, sizeof(*op));
		op->opcode = m->opcode;
		map_set(&l->ops, m->opcode, op);
	}
	op->row = arena_grow(
	    &l->arena, op->row, op->n, &op->cap, sizeof(*op->row));
	if (match_parse(&l->arena, m, &op->row[op->n++], why))
		return diag_error(d, (struct loc){ .file = name },
		    "row of %s: %s", m->opcode, why);
	return 0;
}

static int
index_rows(struct library *l, const char *name, struct diag *d)
{
	size_t i;

	for (i = 0; i < l->manifest.n; i++) {
		if (index_row(l, &l->manifest.row[i], name, d))
			return -1;
	}
	for (i = 0; i < l->ops.n; i++) {
		struct lib_op *op = l->ops.entry[i].value;

		qsort(op->row, op->n, sizeof(*op->row), by_fit);
	}
	return 0;
}

/* `at` is the folder behind `current`. */
static int
read_library(struct library *l, const char *folder, int at, struct diag *d)
{
	const char *mname = path_join(&l->arena, folder, "current/manifest");
	const char *iname = path_join(&l->arena, folder, "current/image");
	struct str manifest, image;

	if (read_below(&l->arena, at, "manifest", mname, &manifest, d) ||
	    read_below(&l->arena, at, "image", iname, &image, d) ||
	    manifest_decode(&l->manifest, manifest.p, manifest.n, mname, d))
		return -1;
	if (!check_image(l, image, iname, d))
		l->space = image_decode(image.p, image.n, iname, d);
	if (!l->space || index_rows(l, mname, d)) {
		manifest_release(&l->manifest);
		return -1;
	}
	return 0;
}

int
library_open(struct library *l, const char *folder, struct diag *d)
{
	struct loc loc = { .file = folder };
	int at, rc;

	memset(l, 0, sizeof(*l));
	map_init(&l->ops, &l->arena);
	l->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->dir < 0)
		return diag_error(
		    d, loc, "cannot open the library: %s", strerror(errno));
	at = openat(l->dir, "current", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0) {
		diag_error(d, loc, "holds no published library (current: %s); "
		    "build one with `ninja -C out`", strerror(errno));
		close(l->dir);
		return -1;
	}
	rc = read_library(l, folder, at, d);
	close(at);
	if (rc) {
		space_free(l->space);
		arena_release(&l->arena);
		close(l->dir);
		return -1;
	}
	loader_init(&l->loader, l->dir);
	return 0;
}

void
library_close(struct library *l)
{
	loader_release(&l->loader);
	manifest_release(&l->manifest);
	space_free(l->space);
	arena_release(&l->arena);
	close(l->dir);
}

const struct lib_op *
library_op(const struct library *l, const char *opcode)
{
	return map_get(&l->ops, opcode);
}
