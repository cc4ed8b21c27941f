/* SPDX-License-Identifier: MIT */
#include "gen/doctor.h"

#include <errno.h>
#include <immintrin.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/blas.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/isa.h"
#include "base/map.h"
#include "base/sha256.h"
#include "cache/conf.h"
#include "cache/spawn.h"
#include "cache/toolchain.h"
#include "gen/published.h"
#include "space/image.h"

enum { CLANG_LEAST = 14 };

/* A build of the library writes some megabytes; a full disk stops it. */
static const unsigned long long space_least = 16ull << 20;
static const unsigned long long space_wanted = 1ull << 30;

#define RECONFIGURE "run configure again (installed: install kvaot again)"
#define REBUILD "run ninja -C out (installed: install kvaot again)"

struct doctor {
	struct findings *f;
	struct arena *arena;
	struct conf conf;
	bool has_conf, has_cache;
};

const char *
finding_word(enum finding_status s)
{
	static const char *const words[] = { "ok", "warning", "problem" };

	return words[s];
}

static void
add(struct doctor *d, enum finding_status status, const char *check,
    const char *text, const char *todo)
{
	d->f->item = arena_grow(d->arena, d->f->item, d->f->n, &d->f->cap,
	    sizeof *d->f->item);
	d->f->item[d->f->n++] = (struct finding){ status, check, text, todo };
}

/* The first error of a diag, which is released. */
static const char *
take_error(struct doctor *d, struct diag *diag)
{
	char text[1024];

	diag_first(diag, text, sizeof text);
	diag_release(diag);
	return arena_strdup(d->arena, text);
}

static void
look_settings(struct doctor *d, const char *home)
{
	const char *path = path_join(d->arena, home, "kvobj.conf");
	struct diag diag;

	diag_init(&diag);
	if (conf_read(&d->conf, d->arena, path, &diag)) {
		add(d, FINDING_PROBLEM, "settings", take_error(d, &diag),
		    RECONFIGURE);
		return;
	}
	d->has_conf = true;
	add(d, FINDING_OK, "settings", path, NULL);
	diag_release(&diag);
}

/* What `PROGRAM --version` prints first; NULL when it does not run. */
static const char *
version_line(struct doctor *d, const char *program)
{
	char *const argv[] = { arena_strdup(d->arena, program), "--version",
		NULL };
	struct buf out = { 0 };
	struct str text, line = { "", 0 };
	const char *first = NULL;

	if (!spawn_run("/", argv, NULL, &out)) {
		text = buf_str(&out);
		str_next(&text, '\n', &line);
		first = arena_strndup(d->arena, line.p, line.n);
	}
	buf_release(&out);
	return first;
}

static void
look_program(struct doctor *d, const char *check, const char *program,
    const char *package)
{
	const char *line = program ? version_line(d, program) : NULL;
	const char *todo = arena_printf(d->arena, "install %s and "
	    RECONFIGURE, package);

	if (line)
		add(d, FINDING_OK, check, arena_printf(d->arena, "%s: %s",
		    program, line), NULL);
	else if (program)
		add(d, FINDING_PROBLEM, check, arena_printf(d->arena,
		    "%s does not run", program), todo);
	else
		add(d, FINDING_PROBLEM, check, "the settings name none", todo);
}

/* clang 14 is the first that compiles the kernels' vector types. */
static void
look_compiler(struct doctor *d)
{
	struct finding *f;
	const char *at;
	int major = 0;

	look_program(d, "compiler", d->conf.clang, "clang-19");
	f = &d->f->item[d->f->n - 1];
	if (f->status != FINDING_OK)
		return;
	at = strstr(f->text, "clang version ");
	for (at = at ? at + 14 : ""; *at >= '0' && *at <= '9'; at++)
		major = major > 9999 ? major : 10 * major + (*at - '0');
	if (major >= CLANG_LEAST)
		return;
	*f = (struct finding){ FINDING_PROBLEM, f->check, arena_printf(
	    d->arena, "%s; expected clang %d or newer", f->text, CLANG_LEAST),
	    "install clang-19 and " RECONFIGURE };
}

