/* SPDX-License-Identifier: MIT */
/* Where the operands of a call lie, and what must hold there. */
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fatal.h"
#include "runtime/blas.h"
#include "runtime/call.h"

enum { PAGE = 4096, MARGIN = 64, POISON = 0xa5 };

/* A stream of one thread that cuts loops; the last piece runs first. */
struct pieces {
	struct kvk_stream s;
	struct row *r;
	size_t scratch;
	enum cut cut;
};

/* Ends right before a guard page, begins right behind one, or lies off a
 * boundary of 64 bytes. */
enum place { AT_END, AT_START, OFF };
static const char *const places[] = { " at the end", " at the start", " off" };

static int64_t
piece(enum cut cut, int64_t n, int64_t grain)
{
	if (cut == PIECES)
		return grain;
	if (cut == WHOLE)
		return n;
	return (n / grain + 1) / 2 * grain > 0 ? (n / grain + 1) / 2 * grain : n;
}

static int
par(const struct kvk_stream *stream, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	const struct pieces *p = (const struct pieces *)stream;
	size_t room = (p->scratch + 63) / 64 * 64 + 64;
	char *scratch = aligned_alloc(64, room);
	int64_t step = piece(p->cut, n, grain);
	int rc = KVK_OK;

	if (!scratch)
		fatal("no memory");
	memset(scratch, 0xee, room);
	for (int64_t lo = n ? (n - 1) / step * step : -1;
	     lo >= 0 && rc == KVK_OK; lo -= step)
		rc = body(ctx, lo, lo + step < n ? lo + step : n, scratch);
	for (size_t i = p->scratch; i < room; i++)
		if ((unsigned char)scratch[i] != 0xee)
			row_fail(p->r, ": wrote outside its scratch memory");
	free(scratch);
	return rc;
}

void
place_outputs(const struct row *r, void *out, void **outs)
{
	for (int i = 0; i < r->op->nout; i++)
		outs[i] = i == r->which ? out : r->rest;
}

int
place_run(struct row *r, const struct kvk_entry *e, void **ptr,
    const struct call *c, enum cut cut)
{
	struct pieces p = { .s = { KVK_ABI, sizeof p.s, par, NULL, NULL },
		.r = r, .cut = cut };
	int n = c->b.nin + c->b.nout;
	size_t size[MAX_IN + MAX_OUT];
	void *all[MAX_IN + MAX_OUT];
	struct blas blas;

	memcpy(all, ptr, (size_t)c->b.nin * sizeof *all);
	place_outputs(r, ptr[c->b.nin], all + c->b.nin);
	for (int i = 0; i < n; i++)
		size[i] = i < c->b.nin ? call_size(c, i) :
		    dtype_size(c->b.out_dtype[i - c->b.nin]);
	if (call_scratch(e, &c->b.dims, &p.scratch))
		row_fail(r, ": no such scratch memory");
	blas_init(&blas, cut == WHOLE ? 1 : 2);
	if (r->blas)
		p.s.blas = &blas.k;
	return call_axes(e->fn, &c->b.dims, all, size, n, &p.s);
}

static struct area
area_new(size_t room)
{
	char *p = mmap(NULL, room + 2 * PAGE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct area a = { p + PAGE, malloc(room) };

	if (p == MAP_FAILED || !a.plain ||
	    mprotect(a.mem, room, PROT_READ | PROT_WRITE))
		fatal("no memory for an operand");
	return a;
}

void
place_init(struct row *r, size_t room)
{
	char why[BLAS_WHY];

	if (r->blas && blas_load(why))
		row_fail(r, "%s", why);
	for (int i = 0; i < r->e->nin; i++)
		r->in[i] = area_new(room);
	r->out = area_new(room);
	r->room = room;
	r->sums = malloc(room);
	r->first = malloc(room);
	r->rest = malloc(room);
	if (!r->sums || !r->first || !r->rest)
		fatal("no memory for results");
}

static size_t
bytes_in(const struct call *c, int i)
{
	return (size_t)shape_count(&c->read[c->b.operand[i]].shape, 8) *
	    call_size(c, i);
}

static size_t
bytes_out(const struct row *r, const struct call *c)
{
	return (size_t)shape_count(&c->b.out[r->which], 8) * r->osize;
}

static char *
place(struct row *r, const struct call *c, const struct area *a, int i,
    size_t bytes, size_t size, enum place at)
{
	int off = c->offset[i];

	if (bytes + 2 * MARGIN + OFFSETS * size > r->room)
		row_fail(r, ": an operand has %zu bytes", bytes);
	if (at == AT_END)
		return a->mem + r->room - bytes;
	if (at == AT_START)
		return a->mem;
	return a->mem + MARGIN +
	    (size_t)(off < 0 ? data_below(r, OFFSETS) : off) * size;
}

/* The bytes around the output, as far as there are some. */
static void
around(const struct row *r, const char *out, size_t bytes, size_t *before,
    size_t *after)
{
	size_t lo = (size_t)(out - r->out.mem), hi = r->room - lo - bytes;

	*before = lo < MARGIN ? lo : MARGIN;
	*after = hi < MARGIN ? hi : MARGIN;
}

/* The results of a run: those of the first are near the reference's, those of
 * all others have the same bytes. */
static void
check_results(struct row *r, const struct call *c, const char *got,
    bool first, const char *where)
{
	size_t bytes = bytes_out(r, c);

	if (first || r->blas)
		compare_all(r, c, got, where);
	if (first)
		memcpy(r->first, got, bytes);
	if (r->blas || memcmp(got, r->first, bytes) == 0)
		return;
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != r->first[i])
			row_fail(r, "%s: element %zu has other bytes than%s",
			    where, i / r->osize, places[AT_END]);
}

