/* SPDX-License-Identifier: MIT */
#include "runtime/infer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "runtime/lookup.h"
#include "runtime/native.h"

/*
 * One function that is followed: what is known of each variable, NULL for
 * None. made[i] holds what a row gave to slot i; its body is not known.
 */
struct sketch {
	struct runtime *rt;
	struct func *f;
	const struct value **var;
	struct value *made;
	int depth;
	char *why;
};

static int follow(struct runtime *, struct func *,
    const struct value *const *args, struct value *out, int depth, char *why);

static struct value
known_shape(enum dtype dtype, const struct shape *shape)
{
	return (struct value){ .langtype = "unknown", .dtype = dtype,
		.shape = *shape };
}

/* What a read gives; NULL with a reason for None. */
static const struct value *
read_value(struct sketch *s, const struct insn *in, int i)
{
	const struct ref *r = &in->read[i];
	const struct value *v =
	    r->literal ? cell_value(r->literal) : s->var[r->var];

	if (!v)
		snprintf(s->why, BIND_WHY,
		    "TypeError: %.200s arg %d: expected a value, got None",
		    in->opcode, i + 1);
	return v;
}

static void
write_value(struct sketch *s, const struct insn *in, int j,
    const struct value *v)
{
	int slot = j < in->nwrite ? in->write[j] : -1;

	if (slot < 0)
		return;
	s->made[slot] = *v;
	s->var[slot] = &s->made[slot];
}

static int
follow_rwir(struct sketch *s, const struct insn *in,
    const struct value *const *v)
{
	struct lookup_vars vars = { s->f, s->var };
	struct bind_call call = { .op = in->op, .in = v, .nin = in->nread,
		.nout = in->nwrite, .lookup = lookup_var, .ctx = &vars };
	struct bound b;
	int j;

	if (bind_rwir(&call, s->rt->isa->rank, &b, s->why))
		return -1;
	for (j = 0; j < b.nout; j++) {
		struct value out = known_shape(b.out_dtype[j], &b.out[j]);

		write_value(s, in, j, &out);
	}
	return 0;
}

static int
follow_native(struct sketch *s, const struct insn *in,
    const struct value *const *v)
{
	struct shape shape;
	struct value out;

	if (!in->native->shape)
		return 0;
	if (in->native->shape(v, in->nread, &shape, s->why))
		return -1;
	out = known_shape(v[0]->dtype, &shape);
	write_value(s, in, 0, &out);
	return 0;
}

/* The function of a call whose arity fits; NULL with a reason. */
static struct func *
find_callee(struct sketch *s, const struct insn *in)
{
	struct func *f;
	struct diag d;

	diag_init(&d);
	f = funcs_get(&s->rt->funcs, in->name, &d);
	if (!f)
		diag_first(&d, s->why, BIND_WHY);
	diag_release(&d);
	if (!f || f->nread == in->nread)
		return f;
	snprintf(s->why, BIND_WHY, "TypeError: %.200s expects %d args, got %d",
	    f->name, f->nread, in->nread);
	return NULL;
}

/* The base rows tell the shapes of any version: they mean the same. */
static int
follow_call(struct sketch *s, const struct insn *in,
    const struct value *const *v)
{
	struct func *f = find_callee(s, in);
	const struct value **args;
	struct value *out;
	int rc, j;

	if (!f)
		return -1;
	out = calloc((size_t)f->nwrite + 1, sizeof(*out));
	args = calloc((size_t)(f->nread + f->nwrite) + 1, sizeof(*args));
	if (!out || !args)
		fatal("out of memory");
	for (j = 0; j < f->nread; j++)
		args[j] = v[j];
	for (j = 0; j < f->nwrite && j < in->nwrite; j++)
		args[f->nread + j] =
		    in->write[j] < 0 ? NULL : s->var[in->write[j]];
	rc = follow(s->rt, f, args, out, s->depth + 1, s->why);
	for (j = 0; j < f->nwrite && !rc; j++) {
		if (out[j].langtype)
			write_value(s, in, j, &out[j]);
	}
	free(args);
	free(out);
	return rc;
}

static int
follow_insn(struct sketch *s, struct insn *in)
{
	const struct value **v;
	int i, rc = 0;

	if (lookup_insn(s->rt, s->f, in, s->why))
		return -1;
	/* What is printed has no effect on shapes, whatever it is. */
	if (in->kind == INSN_NATIVE && !in->native->shape)
		return 0;
	v = calloc((size_t)in->nread + 1, sizeof(*v));
	if (!v)
		fatal("out of memory");
	for (i = 0; i < in->nread && rc == 0; i++) {
		v[i] = read_value(s, in, i);
		rc = v[i] ? 0 : -1;
	}
	if (rc == 0 && in->kind == INSN_ASSIGN) {
		struct value copy = *v[0];

		for (i = 0; i < in->nwrite; i++)
			write_value(s, in, i, &copy);
	} else if (rc == 0 && in->kind == INSN_RWIR) {
		rc = follow_rwir(s, in, v);
	} else if (rc == 0 && in->kind == INSN_NATIVE) {
		rc = follow_native(s, in, v);
	} else if (rc == 0 && in->kind == INSN_CALL) {
		rc = follow_call(s, in, v);
	}
	free(v);
	return rc;
}

/* out[0..nwrite) with langtype NULL for None; may be NULL. */
static int
follow(struct runtime *rt, struct func *f, const struct value *const *args,
    struct value *out, int depth, char *why)
{
	struct sketch s = { .rt = rt, .f = f, .depth = depth, .why = why };
	int i, rc = 0;

	if (depth > MAX_DEPTH) {
		snprintf(why, BIND_WHY, "RecursionError: stack overflow: "
		    "depth=%d pc=/lib/%.200s", depth, f->name);
		return -1;
	}
	s.var = calloc((size_t)f->nvar + 1, sizeof(*s.var));
	s.made = calloc((size_t)f->nvar + 1, sizeof(*s.made));
	if (!s.var || !s.made)
		fatal("out of memory");
	for (i = 0; i < f->nread + f->nwrite; i++)
		s.var[i] = args[i];
	for (i = 0; i < f->ninsn && rc == 0; i++) {
		rc = follow_insn(&s, &f->insn[i]);
		if (f->insn[i].kind == INSN_RETURN)
			break;
	}
	for (i = 0; i < f->nwrite && out && rc == 0; i++) {
		if (s.var[f->nread + i])
			out[i] = *s.var[f->nread + i];
	}
	free(s.made);
	free(s.var);
	return rc;
}

int
infer_fits(struct runtime *rt, struct func *f,
    const struct value *const *args, char why[BIND_WHY])
{
	return follow(rt, f, args, NULL, 1, why);
}
