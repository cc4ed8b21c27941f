/* SPDX-License-Identifier: MIT */
/*
 * Overlaps through libkvaot: the result in the memory of an input works where
 * the entry allows it and is refused where not; one element further is always
 * refused; two inputs in one memory work.
 */
#include "tests/harness/harness.h"

#include <stdio.h>
#include <string.h>

#include "include/kvaot.h"

/* A call of the row as libkvaot sees it. */
struct bound_call {
	struct row *r;
	const struct call *c;
	struct kvaotBound *bound;
	const void *in[OP_MAX_PARAMS]; /* of each read */
	char err[300];
};

static struct kvaotTensor
tensor_of(const struct value *v, const char *data)
{
	struct kvaotTensor t = { .size = sizeof t, .dtype = (int32_t)v->dtype,
		.rank = v->shape.rank, .data = (void *)(uintptr_t)data };

	memcpy(t.dim, v->shape.dim, sizeof v->shape.dim);
	return t;
}

static void
bind(struct bound_call *b)
{
	struct row *r = b->r;
	struct kvaotTensor in[OP_MAX_PARAMS];
	const struct kvaotFn *fn;

	for (int i = 0; i < r->op->nin; i++)
		in[i] = tensor_of(&b->c->read[i], op_is_attr(r->op, i) ?
		    b->c->read[i].body : NULL);
	if (kvaotFind(r->lib, r->m->opcode, &fn, b->err, sizeof b->err) ||
	    kvaotBind(fn, in, (uint32_t)r->op->nin, &b->bound, b->err,
	    sizeof b->err))
		row_fail(r, "libkvaot refuses a call: %s", b->err);
}

static void
expect(struct bound_call *b, char *out, int want, const char *what)
{
	void *outs[MAX_OUT];
	int rc;

	place_outputs(b->r, out, outs);
	rc = kvaotRun(b->bound, b->in, outs, b->err, sizeof b->err);
	if (rc != want)
		row_fail(b->r, "libkvaot: %s: returned %d, expected %d%s%s",
		    what, rc, want, rc ? ": " : "", rc ? b->err : "");
	if (rc == KVAOT_OK)
		compare_all(b->r, b->c, out, what);
}

/* All inputs where they are alone. */
static void
put_inputs(struct bound_call *b)
{
	const struct bound *bound = &b->c->b;

	for (int i = 0; i < b->r->op->nin; i++)
		b->in[i] = b->c->read[i].body;
	for (int k = 0; k < bound->nin; k++) {
		const struct shape *s = &b->c->read[bound->operand[k]].shape;

		memcpy(b->r->in[k].mem, b->r->in[k].plain,
		    (size_t)shape_count(s, 8) * call_size(b->c, k));
		b->in[bound->operand[k]] = b->r->in[k].mem;
	}
}

static void
overlap(struct bound_call *b, int k)
{
	struct row *r = b->r;
	const struct shape *s = &b->c->read[b->c->b.operand[k]].shape;
	size_t size = call_size(b->c, k);
	size_t bytes = (size_t)shape_count(s, 8) * size;
	size_t out = (size_t)shape_count(&b->c->b.out[r->which], 8) *
	    r->osize;
	bool allowed = r->e->alias >> k & 1 && bytes == out &&
	    size == r->osize;

	put_inputs(b);
	expect(b, r->in[k].mem, allowed ? KVAOT_OK : KVAOT_REFUSED,
	    "the result over an input");
	put_inputs(b);
	expect(b, r->in[k].mem + bytes - size, KVAOT_REFUSED,
	    "the result over the end of an input");
	if (out <= r->osize)
		return;
	put_inputs(b);
	b->in[b->c->b.operand[k]] = r->in[k].mem + out - r->osize;
	expect(b, r->in[k].mem, KVAOT_REFUSED,
	    "the end of the result over an input");
}

/* The second input is the first one. */
static void
twice(struct bound_call *b)
{
	struct row *r = b->r;
	const struct bound *bound = &b->c->b;
	void *ptr[MAX_IN + 1] = { r->in[0].plain, r->in[0].plain };

	if (bound->nin < 2 || row_has_index(r) ||
	    !shape_eq(&b->c->read[bound->operand[0]].shape,
	    &b->c->read[bound->operand[1]].shape))
		return;
	for (int i = 2; i < bound->nin; i++)
		ptr[i] = r->in[i].plain;
	ptr[bound->nin] = r->out.plain;
	if (place_run(r, r->ref, ptr, b->c, WHOLE) != KVK_OK)
		row_fail(r, "the reference did not return 0");
	put_inputs(b);
	b->in[bound->operand[1]] = b->in[bound->operand[0]];
	expect(b, r->out.mem, KVAOT_OK, "one memory for two inputs");
}

void
refuse_overlaps(struct row *r)
{
	static const int sizes[] = { 9, 17, 64 };
	struct bound_call b = { .r = r };
	void *ptr[MAX_IN + 1];
	struct call c;

	/* libkvaot has no strings. */
	for (int i = 0; i < 3 && op_naming(r->op) < 0; i++) {
		cases_one(r, &c, sizes[i]);
		b.c = &c;
		snprintf(r->note, NOTE, "%d elements: ", sizes[i]);
		if (place_fill(r, &c, ptr) != KVK_OK)
			row_fail(r, "the reference did not return 0");
		place_sums(r, &c);
		bind(&b);
		put_inputs(&b);
		expect(&b, r->out.mem, KVAOT_OK, "no overlap");
		for (int k = 0; k < c.b.nin; k++)
			overlap(&b, k);
		twice(&b);
		kvaotUnbind(b.bound);
	}
}
