/* SPDX-License-Identifier: MIT */
#include "runtime/interp.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "runtime/call.h"
#include "runtime/lookup.h"
#include "runtime/memo.h"
#include "runtime/native.h"
#include "runtime/resolve.h"

/* One call that runs: the function and what its variables hold. */
struct frame {
	struct runtime *rt;
	struct func *f;
	struct cell **slot;
};

static void *
frame_array(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		fatal("out of memory");
	return p;
}

static struct cell *
read_ref(const struct frame *fr, const struct ref *r)
{
	return r->literal ? r->literal : fr->slot[r->var];
}

/* Gives a slot a cell whose reference is handed over. */
static void
set_slot(struct frame *fr, int slot, struct cell *c)
{
	if (slot < 0) {
		cell_unref(&fr->rt->heap, c);
		return;
	}
	cell_unref(&fr->rt->heap, fr->slot[slot]);
	fr->slot[slot] = c;
}

static int
run_assign(struct frame *fr, const struct insn *in)
{
	struct cell *c = read_ref(fr, &in->read[0]);
	int j;

	for (j = 0; j < in->nwrite; j++)
		set_slot(fr, in->write[j], c ? cell_ref(c) : NULL);
	return 0;
}

static int
run_native(struct frame *fr, const struct insn *in, struct cell *const *v)
{
	struct cell *out = NULL;
	char why[BIND_WHY];

	if (in->native->run(
	    fr->rt, v, in->nread, &out, in->nwrite, why))
		return rt_error(fr->rt, in->loc, "%s", why);
	if (in->nwrite > 0)
		set_slot(fr, in->write[0], out);
	return 0;
}

/* Chooses row and entry for operands that the memo has not seen. */
static int
bind_insn(struct frame *fr, struct insn *in, struct cell *const *v,
    const struct sig *sig)
{
	const struct value **value, **var;
	struct lookup_vars vars = { .f = fr->f };
	struct bind_call call = { .op = in->op, .nin = in->nread,
		.nout = in->nwrite, .lookup = lookup_var, .ctx = &vars };
	struct memo *m = &in->memo;
	char why[BIND_WHY];
	int i, rc;

	value = frame_array((size_t)in->nread, sizeof(*value));
	vars.value = var = frame_array((size_t)fr->f->nvar, sizeof(*var));
	call.in = value;
	for (i = 0; i < in->nread; i++)
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
	m->entry = call_entry(fr->rt, m->bound);
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

static int
run_rwir(struct frame *fr, struct insn *in, struct cell *const *v)
{
	struct cell *out[MATCH_OUTS];
	char why[BIND_WHY];
	struct sig sig;
	int i;

	sig_init(&sig);
	for (i = 0; i < in->nread; i++) {
		if (!v[i])
			return rt_error(fr->rt, in->loc, "TypeError: %s arg "
			    "%d: expected a value, got None", in->opcode,
			    i + 1);
		sig_add(&sig, &v[i]->v);
	}
	for (i = 0; i < in->nguard; i++)
		sig_add(&sig, fr->slot[in->guard[i]] ?
		    &fr->slot[in->guard[i]]->v : NULL);
	if (!memo_hit(&in->memo, &sig) && bind_insn(fr, in, v, &sig))
		return -1;
	if (call_kernel(fr->rt, in->memo.bound, in->memo.entry, v, out, why))
		return rt_error(fr->rt, in->loc, "%s", why);
	if (fr->rt->opt.dump)
		dump(fr->rt, in->opcode, out, in->memo.bound->nout);
	for (i = 0; i < in->nwrite; i++)
		set_slot(fr, in->write[i], out[i]);
	return 0;
}

/* Calls a function with the writes' present values, then stores what they
 * have become. */
static int
run_call(struct frame *fr, struct insn *in, struct cell *const *v)
{
	struct cell **out =
	    frame_array((size_t)in->nwrite, sizeof(*out));
	int j, rc;

	for (j = 0; j < in->nwrite; j++)
		out[j] = in->write[j] >= 0 ? fr->slot[in->write[j]] : NULL;
	for (j = 0; j < in->nwrite; j++) {
		if (out[j])
			cell_ref(out[j]);
	}
	rc = interp_call(fr->rt, in->name, &in->memo, v, in->nread, out,
	    in->nwrite, in->loc);
	for (j = 0; j < in->nwrite; j++) {
		if (rc)
			cell_unref(&fr->rt->heap, out[j]);
		else
			set_slot(fr, in->write[j], out[j]);
	}
	free(out);
	return rc;
}

static int
run_insn(struct frame *fr, struct insn *in)
{
	struct cell *few[MATCH_INS], **v = few;
	char why[BIND_WHY];
	int i, rc;

	if (!in->kind && lookup_insn(fr->rt, fr->f, in, why))
		return rt_error(fr->rt, in->loc, "%s", why);
	if (in->kind == INSN_RETURN)
		return 0;
	if (in->kind == INSN_ASSIGN)
		return run_assign(fr, in);
	if (in->nread > MATCH_INS)
		v = frame_array((size_t)in->nread, sizeof(*v));
	for (i = 0; i < in->nread; i++)
		v[i] = read_ref(fr, &in->read[i]);
	if (in->kind == INSN_NATIVE)
		rc = run_native(fr, in, v);
	else if (in->kind == INSN_RWIR)
		rc = run_rwir(fr, in, v);
	else
		rc = run_call(fr, in, v);
	if (v != few)
		free(v);
	return rc;
}

static int
run_rows(struct frame *fr)
{
	int i;

	for (i = 0; i < fr->f->ninsn; i++) {
		if (run_insn(fr, &fr->f->insn[i]))
			return -1;
		if (fr->f->insn[i].kind == INSN_RETURN)
			break;
	}
	return 0;
}

static int
run_func(struct runtime *rt, struct func *f, struct cell *const *in,
    struct cell **out, int nout)
{
	struct frame fr = { .rt = rt, .f = f };
	int i, rc;

	fr.slot = frame_array((size_t)f->nvar, sizeof(*fr.slot));
	for (i = 0; i < f->nread; i++)
		fr.slot[i] = cell_ref(in[i]);
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
	free(fr.slot);
	return rc;
}

/* Checks a call that the memo has not seen and chooses the version. */
static int
choose_callee(struct runtime *rt, const char *name, struct memo *m,
    struct cell *const *in, int nin, struct cell *const *out, int nout,
    struct loc loc)
{
	const struct func *f = funcs_get(&rt->funcs, name, rt->diag);
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
	rc = run_func(rt, m->callee, in, out, nout);
	rt->depth--;
	return rc;
}
