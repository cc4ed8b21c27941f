/* SPDX-License-Identifier: MIT */
#include "runtime/interp.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "include/kvk.h"
#include "runtime/call.h"
#include "runtime/globals.h"
#include "runtime/lookup.h"
#include "runtime/memo.h"
#include "runtime/native_ops.h"
#include "runtime/resolve.h"

/* A version met values that its base refuses: the base is to say which of its
 * ops that was. Beside 0 and -1. */
enum { AGAIN = 1 };

/* One call that runs: the function, the name it was called by, what its
 * variables hold, the row that runs next, and the arguments that its variadic
 * parameter stands for. */
struct frame {
	struct runtime *rt;
	struct func *f;
	const char *name;
	struct cell **slot;
	int pc;
	struct cell *const *more;
	int nmore;
};

static void *
frame_array(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		fatal("out of memory");
	return p;
}

static struct global *
global_of(const struct frame *fr, int var)
{
	struct global **g = &fr->f->global[VAR_PATH - var];

	if (!*g)
		*g = globals_at(&fr->rt->globals,
		    fr->f->path[VAR_PATH - var]);
	return *g;
}

/* The value of a variable that is not discarded, borrowed. */
static int
read_var(const struct frame *fr, const struct insn *in, int var,
    struct cell **c)
{
	struct global *g;

	if (var >= 0) {
		*c = fr->slot[var];
		return 0;
	}
	g = global_of(fr, var);
	if (globals_read(&fr->rt->globals, g, c, fr->rt->diag))
		return rt_error(fr->rt, in->loc, "RuntimeError: %s cannot be "
		    "read from the space", g->path);
	return 0;
}

static int
read_ref(const struct frame *fr, const struct insn *in, const struct ref *r,
    struct cell **c)
{
	*c = r->literal;
	return r->literal ? 0 : read_var(fr, in, r->var, c);
}

/* Gives a variable a cell whose reference is handed over. */
static int
set_var(struct frame *fr, const struct insn *in, int var, struct cell *c)
{
	struct cell *old = c;
	struct global *g;

	if (var >= 0) {
		old = fr->slot[var];
		fr->slot[var] = c;
	} else if (var != VAR_DISCARD) {
		g = global_of(fr, var);
		if (globals_write(&fr->rt->globals, g, c, fr->rt->diag))
			return rt_error(fr->rt, in->loc, "RuntimeError: %s "
			    "cannot be written to the space", g->path);
		return 0;
	}
	cell_unref(&fr->rt->heap, old);
	return 0;
}

static int
run_assign(struct frame *fr, const struct insn *in)
{
	struct cell *c;
	int j, rc = read_ref(fr, in, &in->read[0], &c);

	for (j = 0; j < in->nwrite && !rc; j++)
		rc = set_var(fr, in, in->write[j], c ? cell_ref(c) : NULL);
	return rc;
}

/* A loop must not outlive a cancelled call. */
static int
jump(struct frame *fr, const struct insn *in, int to)
{
	if (to < fr->pc && pool_cancelled(fr->rt->pool))
		return rt_error(fr->rt, in->loc, "RuntimeError: cancelled");
	fr->pc = to;
	return 0;
}

static int
run_branch(struct frame *fr, const struct insn *in)
{
	struct cell *c;

	if (read_ref(fr, in, &in->read[0], &c))
		return -1;
	if (!c)
		return rt_error(fr->rt, in->loc, "TypeError: None in branch "
		    "condition");
	if (c->v.dtype != DT_BOOL || c->v.shape.rank > 0)
		return rt_error(fr->rt, in->loc, "TypeError: branch condition "
		    "must be bool, got %s", native_kind(c));
	return jump(fr, in, in->target[!*(const uint8_t *)c->mem]);
}

/* A variable that the row reads first and then writes may change its cell in
 * place, if nobody else holds it. */
static int
run_native(struct frame *fr, const struct insn *in, struct cell *const *v,
    int n)
{
	bool own = in->nread > 0 && in->nwrite == 1 && v[0] &&
	    v[0]->refs == 1 && in->write[0] >= 0 &&
	    in->write[0] == in->read[0].var;
	struct cell *out;
	char why[BIND_WHY];

	if (native_run(fr->rt, in, v, n, own, &out, why))
		return rt_error(fr->rt, in->loc, "%s", why);
	return set_var(fr, in, in->nwrite > 0 ? in->write[0] : VAR_DISCARD,
	    out);
}

