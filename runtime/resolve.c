/* SPDX-License-Identifier: MIT */
#include "runtime/resolve.h"

#include <string.h>

#include "kv/kv.h"
#include "runtime/infer.h"
#include "runtime/lookup.h"

/* The versions of a base that may run, highest first. skipped: the highest of
 * the others, and why; NULL when there is none. */
struct versions {
	struct func **f;
	size_t n, cap;
	const char *skipped, *why;
};

int
resolve_check(const struct func *f, const struct value *const *v, int nin,
    int nout, char why[BIND_WHY])
{
	int least = f->nread - f->variadic, i;
	bool wrong = nin < least || (nin > least && !f->variadic);
	const struct param *p;

	if (wrong || (nout != 0 && nout != f->nwrite)) {
		snprintf(why, BIND_WHY, "TypeError: %.200s expects %s%d %s, "
		    "got %d", f->name, wrong && f->variadic ? "at least " : "",
		    wrong ? least : f->nwrite, wrong ? "args" : "writes",
		    wrong ? nin : nout);
		return -1;
	}
	for (i = 0; i < nin; i++) {
		/* The last parameter of a variadic function takes the rest. */
		p = &f->param[i < f->nread ? i : f->nread - 1];
		if (v[i] && kv_langtype_match(str_of(p->type), v[i]))
			continue;
		snprintf(why, BIND_WHY, "TypeError: %.100s arg %d (%.40s): "
		    "expected %.100s, got %.80s", f->name, i + 1, p->name,
		    p->type, v[i] ? v[i]->langtype : "None");
		return -1;
	}
	return 0;
}

/* "softmax.1" names a version; "softmax", "softmax.01" and "a.1b" do not. */
static bool
names_version(const char *name)
{
	const char *dot = strrchr(name, '.');
	unsigned long long n;

	return dot && str_u64(str_of(dot + 1), &n) && n > 0;
}

static const struct value *
get_mark(struct runtime *rt, const char *name, const char *mark)
{
	struct buf key = { 0 };
	const struct value *v;

	buf_printf(&key, "/lib/%s/‥%s", name, mark);
	v = library_get(&rt->lib, key.p);
	buf_release(&key);
	return v;
}

static int64_t
max_version(struct runtime *rt, const char *name)
{
	const struct value *v = get_mark(rt, name, "maxversion");
	int64_t n = 0;

	if (v && v->dtype == DT_INT64 && v->n == sizeof(n))
		memcpy(&n, v->body, sizeof(n));
	return n;
}

/* Whether the version was made from the program that the base has now. */
static bool
has_same_program(struct runtime *rt, const char *base, const char *version)
{
	const struct value *now = get_mark(rt, base, "program");
	const struct value *then = get_mark(rt, version, "base");

	return now && then && now->n == then->n &&
	    !memcmp(now->body, then->body, now->n);
}

/* Whether the function calls, through any number of others, one that a file
 * replaced: its digest is then not that of what it means now. */
static bool
calls_replaced(struct runtime *rt, const char *name, struct map *seen)
{
	char why[BIND_WHY];
	struct diag quiet;
	struct func *f;
	bool found = false;
	int i;

	if (map_get(&rt->replaced, name))
		return true;
	if (map_get(seen, name))
		return false;
	map_set(seen, name, rt);
	diag_init(&quiet);
	f = funcs_get(&rt->funcs, name, &quiet);
	diag_release(&quiet);
	for (i = 0; f && i < f->ninsn && !found; i++) {
		struct insn *in = &f->insn[i];

		found = !lookup_insn(rt, f, in, why) &&
		    in->kind == INSN_CALL && calls_replaced(rt, in->name,
		    seen);
	}
	return found;
}

/* Why a version is not to be chosen; NULL when it may be. */
static const char *
unfit(struct runtime *rt, const char *base, const char *version)
{
	struct map seen;

	if (masked_has(&rt->lib.masked, version))
		return "it is masked (kvobj unmask takes that back)";
	map_init(&seen, &rt->arena);
	if (!has_same_program(rt, base, version) || (rt->replaced.n > 0 &&
	    calls_replaced(rt, base, &seen)))
		return "it is superseded: it was made from another program "
		    "than its base has now";
	return NULL;
}

static void
skip_version(struct runtime *rt, struct versions *vs, const char *name,
    const char *why)
{
	if (rt->opt.trace)
		fprintf(rt->opt.err, "trace: %s is not chosen: %s\n", name,
		    why);
	if (vs->skipped)
		return;
	vs->skipped = name;
	vs->why = why;
}

/* Reads version n of the base into the list, unless it is not to be chosen; 1
 * when there is no such one. */