static void
look_cache(struct doctor *d)
{
	const char *probe, *todo = "give it to the user who builds, writable by "
	    "nobody else, or say another folder by KVAOT_CACHE";
	struct diag diag;

	diag_init(&diag);
	if (conf_cache(&d->conf, NULL, &diag)) {
		add(d, FINDING_PROBLEM, "cache", take_error(d, &diag), todo);
		return;
	}
	diag_release(&diag);
	probe = arena_printf(d->arena, "%s/.doctor.%ld", d->conf.cache,
	    (long)getpid());
	if (file_write(probe, "", 0, false) || unlink(probe)) {
		add(d, FINDING_PROBLEM, "cache", arena_printf(d->arena,
		    "%s: cannot write: %s", d->conf.cache, strerror(errno)),
		    todo);
		return;
	}
	d->has_cache = true;
	add(d, FINDING_OK, "cache", d->conf.cache, NULL);
}

static void
look_space(struct doctor *d)
{
	enum finding_status status;
	unsigned long long left;
	struct statvfs vfs;

	if (!d->conf.cache || statvfs(d->conf.cache, &vfs)) {
		add(d, FINDING_WARNING, "space", "not known: there is no cache",
		    "see the line of the cache");
		return;
	}
	left = (unsigned long long)vfs.f_bavail * vfs.f_frsize;
	status = left < space_least ? FINDING_PROBLEM :
	    left < space_wanted ? FINDING_WARNING : FINDING_OK;
	add(d, status, "space", arena_printf(d->arena,
	    "%llu MB left where the cache is", left >> 20), status ?
	    "free some, e.g. remove the folder run of the cache" : NULL);
}

/* The digest that toolchain_digest gives, from the bytes of now. NULL with the
 * file that cannot be read in *bad. */
static const char *
fresh_digest(struct doctor *d, const char **bad)
{
	char hex[SHA256_HEX + 1];
	uint8_t sum[SHA256_LEN];
	struct sha256 h;

	sha256_init(&h);
	for (size_t i = 0; i < d->conf.closure.n; i++) {
		if (sha256_file(d->conf.closure.path[i], hex)) {
			*bad = d->conf.closure.path[i];
			return NULL;
		}
		sha256_add(&h, hex, SHA256_HEX);
	}
	sha256_done(&h, sum);
	hex_encode(hex, sum, SHA256_LEN);
	return arena_strdup(d->arena, hex);
}

static void
look_toolchain(struct doctor *d)
{
	const char *bad = "no file is listed", *fresh = NULL;
	char recorded[SHA256_HEX + 1];
	struct diag diag;

	if (d->conf.closure.n)
		fresh = fresh_digest(d, &bad);
	if (!fresh) {
		add(d, FINDING_PROBLEM, "toolchain", d->conf.closure.n ?
		    arena_printf(d->arena, "%s: cannot read: %s", bad,
		    strerror(errno)) : bad, RECONFIGURE);
		return;
	}
	if (!d->has_cache) {
		add(d, FINDING_WARNING, "toolchain", "nothing to compare its "
		    "digest with: there is no cache",
		    "see the line of the cache");
		return;
	}
	diag_init(&diag);
	if (toolchain_digest(&d->conf, recorded, &diag)) {
		add(d, FINDING_PROBLEM, "toolchain", take_error(d, &diag),
		    RECONFIGURE);
		return;
	}
	diag_release(&diag);
	if (!strcmp(fresh, recorded))
		add(d, FINDING_OK, "toolchain", arena_printf(d->arena,
		    "%zu files, digest %.12s as recorded",
		    d->conf.closure.n, fresh), NULL);
	else
		add(d, FINDING_PROBLEM, "toolchain", arena_printf(d->arena,
		    "its files have digest %.12s, recorded is %.12s", fresh,
		    recorded), arena_printf(d->arena, "install the compiler "
		    "again, then remove %s/memo", d->conf.cache));
}

static int
read_image(struct doctor *d, const char *folder, const struct manifest *m,
    struct diag *diag)
{
	const char *path = path_join(d->arena, folder, "image");
	char hex[SHA256_HEX + 1];
	struct image image;
	struct str bytes;

