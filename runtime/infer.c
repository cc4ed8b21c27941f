/* SPDX-License-Identifier: MIT */
#include "runtime/infer.h"

#include <string.h>

#include "base/fatal.h"
#include "kv/infer.h"
#include "runtime/call.h"
#include "runtime/lookup.h"
#include "runtime/native.h"
#include "runtime/resolve.h"

/* One walk through a function and all that it calls. An error is in diag. */
struct walk {
	struct runtime *rt;
	struct arena *arena;
	struct tape *tape;
	struct diag *diag;
};

/* One function that is followed, and its variables by slot. */
struct sketch {
	struct walk *w;
	struct func *f;
	struct known var;
	int depth;
};

static int follow(struct walk *, struct func *, const struct known *args,
    struct known *out, int depth);

struct known
known_new(struct arena *a, int n)
{
	return (struct known){
		arena_array(a, (size_t)n, sizeof(const struct value *)),
		arena_array(a, (size_t)n, sizeof(int)) };
}

static int
refuse(const struct walk *w, const struct insn *in, const char *why)
{
	return diag_error(w->diag, in->loc, "%s", why);
}

static void
write_value(struct sketch *s, const struct insn *in, int j,
    const struct value *v, int reg)
{
	int slot = j < in->nwrite ? in->write[j] : -1;

	if (slot < 0)
		return;
	s->var.v[slot] = v;
	s->var.reg[slot] = reg;
}

/* What a row gives: a value without body. */
static int
write_shape(struct sketch *s, const struct insn *in, int j, enum dtype dtype,
    const struct shape *shape, int reg)
{
	struct value *v = arena_alloc(s->w->arena, sizeof(*v));

	if (shape_count(shape, dtype_size(dtype)) < 0)
		return refuse(s->w, in, "MemoryError: a result with more "
		    "elements than memory can hold");
	*v = value_tensor(s->w->arena, dtype, shape, NULL);
	write_value(s, in, j, v, reg);
	return 0;
}

/* Literals that are no numbers never get to a kernel. */
static int
literal_reg(struct walk *w, const struct value *v)
{
	return w->tape && v->dtype != DT_NONE ?
	    tape_constant(w->tape, v) : -1;
}

static int
read_values(struct sketch *s, const struct insn *in, struct known *k)
{
	int i;

	*k = known_new(s->w->arena, in->nread);
	for (i = 0; i < in->nread; i++) {
		const struct ref *r = &in->read[i];

		k->v[i] = r->literal ? cell_value(r->literal) :
		    s->var.v[r->var];
		if (!k->v[i])
			return diag_error(s->w->diag, in->loc, "TypeError: %s "
			    "arg %d: expected a value, got None", in->opcode,
			    i + 1);
		k->reg[i] = r->literal ? literal_reg(s->w, k->v[i]) :
		    s->var.reg[r->var];
	}
	return 0;
}

static int
record(struct sketch *s, const struct insn *in, const struct bound *b,
    const struct known *k, int *out)
{
	const struct kvk_entry *e = call_entry(s->w->rt, b, in->loc);
	char why[BIND_WHY];

	s->w->tape->broken = !e;
	if (!e)
		return -1;
	call_trace(s->w->rt, b);
	return tape_kernel(s->w->tape, b, e, k->reg, out, why) ?
	    refuse(s->w, in, why) : 0;
}

static int
follow_rwir(struct sketch *s, const struct insn *in, const struct known *k)
{
	struct lookup_vars vars = { s->f, s->var.v };
	struct bind_call call = { .op = in->op, .in = k->v, .nin = in->nread,
		.nout = in->nwrite, .lookup = lookup_var, .ctx = &vars };
	int out[MATCH_OUTS] = { -1, -1, -1, -1 }, j;
	char why[BIND_WHY];
	struct bound b;

	if (bind_rwir(&call, s->w->rt->isa->rank, &b, why))
		return refuse(s->w, in, why);
	for (j = 0; j < b.nout; j++) {
		if (write_shape(s, in, j, b.out_dtype[j], &b.out[j], -1))
			return -1;
	}
	if (!s->w->tape)
		return 0;
	if (record(s, in, &b, k, out))
		return -1;
	for (j = 0; j < in->nwrite; j++) {
		if (in->write[j] >= 0)
			s->var.reg[in->write[j]] = out[j];
	}
	return 0;
}

/* A single number or bool whose kind follows from those of the reads. */
static int
follow_scalar(struct sketch *s, const struct insn *in, const struct known *k)
{
	static const struct shape scalar = { 0 };
	const struct kv_native *op = kv_native(in->native->name);
	struct type *t = arena_array(s->w->arena, (size_t)in->nread,
	    sizeof(*t));
	struct type result = { 0 };
	int i;

	for (i = 0; i < in->nread; i++)
		t[i] = type_of(k->v[i]->langtype);
	if (!s->w->tape && in->nread >= (int)op->least)
		result = type_of(operand_result(op, t, (size_t)in->nread,
		    s->w->arena));
	if (!type_is_number(&result) && result.class != CLASS_BOOL)
		return diag_error(s->w->diag, in->loc, "RuntimeError: what %s "
		    "gives is known only when it runs", in->opcode);
	return write_shape(s, in, 0, result.dtype, &scalar, -1);
}

