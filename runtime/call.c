/* SPDX-License-Identifier: MIT */
#include "runtime/call.h"

#include <string.h>

#include "runtime/load.h"

/* ptr of the call, and how many bytes an element of each operand has. */
struct kernel_call {
	void *ptr[DIMS_OPERANDS];
	size_t size[DIMS_OPERANDS];
	union scalar scalar[MATCH_INS];
};

static int
disagree(struct runtime *rt, const struct bound *b, const char *what,
    const char *found)
{
	const struct manifest_row *m = b->row->m;

	diag_error(rt->diag, no_loc, "obj/%s.so: entry %lld is not the kernel "
	    "that the manifest says for %s (%s: found %s); build or copy the "
	    "library again", m->object, (long long)m->entry, m->opcode, what,
	    found);
	return -1;
}

static int
check_entry(struct runtime *rt, const struct bound *b,
    const struct kvk_entry *e)
{
	const struct manifest_row *m = b->row->m;

	/* Generated kernels carry no name: the manifest gives it. */
	if (*e->opcode && strcmp(e->opcode, m->opcode) != 0)
		return disagree(rt, b, "opcode", e->opcode);
	if (strcmp(e->dtype, dtype_name(m->dtype)) != 0)
		return disagree(rt, b, "dtype", e->dtype);
	if (strcmp(e->isa, m->isa) != 0)
		return disagree(rt, b, "isa", e->isa);
	if (e->cls != b->row->cls)
		return disagree(rt, b, "class", "another class");
	if (e->nin != b->nin || e->nout != b->nout)
		return disagree(rt, b, "operands", "another number");
	return 0;
}

/* What has no elements is not computed and needs nothing. */
static int
need_blas(struct runtime *rt, const struct bound *b, struct loc loc)
{
	char why[BLAS_WHY];

	if (b->empty || !blas_needed(b->row->m) || !blas_load(why))
		return 0;
	rt->environment = true;
	return rt_error(rt, loc, "EnvironmentError: %s needs OpenBLAS: %s",
	    b->row->m->opcode, why);
}

const struct kvk_entry *
call_entry(struct runtime *rt, const struct bound *b, struct loc loc)
{
	const struct object *o =
	    object_get(rt->lib.dir, b->row->m->object, rt->diag);
	const struct kvk_entry *e =
	    o ? object_entry(o, b->row->m->entry, rt->diag) : NULL;

	return e && !check_entry(rt, b, e) && !need_blas(rt, b, loc) ? e :
	    NULL;
}

static int
set_inputs(struct kernel_call *k, const struct bound *b,
    struct cell *const *in)
{
	int i;

	for (i = 0; i < b->nin; i++) {
		struct cell *c = in[b->operand[i]];

		k->ptr[i] = c->mem;
		k->size[i] = dtype_size(b->in_dtype[i]);
		if (c->v.dtype == b->in_dtype[i])
			continue;
		if (dtype_convert(
		    b->in_dtype[i], &k->scalar[i], c->v.dtype, c->v.body, 1))
			return -1;
		k->ptr[i] = &k->scalar[i];
	}
	return 0;
}

static void
drop_outputs(struct runtime *rt, struct cell **out, int n)
{
	while (n > 0)
		cell_unref(&rt->heap, out[--n]);
}

static int
make_outputs(struct runtime *rt, struct kernel_call *k,
    const struct bound *b, struct cell **out)
{
	int i;

	for (i = 0; i < b->nout; i++) {
		out[i] = cell_new(&rt->heap, b->out_dtype[i], &b->out[i]);
		if (!out[i]) {
			drop_outputs(rt, out, i);
			return -1;
		}
		k->ptr[b->nin + i] = out[i]->mem;
		k->size[b->nin + i] = dtype_size(b->out_dtype[i]);
	}
	return 0;
}

/* What a walk over the outer axes needs besides the pointers. */
struct axis_walk {
	kvk_fn *fn;
	const struct dims *dims;
	const size_t *size;
	int nop;
	const struct kvk_stream *stream;
};

static int
run_axes(const struct axis_walk *w, int axis, void *const *base)
{
	void *ptr[DIMS_OPERANDS];
	int64_t i;
	int j, rc = KVK_OK;

	if (axis == w->dims->nouter)
		return w->fn(base, w->dims->dim, w->stream);
	for (i = 0; i < w->dims->outer[axis] && rc == KVK_OK; i++) {
		for (j = 0; j < w->nop; j++)
			ptr[j] = (char *)base[j] + (size_t)
			    (i * w->dims->step[axis][j]) * w->size[j];
		rc = run_axes(w, axis + 1, ptr);
	}
	return rc;
}

int
call_axes(kvk_fn *fn, const struct dims *dims, void *const *ptr,
    const size_t *size, int nop, const struct kvk_stream *stream)
{
	struct axis_walk w = { fn, dims, size, nop, stream };

	if (dims->nouter == 0)
		return fn(ptr, dims->dim, stream);
	return run_axes(&w, 0, ptr);
}

const char *
call_code_text(int code)
{
	switch (code) {
	case KVK_DIM:
		return "RuntimeError: the kernel refuses these extents";
	case KVK_NOMEM:
		return "MemoryError: no scratch memory for the kernel";
	case KVK_RANGE:
		return "IndexError: an element is outside of what the op "
		    "accepts";
	case KVK_DIV0:
		return "ZeroDivisionError: division by zero";
	case KVK_CANCELLED:
		return "RuntimeError: cancelled";
	default:
		return "RuntimeError: the kernel failed with an unknown code";
	}
}

int
call_scratch(const struct kvk_entry *e, const struct dims *d, size_t *out)
{
	int64_t n;

	if (__builtin_mul_overflow(e->scratch_n, d->n, &n) ||
	    __builtin_add_overflow(n, e->scratch, &n))
		return -1;
	*out = (size_t)n;
	return 0;
}

void
call_trace(const struct runtime *rt, const struct bound *b)
{
	const struct manifest_row *m = b->row->m;

	if (!rt->opt.trace)
		return;
	fprintf(rt->opt.err, "trace: %s row %s %s %s isa %s object %.12s\n",
	    m->opcode, dtype_name(m->dtype), *m->pattern ? m->pattern : "-",
	    *m->guard ? m->guard : "-", m->isa, m->object);
}

static int
fail(const struct bound *b, const char *text, char *why)
{
	snprintf(why, BIND_WHY, "%s (%.200s)", text, b->row->m->opcode);
	return -1;
}

int
call_kernel(struct runtime *rt, const struct bound *b,
    const struct kvk_entry *e, struct cell *const *in, struct cell **out,
    char why[BIND_WHY])
{
	struct pool_stream stream;
	struct kernel_call k;
	size_t scratch;
	int rc;

	if (set_inputs(&k, b, in))
		return fail(b, "TypeError: a scalar operand cannot be "
		    "converted to the kernel's dtype", why);
	if (call_scratch(e, &b->dims, &scratch) ||
	    make_outputs(rt, &k, b, out))
		return fail(b, "MemoryError: no memory for the result", why);
	if (rt->opt.ran)
		rt->opt.ran(rt->opt.ran_ctx, b->row->m);
	if (b->empty)
		return 0;
	pool_stream(rt->pool, scratch, &stream);
	if (blas_needed(b->row->m))
		stream.s.blas = &rt->blas.k;
	rc = call_axes(e->fn, &b->dims, k.ptr, k.size, b->nin + b->nout,
	    &stream.s);
	if (rc == KVK_OK)
		return 0;
	drop_outputs(rt, out, b->nout);
	fail(b, call_code_text(rc), why);
	return rc;
}
