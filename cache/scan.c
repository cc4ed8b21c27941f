/* SPDX-License-Identifier: MIT */
#include "cache/scan.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/isa.h"
#include "cache/conf.h"
#include "cache/elf.h"
#include "cache/store.h"
#include "clang/clang.h"

/* Raised when the scan learns to see more, so that old verdicts are void. */
#define VERDICT "kvscan 2"

const struct clang_face *
scan_face(const struct conf *c, struct diag *d)
{
	const struct clang_face *face;
	void *so;

	if (!c->scan) {
		diag_error(d, (struct loc){ c->file, 0, 0 },
		    "no disassembler: expected a 'scan' line in kvobj.conf; "
		    "run configure");
		return NULL;
	}
	so = dlopen(c->scan, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		diag_error(d, no_loc, "cannot open the disassembler: %s",
		    dlerror());
		return NULL;
	}
	face = dlsym(so, "kvaot_clang");
	if (!face || face->version != CLANG_FACE) {
		diag_error(d, (struct loc){ c->scan, 0, 0 },
		    "expected version %d of the compiler interface; build "
		    "again",
		    CLANG_FACE);
		return NULL;
	}
	return face;
}

/* Tells of instructions outside the level; the first ones are enough. */
struct reporter {
	const char *name, *isa;
	struct diag *diag;
	unsigned told;
};

enum { TELL = 8 };

static void
report(void *ctx, uint64_t addr, const char *text, const char *needs)
{
	struct reporter *r = ctx;

	if (r->told++ >= TELL)
		return;
	diag_error(r->diag, (struct loc){ r->name, 0, 0 },
	    "instruction outside %s at 0x%" PRIx64 ": %s%s(needs %s)", r->isa,
	    addr, text, *text ? " " : "", needs);
}

static int
scan_code(const struct clang_face *face, struct str object,
    const struct isa *isa, struct reporter *r, struct clang_verdict *v)
{
	struct elf_range *range;
	size_t n, i;
	int ret = 0;

	if (elf_text(object.p, object.n, &range, &n))
		return -1;
	for (i = 0; i < n && ret == 0; i++)
		ret = face->scan(range[i].p, range[i].n, range[i].addr,
		    isa->features, v, report, r);
	free(range);
	if (ret)
		return diag_error(r->diag, (struct loc){ r->name, 0, 0 },
		    "the disassembler does not know x86-64");
	if (v->bad > TELL)
		diag_error(r->diag, (struct loc){ r->name, 0, 0 },
		    "and %llu instructions more", v->bad - TELL);
	return v->bad ? -1 : 0;
}

/* The text of a verdict is `kvscan 2`, `fma N`, each ended by a newline; only
 * good verdicts are stored, so that a bad object is explained each time. */
static bool
read_verdict(struct arena *a, const char *path, unsigned long long *fmas)
{
	struct str text, line;

	if (file_read(a, path, &text) || !str_next(&text, '\n', &line) ||
	    !str_is(line, VERDICT) || !str_next(&text, '\n', &line) ||
	    !str_starts(line, "fma "))
		return false;
	return str_u64((struct str){ line.p + 4, line.n - 4 }, fmas) &&
	    text.n == 0;
}

static int
write_verdict(struct arena *a, const char *path, unsigned long long fmas,
    struct diag *d)
{
	char *text = arena_printf(a, VERDICT "\nfma %llu\n", fmas);

	if (make_parents(path) || file_update(path, text, strlen(text), NULL))
		return diag_error(d, (struct loc){ path, 0, 0 },
		    "cannot write the verdict: %s", strerror(errno));
	return 0;
}

struct run {
	const struct conf *conf;
	const struct clang_face *face;
	struct diag *diag;
};

static int
load(struct run *r, struct arena *a, const struct scan_item *it,
    struct str *object, char hex[SHA256_HEX + 1])
{
	if (!it->path && !it->digest)
		return diag_error(r->diag, no_loc, "no object to scan");
	if (!it->path) {
		memcpy(hex, it->digest, SHA256_HEX + 1);
		return store_object_read(
		    a, r->conf->cache, it->digest, object, r->diag);
	}
	if (file_read(a, it->path, object))
		return diag_error(r->diag, (struct loc){ it->path, 0, 0 },
		    "cannot read the object: %s", strerror(errno));
	sha256_hex(object->p, object->n, hex);
	if (it->digest && strcmp(hex, it->digest) != 0)
		return diag_error(r->diag, (struct loc){ it->path, 0, 0 },
		    "expected the digest %.12s…, found %.12s…", it->digest,
		    hex);
	return 0;
}

static char *
verdict_path(struct run *r, struct arena *a, const char *hex, const char *isa)
{
	return store_path(a, r->conf->cache, "scans", hex,
	    arena_printf(a, ".%s", isa));
}

static int
scan_one(struct run *r, struct arena *a, struct scan_item *it)
{
	const char *name = it->path ? it->path : it->digest;
	const struct isa *isa = isa_find(it->isa);
	struct reporter rep = { name, it->isa, r->diag, 0 };
	struct clang_verdict v = { 0 };
	char hex[SHA256_HEX + 1];
	struct str object;

	if (!isa)
		return diag_error(r->diag, (struct loc){ name, 0, 0 },
		    "unknown instruction set level '%s'", it->isa);
	if (it->digest &&
	    read_verdict(a, verdict_path(r, a, it->digest, it->isa),
		&it->fmas))
		return 0;
	if (load(r, a, it, &object, hex) ||
	    elf_check(object.p, object.n, name, r->diag))
		return -1;
	if (!r->face && !(r->face = scan_face(r->conf, r->diag)))
		return -1;
	if (scan_code(r->face, object, isa, &rep, &v))
		return -1;
	it->fmas = v.fmas;
	return write_verdict(
	    a, verdict_path(r, a, hex, it->isa), v.fmas, r->diag);
}

int
scan_objects(const struct conf *c, struct scan_item *item, size_t n,
    struct diag *d)
{
	struct run r = { c, NULL, d };
	struct arena a = { 0 };
	size_t i;
	int ret = 0;

	for (i = 0; i < n; i++) {
		if (scan_one(&r, &a, &item[i]))
			ret = -1;
		arena_release(&a);
	}
	return ret;
}