/* Chooses row and entry for operands that the memo has not seen. */
static int
bind_insn(struct frame *fr, struct insn *in, struct cell *const *v, int n,
    const struct sig *sig)
{
	const struct value **value, **var;
	struct lookup_vars vars = { .f = fr->f };
	struct bind_call call = { .op = in->op, .nin = n,
		.nout = in->nwrite, .lookup = lookup_var, .ctx = &vars };
	struct memo *m = &in->memo;
	char why[BIND_WHY];
	int i, rc;

	value = frame_array((size_t)n, sizeof(*value));
	vars.value = var = frame_array((size_t)fr->f->nvar, sizeof(*var));
	call.in = value;
	for (i = 0; i < n; i++)
		value[i] = cell_value(v[i]);
	for (i = 0; i < fr->f->nvar; i++)
		var[i] = cell_value(fr->slot[i]);
	m->n = 0;
	if (!m->bound)
		m->bound = arena_alloc(&fr->rt->arena, sizeof(*m->bound));
	rc = bind_rwir(&call, fr->rt->isa->rank, m->bound, why);
	free(value);
	free(var);
	if (rc)
		return rt_error(fr->rt, in->loc, "%s", why);
	call_trace(fr->rt, m->bound);
	m->entry = call_entry(fr->rt, m->bound, in->loc);
	if (!m->entry)
		return -1;
	memo_set(m, &fr->rt->arena, sig);
	return 0;
}

static double
element(const struct value *v, size_t i)
{
	const char *at = (const char *)v->body + i * dtype_size(v->dtype);
	double d = 0;

	if (v->dtype == DT_BOOL)
		return *at != 0;
	dtype_convert(DT_FLOAT64, &d, v->dtype, at, 1);
	return d;
}

static void
dump(struct runtime *rt, const char *opcode, struct cell *const *out, int n)
{
	size_t i, count;
	int j;

	for (j = 0; j < n; j++) {
		const struct value *v = &out[j]->v;

		count = (size_t)shape_count(&v->shape, 1);
		fprintf(rt->opt.err, "[kvaot] %s ->", opcode);
		for (i = 0; i < count; i++)
			fprintf(rt->opt.err, " %g", element(v, i));
		fputc('\n', rt->opt.err);
	}
}

/* Whether the frame runs a version in place of its base, and nothing but
 * kernels did run in it, so that the base may run from the beginning. */
static bool
may_run_base(const struct frame *fr)
{
	int i;

	for (i = 0; i < fr->pc - 1; i++) {
		if (fr->f->insn[i].kind != INSN_RWIR)
			return false;
	}
	return strcmp(fr->f->name, fr->name) != 0;
}

static int
run_rwir(struct frame *fr, struct insn *in, struct cell *const *v, int n)
{
	struct cell *out[MATCH_OUTS];
	char why[BIND_WHY];
	struct sig sig;
	int i, rc = 0, code;

	sig_init(&sig);
	for (i = 0; i < n; i++) {
		if (!v[i])
			return rt_error(fr->rt, in->loc, "TypeError: %s arg "
			    "%d: expected a value, got None", in->opcode,
			    i + 1);
		sig_add(&sig, &v[i]->v);
	}
	for (i = 0; i < in->nguard; i++)
		sig_add(&sig, fr->slot[in->guard[i]] ?
		    &fr->slot[in->guard[i]]->v : NULL);
	if (!memo_hit(&in->memo, &sig) && bind_insn(fr, in, v, n, &sig))
		return -1;
	code = call_kernel(fr->rt, in->memo.bound, in->memo.entry, v, out,
	    why);
	if ((code == KVK_DIV0 || code == KVK_RANGE) && may_run_base(fr))
		return AGAIN;
	if (code)
		return rt_error(fr->rt, in->loc, "%s", why);
	if (fr->rt->opt.dump)
		dump(fr->rt, in->opcode, out, in->memo.bound->nout);
	for (i = 0; i < in->nwrite; i++)
		rc |= set_var(fr, in, in->write[i], out[i]);
	return rc;
}

/* The present values of the writes, held. */
static int
read_writes(const struct frame *fr, const struct insn *in, struct cell **out)
{
	int j, rc = 0;

	for (j = 0; j < in->nwrite && !rc; j++) {
		if (in->write[j] == VAR_DISCARD)
			continue;
		rc = read_var(fr, in, in->write[j], &out[j]);
		if (out[j])
			cell_ref(out[j]);
	}
	return rc;
}

/* Calls a function with the writes' present values, then stores what they
 * have become. */
static int
run_call(struct frame *fr, struct insn *in, struct cell *const *v, int n)
{
	struct cell **out =
	    frame_array((size_t)in->nwrite, sizeof(*out));
	int j, rc = read_writes(fr, in, out);

	if (!rc)
		rc = interp_call(fr->rt, in->name, &in->memo, v, n, out,
		    in->nwrite, in->loc);
	for (j = 0; j < in->nwrite; j++) {
		if (rc)
			cell_unref(&fr->rt->heap, out[j]);
		else
			rc = set_var(fr, in, in->write[j], out[j]);
	}
	free(out);
	return rc;
}

/* The values of the reads, with those that the variadic parameter stands
 * for. */
static int
read_all(const struct frame *fr, const struct insn *in, struct cell **v)
{
	int i, n = in->nread - in->spread;

	for (i = 0; i < n; i++) {
		if (read_ref(fr, in, &in->read[i], &v[i]))
			return -1;
	}
	for (i = 0; in->spread && i < fr->nmore; i++)
		v[n++] = fr->more[i];
	return 0;
}

