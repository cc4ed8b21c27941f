/* SPDX-License-Identifier: MIT */
/* Shapes and bound calls of include/kvaot.h. */
#include "include/kvaot.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/call.h"
#include "runtime/cpu.h"
#include "runtime/embed.h"
#include "runtime/infer.h"
#include "runtime/memo.h"
#include "runtime/resolve.h"

/*
 * A call while it is looked at: the inputs, without bodies but those of fixed
 * ones, and the results. code: what kind of fault was found.
 */
struct asked {
	const struct kvaotFn *fn;
	struct diag *diag;
	int code;
	struct arena arena;
	struct value value[KVAOT_MAX_IN];
	const struct value *in[KVAOT_MAX_IN];
	struct value out[KVAOT_MAX_OUT];
};

/* The values are set later, where they are needed. */
static void
asked_init(struct asked *q, const struct kvaotFn *fn, struct diag *d)
{
	diag_init(d);
	arena_init(&q->arena);
	q->fn = fn;
	q->diag = d;
	q->code = KVAOT_REFUSED;
}

/* Gives the error text if there is one. */
static int
asked_end(struct asked *q, int bad, char *err, uint32_t cap)
{
	if (bad)
		embed_refuse(err, cap, q->code, q->diag);
	diag_release(q->diag);
	arena_release(&q->arena);
	return bad ? q->code : KVAOT_OK;
}

/* Element i of an array whose first element says how large they are. */
static const struct kvaotTensor *
tensor_at(const struct kvaotTensor *t, int i)
{
	return (const void *)((const char *)t + (size_t)i * t->size);
}

static int
refuse_tensor(const struct kvaotFn *fn, int i, const char *why, long long n,
    struct diag *d)
{
	return diag_error(d, no_loc, "TypeError: %s %s %d (%s): %s %lld",
	    fn->name, i < fn->nin ? "arg" : "result",
	    i < fn->nin ? i + 1 : i - fn->nin + 1, fn->param[i].name, why, n);
}

/* Tensor i of the parameters as a value without langtype and body. */
static int
read_tensor(const struct kvaotFn *fn, const struct kvaotTensor *t, int i,
    struct value *v, struct diag *d)
{
	struct shape *s = &v->shape;
	int k;

	if (t->size < sizeof(*t))
		return refuse_tensor(fn, i, "its size must be that of struct "
		    "kvaotTensor, found", t->size, d);
	if (t->dtype < KVAOT_BOOL || t->dtype > KVAOT_BFLOAT16)
		return refuse_tensor(
		    fn, i, "expected a dtype of kvaot.h, found", t->dtype, d);
	if (t->rank < 0 || t->rank > KVAOT_MAX_RANK)
		return refuse_tensor(
		    fn, i, "expected a rank from 0 to 8, found", t->rank, d);
	s->rank = t->rank;
	for (k = 0; k < t->rank; k++) {
		s->dim[k] = t->dim[k];
		if (s->dim[k] < 0)
			return refuse_tensor(fn, i, "expected dims of at least "
			    "0, found", (long long)s->dim[k], d);
	}
	v->dtype = (enum dtype)t->dtype;
	v->body = NULL;
	if (shape_count(s, dtype_size(v->dtype)) < 0)
		return refuse_tensor(fn, i, "more bytes than there can be, of "
		    "rank", t->rank, d);
	v->n = (size_t)shape_count(s, 1) * dtype_size(v->dtype);
	return 0;
}

/* Reads that a call decides by: small integers with data. */
static bool
may_fix(const struct value *v)
{
	return !dtype_is_float(v->dtype) && v->n <= EMBED_FIXED;
}

static int
count_error(const struct kvaotFn *fn, const char *what, int want, uint32_t got,
    struct diag *d)
{
	struct buf names = { 0 };
	int i, from = *what == 'a' ? 0 : fn->nin;

	for (i = from; i < from + want; i++)
		buf_printf(
		    &names, "%s%s", i > from ? ", " : "", fn->param[i].name);
	diag_error(d, no_loc, "TypeError: %s expects %d %s (%s), got %u",
	    fn->name, want, what, buf_str(&names).p, (unsigned)got);
	buf_release(&names);
	return -1;
}

