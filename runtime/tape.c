/* SPDX-License-Identifier: MIT */
#include "runtime/tape.h"

#include <stdio.h>
#include <string.h>

#include "runtime/blas.h"
#include "runtime/call.h"

enum { ALIGN = 64 };

void
tape_init(struct tape *t, struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->arena = a;
}

static struct tape_reg *
new_reg(struct tape *t, enum place place, enum dtype dtype, size_t n)
{
	struct tape_reg *r;

	t->reg = arena_grow(
	    t->arena, t->reg, t->nreg, &t->regcap, sizeof(*t->reg));
	r = &t->reg[t->nreg++];
	*r = (struct tape_reg){ .place = place, .dtype = dtype, .n = n,
		.made = -1, .last = -1 };
	return r;
}

static struct tape_step *
new_step(struct tape *t)
{
	struct tape_step *s;

	t->step = arena_grow(
	    t->arena, t->step, t->nstep, &t->stepcap, sizeof(*t->step));
	s = &t->step[t->nstep++];
	memset(s, 0, sizeof(*s));
	return s;
}

int
tape_input(struct tape *t, int i, const struct value *v)
{
	new_reg(t, PLACE_IN, v->dtype, v->n)->index = i;
	return (int)t->nreg - 1;
}

static int
add_constant(struct tape *t, enum dtype dtype, const void *body, size_t n)
{
	void *copy = arena_alloc(t->arena, n);

	if (n)
		memcpy(copy, body, n);
	new_reg(t, PLACE_CONST, dtype, n)->body = copy;
	return (int)t->nreg - 1;
}

int
tape_constant(struct tape *t, const struct value *v)
{
	return add_constant(t, v->dtype, v->body, v->n);
}

/* A scalar constant in the kernel's dtype; any other register as it is. */
static int
converted(struct tape *t, int reg, enum dtype to)
{
	const struct tape_reg *r = &t->reg[reg];
	union scalar s;

	if (r->place != PLACE_CONST || r->dtype == to ||
	    dtype_convert(to, &s, r->dtype, r->body, 1))
		return reg;
	return add_constant(t, to, &s, dtype_size(to));
}

static void
add_outputs(struct tape *t, const struct bound *b, int *out)
{
	int i;

	for (i = 0; i < b->nout; i++) {
		size_t size = dtype_size(b->out_dtype[i]);

		new_reg(t, PLACE_WORK, b->out_dtype[i],
		    (size_t)shape_count(&b->out[i], size) * size)->made =
		    (int)t->nstep;
		out[i] = (int)t->nreg - 1;
	}
}

int
tape_kernel(struct tape *t, const struct bound *b, const struct kvk_entry *e,
    const int *reg, int *out, char why[BIND_WHY])
{
	struct tape_step *s;
	struct dims *dims;
	size_t scratch;
	int i, in[MATCH_INS];

	for (i = 0; i < b->nin; i++)
		in[i] = converted(t, reg[b->operand[i]], b->in_dtype[i]);
	add_outputs(t, b, out);
	if (b->empty)
		return 0;
	if (call_scratch(e, &b->dims, &scratch)) {
		snprintf(why, BIND_WHY, "MemoryError: the scratch memory of "
		    "%.200s", b->row->m->opcode);
		return -1;
	}
	t->scratch = scratch > t->scratch ? scratch : t->scratch;
	t->blas |= blas_needed(b->row->m);
	dims = arena_alloc(t->arena, sizeof(*dims));
	*dims = b->dims;
	s = new_step(t);
	*s = (struct tape_step){ .fn = e->fn, .dims = dims, .alias = e->alias,
		.opcode = arena_strdup(t->arena, b->row->m->opcode),
		.nin = b->nin, .nop = b->nin + b->nout };
	memcpy(s->dtype, b->in_dtype, sizeof(s->dtype));
	for (i = 0; i < s->nop; i++) {
		s->reg[i] = i < b->nin ? in[i] : out[i - b->nin];
		s->size[i] = i < b->nin ? dtype_size(b->in_dtype[i]) :
		    dtype_size(b->out_dtype[i - b->nin]);
		if (i < b->nin)
			t->reg[in[i]].last = (int)t->nstep - 1;
	}
	return 0;
}

/* The register is result j: a kernel writes it there at once, what exists
 * otherwise is copied. */
static void
put_result(struct tape *t, int reg, int j)
{
	struct tape_step *s;
	struct tape_reg *r = &t->reg[reg], *to;

	if (r->place == PLACE_WORK) {
		r->place = PLACE_OUT;
		r->index = j;
		return;
	}
	to = new_reg(t, PLACE_OUT, r->dtype, r->n);
	to->index = j;
	to->made = t->reg[reg].last = (int)t->nstep;
	s = new_step(t);
	s->nin = 1;
	s->nop = 2;
	s->dtype[0] = to->dtype;
	s->reg[0] = reg;
	s->reg[1] = (int)t->nreg - 1;
}

