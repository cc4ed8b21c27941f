/* SPDX-License-Identifier: MIT */
/* Running calls of include/kvaot.h: pointers, memory, parallel loops. */
#include "include/kvaot.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/call.h"
#include "runtime/cpu.h"
#include "runtime/embed.h"

void *
embed_alloc(const struct kvaotLib *lib, size_t n)
{
	if (n > PTRDIFF_MAX - 64)
		return NULL;
	n = (n + 63) / 64 * 64;
	return lib->opt.alloc ? lib->opt.alloc(lib->opt.ctx, n) :
	    aligned_alloc(64, n);
}

void
embed_free(const struct kvaotLib *lib, void *p, size_t n)
{
	if (p && lib->opt.release)
		lib->opt.release(lib->opt.ctx, p, (n + 63) / 64 * 64);
	else
		free(p);
}

void
embed_drop(struct kvaotBound *b)
{
	int i;

	for (i = 0; i < EMBED_IDLE; i++)
		embed_free(b->lib, atomic_load(&b->idle[i]), b->bytes);
	arena_release(&b->arena);
	free(b);
}

static void *
take_work(struct kvaotBound *b)
{
	void *p;
	int i;

	for (i = 0; i < EMBED_IDLE; i++) {
		if (atomic_load_explicit(&b->idle[i], memory_order_relaxed) &&
		    (p = atomic_exchange(&b->idle[i], NULL)))
			return p;
	}
	return embed_alloc(b->lib, b->bytes);
}

static void
put_work(struct kvaotBound *b, void *p)
{
	void *none;
	int i;

	for (i = 0; i < EMBED_IDLE; i++) {
		none = NULL;
		if (atomic_compare_exchange_strong(&b->idle[i], &none, p))
			return;
	}
	embed_free(b->lib, p, b->bytes);
}

typedef int body_fn(void *, int64_t, int64_t, void *);

/*
 * What a kernel gets, the ABI's stream first. busy: a loop runs. A loop inside
 * it runs in the thread of its piece, with scratch of its own.
 */
struct embed_stream {
	struct kvk_stream s;
	const struct kvaotLib *lib;
	void *scratch;
	size_t n;
	atomic_bool busy;
};

/* A piece with scratch of its own. */
static int
run_apart(const struct kvaotLib *lib, size_t n, body_fn *body, void *ctx,
    int64_t lo, int64_t hi)
{
	void *scratch = n ? embed_alloc(lib, n) : NULL;
	int rc;

	if (n && !scratch)
		return KVK_NOMEM;
	rc = body(ctx, lo, hi, scratch);
	embed_free(lib, scratch, n);
	return rc;
}

/* The loop on the calling thread. */
static int
par_here(const struct kvk_stream *stream, int64_t n, int64_t grain,
    body_fn *body, void *ctx)
{
	struct embed_stream *st = (struct embed_stream *)stream;
	int rc;

	(void)grain;
	if (n <= 0)
		return KVK_OK;
	if (atomic_exchange(&st->busy, true))
		return run_apart(st->lib, st->n, body, ctx, 0, n);
	rc = body(ctx, 0, n, st->scratch);
	atomic_store(&st->busy, false);
	return rc;
}

/* A loop that the hook runs. */
struct embed_job {
	const struct embed_stream *st;
	body_fn *body;
	void *ctx;
	int64_t n, step;
	atomic_int code; /* KVK_OK, or what stopped the loop */
};

static void
run_piece(void *job, int64_t i)
{
	struct embed_job *j = job;
	int64_t lo = i * j->step;
	int64_t hi = j->n - lo < j->step ? j->n : lo + j->step;
	int ok = KVK_OK, rc;
	unsigned former;

	if (atomic_load(&j->code) != KVK_OK)
		return;
	former = cpu_enter();
	rc = run_apart(j->st->lib, j->st->n, j->body, j->ctx, lo, hi);
	cpu_leave(former);
	if (rc != KVK_OK)
		atomic_compare_exchange_strong(&j->code, &ok, rc);
}

/* Pieces are cut at multiples of grain, some more than there are threads. */
static int
par_hook(const struct kvk_stream *stream, int64_t n, int64_t grain,
    body_fn *body, void *ctx)
{
	struct embed_stream *st = (struct embed_stream *)stream;
	const struct kvaotOptions *o = &st->lib->opt;
	int64_t threads = o->threads > 1 ? o->threads : 1, grains, each;
	struct embed_job j = { .st = st, .body = body, .ctx = ctx, .n = n };

	if (n <= 0)
		return KVK_OK;
	grain = grain < 1 ? 1 : grain;
	grains = (n - 1) / grain + 1;
	each = threads == 1 ? grains : grains / (threads * 4);
	if (each == grains || grains == 1 || atomic_exchange(&st->busy, true))
		return run_apart(st->lib, st->n, body, ctx, 0, n);
	j.step = (each > 1 ? each : 1) * grain;
	atomic_init(&j.code, KVK_OK);
	o->par(o->ctx, (n - 1) / j.step + 1, run_piece, &j);
	atomic_store(&st->busy, false);
	return atomic_load(&j.code);
}

