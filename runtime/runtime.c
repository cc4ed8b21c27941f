/* SPDX-License-Identifier: MIT */
#include "runtime/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "kv/kv.h"
#include "runtime/cpu.h"
#include "runtime/interp.h"
#include "runtime/lookup.h"
#include "space/kept.h"

static bool
in_folder(const struct runtime *rt)
{
	return rt->opt.space && strcmp(rt->opt.space, "mem:") != 0;
}

static int
open_space(struct runtime *rt, struct diag *d)
{
	if (!in_folder(rt))
		return 0;
	if (str_starts(str_of(rt->opt.space), "fs://"))
		return fs_open(&rt->fs, rt->opt.space, d);
	return diag_error(d, no_loc, "expected the space mem: or fs://DIR, "
	    "found `%s`", rt->opt.space);
}

static int
open_parts(struct runtime *rt, struct diag *d)
{
	char why[200];

	rt->isa = cpu_isa(rt->opt.isa, why);
	if (!rt->isa)
		return diag_error(d, no_loc, "%s", why);
	if (library_open(&rt->lib, rt->opt.lib, d))
		return -1;
	if (open_space(rt, d)) {
		library_close(&rt->lib);
		return -1;
	}
	rt->pool = pool_new(rt->opt.threads);
	if (!rt->pool) {
		fs_close(&rt->fs);
		library_close(&rt->lib);
		return diag_error(d, no_loc, "cannot start %d threads: %s",
		    rt->opt.threads, strerror(errno));
	}
	return 0;
}

/* What was decoded and decided before may not hold for the new text. */
static void
forget(struct runtime *rt)
{
	funcs_release(&rt->funcs);
	funcs_init(&rt->funcs, &rt->lib, &rt->heap);
	map_init(&rt->versions, &rt->arena);
	map_init(&rt->entries, &rt->arena);
}

#define PROGRAM_KEY "/‥program"

/* The functions that have the digest of their program. */
static void
list_programs(struct runtime *rt, struct map *names)
{
	const struct space *space = library_space(&rt->lib);
	size_t it = 0, n;
	const char *key;

	while ((key = space_next(space, "/lib/", &it, NULL))) {
		n = strlen(key);
		if (n > 5 + strlen(PROGRAM_KEY) &&
		    !strcmp(key + n - strlen(PROGRAM_KEY), PROGRAM_KEY))
			map_set(names, arena_strndup(&rt->arena, key + 5,
			    n - 5 - strlen(PROGRAM_KEY)), rt);
	}
}

/* Layout writes no such digest: what has lost it was replaced. */
static void
find_replaced(struct runtime *rt, const struct map *before)
{
	struct map now;
	size_t i;

	map_init(&now, &rt->arena);
	list_programs(rt, &now);
	for (i = 0; i < before->n; i++) {
		if (!map_get(&now, before->entry[i].key))
			map_set(&rt->replaced, before->entry[i].key, rt);
	}
}

/* The functions that earlier processes have laid. */
static int
load_kept(struct runtime *rt, struct diag *d)
{
	struct map before;

	if (!in_folder(rt))
		return 0;
	map_init(&before, &rt->arena);
	list_programs(rt, &before);
	if (kept_load(&rt->fs, library_space(&rt->lib), rt->lib.manifest.image,
	    d))
		return -1;
	find_replaced(rt, &before);
	return 0;
}

struct runtime *
runtime_open(const struct runtime_options *opt, struct diag *d)
{
	struct runtime *rt = calloc(1, sizeof(*rt));

	if (!rt)
		fatal("out of memory");
	rt->opt = *opt;
	if (open_parts(rt, d)) {
		free(rt);
		return NULL;
	}
	blas_init(&rt->blas, pool_threads(rt->pool));
	map_init(&rt->versions, &rt->arena);
	map_init(&rt->replaced, &rt->arena);
	map_init(&rt->entries, &rt->arena);
	funcs_init(&rt->funcs, &rt->lib, &rt->heap);
	globals_init(&rt->globals, &rt->lib, &rt->heap,
	    in_folder(rt) ? &rt->fs : NULL);
	if (load_kept(rt, d)) {
		runtime_close(rt);
		return NULL;
	}
	return rt;
}

int
runtime_load(struct runtime *rt, const char *file, const char *path,
    struct diag *d)
{
	return weights_load(&rt->globals.weights, file, path, d);
}