static bool
both_live(const struct tape_reg *a, const struct tape_reg *b)
{
	int last = a->last > a->made ? a->last : a->made;

	return b->made <= last &&
	    (b->last > b->made ? b->last : b->made) >= a->made;
}

/* The lowest place in the work memory that no value alive at the same time
 * has; -1 when it ends beyond the address space. */
static int
place_work(struct tape *t, size_t i)
{
	struct tape_reg *r = &t->reg[i];
	size_t n, end, k = 0;

	if (__builtin_add_overflow(r->n, ALIGN - 1, &n))
		return -1;
	n = n / ALIGN * ALIGN;
	while (k < i) {
		const struct tape_reg *o = &t->reg[k++];

		if (o->place != PLACE_WORK || !both_live(r, o) ||
		    r->at >= o->at + (o->n + ALIGN - 1) / ALIGN * ALIGN ||
		    r->at + n <= o->at)
			continue;
		r->at = o->at + (o->n + ALIGN - 1) / ALIGN * ALIGN;
		k = 0;
	}
	if (__builtin_add_overflow(r->at, n, &end) || end > PTRDIFF_MAX)
		return -1;
	t->work = end > t->work ? end : t->work;
	return 0;
}

/* Whether output register o may be the memory of input register i: nothing
 * reads the input afterwards, and the kernel that writes it allows it. */
static bool
may_share(const struct tape *t, size_t out, size_t in)
{
	const struct tape_reg *o = &t->reg[out], *i = &t->reg[in];
	const struct tape_step *s;
	int k, j;

	if (i->n != o->n || (o->n > 0 && i->last > o->made))
		return false;
	if (i->last < o->made || o->n == 0)
		return true;
	s = &t->step[o->made];
	for (j = s->nin; s->reg[j] != (int)out; j++)
		;
	for (k = 0; k < s->nin; k++) {
		if (s->reg[k] == (int)in && s->fn && (i->dtype != s->dtype[k] ||
		    !(s->alias >> ((j - s->nin) * MATCH_INS + k) & 1)))
			return false;
	}
	return true;
}

static void
find_sharing(struct tape *t)
{
	size_t o, i;

	for (o = 0; o < t->nreg; o++) {
		for (i = 0; i < t->nreg && t->reg[o].place == PLACE_OUT; i++) {
			if (t->reg[i].place == PLACE_IN && may_share(t, o, i))
				t->alias[t->reg[o].index] |=
				    (uint64_t)1 << t->reg[i].index;
		}
	}
}

int
tape_end(struct tape *t, const int *out, int nout, char why[BIND_WHY])
{
	size_t i;
	int j;

	for (j = 0; j < nout; j++)
		put_result(t, out[j], j);
	for (i = 0; i < t->nreg; i++) {
		if (t->reg[i].place == PLACE_WORK && place_work(t, i)) {
			snprintf(why, BIND_WHY, "MemoryError: the values "
			    "between the kernels need more memory than a "
			    "process can have");
			return -1;
		}
	}
	find_sharing(t);
	return 0;
}

static void *
pointer(const struct tape_reg *r, const void *const *in, void *const *out,
    void *work)
{
	switch (r->place) {
	case PLACE_IN:
		return (void *)in[r->index];
	case PLACE_OUT:
		return out[r->index];
	case PLACE_WORK:
		return (char *)work + r->at;
	case PLACE_CONST:
		break;
	}
	return (void *)r->body;
}

int
tape_run(const struct tape *t, const void *const *in, void *const *out,
    void *work, const struct kvk_stream *stream, const char **opcode)
{
	union scalar scalar[MATCH_INS];
	void *ptr[DIMS_OPERANDS];
	size_t i;
	int k, rc;

	for (i = 0; i < t->nstep; i++) {
		const struct tape_step *s = &t->step[i];

		for (k = 0; k < s->nop; k++)
			ptr[k] = pointer(&t->reg[s->reg[k]], in, out, work);
		if (!s->fn) {
			/* A result may be the very memory it comes from. */
			if (t->reg[s->reg[0]].n)
				memmove(ptr[1], ptr[0], t->reg[s->reg[0]].n);
			continue;
		}
		for (k = 0; k < s->nin; k++) {
			const struct tape_reg *r = &t->reg[s->reg[k]];

			if (r->dtype == s->dtype[k])
				continue;
			dtype_convert(s->dtype[k], &scalar[k], r->dtype,
			    ptr[k], 1);
			ptr[k] = &scalar[k];
		}
		rc = call_axes(s->fn, s->dims, ptr, s->size, s->nop, stream);
		if (rc != KVK_OK) {
			*opcode = s->opcode;
			return rc;
		}
	}
	return KVK_OK;
}
