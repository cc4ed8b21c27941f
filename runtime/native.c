/* SPDX-License-Identifier: MIT */
#include "runtime/native.h"

#include <string.h>

#include "space/text.h"

static void
put_values(struct cell *const *in, int nin, const char *between,
    const char *end, FILE *f)
{
	struct buf text = { 0 };
	int i;

	for (i = 0; i < nin; i++) {
		if (i > 0)
			buf_puts(&text, between);
		if (in[i])
			value_display(cell_value(in[i]), &text);
		else
			buf_puts(&text, "None");
	}
	buf_puts(&text, end);
	fwrite(text.p, 1, text.n, f);
	buf_release(&text);
}

static int
no_output(const char *opcode, int nout, char *why)
{
	if (nout == 0)
		return 0;
	snprintf(why, BIND_WHY, "TypeError: %s expects 0 writes, got %d",
	    opcode, nout);
	return -1;
}

static int
run_print(struct runtime *rt, struct cell *const *in, int nin,
    struct cell **out, int nout, char *why)
{
	(void)out;
	put_values(in, nin, "", "", rt->opt.out);
	return no_output("print", nout, why);
}

static int
run_println(struct runtime *rt, struct cell *const *in, int nin,
    struct cell **out, int nout, char *why)
{
	(void)out;
	put_values(in, nin, " ", "\n", rt->opt.out);
	return no_output("println", nout, why);
}

static int
run_cerr(struct runtime *rt, struct cell *const *in, int nin,
    struct cell **out, int nout, char *why)
{
	(void)out;
	/* What was printed before must come first where both go to one
	 * place. */
	fflush(rt->opt.out);
	put_values(in, nin, " ", "\n", rt->opt.err);
	return no_output("cerr", nout, why);
}

/* The dims as scalars or as vectors, one after the other. */
static int
reshape_dims(const struct value *const *in, int nin, struct shape *s,
    char *why)
{
	int64_t dim[MAX_RANK];
	int i, n;

	s->rank = 0;
	for (i = 1; i < nin; i++) {
		n = in[i] ? match_ints(in[i], dim, MAX_RANK) : -1;
		if (n < 0 || in[i]->dtype == DT_BOOL || s->rank + n > MAX_RANK) {
			snprintf(why, BIND_WHY, "TypeError: xv·reshape arg %d: "
			    "expected at most %d known integers", i + 1,
			    MAX_RANK);
			return -1;
		}
		memcpy(s->dim + s->rank, dim, (size_t)n * sizeof(*dim));
		s->rank += n;
	}
	return 0;
}

static int
shape_reshape(const struct value *const *in, int nin, struct shape *s,
    char *why)
{
	char dims[200];
	int i;

	if (nin < 1 || !in[0] || in[0]->dtype == DT_NONE) {
		snprintf(why, BIND_WHY, "TypeError: xv·reshape arg 1: "
		    "expected a numeric array");
		return -1;
	}
	if (reshape_dims(in, nin, s, why))
		return -1;
	for (i = 0; i < s->rank; i++) {
		if (s->dim[i] >= 0)
			continue;
		snprintf(why, BIND_WHY, "IndexError: xv·reshape: negative "
		    "dim %lld", (long long)s->dim[i]);
		return -1;
	}
	if (shape_count(s, 1) == shape_count(&in[0]->shape, 1))
		return 0;
	shape_text(s, dims);
	snprintf(why, BIND_WHY,
	    "IndexError: xv·reshape: cannot reshape %lld elements into %s",
	    (long long)shape_count(&in[0]->shape, 1), dims);
	return -1;
}

static int
run_reshape(struct runtime *rt, struct cell *const *in, int nin,
    struct cell **out, int nout, char *why)
{
	const struct value *v[1 + MAX_RANK];
	struct shape s;
	int i;

	if (nout != 1 || nin > 1 + MAX_RANK) {
		snprintf(why, BIND_WHY, "TypeError: xv·reshape expects an "
		    "array, at most %d dims and 1 write", MAX_RANK);
		return -1;
	}
	for (i = 0; i < nin; i++)
		v[i] = in[i] ? &in[i]->v : NULL;
	if (shape_reshape(v, nin, &s, why))
		return -1;
	out[0] = cell_new(&rt->heap, v[0]->dtype, &s);
	if (!out[0]) {
		snprintf(why, BIND_WHY, "MemoryError: xv·reshape");
		return -1;
	}
	if (v[0]->n)
		memcpy(out[0]->mem, v[0]->body, v[0]->n);
	return 0;
}

const struct native *
native_find(const char *opcode)
{
	static const struct native table[] = {
		{ "cerr", run_cerr, NULL },
		{ "print", run_print, NULL },
		{ "println", run_println, NULL },
		{ "xv·reshape", run_reshape, shape_reshape },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (strcmp(table[i].opcode, opcode) == 0)
			return &table[i];
	}
	return NULL;
}