/* A row that computes. */
static int
run_op(struct frame *fr, struct insn *in)
{
	struct cell *few[MATCH_INS], **v = few;
	int n = in->nread + (in->spread ? fr->nmore - 1 : 0), rc;

	if (n > MATCH_INS)
		v = frame_array((size_t)n, sizeof(*v));
	rc = read_all(fr, in, v);
	if (!rc)
		rc = in->kind == INSN_NATIVE ? run_native(fr, in, v, n) :
		    in->kind == INSN_RWIR ? run_rwir(fr, in, v, n) :
		    run_call(fr, in, v, n);
	if (v != few)
		free(v);
	return rc;
}

/* Runs the row before fr->pc, which it may change. */
static int
run_insn(struct frame *fr, struct insn *in)
{
	char why[BIND_WHY];

	globals_settle(&fr->rt->globals);
	if (!in->kind && lookup_insn(fr->rt, fr->f, in, why))
		return rt_error(fr->rt, in->loc, "%s", why);
	switch (in->kind) {
	case INSN_RETURN:
		fr->pc = fr->f->ninsn;
		return 0;
	case INSN_ASSIGN:
		return run_assign(fr, in);
	case INSN_GOTO:
		return jump(fr, in, in->target[0]);
	case INSN_BR:
		return run_branch(fr, in);
	case INSN_NATIVE:
	case INSN_RWIR:
	case INSN_CALL:
		return run_op(fr, in);
	case INSN_UNRESOLVED:
		break;
	}
	BUG("a row of kind %d after its lookup", (int)in->kind);
}

/* Behind the last row a function returns. */
static int
run_rows(struct frame *fr)
{
	int rc = 0;

	while (fr->pc < fr->f->ninsn && !rc)
		rc = run_insn(fr, &fr->f->insn[fr->pc++]);
	return rc;
}

/* The arguments are held until the end: a path that held one may be written
 * meanwhile. */
static int
run_func(struct runtime *rt, struct func *f, const char *name,
    struct cell *const *in, int nin, struct cell **out, int nout)
{
	int nfix = f->nread - f->variadic, i, rc;
	struct frame fr = { .rt = rt, .f = f, .name = name,
		.nmore = nin - nfix,
		.more = nin > nfix ? in + nfix : NULL };

	fr.slot = frame_array((size_t)f->nvar, sizeof(*fr.slot));
	for (i = 0; i < nin; i++) {
		cell_ref(in[i]);
		if (i < nfix)
			fr.slot[i] = in[i];
	}
	for (i = 0; i < nout; i++)
		fr.slot[f->nread + i] = out[i] ? cell_ref(out[i]) : NULL;
	rc = run_rows(&fr);
	for (i = 0; i < nout && !rc; i++) {
		cell_unref(&rt->heap, out[i]);
		out[i] = fr.slot[f->nread + i];
		fr.slot[f->nread + i] = NULL;
	}
	for (i = 0; i < f->nvar; i++)
		cell_unref(&rt->heap, fr.slot[i]);
	for (i = nfix; i < nin; i++)
		cell_unref(&rt->heap, in[i]);
	free(fr.slot);
	return rc;
}

/* Checks a call that the memo has not seen and chooses the version. */
static int
choose_callee(struct runtime *rt, const char *name, struct memo *m,
    struct cell *const *in, int nin, struct cell *const *out, int nout,
    struct loc loc)
{
	struct func *f = funcs_get(&rt->funcs, name, rt->diag);
	const struct value **v;
	char why[BIND_WHY];
	int i;

	if (!f)
		return -1;
	v = frame_array((size_t)(nin + f->nwrite), sizeof(*v));
	for (i = 0; i < nin; i++)
		v[i] = cell_value(in[i]);
	for (i = 0; i < nout && i < f->nwrite; i++)
		v[nin + i] = cell_value(out[i]);
	m->n = 0;
	m->callee = NULL;
	if (resolve_check(f, v, nin, nout, why))
		rt_error(rt, loc, "%s", why);
	else if (f->variadic)
		/* What has no fixed reads has no versions. */
		m->callee = f;
	else
		m->callee = resolve_call(rt, name, v, loc);
	free(v);
	return m->callee ? 0 : -1;
}

int
interp_call(struct runtime *rt, const char *name, struct memo *m,
    struct cell *const *in, int nin, struct cell **out, int nout,
    struct loc loc)
{
	struct sig sig;
	int i, rc;

	if (rt->depth >= MAX_DEPTH)
		return rt_error(rt, loc, "RecursionError: stack overflow: "
		    "depth=%d pc=/lib/%s", rt->depth + 1, name);
	sig_init(&sig);
	for (i = 0; i < nin; i++)
		sig_add(&sig, in[i] ? &in[i]->v : NULL);
	for (i = 0; i < nout; i++)
		sig_add(&sig, out[i] ? &out[i]->v : NULL);
	if (!memo_hit(m, &sig)) {
		if (choose_callee(rt, name, m, in, nin, out, nout, loc))
			return -1;
		memo_set(m, &rt->arena, &sig);
	}
	rt->depth++;
	rc = run_func(rt, m->callee, name, in, nin, out, nout);
	if (rc == AGAIN)
		rc = run_func(rt, funcs_get(&rt->funcs, name, rt->diag), name,
		    in, nin, out, nout);
	rt->depth--;
	return rc;
}