void
runtime_close(struct runtime *rt)
{
	if (!rt)
		return;
	funcs_release(&rt->funcs);
	globals_release(&rt->globals);
	heap_release(&rt->heap);
	pool_free(rt->pool);
	fs_close(&rt->fs);
	library_close(&rt->lib);
	arena_release(&rt->arena);
	free(rt);
}

/* Stores what a file lays out, which has no error. */
static int
store_kept(struct runtime *rt, const struct kv_file *f, struct diag *d)
{
	struct space *laid;
	int bad;

	if (!in_folder(rt))
		return 0;
	laid = space_new();
	bad = kv_layout(f, laid, d) || kept_store(&rt->fs, laid, d) ? -1 : 0;
	space_free(laid);
	return bad;
}

int
runtime_lay(struct runtime *rt, const char *file, struct str text,
    const char ***entries, size_t *n, struct diag *d)
{
	struct kv_file *f = kv_parse(&rt->arena, file, text, d);
	struct map before;

	map_init(&before, &rt->arena);
	list_programs(rt, &before);
	if (store_kept(rt, f, d) || kv_layout(f, library_space(&rt->lib), d))
		return -1;
	find_replaced(rt, &before);
	forget(rt);
	*n = kv_entries(f, entries);
	return 0;
}

bool
runtime_has(const struct runtime *rt, const char *name)
{
	return funcs_has(&rt->funcs, name);
}

static void
not_found(struct runtime *rt, const char *name, struct diag *d)
{
	char why[BIND_WHY];

	lookup_not_found(rt, str_of(""), name, why);
	diag_error(d, no_loc, "%s", why);
}

static struct func *
find(struct runtime *rt, const char *name, struct diag *d)
{
	struct func *f = map_get(&rt->funcs.map, name);

	if (f)
		return f;
	if (funcs_has(&rt->funcs, name))
		return funcs_get(&rt->funcs, name, d);
	if (lookup_abstract(rt, name))
		diag_error(d, no_loc, "UnboundOpError: %s: abstract op has no "
		    "bound back end (抽象算子未绑定后端); call it from a "
		    "function and run that with `kvaot run FILE`", name);
	else if (library_op(&rt->lib, name))
		diag_error(d, no_loc, "NameError: %s is a kernel, not a "
		    "function (不是 rwfunc); call it from a function", name);
	else
		not_found(rt, name, d);
	return NULL;
}

int
runtime_signature(struct runtime *rt, const char *name,
    struct runtime_signature *s, struct diag *d)
{
	const struct func *f = find(rt, name, d);
	const char **names, **types;
	int i, n;

	if (!f)
		return -1;
	n = f->nread + f->nwrite;
	names = arena_array(&rt->funcs.arena, (size_t)n, sizeof(*names));
	types = arena_array(&rt->funcs.arena, (size_t)n, sizeof(*types));
	for (i = 0; i < n; i++) {
		names[i] = f->param[i].name;
		types[i] = f->param[i].type;
	}
	*s = (struct runtime_signature){ f->nread, f->nwrite, names, types };
	return 0;
}

struct cell *
runtime_value(struct runtime *rt, const struct value *v)
{
	return cell_copy(&rt->heap, v);
}

const struct value *
runtime_body(struct cell *c)
{
	return cell_value(c);
}

void
runtime_release(struct runtime *rt, struct cell *c)
{
	cell_unref(&rt->heap, c);
}

static struct memo *
entry_memo(struct runtime *rt, const char *name)
{
	struct memo *m = map_get(&rt->entries, name);

	if (!m) {
		m = arena_alloc(&rt->arena, sizeof(*m));
		map_set(&rt->entries, name, m);
	}
	return m;
}

int
runtime_call(struct runtime *rt, const char *name, struct cell *const *in,
    int nin, struct cell **out, int nout, struct diag *d)
{
	unsigned former;
	int i, rc;

	if (!find(rt, name, d))
		return -1;
	for (i = 0; i < nout; i++)
		out[i] = NULL;
	rt->diag = d;
	rt->environment = false;
	pool_rearm(rt->pool);
	former = cpu_enter();
	rc = interp_call(rt, name, entry_memo(rt, name), in, nin, out, nout,
	    no_loc);
	cpu_leave(former);
	return rc;
}

bool
runtime_environment(const struct runtime *rt)
{
	return rt->environment;
}

void
runtime_cancel(struct runtime *rt)
{
	pool_cancel(rt->pool);
}