static int
read_inputs(struct asked *q, const struct kvaotTensor *in, uint32_t nin)
{
	const struct kvaotFn *fn = q->fn;
	int i;

	if (nin != (uint32_t)fn->nin)
		return count_error(fn, "args", fn->nin, nin, q->diag);
	if (!in && nin > 0)
		return diag_error(
		    q->diag, no_loc, "TypeError: %s: in is NULL", fn->name);
	for (i = 0; i < fn->nin; i++) {
		const struct kvaotTensor *t = tensor_at(in, i);
		struct value *v = &q->value[i];

		if (read_tensor(fn, t, i, v, q->diag))
			return -1;
		if (may_fix(v))
			v->body = t->data;
		q->in[i] = v;
	}
	return 0;
}

/* Result j as a value without body; -1 when the function does not set it. */
static int
set_result(struct asked *q, int j, const struct value *v)
{
	if (v && v->dtype != DT_NONE) {
		q->out[j] = *v;
		return 0;
	}
	return diag_error(q->diag, no_loc, "RuntimeError: %s: result %d (%s) "
	    "is %s for these inputs", q->fn->name, j + 1,
	    q->fn->param[q->fn->nin + j].name, v ? "no tensor" : "not set");
}

/* One kernel; no function stands around it. */
static int
follow_backend(struct asked *q, struct tape *t, const int *reg, int *out)
{
	struct runtime *rt = q->fn->lib->rt;
	struct bind_call call = { .op = q->fn->op, .in = q->in,
		.nin = q->fn->nin, .nout = q->fn->nout };
	const struct kvk_entry *e;
	char why[BIND_WHY];
	struct bound b;
	int j;

	if (bind_rwir(&call, rt->isa->rank, &b, why))
		return diag_error(q->diag, no_loc, "%s", why);
	for (j = 0; j < b.nout; j++) {
		if (shape_count(&b.out[j], 8) < 0)
			return diag_error(q->diag, no_loc, "MemoryError: %s: "
			    "the result is too large", q->fn->name);
		q->out[j] = value_tensor(
		    &q->arena, b.out_dtype[j], &b.out[j], NULL);
	}
	if (!t)
		return 0;
	e = call_entry(rt, &b, no_loc);
	t->broken = !e;
	if (!e)
		return -1;
	call_trace(rt, &b);
	return tape_kernel(t, &b, e, reg, out, why) ?
	    diag_error(q->diag, no_loc, "%s", why) : 0;
}

static int
follow_function(struct asked *q, struct tape *t, const int *reg, int *out)
{
	struct runtime *rt = q->fn->lib->rt;
	struct func *f = q->fn->f;
	struct known args, results;
	char why[BIND_WHY];
	int j;

	if (resolve_check(f, q->in, f->nread, f->nwrite, why))
		return diag_error(q->diag, no_loc, "%s", why);
	args = known_new(&q->arena, f->nread + f->nwrite);
	results = known_new(&q->arena, f->nwrite);
	for (j = 0; j < f->nread; j++) {
		args.v[j] = q->in[j];
		args.reg[j] = reg[j];
	}
	/* What a version gives has the dims that its base gives. */
	if (t)
		f = resolve_call(rt, q->fn->name, args.v, no_loc);
	if (!f || infer_follow(rt, f, &args, &results, &q->arena, t))
		return -1;
	for (j = 0; j < f->nwrite; j++) {
		if (set_result(q, j, results.v[j]))
			return -1;
		out[j] = results.reg[j];
	}
	return 0;
}

/* Follows the call with the lock held; t NULL: shapes only. */
static int
follow(struct asked *q, struct tape *t)
{
	int reg[KVAOT_MAX_IN], out[KVAOT_MAX_OUT], i, rc;
	char why[BIND_WHY];

	q->fn->lib->rt->diag = q->diag;
	for (i = 0; i < q->fn->nin; i++) {
		struct value *v = &q->value[i];

		*v = value_tensor(&q->arena, v->dtype, &v->shape, v->body);
		reg[i] = -1;
		if (t)
			reg[i] = q->in[i]->body ? tape_constant(t, q->in[i]) :
			    tape_input(t, i, q->in[i]);
	}
	rc = q->fn->op ? follow_backend(q, t, reg, out) :
	    follow_function(q, t, reg, out);
	if (!rc && t && tape_end(t, out, q->fn->nout, why))
		rc = diag_error(q->diag, no_loc, "%s", why);
	return rc;
}

static int
follow_locked(struct asked *q, struct tape *t)
{
	struct kvaotLib *lib = q->fn->lib;
	unsigned former = cpu_enter();
	struct embed_log log;
	int rc;

	embed_lock();
	embed_log_begin(lib, &log);
	rc = follow(q, t);
	embed_unlock();
	cpu_leave(former);
	embed_log_end(lib, &log);
	return rc;
}

