/* SPDX-License-Identifier: MIT */
/* Constructors of kinds, which convert (kvlang.md 3.2). */
#include "runtime/native_ops.h"

#include <string.h>

/* Elements of an array are converted one by one. */
int
cast_number(struct native_call *c)
{
	struct cell *v = c->in[0];
	enum dtype to = (enum dtype)c->code;

	if (!v)
		return native_fail(c, "TypeError: cannot cast None");
	if (v->v.dtype == DT_NONE ||
	    (v->v.dtype == DT_BOOL) != (to == DT_BOOL))
		return native_fail(c, "TypeError: expected %s, got %s",
		    to == DT_BOOL ? "bool" : "numeric", native_kind(v));
	c->out = cell_new(&c->rt->heap, to, &v->v.shape);
	if (!c->out)
		return native_fail(c, "MemoryError: %s", c->name);
	dtype_convert(to, c->out->mem, v->v.dtype, v->mem,
	    (size_t)shape_count(&v->v.shape, 1));
	return 0;
}

int
cast_text(struct native_call *c)
{
	struct arena arena = { 0 };
	struct text t;
	size_t i;
	int rc;

	if (!c->in[0])
		return native_fail(c, "TypeError: cannot cast None");
	if (text_of(c->in[0], &arena, &t))
		return native_fail(c, "TypeError: %s requires a string, got "
		    "%s", c->name, native_kind(c->in[0]));
	for (i = 0; i < t.n && t.c[i] < 0x80; i++)
		;
	if (i < t.n && strcmp(c->name, "char/ascii") == 0)
		rc = native_fail(c, "TypeError: char/ascii cannot hold "
		    "U+%04X", (unsigned)t.c[i]);
	else
		rc = give_text(c, c->name, t.c, t.n);
	arena_release(&arena);
	return rc;
}