static int
refuse_pointer(const struct kvaotBound *b, int i, char *err, uint32_t cap,
    const char *why)
{
	bool in = i < b->nin;
	int k = in ? i : i - b->nin;

	return embed_fail(err, cap, KVAOT_REFUSED, "%s %s %d (%s): %s",
	    b->name, in ? "arg" : "result", k + 1,
	    in ? b->in[k].name : b->out[k].name, why);
}

/* Why a pointer cannot be this operand; NULL when it can. */
static const char *
pointer_fault(const struct embed_operand *o, const void *p)
{
	if (!p)
		return o->n && !o->fixed ? "expected a pointer, got NULL" :
		    NULL;
	if ((uintptr_t)p & (o->align - 1))
		return "the pointer is not aligned to an element";
	if (o->fixed && memcmp(o->fixed, p, o->n) != 0)
		return "another value than it was bound with; bind again";
	return NULL;
}

static bool
overlap(const void *a, size_t na, const void *b, size_t nb)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return na && nb && (x < y ? y - x < na : x - y < nb);
}

/* Result j against the inputs and the results before it. */
static int
check_overlap(const struct kvaotBound *b, const void *const *in,
    void *const *out, int j, char *err, uint32_t cap)
{
	size_t n = b->out[j].n;
	char why[120];
	int i;

	for (i = 0; i < b->nin; i++) {
		if (b->in[i].fixed || !overlap(out[j], n, in[i], b->in[i].n) ||
		    (out[j] == in[i] && b->tape.alias[j] >> i & 1))
			continue;
		snprintf(why, sizeof(why), "overlaps arg %d (%.60s), which "
		    "this call does not allow", i + 1, b->in[i].name);
		return refuse_pointer(b, b->nin + j, err, cap, why);
	}
	for (i = 0; i < j; i++) {
		if (!overlap(out[j], n, out[i], b->out[i].n))
			continue;
		snprintf(why, sizeof(why), "overlaps result %d (%.60s)",
		    i + 1, b->out[i].name);
		return refuse_pointer(b, b->nin + j, err, cap, why);
	}
	return 0;
}

static int
check_pointers(const struct kvaotBound *b, const void *const *in,
    void *const *out, char *err, uint32_t cap)
{
	const char *why;
	int i;

	if ((!in && b->nin) || (!out && b->nout))
		return embed_fail(err, cap, KVAOT_REFUSED, "%s: %s is NULL",
		    b->name, !in && b->nin ? "in" : "out");
	for (i = 0; i < b->nin; i++) {
		if ((why = pointer_fault(&b->in[i], in[i])))
			return refuse_pointer(b, i, err, cap, why);
	}
	for (i = 0; i < b->nout; i++) {
		if ((why = pointer_fault(&b->out[i], out[i])))
			return refuse_pointer(
			    b, b->nin + i, err, cap, why);
		if (check_overlap(b, in, out, i, err, cap))
			return KVAOT_REFUSED;
	}
	return 0;
}

/* The stream of a call: the hook's loops, our threads', or none. */
static int
run_tape(const struct kvaotBound *b, const void *const *in, void *const *out,
    void *work, const char **opcode)
{
	const struct kvaotLib *lib = b->lib;
	const struct kvk_blas *blas = b->tape.blas ? &lib->rt->blas.k : NULL;
	struct embed_stream st = {
		.s = { .abi = KVK_ABI, .size = sizeof(struct kvk_stream),
		    .par = lib->opt.par ? par_hook : par_here, .blas = blas },
		.lib = lib, .scratch = work, .n = b->tape.scratch };
	struct pool_stream pool;
	void *between = work ? (char *)work + b->scratch : NULL;

	if (lib->opt.par || lib->opt.threads <= 1)
		return tape_run(&b->tape, in, out, between, &st.s, opcode);
	pool_stream(lib->rt->pool, b->tape.scratch, &pool);
	pool.s.blas = blas;
	return tape_run(&b->tape, in, out, between, &pool.s, opcode);
}

int
kvaotRun(const struct kvaotBound *bound, const void *const *in,
    void *const *out, char *err, uint32_t cap)
{
	/* Only the idle memory changes, and that atomically. */
	struct kvaotBound *b = (struct kvaotBound *)bound;
	const char *opcode = "";
	void *work = NULL;
	unsigned former;
	int rc;

	if (!b)
		return embed_fail(
		    err, cap, KVAOT_REFUSED, "kvaotRun: bound is NULL");
	if (check_pointers(b, in, out, err, cap))
		return KVAOT_REFUSED;
	if (b->bytes && !(work = take_work(b)))
		return embed_fail(err, cap, KVAOT_MEMORY, "%s: no %zu bytes "
		    "for scratch and values in between", b->name, b->bytes);
	former = cpu_enter();
	rc = run_tape(b, in, out, work, &opcode);
	cpu_leave(former);
	if (work)
		put_work(b, work);
	if (rc == KVK_OK)
		return KVAOT_OK;
	return embed_fail(err, cap,
	    rc == KVK_NOMEM ? KVAOT_MEMORY : KVAOT_FAILED, "%s: %s (%s)",
	    b->name, call_code_text(rc), opcode);
}
