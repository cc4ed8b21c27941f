/* SPDX-License-Identifier: MIT */
#include "cache/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "cache/receipt.h"

char *
store_path(struct arena *a, const char *cache, const char *kind,
    const char *hex, const char *suffix)
{
	return arena_printf(
	    a, "%s/%s/%.2s/%s%s", cache, kind, hex, hex, suffix);
}

char *
store_object_path(struct arena *a, const char *cache, const char *hex)
{
	return store_path(a, cache, "objects", hex, ".so");
}

static bool
file_is(const char *path, const char *hex, unsigned long long size)
{
	char found[SHA256_HEX + 1];
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    (unsigned long long)st.st_size == size &&
	    sha256_file(path, found) == 0 && strcmp(found, hex) == 0;
}

bool
store_object_good(const char *cache, const char *hex, unsigned long long size)
{
	struct arena a = { 0 };
	bool good = file_is(store_object_path(&a, cache, hex), hex, size);

	arena_release(&a);
	return good;
}

int
store_object_read(struct arena *a, const char *cache, const char *hex,
    struct str *out, struct diag *d)
{
	char *path = store_object_path(a, cache, hex);
	char found[SHA256_HEX + 1];

	if (file_read(a, path, out))
		return diag_error(d, (struct loc){ path, 0, 0 },
		    "cannot read the object: %s", strerror(errno));
	sha256_hex(out->p, out->n, found);
	if (strcmp(found, hex) != 0)
		return diag_error(d, (struct loc){ path, 0, 0 },
		    "object is damaged: its digest is %.12s…; build again",
		    found);
	return 0;
}

/* Fills a new file beside `path`; its name goes to temp. */
static int
write_temp(char *temp, const void *data, size_t n)
{
	int fd = mkstemp(temp), saved;

	if (fd < 0)
		return -1;
	if (file_write_fd(fd, data, n) || fchmod(fd, 0444) || fsync(fd)) {
		saved = errno;
		close(fd);
		unlink(temp);
		errno = saved;
		return -1;
	}
	return close(fd);
}

/* Gives the temporary file its name. Of several writers the first wins, and
 * the others find the same bytes; damaged bytes are replaced. */
static int
name_temp(
    const char *temp, const char *path, const char *hex, size_t n)
{
	int r = 0, saved;

	if (link(temp, path) && errno != EEXIST)
		r = -1;
	else if (!file_is(path, hex, n))
		r = rename(temp, path);
	saved = errno;
	unlink(temp);
	errno = saved;
	return r;
}

int
store_publish(
    const char *cache, const void *data, size_t n, char hex[SHA256_HEX + 1])
{
	struct arena a = { 0 };
	char *path, *temp, *dir;
	int r = -1;

	sha256_hex(data, n, hex);
	path = store_object_path(&a, cache, hex);
	dir = arena_strndup(&a, path, (size_t)(strrchr(path, '/') - path));
	temp = path_join(&a, dir, ".tmp.XXXXXX");
	if (make_dirs(dir) == 0 && write_temp(temp, data, n) == 0 &&
	    name_temp(temp, path, hex, n) == 0)
		r = dir_sync(dir);
	arena_release(&a);
	return r;
}

int
store_lookup(const char *cache, const char *action, struct receipt *out)
{
	struct arena a = { 0 };
	char *path = store_path(&a, cache, "actions", action, "");
	struct diag d;
	int r = 1;

	diag_init(&d);
	if (receipt_read(out, path, &d) == 0 &&
	    strcmp(out->action, action) == 0)
		r = 0;
	diag_release(&d);
	arena_release(&a);
	return r;
}

int
store_record(const char *cache, const struct receipt *r)
{
	struct arena a = { 0 };
	char *path = store_path(&a, cache, "actions", r->action, "");
	struct buf b = { 0 };
	int ret;

	receipt_format(r, &b);
	ret = make_parents(path);
	if (ret == 0)
		ret = file_write(path, b.p, b.n, true);
	buf_release(&b);
	arena_release(&a);
	return ret;
}

int
store_count(const char *cache, const char *event, const char *hex)
{
	struct arena a = { 0 };
	char *line = arena_printf(&a, "%s %s\n", event, hex);
	int fd, r = -1, saved;

	fd = open(path_join(&a, cache, "stats"),
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0) {
		/* One write, so that lines of several processes never mix. */
		r = write(fd, line, strlen(line)) == (ssize_t)strlen(line) ? 0
									  : -1;
		saved = errno;
		close(fd);
		errno = saved;
	}
	arena_release(&a);
	return r;
}