	if (file_read(d->arena, path, &bytes))
		return diag_error(diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	if (image_open(&image, bytes.p, bytes.n, path, hex, diag))
		return -1;
	image_release(&image);
	if (strcmp(hex, m->image))
		return diag_error(diag, (struct loc){ path, 0, 0 },
		    "image and manifest do not belong together");
	return 0;
}

static void
look_objects(struct doctor *d, const char *folder, const struct manifest *m)
{
	char hex[SHA256_HEX + 1];
	struct map seen;

	map_init(&seen, d->arena);
	for (size_t i = 0; i < m->n; i++) {
		const char *want = m->row[i].object;
		const char *path = arena_printf(d->arena, "%s/../obj/%s.so",
		    folder, want);

		if (map_get(&seen, want))
			continue;
		map_set(&seen, want, d);
		if (sha256_file(path, hex) || strcmp(hex, want)) {
			add(d, FINDING_PROBLEM, "objects", arena_printf(
			    d->arena, "%s is absent or damaged", path),
			    REBUILD);
			return;
		}
	}
	add(d, FINDING_OK, "objects", arena_printf(d->arena,
	    "%zu objects have their digests", seen.n), NULL);
}

/* Whether the library's kernels suit this CPU. */
static void
look_cpu(struct doctor *d, const struct manifest *m)
{
	const struct isa *best = isa_best();
	bool has_best = false, has_any = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct isa *isa = isa_find(m->row[i].isa);

		has_any |= isa && isa_runs_here(isa);
		has_best |= isa == best;
	}
	if (has_best)
		add(d, FINDING_OK, "cpu", arena_printf(d->arena,
		    "%s, for which the library has kernels", best->name),
		    NULL);
	else if (has_any)
		add(d, FINDING_WARNING, "cpu", arena_printf(d->arena,
		    "%s, for which the library has no kernels, only for lower "
		    "levels", best->name), "build the library on this machine");
	else
		add(d, FINDING_PROBLEM, "cpu", arena_printf(d->arena,
		    "%s; the library has no kernel that runs here",
		    best->name), "build the library on this machine");
}

static void
look_library(struct doctor *d, const char *lib)
{
	const char *folder;
	struct manifest m;
	struct diag diag;

	diag_init(&diag);
	if (published_read(&m, lib, &folder, d->arena, &diag)) {
		add(d, FINDING_PROBLEM, "library", take_error(d, &diag),
		    REBUILD);
		add(d, FINDING_WARNING, "objects", "not checked: there is no "
		    "library", "see the line of the library");
		add(d, FINDING_OK, "cpu", isa_best()->name, NULL);
		return;
	}
	if (read_image(d, folder, &m, &diag)) {
		add(d, FINDING_PROBLEM, "library", take_error(d, &diag),
		    REBUILD);
	} else {
		add(d, FINDING_OK, "library", arena_printf(d->arena,
		    "%s: %zu rows", folder, m.n), NULL);
		diag_release(&diag);
	}
	look_objects(d, folder, &m);
	look_cpu(d, &m);
	manifest_release(&m);
}

/* Every program starts with the default; only something that is loaded into all
 * of them changes it. kvaot's kernels don't mind, other code does. */
static void
look_control(struct doctor *d)
{
	unsigned csr = _mm_getcsr() & ~_MM_EXCEPT_MASK;

	if (csr == _MM_MASK_MASK)
		add(d, FINDING_OK, "control", "round to nearest, denormals on",
		    NULL);
	else
		add(d, FINDING_WARNING, "control", arena_printf(d->arena,
		    "programs start with MXCSR %04x, not %04x", csr,
		    _MM_MASK_MASK), "kvaot sets it itself around kernels; for "
		    "all else look at LD_PRELOAD and /etc/ld.so.preload");
}

/* Only matrix products need it, and only when they run. */
static void
look_blas(struct doctor *d)
{
	struct blas_library lib;
	char why[BLAS_WHY];

	if (blas_open(&lib, why))
		add(d, FINDING_WARNING, "blas", "matmul of author cblas does "
		    "not run", arena_strdup(d->arena, why));
	else
		add(d, FINDING_OK, "blas", arena_printf(d->arena, "%s: %s",
		    lib.file, lib.config ? lib.config : "not OpenBLAS"), NULL);
}

void
doctor_look(struct findings *f, const char *home, const char *lib,
    struct arena *arena)
{
	struct doctor d = { .f = f, .arena = arena };

	*f = (struct findings){ .n = 0 };
	look_settings(&d, home);
	if (!d.has_conf)
		d.conf = (struct conf){ .arena = arena };
	look_compiler(&d);
	look_program(&d, "linker", d.conf.ld, "binutils");
	look_cache(&d);
	look_space(&d);
	look_toolchain(&d);
	look_library(&d, lib);
	look_control(&d);
	look_blas(&d);
}