static struct embed_operand
operand(const struct kvaotFn *fn, int i, const struct value *v,
    struct arena *a)
{
	struct embed_operand o = { .name = fn->param[i].name,
		.dtype = v->dtype, .shape = v->shape, .n = v->n,
		.align = dtype_size(v->dtype) };

	o.name = arena_strdup(a, fn->param[i].name);
	if (v->body)
		o.fixed = memcpy(arena_alloc(a, v->n), v->body, v->n);
	return o;
}

/* Decides about the call; NULL with an error. */
static struct kvaotBound *
bind_asked(struct asked *q)
{
	const struct kvaotFn *fn = q->fn;
	struct kvaotBound *b = calloc(1, sizeof(*b));
	int i;

	if (!b) {
		diag_error(q->diag, no_loc, "MemoryError: out of memory");
		return NULL;
	}
	b->lib = fn->lib;
	b->nin = fn->nin;
	b->nout = fn->nout;
	b->name = arena_strdup(&b->arena, fn->name);
	tape_init(&b->tape, &b->arena);
	if (follow_locked(q, &b->tape)) {
		q->code = b->tape.broken ? KVAOT_LIBRARY : KVAOT_REFUSED;
		embed_drop(b);
		return NULL;
	}
	b->in = arena_array(&b->arena, (size_t)fn->nin, sizeof(*b->in));
	b->out = arena_array(&b->arena, (size_t)fn->nout, sizeof(*b->out));
	for (i = 0; i < fn->nin; i++)
		b->in[i] = operand(fn, i, q->in[i], &b->arena);
	for (i = 0; i < fn->nout; i++)
		b->out[i] = operand(fn, fn->nin + i, &q->out[i], &b->arena);
	b->scratch = (b->tape.scratch + 63) / 64 * 64;
	b->bytes = b->scratch + b->tape.work;
	return b;
}

int
kvaotBind(const struct kvaotFn *fn, const struct kvaotTensor *in,
    uint32_t nin, struct kvaotBound **out, char *err, uint32_t cap)
{
	struct kvaotBound *b = NULL;
	struct asked q;
	struct diag d;

	if (!fn || !out)
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotBind: %s is "
		    "NULL", fn ? "bound" : "fn");
	asked_init(&q, fn, &d);
	if (!read_inputs(&q, in, nin))
		b = bind_asked(&q);
	if (b) {
		embed_ref(fn->lib);
		*out = b;
	}
	return asked_end(&q, !b, err, cap);
}

void
kvaotUnbind(struct kvaotBound *b)
{
	struct kvaotLib *lib;

	if (!b)
		return;
	lib = b->lib;
	embed_drop(b);
	embed_unref(lib);
}

static void
write_tensor(struct kvaotTensor *t, enum dtype dtype, const struct shape *s)
{
	int i;

	t->dtype = (int32_t)dtype;
	t->rank = s->rank;
	for (i = 0; i < KVAOT_MAX_RANK; i++)
		t->dim[i] = i < s->rank ? s->dim[i] : 0;
}

int
kvaotResult(const struct kvaotBound *b, uint32_t i, struct kvaotTensor *out,
    char *err, uint32_t cap)
{
	if (!b || !out || out->size < sizeof(*out) ||
	    i >= (uint32_t)b->nout)
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotResult: bound "
		    "or out is NULL, out->size is not set, or there is no "
		    "result %u", (unsigned)i);
	write_tensor(out, b->out[i].dtype, &b->out[i].shape);
	return KVAOT_OK;
}

static int
find_shapes(struct asked *q, const struct kvaotTensor *in, uint32_t nin,
    struct kvaotTensor *out, uint32_t nout)
{
	struct kvaotTensor *t;
	int j;

	if (read_inputs(q, in, nin))
		return -1;
	if (nout != (uint32_t)q->fn->nout)
		return count_error(
		    q->fn, "results", q->fn->nout, nout, q->diag);
	if (nout > 0 && (!out || out->size < sizeof(*out)))
		return diag_error(q->diag, no_loc, "TypeError: %s: out is NULL "
		    "or its size is not set", q->fn->name);
	if (follow_locked(q, NULL))
		return -1;
	for (j = 0; j < q->fn->nout; j++) {
		t = (void *)((char *)out + (size_t)j * out->size);
		write_tensor(t, q->out[j].dtype, &q->out[j].shape);
	}
	return 0;
}

