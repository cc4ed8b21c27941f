/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

const struct fuzz_reader fuzz_readers[] = {
#define READER(name) { #name, fz_##name },
#include "tests/fuzz/readers.def"
#undef READER
	{ NULL, NULL },
};

void
fuzz_begin(struct fuzz *f)
{
	arena_init(&f->arena);
	diag_init(&f->diag);
}

void
fuzz_end(struct fuzz *f, int refused)
{
	if ((refused != 0) != (f->diag.errors != 0))
		BUG("a reader returned %d with %d errors", refused,
		    f->diag.errors);
	diag_release(&f->diag);
	arena_release(&f->arena);
}

const char *
fuzz_file(const uint8_t *p, size_t n)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0 && (fd = memfd_create("fuzz", MFD_CLOEXEC)) < 0)
		fatal("cannot make a file in memory: %s", strerror(errno));
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) ||
	    file_write_fd(fd, p, n))
		fatal("cannot write a file in memory: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

void
fuzz_same(const char *what, struct str a, struct str b)
{
	if (!str_eq(a, b))
		BUG("%s: expected\n%.*s\nfound\n%.*s", what, (int)a.n, a.p,
		    (int)b.n, b.p);
}
