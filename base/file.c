/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

/* Closes without touching errno, for the way out after a fault. */
static void
close_quietly(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

/* Reads up to n bytes, fewer only at the end; -1 on a fault. */
static ssize_t
read_full(int fd, char *p, size_t n)
{
	size_t have = 0;
	ssize_t got;

	while (have < n) {
		got = read(fd, p + have, n - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* The size that stat gives is only a first guess: a file may grow while it is
 * read, and pipes and /proc files say 0. */
static int
read_fd(struct arena *a, int fd, size_t guess, struct str *out)
{
	size_t cap = guess + 1, n = 0;
	char *p = arena_alloc(a, cap + 1), *more;
	ssize_t got;

	while ((got = read_full(fd, p + n, cap - n)) >= 0) {
		n += (size_t)got;
		if (n < cap) {
			p[n] = '\0';
			*out = (struct str){ p, n };
			return 0;
		}
		cap = cap < 32768 ? 65536 : cap * 2;
		more = arena_alloc(a, cap + 1);
		memcpy(more, p, n);
		p = more;
	}
	return -1;
}

int
file_read_fd(struct arena *a, int fd, struct str *out)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	return read_fd(a, fd, (size_t)st.st_size, out);
}

int
file_read(struct arena *a, const char *path, struct str *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -1;
	r = file_read_fd(a, fd, out);
	close_quietly(fd);
	return r;
}

int
file_write_fd(int fd, const void *data, size_t n)
{
	const char *p = data;
	ssize_t put;

	while (n) {
		put = write(fd, p, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

/* The folder of a path, as text that open and mkdir take. */
static char *
dir_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return arena_strdup(a, ".");
	if (slash == path)
		return arena_strdup(a, "/");
	return arena_strndup(a, path, (size_t)(slash - path));
}

/* Opens a new file in the folder. A name that is taken was left by a killed
 * process with this id: the next one is tried. */
static int
open_temp(struct arena *a, const char *dir, char **path)
{
	static atomic_uint counter;
	int fd;

	do {
		*path = arena_printf(a, "%s/.tmp.%ld.%u", dir, (long)getpid(),
		    atomic_fetch_add(&counter, 1));
		fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

static int
fill_temp(int fd, const void *data, size_t n, bool sync)
{
	if (file_write_fd(fd, data, n) || (sync && fsync(fd))) {
		close_quietly(fd);
		return -1;
	}
	return close(fd);
}

static int
write_in(struct arena *a, const char *path, const void *data, size_t n,
    bool sync)
{
	char *dir = dir_of(a, path), *temp;
	int fd = open_temp(a, dir, &temp), saved;

	if (fd < 0)
		return -1;
	if (fill_temp(fd, data, n, sync) || rename(temp, path)) {
		saved = errno;
		unlink(temp);
		errno = saved;
		return -1;
	}
	return sync ? dir_sync(dir) : 0;
}

int
file_write(const char *path, const void *data, size_t n, bool sync)
{
	struct arena a = { 0 };
	int r = write_in(&a, path, data, n, sync);

	arena_release(&a);
	return r;
}

static bool
holds(const char *path, const void *data, size_t n)
{
	struct arena a = { 0 };
	struct stat st;
	struct str old;
	bool same;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != n)
		return false;
	same = file_read(&a, path, &old) == 0 && old.n == n &&
	    (n == 0 || memcmp(old.p, data, n) == 0);
	arena_release(&a);
	return same;
}

int
file_update(const char *path, const void *data, size_t n, bool *changed)
{
	bool same = holds(path, data, n);

	if (changed)
		*changed = !same;
	return same ? 0 : file_write(path, data, n, false);
}

static int
make_dir(const char *path)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return -1;
	if (stat(path, &st))
		return -1;
	if (S_ISDIR(st.st_mode))
		return 0;
	errno = ENOTDIR;
	return -1;
}

int
make_dirs(const char *path)
{
	struct arena a = { 0 };
	char *p = arena_strdup(&a, path), *s;
	int r = 0;

	for (s = p; *s && r == 0; s++) {
		if (*s != '/' || s == p)
			continue;
		*s = '\0';
		r = make_dir(p);
		*s = '/';
	}
	if (r == 0)
		r = make_dir(p);
	arena_release(&a);
	return r;
}

int
make_parents(const char *path)
{
	struct arena a = { 0 };
	int r = make_dirs(dir_of(&a, path));

	arena_release(&a);
	return r;
}

bool
file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

int
dir_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return -1;
	r = fsync(fd);
	close_quietly(fd);
	return r;
}

struct names {
	char **name;
	size_t n, cap;
};

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = suffix ? strlen(suffix) : 0;

	return m <= n && (m == 0 || strcmp(s + n - m, suffix) == 0);
}

static void
names_add(struct arena *a, struct names *l, char *name)
{
	l->name = arena_grow(a, l->name, l->n, &l->cap, sizeof(*l->name));
	l->name[l->n++] = name;
}

/* All names of a folder, in any order. */
static int
read_names(struct arena *a, const char *path, struct names *l)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int saved;

	if (!d)
		return -1;
	while (errno = 0, (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			names_add(a, l, arena_strdup(a, e->d_name));
	}
	saved = errno;
	closedir(d);
	errno = saved;
	return saved ? -1 : 0;
}

static void
give_names(struct names *l, const char *suffix, char ***out, size_t *n)
{
	size_t i, kept = 0;

	for (i = 0; i < l->n; i++) {
		if (ends_with(l->name[i], suffix))
			l->name[kept++] = l->name[i];
	}
	if (kept)
		qsort(l->name, kept, sizeof(*l->name), by_bytes);
	*out = l->name;
	*n = kept;
}

int
dir_list(struct arena *a, const char *path, const char *suffix, char ***names,
    size_t *n)
{
	struct names l = { 0 };

	if (read_names(a, path, &l))
		return -1;
	give_names(&l, suffix, names, n);
	return 0;
}

/* Adds the files below root/below ("" for root itself). */
static int
walk(struct arena *a, const char *root, const char *below, struct names *l)
{
	struct names here = { 0 };
	struct stat st;
	char *rel, *full;
	size_t i;

	if (read_names(a, *below ? path_join(a, root, below) : root, &here))
		return -1;
	for (i = 0; i < here.n; i++) {
		rel = *below ? path_join(a, below, here.name[i]) : here.name[i];
		full = path_join(a, root, rel);
		if (lstat(full, &st))
			return -1;
		if (S_ISDIR(st.st_mode)) {
			if (walk(a, root, rel, l))
				return -1;
			continue;
		}
		/* Only a link is something else than what it leads to. */
		if (S_ISLNK(st.st_mode) && stat(full, &st))
			continue;
		if (S_ISREG(st.st_mode))
			names_add(a, l, rel);
	}
	return 0;
}

int
dir_walk(struct arena *a, const char *path, const char *suffix, char ***paths,
    size_t *n)
{
	struct names l = { 0 };

	if (walk(a, path, "", &l))
		return -1;
	give_names(&l, suffix, paths, n);
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int
remove_tree(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -1;
	return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) ? -1 : 0;
}

char *
path_join(struct arena *a, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return arena_printf(a, "%s%s%s", dir,
	    n && dir[n - 1] == '/' ? "" : "/", name);
}

char *
exe_dir(struct arena *a)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return NULL;
	path[n] = '\0';
	return dir_of(a, path);
}