int
kvaotShapes(const struct kvaotFn *fn, const struct kvaotTensor *in,
    uint32_t nin, struct kvaotTensor *out, uint32_t nout, char *err,
    uint32_t cap)
{
	struct asked q;
	struct diag d;
	int bad;

	if (!fn)
		return embed_fail(
		    err, cap, KVAOT_REFUSED, "kvaotShapes: fn is NULL");
	asked_init(&q, fn, &d);
	bad = find_shapes(&q, in, nin, out, nout);
	return asked_end(&q, bad, err, cap);
}

static struct kvaotBound *
kept_call(const struct kvaotFn *fn, const struct sig *s)
{
	const struct embed_call *c =
	    atomic_load_explicit(&fn->calls, memory_order_acquire);

	for (; c && !s->full; c = c->next) {
		if (c->n == s->n && memcmp(c->sig, s->p, s->n) == 0)
			return c->bound;
	}
	return NULL;
}

/* Whether the bound call was kept; else it is the caller's. */
static bool
keep_call(const struct kvaotFn *called, struct kvaotBound *b,
    const struct sig *s)
{
	struct kvaotFn *fn = (struct kvaotFn *)called;
	struct embed_call *c;
	uint8_t *sig;
	bool keep;

	embed_lock();
	keep = !s->full && fn->ncalls < EMBED_CALLS;
	if (keep) {
		c = arena_alloc(&fn->lib->arena, sizeof(*c));
		sig = arena_alloc(&fn->lib->arena, s->n);
		memcpy(sig, s->p, s->n);
		*c = (struct embed_call){ atomic_load(&fn->calls), b, s->n,
			sig };
		atomic_store_explicit(&fn->calls, c, memory_order_release);
		fn->ncalls++;
	}
	embed_unlock();
	return keep;
}

/* The outputs as tensors of the caller must be what the call gives. */
static int
check_results(struct asked *q, const struct kvaotBound *b,
    const struct kvaotTensor *out, void **ptr)
{
	char want[200], got[200];
	struct value v;
	int j;

	for (j = 0; j < b->nout; j++) {
		const struct kvaotTensor *t = tensor_at(out, j);

		if (read_tensor(q->fn, t, b->nin + j, &v, q->diag))
			return -1;
		ptr[j] = t->data;
		if (v.dtype == b->out[j].dtype &&
		    shape_eq(&v.shape, &b->out[j].shape))
			continue;
		shape_text(&b->out[j].shape, want);
		shape_text(&v.shape, got);
		return diag_error(q->diag, no_loc, "TypeError: %s result %d "
		    "(%s): expected %s%s, got %s%s", q->fn->name, j + 1,
		    b->out[j].name, want, dtype_name(b->out[j].dtype), got,
		    dtype_name(v.dtype));
	}
	return 0;
}

/* The bound call for the tensors; NULL with an error. */
static struct kvaotBound *
find_call(struct asked *q, const struct kvaotTensor *in, uint32_t nin,
    const void **ptr, bool *kept)
{
	struct kvaotBound *b;
	struct sig sig;
	int i;

	if (read_inputs(q, in, nin))
		return NULL;
	sig_init(&sig);
	for (i = 0; i < q->fn->nin; i++) {
		ptr[i] = tensor_at(in, i)->data;
		if (!ptr[i] && q->in[i]->n) {
			refuse_tensor(q->fn, i, "expected data, got NULL for "
			    "bytes:", (long long)q->in[i]->n, q->diag);
			return NULL;
		}
		sig_add(&sig, q->in[i]);
	}
	*kept = true;
	b = kept_call(q->fn, &sig);
	if (b)
		return b;
	b = bind_asked(q);
	if (b)
		*kept = keep_call(q->fn, b, &sig);
	return b;
}

int
kvaotCall(const struct kvaotFn *fn, const struct kvaotTensor *in,
    uint32_t nin, const struct kvaotTensor *out, uint32_t nout, char *err,
    uint32_t cap)
{
	const void *from[KVAOT_MAX_IN];
	void *to[KVAOT_MAX_OUT];
	struct kvaotBound *b;
	struct asked q;
	struct diag d;
	bool kept = true;
	int rc, bad = -1;

	if (!fn || (!out && nout))
		return embed_fail(err, cap, KVAOT_REFUSED, "kvaotCall: %s is "
		    "NULL", fn ? "out" : "fn");
	asked_init(&q, fn, &d);
	b = find_call(&q, in, nin, from, &kept);
	if (b && nout != (uint32_t)b->nout)
		count_error(fn, "results", b->nout, nout, &d);
	else if (b)
		bad = check_results(&q, b, out, to);
	rc = asked_end(&q, bad, err, cap);
	if (!rc)
		rc = kvaotRun(b, from, to, err, cap);
	if (!kept)
		embed_drop(b);
	return rc;
}