static int
follow_native(struct sketch *s, const struct insn *in, const struct known *k)
{
	struct shape shape;
	char why[BIND_WHY];

	if (!in->native->shape)
		return follow_scalar(s, in, k);
	if (in->native->shape(k->v, in->nread, &shape, why))
		return refuse(s->w, in, why);
	/* The same elements with other dims. */
	return write_shape(s, in, 0, k->v[0]->dtype, &shape, k->reg[0]);
}

/* The base rows tell the shapes of any version: they mean the same. */
static int
follow_call(struct sketch *s, const struct insn *in, const struct known *k)
{
	struct walk *w = s->w;
	struct func *f = funcs_get(&w->rt->funcs, in->name, w->diag);
	struct known args, out;
	char why[BIND_WHY];
	int j;

	if (!f)
		return -1;
	if (resolve_check(f, k->v, in->nread, in->nwrite, why))
		return refuse(w, in, why);
	args = known_new(w->arena, f->nread + f->nwrite);
	out = known_new(w->arena, f->nwrite);
	memcpy(args.v, k->v, (size_t)f->nread * sizeof(*args.v));
	memcpy(args.reg, k->reg, (size_t)f->nread * sizeof(*args.reg));
	for (j = 0; j < in->nwrite; j++) {
		if (in->write[j] < 0)
			continue;
		args.v[f->nread + j] = s->var.v[in->write[j]];
		args.reg[f->nread + j] = s->var.reg[in->write[j]];
	}
	if (w->tape)
		f = resolve_call(w->rt, in->name, args.v, in->loc);
	if (!f || follow(w, f, &args, &out, s->depth + 1))
		return -1;
	for (j = 0; j < in->nwrite; j++) {
		if (out.v[j])
			write_value(s, in, j, out.v[j], out.reg[j]);
	}
	return 0;
}

/* What is printed has no effect on shapes, whatever it is. */
static int
follow_print(struct sketch *s, const struct insn *in)
{
	if (!s->w->tape)
		return 0;
	return diag_error(s->w->diag, in->loc, "RuntimeError: %s prints, which "
	    "a recorded call cannot do", in->opcode);
}

static int
follow_assign(struct sketch *s, const struct insn *in, const struct known *k)
{
	int j;

	for (j = 0; j < in->nwrite; j++)
		write_value(s, in, j, k->v[0], k->reg[0]);
	return 0;
}

static int
follow_insn(struct sketch *s, struct insn *in)
{
	struct known k;
	char why[BIND_WHY];

	if (lookup_insn(s->w->rt, s->f, in, why))
		return refuse(s->w, in, why);
	if (in->kind == INSN_RETURN)
		return 0;
	if (in->kind == INSN_NATIVE && kv_native(in->native->name)->writes == 0)
		return follow_print(s, in);
	if (read_values(s, in, &k))
		return -1;
	switch (in->kind) {
	case INSN_RWIR:
		return follow_rwir(s, in, &k);
	case INSN_NATIVE:
		return follow_native(s, in, &k);
	case INSN_CALL:
		return follow_call(s, in, &k);
	case INSN_ASSIGN:
		return follow_assign(s, in, &k);
	case INSN_RETURN:
	case INSN_GOTO:
	case INSN_BR:
	case INSN_UNRESOLVED:
		break;
	}
	BUG("a row of kind %d after its lookup", (int)in->kind);
}

static int
follow(struct walk *w, struct func *f, const struct known *args,
    struct known *out, int depth)
{
	struct sketch s = { .w = w, .f = f, .depth = depth };
	int i, n = f->nread + f->nwrite;

	if (!f->straight)
		return diag_error(w->diag, f->loc, "RuntimeError: what %s does "
		    "is known only when it runs: it has branches, paths or a "
		    "variadic parameter", f->name);
	if (depth > MAX_DEPTH)
		return diag_error(w->diag, f->loc, "RecursionError: stack "
		    "overflow: depth=%d pc=/lib/%s", depth, f->name);
	s.var = known_new(w->arena, f->nvar);
	memcpy(s.var.v, args->v, (size_t)n * sizeof(*s.var.v));
	memcpy(s.var.reg, args->reg, (size_t)n * sizeof(*s.var.reg));
	for (i = 0; i < f->ninsn; i++) {
		if (follow_insn(&s, &f->insn[i]))
			return -1;
		if (f->insn[i].kind == INSN_RETURN)
			break;
	}
	for (i = 0; i < f->nwrite; i++) {
		out->v[i] = s.var.v[f->nread + i];
		out->reg[i] = s.var.reg[f->nread + i];
	}
	return 0;
}

int
infer_fits(struct runtime *rt, struct func *f,
    const struct value *const *args, char why[BIND_WHY])
{
	struct arena arena = { 0 };
	struct diag diag;
	struct walk w = { .rt = rt, .arena = &arena, .diag = &diag };
	struct known in, out;
	int n = f->nread + f->nwrite, rc;

	diag_init(&diag);
	in = known_new(&arena, n);
	out = known_new(&arena, f->nwrite);
	memcpy(in.v, args, (size_t)n * sizeof(*args));
	rc = follow(&w, f, &in, &out, 1);
	/* Where it fails is in the version's rows, which nobody wrote. */
	if (rc)
		snprintf(why, BIND_WHY, "%s", diag.item[0].text);
	diag_release(&diag);
	arena_release(&arena);
	return rc;
}

int
infer_follow(struct runtime *rt, struct func *f, const struct known *args,
    struct known *out, struct arena *a, struct tape *tape)
{
	struct walk w = { .rt = rt, .arena = a, .tape = tape,
		.diag = rt->diag };

	return follow(&w, f, args, out, 1);
}
