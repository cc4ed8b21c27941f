/* SPDX-License-Identifier: MIT */
/* Libraries and functions of include/kvaot.h. */
#include "include/kvaot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "ops/ops.h"
#include "runtime/embed.h"
#include "runtime/lookup.h"

_Static_assert((int)KVAOT_BOOL == DT_BOOL && (int)KVAOT_INT64 == DT_INT64 &&
    (int)KVAOT_UINT64 == DT_UINT64 && (int)KVAOT_FLOAT64 == DT_FLOAT64 &&
    (int)KVAOT_FLOAT16 == DT_FLOAT16 &&
    (int)KVAOT_BFLOAT16 == DT_BFLOAT16 &&
    (int)KVAOT_MAX_RANK == MAX_RANK && (int)KVAOT_MAX_IN == TAPE_INS &&
    (int)KVAOT_MAX_OUT == TAPE_OUTS, "the API counts as the runtime does");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

int
embed_fail(char *err, uint32_t cap, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err || cap == 0)
		return code;
	va_start(ap, fmt);
	vsnprintf(err, cap, fmt, ap);
	va_end(ap);
	return code;
}

int
embed_refuse(char *err, uint32_t cap, int code, const struct diag *d)
{
	if (err)
		diag_first(d, err, cap);
	return code;
}

static void
take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void
give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

static void
watch_forks(void)
{
	pthread_atfork(take_lock, give_lock, give_lock);
}

void
embed_lock(void)
{
	pthread_once(&once, watch_forks);
	take_lock();
}

void
embed_unlock(void)
{
	give_lock();
}

void
embed_log_begin(struct kvaotLib *lib, struct embed_log *l)
{
	*l = (struct embed_log){ 0 };
	if (lib->opt.log)
		lib->rt->opt.err = l->f = open_memstream(&l->text, &l->n);
	lib->rt->opt.trace = l->f != NULL;
}

void
embed_log_end(struct kvaotLib *lib, struct embed_log *l)
{
	char *line, *rest;

	if (!l->f)
		return;
	if (!fclose(l->f)) {
		rest = l->text;
		while ((line = strsep(&rest, "\n")) && rest)
			lib->opt.log(lib->opt.ctx, line);
	}
	free(l->text);
}

const char *
kvaotVersion(void)
{
	return KVAOT_VERSION;
}

/* A struct of a newer program may be larger; what is not known must be 0. */
static int
read_options(const struct kvaotOptions *from, struct kvaotOptions *to,
    char *err, uint32_t cap)
{
	const unsigned char *p = (const void *)from;
	size_t i, n = from ? from->size : 0;

	memset(to, 0, sizeof(*to));
	if (!from)
		return 0;
	if (n < sizeof(*to))
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotOpen: "
		    "options.size is %zu, expected at least %zu", n,
		    sizeof(*to));
	for (i = sizeof(*to); i < n; i++) {
		if (p[i])
			return embed_fail(err, cap, KVAOT_REFUSED, "kvaotOpen: "
			    "options ask for something that libkvaot %s does "
			    "not know", KVAOT_VERSION);
	}
	memcpy(to, from, sizeof(*to));
	if (to->flags & ~(uint32_t)(KVAOT_BASE | KVAOT_STRICT) ||
	    to->reserved || to->threads < 0 || !to->alloc != !to->release)
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotOpen: options "
		    "have an unknown flag, a negative number of threads, or "
		    "only one of alloc and release");
	return 0;
}

static struct runtime *
open_runtime(const char *path, const struct kvaotOptions *o, struct diag *d)
{
	struct arena a = { 0 };
	struct runtime_options opt = {
		.isa = o->isa,
		.threads = o->par || o->threads < 1 ? 1 : o->threads,
		.base = o->flags & KVAOT_BASE,
		.strict = o->flags & KVAOT_STRICT,
	};
	struct runtime *rt = NULL;
	const char *tried;

	opt.lib = library_find(&a, path, &tried);
	if (opt.lib)
		rt = runtime_open(&opt, d);
	else
		diag_error(d, no_loc, "no library: expected a path, $KVAOT_LIB "
		    "or one of %s", tried);
	arena_release(&a);
	return rt;
}

static void
log_open(const struct kvaotLib *lib, const char *path)
{
	char line[512];

	if (!lib->opt.log)
		return;
	snprintf(line, sizeof(line), "open: %s, %zu rows, isa %s, threads %d",
	    path ? path : "the default library", lib->rt->lib.manifest.n,
	    lib->rt->isa->name, lib->opt.threads > 1 ? lib->opt.threads : 1);
	lib->opt.log(lib->opt.ctx, line);
}

int
kvaotOpen(const char *path, const struct kvaotOptions *options,
    struct kvaotLib **out, char *err, uint32_t cap)
{
	struct kvaotOptions opt;
	struct kvaotLib *lib;
	struct runtime *rt;
	struct diag d;

	if (!out)
		return embed_fail(err, cap, KVAOT_REFUSED,
		    "kvaotOpen: lib is NULL");
	if (read_options(options, &opt, err, cap))
		return KVAOT_REFUSED;
	lib = calloc(1, sizeof(*lib));
	if (!lib)
		return embed_fail(err, cap, KVAOT_MEMORY, "out of memory");
	diag_init(&d);
	rt = open_runtime(path, &opt, &d);
	if (!rt) {
		embed_refuse(err, cap, KVAOT_LIBRARY, &d);
		free(lib);
	} else {
		lib->opt = opt;
		lib->rt = rt;
		map_init(&lib->fns, &lib->arena);
		atomic_init(&lib->refs, 1);
		log_open(lib, path);
		*out = lib;
	}
	diag_release(&d);
	return rt ? KVAOT_OK : KVAOT_LIBRARY;
}