static int
add_version(struct runtime *rt, const struct func *base, int64_t n,
    struct versions *vs, struct loc loc)
{
	char *name = arena_printf(
	    &rt->arena, "%s.%lld", base->name, (long long)n);
	const char *why;
	struct func *f;

	if (!funcs_has(&rt->funcs, name))
		return 1;
	why = unfit(rt, base->name, name);
	if (why) {
		skip_version(rt, vs, name, why);
		return 0;
	}
	f = funcs_get(&rt->funcs, name, rt->diag);
	if (!f)
		return -1;
	if (f->nread != base->nread || f->nwrite != base->nwrite)
		return rt_error(rt, loc, "RuntimeError: %s has another "
		    "signature than its base; build the library again", name);
	vs->f = arena_grow(
	    &rt->arena, vs->f, vs->n, &vs->cap, sizeof(*vs->f));
	vs->f[vs->n++] = f;
	return 0;
}

static struct versions *
versions_of(struct runtime *rt, const struct func *base, struct loc loc)
{
	struct versions *vs = map_get(&rt->versions, base->name);
	int64_t max, n;
	int rc;

	if (vs)
		return vs;
	vs = arena_alloc(&rt->arena, sizeof(*vs));
	max = max_version(rt, base->name);
	/* Version numbers have few gaps; a huge mark is a damaged one. */
	for (n = max; n > 0 && n > max - 10000; n--) {
		rc = add_version(rt, base, n, vs, loc);
		if (rc > 0 && n == max)
			rc = rt_error(rt, loc, "RuntimeError: version mark of "
			    "%s points to missing %s.%lld", base->name,
			    base->name, (long long)n);
		if (rc < 0)
			return NULL;
	}
	map_set(&rt->versions, base->name, vs);
	return vs;
}

/* "float32 64x128" for each tensor among the reads; axes and shapes, whose type
 * names vectors, are none. */
static void
put_args(struct buf *out, const struct func *f,
    const struct value *const *args)
{
	int i, k, n = 0;

	for (i = 0; i < f->nread; i++) {
		const struct value *v = args[i];

		if (v->shape.rank == 0 || (!dtype_is_float(v->dtype) &&
		    (v->dtype == DT_NONE || strstr(f->param[i].type, "[]"))))
			continue;
		buf_printf(out, "%s%s ", n++ ? ", " : "",
		    dtype_name(v->dtype));
		for (k = 0; k < v->shape.rank; k++)
			buf_printf(out, "%s%lld", k ? "x" : "",
			    (long long)v->shape.dim[k]);
	}
}

static void
trace_choice(struct runtime *rt, const struct func *base, const char *chosen,
    const struct value *const *args, const char *why)
{
	struct buf text = { 0 };

	if (!rt->opt.trace)
		return;
	buf_printf(&text, "trace: %s -> %s (", base->name, chosen);
	put_args(&text, base, args);
	if (*why)
		buf_printf(&text, "%s%s",
		    text.p[text.n - 1] == '(' ? "" : "; ", why);
	fprintf(rt->opt.err, "%s)\n", text.p);
	buf_release(&text);
}

static struct func *
choose(struct runtime *rt, struct func *base, const struct versions *vs,
    const struct value *const *args, struct loc loc)
{
	char why[BIND_WHY], first[BIND_WHY] = "";
	size_t i;

	for (i = 0; i < vs->n; i++) {
		if (!infer_fits(rt, vs->f[i], args, why)) {
			trace_choice(rt, base, vs->f[i]->name, args, "");
			return vs->f[i];
		}
		if (rt->opt.trace)
			fprintf(rt->opt.err, "trace: %s does not fit: %s\n",
			    vs->f[i]->name, why);
		if (i == 0)
			memcpy(first, why, sizeof(first));
	}
	if (rt->opt.strict) {
		rt_error(rt, loc, "RuntimeError: no version of %s fits this "
		    "call and --strict forbids its base: %s: %s", base->name,
		    vs->n ? vs->f[0]->name : vs->skipped,
		    vs->n ? first : vs->why);
		return NULL;
	}
	trace_choice(rt, base, "base", args, "no version fits");
	return base;
}

struct func *
resolve_call(struct runtime *rt, const char *name,
    const struct value *const *args, struct loc loc)
{
	struct func *f = funcs_get(&rt->funcs, name, rt->diag);
	struct versions *vs;

	if (!f || names_version(name))
		return f;
	vs = versions_of(rt, f, loc);
	if (!vs)
		return NULL;
	if (rt->opt.base && vs->n > 0)
		trace_choice(rt, f, "base", args, "--base");
	if (rt->opt.base || (vs->n == 0 && !vs->skipped))
		return f;
	return choose(rt, f, vs, args, loc);
}