/* Runs the entry with all operands at such a place. */
static void
run_placed(struct row *r, const struct call *c, int want, enum place at)
{
	static const enum cut cuts[] = { PIECES, WHOLE, HALVES };
	size_t bytes = bytes_out(r, c), before, after;
	void *ptr[MAX_IN + 1];
	char *out;
	int rc;

	for (int i = 0; i < c->b.nin; i++) {
		ptr[i] = place(r, c, &r->in[i], i, bytes_in(c, i),
		    call_size(c, i), at);
		memcpy(ptr[i], r->in[i].plain, bytes_in(c, i));
	}
	ptr[c->b.nin] = out = place(r, c, &r->out, c->b.nin, bytes, r->osize,
	    at);
	around(r, out, bytes, &before, &after);
	memset(out - before, POISON, before + bytes + after);
	rc = place_run(r, r->e, ptr, c, cuts[at]);
	if (rc != want)
		row_fail(r, "%s: returned %d, expected %d", places[at], rc,
		    want);
	if (rc == KVK_OK)
		check_results(r, c, out, at == AT_END, places[at]);
	for (size_t i = 0; i < before + after; i++)
		if ((unsigned char)(i < before ? out[-1 - (long)i] :
		    out[bytes + i - before]) != POISON)
			row_fail(r, "%s: wrote outside its output", places[at]);
	for (int i = 0; i < c->b.nin; i++)
		if (memcmp(ptr[i], r->in[i].plain, bytes_in(c, i)) != 0)
			row_fail(r, "%s: wrote to input %d", places[at], i);
}

/* Runs the entry with the output over each input where it allows that. */
static void
run_aliased(struct row *r, const struct call *c)
{
	size_t bytes = bytes_out(r, c);
	void *ptr[MAX_IN + 1];

	for (int k = 0; k < c->b.nin; k++) {
		if (!(r->e->alias >> k & 1) || call_size(c, k) != r->osize ||
		    bytes_in(c, k) != bytes)
			continue;
		for (int i = 0; i < c->b.nin; i++) {
			ptr[i] = place(r, c, &r->in[i], i, bytes_in(c, i),
			    call_size(c, i), AT_END);
			memcpy(ptr[i], r->in[i].plain, bytes_in(c, i));
		}
		ptr[c->b.nin] = ptr[k];
		if (place_run(r, r->e, ptr, c, HALVES) != KVK_OK)
			row_fail(r, " over input %d: did not return 0", k);
		check_results(r, c, ptr[k], false, " over an input");
	}
}

/* Runs the entry of the lowest level. */
static void
run_twin(struct row *r, const struct call *c)
{
	void *ptr[MAX_IN + 1];

	for (int i = 0; i < c->b.nin; i++)
		ptr[i] = r->in[i].plain;
	ptr[c->b.nin] = r->out.mem;
	if (place_run(r, r->twin, ptr, c, WHOLE) != KVK_OK)
		row_fail(r, " at the lowest level: did not return 0");
	check_results(r, c, r->out.mem, false, " at the lowest level");
}

void
place_sums(struct row *r, const struct call *c)
{
	void *ptr[MAX_IN + 1];

	if (!compare_needs_sums(r))
		return;
	for (int i = 0; i < c->b.nin; i++) {
		size_t n = bytes_in(c, i);

		ptr[i] = memcpy(r->in[i].mem, r->in[i].plain, n);
		/* The sign is in the last byte. */
		for (size_t k = call_size(c, i) - 1;
		     k < n && dtype_is_float(r->dtype); k += call_size(c, i))
			r->in[i].mem[k] &= 0x7f;
	}
	ptr[c->b.nin] = r->sums;
	if (place_run(r, r->ref, ptr, c, WHOLE) != KVK_OK)
		row_fail(r, ": the reference did not return 0");
}

int
place_fill(struct row *r, const struct call *c, void **ptr)
{
	for (int i = 0; i < c->b.nin; i++) {
		place(r, c, &r->in[i], i, bytes_in(c, i), call_size(c, i),
		    AT_END);
		ptr[i] = r->in[i].plain;
		data_fill(r, c, i);
	}
	place(r, c, &r->out, c->b.nin, bytes_out(r, c), r->osize, AT_END);
	ptr[c->b.nin] = r->out.plain;
	return place_run(r, r->ref, ptr, c, WHOLE);
}

/* Says in the note what runs. */
static void
note_case(struct row *r, const struct call *c)
{
	char text[200];
	int n = snprintf(r->note, NOTE, "case %ld, kind %d", r->number - 1,
	    c->kind);

	for (int i = 0; i < r->op->nin && n < NOTE; i++) {
		shape_text(&c->read[i].shape, text);
		n += snprintf(r->note + n, NOTE - (size_t)n, " %s",
		    *text ? text : "()");
	}
	shape_text(&c->b.out[r->which], text);
	if (n < NOTE)
		snprintf(r->note + n, NOTE - (size_t)n, " -> %s", text);
}

void
place_case(struct row *r, struct call *c)
{
	void *ptr[MAX_IN + 1];
	int rc;

	note_case(r, c);
	rc = place_fill(r, c, ptr);
	place_sums(r, c);
	for (int at = AT_END; at <= OFF; at++)
		run_placed(r, c, rc, (enum place)at);
	if (rc == KVK_OK) {
		run_aliased(r, c);
		if (r->twin)
			run_twin(r, c);
	}
	r->cases++;
}
