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

#include "base/file.h"
#include "base/map.h"
#include "base/sha256.h"
#include "runtime/cpu.h"

enum { NAME_CAP = 128, PATH_CAP = 256, OBJECT_MAX = 1 << 28 };

/* What this process has mapped, by digest. glibc takes equal paths for the
 * same library, so that loads are counted over all libraries. */
static struct {
	struct arena arena;
	struct map objects;
	size_t loads;
} mapped;

static int
refuse(struct diag *d, const char *file, const char *why)
{
	return diag_error(d, (struct loc){ .file = file },
	    "cannot use this kernel object: %s; build or copy the library "
	    "again", why);
}

/* The object's bytes, in the arena, checked against its digest. */
static int
read_checked(struct arena *a, int dir, const char *digest, const char *name,
    struct str *bytes, struct diag *d)
{
	char hex[SHA256_HEX + 1];
	const char *why = NULL;
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		why = "not a file";
	else if (st.st_size <= 0 || st.st_size > OBJECT_MAX)
		why = "its size is not that of an object";
	else if (file_read_fd(a, fd, bytes))
		why = "it cannot be read whole";
	if (fd >= 0)
		close(fd);
	if (why)
		return refuse(d, name, why);
	sha256_hex(bytes->p, bytes->n, hex);
	if (strcmp(hex, digest) != 0)
		return refuse(d, name,
		    "its bytes do not have the digest in its name");
	return 0;
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
open_memfd(struct str bytes, size_t number)
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
	if (!file_write_fd(fd, bytes.p, bytes.n)) {
		unique_path(path, sizeof(path), fd, number);
		so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	close(fd);
	return so;
}

/* Writes the checked bytes into a folder that only we can enter and maps them
 * from there. */
static void *
open_private(struct str bytes, const char **why)
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
	bad = fd < 0 || file_write_fd(fd, bytes.p, bytes.n);
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

/* Objects of kvobj have no constructors, but those of another hand may: what
 * one does to the control register must not reach the kernels that follow. */
static void *
map_bytes(struct str bytes, const char *name, struct diag *d)
{
	const char *why = NULL;
	unsigned former = cpu_enter();
	void *so = open_memfd(bytes, ++mapped.loads);

	if (!so)
		so = open_private(bytes, &why);
	cpu_leave(former);
	if (!so)
		refuse(d, name, why ? why : "it cannot be mapped");
	return so;
}

const struct object *
object_get(int dir, const char *digest, struct diag *d)
{
	struct object *o = mapped.objects.n ?
	    map_get(&mapped.objects, digest) : NULL;
	struct arena a = { 0 };
	const struct kvk_table *table;
	char name[NAME_CAP];
	struct str bytes;
	void *so = NULL;

	if (o)
		return o;
	snprintf(name, sizeof(name), "obj/%.64s.so", digest);
	if (!read_checked(&a, dir, digest, name, &bytes, d))
		so = map_bytes(bytes, name, d);
	arena_release(&a);
	if (!so)
		return NULL;
	table = dlsym(so, "kvk_table");
	if (check_table(table, name, d))
		return NULL;
	if (!mapped.objects.arena)
		map_init(&mapped.objects, &mapped.arena);
	o = arena_alloc(&mapped.arena, sizeof(*o));
	o->digest = arena_strdup(&mapped.arena, digest);
	o->table = table;
	map_set(&mapped.objects, digest, o);
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
	    e->cls < KVK_MAP || e->cls > KVK_COLS || e->nin > 16 ||
	    e->nout < 1 || e->nout > 4 || e->scratch < 0 || e->scratch_n < 0) {
		refuse(d, name, "its entry is malformed");
		return NULL;
	}
	return e;
}
