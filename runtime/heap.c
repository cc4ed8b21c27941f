/* SPDX-License-Identifier: MIT */
#include "runtime/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* Of the kept bodies that are large enough and not wastefully so, the
 * smallest. */
static void *
take_kept(struct heap *h, size_t n, size_t *cap)
{
	int best = -1, i;
	void *mem;

	for (i = 0; i < h->nkept; i++) {
		if (h->kept[i].cap >= n && h->kept[i].cap / 2 <= n &&
		    (best < 0 || h->kept[i].cap < h->kept[best].cap))
			best = i;
	}
	if (best < 0)
		return NULL;
	mem = h->kept[best].mem;
	*cap = h->kept[best].cap;
	h->nkept--;
	memmove(&h->kept[best], &h->kept[best + 1],
	    (size_t)(h->nkept - best) * sizeof(h->kept[0]));
	return mem;
}

static void
keep(struct heap *h, void *mem, size_t cap)
{
	if (h->nkept == HEAP_KEPT) {
		free(h->kept[0].mem);
		h->nkept--;
		memmove(&h->kept[0], &h->kept[1],
		    (size_t)h->nkept * sizeof(h->kept[0]));
	}
	h->kept[h->nkept].mem = mem;
	h->kept[h->nkept].cap = cap;
	h->nkept++;
}

void
heap_release(struct heap *h)
{
	struct cell *c;

	while (h->nkept > 0)
		free(h->kept[--h->nkept].mem);
	while ((c = h->unused)) {
		h->unused = c->next;
		free(c);
	}
}

/* A cell without a body. */
static struct cell *
take_cell(struct heap *h)
{
	struct cell *c = h->unused;

	if (c)
		h->unused = c->next;
	else if (!(c = malloc(sizeof(*c))))
		fatal("out of memory");
	memset(c, 0, offsetof(struct cell, type));
	c->refs = 1;
	return c;
}

static struct cell *
alloc(struct heap *h, size_t n)
{
	struct cell *c = take_cell(h);
	size_t want = n < 64 ? 64 : (n + 63) & ~(size_t)63;

	if (want >= n)
		c->mem = take_kept(h, want, &c->cap);
	if (!c->mem && want >= n && (c->mem = aligned_alloc(64, want)))
		c->cap = want;
	if (!c->mem) {
		c->next = h->unused;
		h->unused = c;
		return NULL;
	}
	c->v.body = c->mem;
	c->v.n = n;
	return c;
}

struct cell *
cell_new(struct heap *h, enum dtype dtype, const struct shape *shape)
{
	int64_t count = shape_count(shape, dtype_size(dtype));
	struct cell *c;

	if (count < 0)
		return NULL;
	c = alloc(h, (size_t)count * dtype_size(dtype));
	if (c) {
		c->v.dtype = dtype;
		c->v.shape = *shape;
	}
	return c;
}

struct cell *
cell_borrow(struct heap *h, const struct value *v)
{
	struct cell *c = take_cell(h);

	c->v = *v;
	c->mem = (void *)(uintptr_t)v->body;
	return c;
}

struct cell *
cell_copy(struct heap *h, const struct value *v)
{
	struct cell *c = alloc(h, v->n);

	if (!c)
		return NULL;
	c->v.dtype = v->dtype;
	c->v.shape = v->shape;
	if (v->n)
		memcpy(c->mem, v->body, v->n);
	if (v->dtype == DT_NONE) {
		snprintf(c->type, sizeof(c->type), "%s", v->langtype);
		c->v.langtype = c->type;
	}
	return c;
}

struct cell *
cell_ref(struct cell *c)
{
	c->refs++;
	return c;
}

void
cell_unref(struct heap *h, struct cell *c)
{
	if (!c || --c->refs > 0)
		return;
	if (c->cap)
		keep(h, c->mem, c->cap);
	c->next = h->unused;
	h->unused = c;
}

const struct value *
cell_value(struct cell *c)
{
	char dims[200];

	if (!c)
		return NULL;
	if (!c->v.langtype) {
		shape_text(&c->v.shape, dims);
		snprintf(c->type, sizeof(c->type), "%s%s", dims,
		    dtype_name(c->v.dtype));
		c->v.langtype = c->type;
	}
	return &c->v;
}
