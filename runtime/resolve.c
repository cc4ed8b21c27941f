/* SPDX-License-Identifier: MIT */
#include "runtime/resolve.h"

#include <string.h>

#include "kv/kv.h"
#include "runtime/infer.h"

/* The versions of a base, highest first. */
struct versions {
	struct func **f;
	size_t n, cap;
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

static int64_t
max_version(struct runtime *rt, const char *name)
{
	struct buf key = { 0 };
	const struct value *v;
	int64_t n = 0;

	buf_printf(&key, "/lib/%s/‥maxversion", name);
	v = library_get(&rt->lib, key.p);
	buf_release(&key);
	if (v && v->dtype == DT_INT64 && v->n == sizeof(n))
		memcpy(&n, v->body, sizeof(n));
	return n;
}

/* Reads version n of the base into the list; 1 when there is no such one. */
static int
add_version(struct runtime *rt, const struct func *base, int64_t n,
    struct versions *vs, struct loc loc)
{
	char *name = arena_printf(
	    &rt->arena, "%s.%lld", base->name, (long long)n);
	struct func *f;

	if (!funcs_has(&rt->funcs, name))
		return 1;
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

/* "float32 64x128" for each tensor of floats among the reads. */
static void
put_args(struct buf *out, const struct func *f,
    const struct value *const *args)
{
	int i, k, n = 0;

	for (i = 0; i < f->nread; i++) {
		const struct value *v = args[i];

		if (!dtype_is_float(v->dtype) || v->shape.rank == 0)
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
		    vs->f[0]->name, first);
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
	if (!vs || vs->n == 0)
		return vs ? f : NULL;
	if (rt->opt.base) {
		trace_choice(rt, f, "base", args, "--base");
		return f;
	}
	return choose(rt, f, vs, args, loc);
}
