/* SPDX-License-Identifier: MIT */
#include "runtime/memo.h"

#include <string.h>

#include "ops/ops.h"

/* Attributes and guards ask for at most as many elements. */
enum { SMALL = OP_MAX_ATTR * 8 };

void
sig_init(struct sig *s)
{
	s->n = 0;
	s->full = false;
}

static void
put(struct sig *s, const void *p, size_t n)
{
	if (s->full || SIGNATURE_MAX - s->n < n) {
		s->full = true;
		return;
	}
	if (n)
		memcpy(s->p + s->n, p, n);
	s->n += n;
}

/* What is no number: a string may name a dtype. */
static void
put_text(struct sig *s, const struct value *v)
{
	put(s, v->langtype, strlen(v->langtype) + 1);
	put(s, v->body, v->body ? v->n : 0);
}

void
sig_add(struct sig *s, const struct value *v)
{
	uint8_t head[2] = { 0xff, 0 };

	if (!v) {
		put(s, head, sizeof(head));
		return;
	}
	head[0] = (uint8_t)v->dtype;
	head[1] = (uint8_t)v->shape.rank;
	put(s, head, sizeof(head));
	put(s, v->shape.dim, (size_t)v->shape.rank * sizeof(int64_t));
	if (v->dtype == DT_NONE)
		put_text(s, v);
	else if (!dtype_is_float(v->dtype) && v->n <= SMALL)
		put(s, v->body, v->n);
}

bool
memo_hit(const struct memo *m, const struct sig *s)
{
	return m->n > 0 && !s->full && m->n == s->n &&
	    memcmp(m->sig, s->p, s->n) == 0;
}

void
memo_set(struct memo *m, struct arena *a, const struct sig *s)
{
	m->n = 0;
	if (s->full)
		return;
	if (!m->sig)
		m->sig = arena_alloc(a, SIGNATURE_MAX);
	memcpy(m->sig, s->p, s->n);
	m->n = s->n;
}
