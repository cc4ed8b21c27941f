/* SPDX-License-Identifier: MIT */
#include "runtime/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

enum { NAME_CAP = 128, PATH_CAP = 256, OBJECT_MAX = 1 << 28 };

void
loader_init(struct loader *l, int dir)
{
	memset(l, 0, sizeof(*l));
	map_init(&l->objects, &l->arena);
	l->dir = dir;
}

void
loader_release(struct loader *l)
{
	arena_release(&l->arena);
}

static int
refuse(struct diag *d, const char *file, const char *why)
{
	return diag_error(d, (struct loc){ .file = file },
	    "cannot use this kernel object: %s; build or copy the library "
	    "again", why);
}

/* Reads all n bytes of fd; a file that shrinks meanwhile is an error. */
static int
read_all(int fd, char *p, size_t n)
{
	ssize_t got;

	while (n > 0) {
		got = read(fd, p, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

static int
write_all(int fd, const char *p, size_t n)
{
	ssize_t put;

	while (n > 0) {
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

/* The object's bytes, malloced, checked against its digest. */
static char *
read_checked(struct loader *l, const char *digest, const char *name,
    size_t *n, struct diag *d)
{
	char hex[SHA256_HEX + 1], *bytes = NULL;
	struct stat st;
	int fd = openat(l->dir, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		refuse(d, name, fd < 0 ? strerror(errno) : "not a file");
	} else if (st.st_size <= 0 || st.st_size > OBJECT_MAX) {
		refuse(d, name, "its size is not that of an object");
	} else {
		*n = (size_t)st.st_size;
		bytes = malloc(*n);
		if (!bytes || read_all(fd, bytes, *n)) {
			refuse(d, name, "it cannot be read whole");
			free(bytes);
			bytes = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	if (!bytes)
		return NULL;
	sha256_hex(bytes, *n, hex);
	if (strcmp(hex, digest) != 0) {
		refuse(d, name, "its bytes do not have the digest in its name");
		free(bytes);
		return NULL;
	}
	return bytes;
}

/*
 * A path to the descriptor that was never used before: glibc takes equal texts
 * for the same library. The bits of the load's number are spelt as "/." and
 * "/", which mean nothing to the system.
 */
static void
unique_path(char *out, size_t cap, int fd, size_t number)
{
	size_t n = (size_t)snprintf(out, cap, "/proc/self/fd");

	for (; number; number >>= 1)
		n += (size_t)snprintf(
		    out + n, cap - n, "%s", number & 1 ? "/." : "/");
	snprintf(out + n, cap - n, "/%d", fd);
}

static void *
open_memfd(const char *bytes, size_t n, size_t number)
{
	char path[PATH_CAP];
	void *so = NULL;
	/* MFD_EXEC: systems that deny execution by default ask for it. Older
	 * ones do not know it. */
	int fd = memfd_create("kvk", MFD_CLOEXEC | 0x10u);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("kvk", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!write_all(fd, bytes, n)) {
		unique_path(path, sizeof(path), fd, number);
		so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	close(fd);
	return so;
}

/* Writes the checked bytes into a folder that only we can enter and maps them
 * from there. */
static void *
open_private(const char *bytes, size_t n, const char **why)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_CAP], path[PATH_CAP + 8];
	void *so = NULL;
	int fd, bad;

	snprintf(dir, sizeof(dir), "%.200s/kvk-XXXXXX",
	    tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		*why = strerror(errno);
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/k.so", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
	bad = fd < 0 || write_all(fd, bytes, n);
	*why = bad ? strerror(errno) : NULL;
	if (fd >= 0)
		close(fd);
	if (!bad) {
		so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		*why = so ? NULL : dlerror();
	}
	unlink(path);
	rmdir(dir);
	return so;
}

static int
check_table(const struct kvk_table *t, const char *name, struct diag *d)
{
	char why[160];

	if (!t)
		return refuse(d, name, "it exports no kvk_table");
	if (t->abi != KVK_ABI) {
		snprintf(why, sizeof(why), "it has kernel ABI %u, this "
		    "program has %d", (unsigned)t->abi, KVK_ABI);
		return refuse(d, name, why);
	}
	if (t->size < sizeof(*t) || t->entry_size < sizeof(struct kvk_entry) ||
	    t->entry_size % _Alignof(struct kvk_entry) || !t->entry)
		return refuse(d, name, "its kvk_table is malformed");
	return 0;
}

static struct object *
load(struct loader *l, const char *digest, const char *name, struct diag *d)
{
	struct object *o;
	const char *why = NULL;
	char *bytes;
	void *so;
	size_t n;

	bytes = read_checked(l, digest, name, &n, d);
	if (!bytes)
		return NULL;
	so = open_memfd(bytes, n, l->objects.n + 1);
	if (!so)
		so = open_private(bytes, n, &why);
	free(bytes);
	if (!so) {
		refuse(d, name, why ? why : "it cannot be mapped");
		return NULL;
	}
	o = arena_alloc(&l->arena, sizeof(*o));
	o->digest = arena_strdup(&l->arena, digest);
	o->table = dlsym(so, "kvk_table");
	return check_table(o->table, name, d) ? NULL : o;
}

const struct object *
loader_get(struct loader *l, const char *digest, struct diag *d)
{
	struct object *o = map_get(&l->objects, digest);
	char name[NAME_CAP];

	if (o)
		return o;
	snprintf(name, sizeof(name), "obj/%.64s.so", digest);
	o = load(l, digest, name, d);
	if (o)
		map_set(&l->objects, digest, o);
	return o;
}

const struct kvk_entry *
object_entry(const struct object *o, int64_t i, struct diag *d)
{
	const struct kvk_table *t = o->table;
	const struct kvk_entry *e;
	char name[NAME_CAP];

	snprintf(name, sizeof(name), "obj/%.64s.so", o->digest);
	if (i < 0 || i >= (int64_t)t->n) {
		refuse(d, name, "it has fewer entries than the manifest says");
		return NULL;
	}
	e = (const void *)((const char *)t->entry + (size_t)i * t->entry_size);
	if (e->abi != KVK_ABI || e->size < sizeof(*e) || !e->fn ||
	    !e->opcode || !e->langtypes || !e->dtype || !e->isa ||
	    e->cls < KVK_MAP || e->cls > KVK_OTHER || e->nin > 16 ||
	    e->nout < 1 || e->nout > 4 || e->scratch < 0 || e->scratch_n < 0) {
		refuse(d, name, "its entry is malformed");
		return NULL;
	}
	return e;
}