static void
drop_calls(struct kvaotFn *fn)
{
	struct embed_call *c = atomic_load(&fn->calls);

	for (; c; c = c->next)
		embed_drop(c->bound);
}

void
embed_ref(struct kvaotLib *lib)
{
	atomic_fetch_add(&lib->refs, 1);
}

void
embed_unref(struct kvaotLib *lib)
{
	size_t i;

	if (atomic_fetch_sub(&lib->refs, 1) > 1)
		return;
	for (i = 0; i < lib->fns.n; i++)
		drop_calls(lib->fns.entry[i].value);
	runtime_close(lib->rt);
	arena_release(&lib->arena);
	free(lib);
}

void
kvaotClose(struct kvaotLib *lib)
{
	if (lib)
		embed_unref(lib);
}

/* The parameters of a function, or of a back end as ops/ has them. */
static void
set_params(struct kvaotFn *fn, const struct op *op)
{
	struct arena *a = &fn->lib->arena;
	struct kvaotParam *p;
	struct str name;
	int i;

	fn->nin = op ? op->nin : fn->f->nread;
	fn->nout = op ? op->nout : fn->f->nwrite;
	p = arena_array(a, (size_t)(fn->nin + fn->nout), sizeof(*p));
	for (i = 0; i < fn->nin + fn->nout; i++) {
		name = op ? op_param(op, i) : str_of(fn->f->param[i].name);
		p[i].name = arena_strndup(a, name.p, name.n);
		p[i].type = op ? op_langtype(op, i) : fn->f->param[i].type;
	}
	fn->param = p;
}

/* Back ends of an abstract op, for the message. */
static void
list_backends(const struct runtime *rt, const char *name, struct buf *out)
{
	const char *last = "";
	size_t i;

	for (i = 0; i < rt->lib.manifest.n; i++) {
		const struct manifest_row *m = &rt->lib.manifest.row[i];

		if (m->version || strcmp(m->base, name) != 0 ||
		    strcmp(m->opcode, last) == 0)
			continue;
		buf_printf(out, "%s%s", *last ? ", " : "", m->opcode);
		last = m->opcode;
	}
}

static void
not_found(const struct kvaotLib *lib, const char *name, struct diag *d)
{
	struct buf have = { 0 };

	if (!lookup_abstract(lib->rt, name)) {
		diag_error(d, no_loc, "NameError: the library has no function "
		    "or back end %s", name);
		return;
	}
	list_backends(lib->rt, name, &have);
	diag_error(d, no_loc, "UnboundOpError: %s: abstract op has no bound "
	    "back end (抽象算子未绑定后端); the library has %s", name,
	    have.n ? have.p : "none for it");
	buf_release(&have);
}

/* The op of a back end; NULL when the name is none. The rows of generated
 * kernels are parts of a version, not to be called alone. */
static const struct op *
backend_op(const struct kvaotLib *lib, const char *name)
{
	const struct lib_op *row = library_op(&lib->rt->lib, name);

	return row && row->row[0].nin < 0 ? op_find(name) : NULL;
}

static struct kvaotFn *
make_fn(struct kvaotLib *lib, const char *name, const struct op *op,
    struct diag *d)
{
	struct func *f = NULL;
	struct kvaotFn *fn;

	if (!op && !(f = funcs_get(&lib->rt->funcs, name, d)))
		return NULL;
	fn = arena_alloc(&lib->arena, sizeof(*fn));
	fn->lib = lib;
	fn->name = arena_strdup(&lib->arena, name);
	fn->f = f;
	fn->op = op ? library_op(&lib->rt->lib, name) : NULL;
	set_params(fn, op);
	map_set(&lib->fns, name, fn);
	return fn;
}

static const struct kvaotFn *
find_locked(struct kvaotLib *lib, const char *name, struct diag *d)
{
	const struct kvaotFn *fn = map_get(&lib->fns, name);
	const struct op *op = backend_op(lib, name);

	if (!fn && !op && !funcs_has(&lib->rt->funcs, name))
		not_found(lib, name, d);
	else if (!fn)
		fn = make_fn(lib, name, op, d);
	if (!fn || (fn->nin <= KVAOT_MAX_IN && fn->nout <= KVAOT_MAX_OUT))
		return fn;
	diag_error(d, no_loc, "%s has %d inputs and %d results; kvaot.h has "
	    "room for %d and %d", name, fn->nin, fn->nout, KVAOT_MAX_IN,
	    KVAOT_MAX_OUT);
	return NULL;
}

int
kvaotFind(struct kvaotLib *lib, const char *name, const struct kvaotFn **out,
    char *err, uint32_t cap)
{
	const struct kvaotFn *fn;
	struct arena a = { 0 };
	struct diag d;

	if (!lib || !name || !out)
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotFind: %s is "
		    "NULL", !lib ? "lib" : !name ? "name" : "fn");
	diag_init(&d);
	embed_lock();
	fn = find_locked(lib, name_typed(&a, name), &d);
	embed_unlock();
	if (fn)
		*out = fn;
	else
		embed_refuse(err, cap, KVAOT_REFUSED, &d);
	diag_release(&d);
	arena_release(&a);
	return fn ? KVAOT_OK : KVAOT_REFUSED;
}

int
kvaotDescribe(const struct kvaotFn *fn, struct kvaotSignature *out, char *err,
    uint32_t cap)
{
	if (!fn || !out || out->size < sizeof(*out))
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotDescribe: fn "
		    "is NULL, or out is, or its size is not set");
	*out = (struct kvaotSignature){ .size = out->size,
		.nin = (uint32_t)fn->nin, .nout = (uint32_t)fn->nout,
		.name = fn->name, .param = fn->param };
	return KVAOT_OK;
}
