/* SPDX-License-Identifier: MIT */
#include "runtime/bind.h"

#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "include/kvk.h"
#include "kv/kv.h"
#include "space/text.h"

/* op_shape says at most two shapes and a few words. */
enum { OP_WHY = 600 };

/* Name of read i for messages: "A" for an op of ops/, else its number. */
static void
read_name(const struct op *op, int i, char out[48])
{
	struct str name;

	snprintf(out, 48, "%d", i + 1);
	if (!op)
		return;
	name = op_param(op, i);
	snprintf(out, 48, "%d (%.*s)", i + 1,
	    (int)(name.n < 30 ? name.n : 30), name.p);
}

static int
wrong_arg(const struct bind_call *c, const struct op *op, int i,
    const char *expected, char *why)
{
	const struct value *v = c->in[i];
	char arg[48], dims[200];

	read_name(op, i, arg);
	shape_text(&v->shape, dims);
	snprintf(why, BIND_WHY,
	    "TypeError: %.100s arg %s: expected %.80s, got %.80s%.40s",
	    c->op->opcode, arg, expected, dims, v->dtype != DT_NONE ?
	    dtype_name(v->dtype) : v->langtype);
	return -1;
}

/* The reads that are operands of the kernel. */
static int
find_operands(const struct bind_call *c, const struct op *op,
    struct bound *b, char *why)
{
	int i, want = op ? op->nin : c->op->row[0].nin;

	if (c->nin != want || c->nin > MATCH_INS) {
		snprintf(why, BIND_WHY,
		    "TypeError: %.200s expects %d args, got %d",
		    c->op->opcode, want, c->nin);
		return -1;
	}
	b->nin = 0;
	for (i = 0; i < c->nin; i++) {
		if (!op || !op_is_attr(op, i))
			b->operand[b->nin++] = i;
	}
	return 0;
}

/*
 * The one dtype of the tensors among the operands, to which scalars are
 * converted, but for those whose dtype the op fixes. Scalars alone decide by the
 * widest of them.
 */
static int
find_dtype(const struct bind_call *c, const struct op *op, struct bound *b,
    char *why)
{
	enum dtype t = DT_NONE;
	bool tensor = false;
	int i;

	for (i = 0; i < b->nin; i++) {
		const struct value *v = c->in[b->operand[i]];

		if (v->dtype == DT_NONE)
			return wrong_arg(
			    c, op, b->operand[i], "a number or tensor", why);
		if (op && op_fixed(op, b->operand[i]) != DT_NONE)
			continue;
		if (v->shape.rank > 0 && !tensor) {
			t = v->dtype;
			tensor = true;
		} else if (!tensor &&
		    (t == DT_NONE || dtype_wider(v->dtype, t))) {
			t = v->dtype;
		}
	}
	b->dtype = t;
	return 0;
}

/* Whether an operand is of dtype t, or a scalar that is converted to it. */
static bool
becomes(const struct value *v, enum dtype t)
{
	return v->dtype == t || (v->shape.rank == 0 && v->dtype != DT_BOOL &&
	    t != DT_BOOL && (dtype_is_float(t) || !dtype_is_float(v->dtype)));
}

/* The dtype of each operand of an op. */
static int
op_dtypes(const struct bind_call *c, const struct op *op, struct bound *b,
    char *why)
{
	char expected[80];
	int i;

	for (i = 0; i < b->nin; i++) {
		int read = b->operand[i];
		enum dtype fixed = op_fixed(op, read);

		b->in_dtype[i] = fixed != DT_NONE ? fixed : b->dtype;
		if (becomes(c->in[read], b->in_dtype[i]))
			continue;
		snprintf(expected, sizeof(expected), fixed != DT_NONE ? "%s" :
		    "%s as the other operands", dtype_name(b->in_dtype[i]));
		return wrong_arg(c, op, read, expected, why);
	}
	return 0;
}

/* Elements of the attributes, indexed by read. */
struct attrs {
	enum dtype named; /* by the one that names a dtype */
	int64_t body[MATCH_INS][OP_MAX_ATTR];
	const int64_t *p[MATCH_INS];
	int n[MATCH_INS];
};

static int
find_named(const struct bind_call *c, const struct op *op, int i,
    enum dtype *out, char *why)
{
	struct buf text = { 0 };
	char arg[48];

	*out = op_named(c->in[i]);
	if (*out != DT_NONE)
		return 0;
	read_name(op, i, arg);
	value_display(c->in[i], &text);
	snprintf(why, BIND_WHY, "TypeError: %.100s arg %s: expected the name of "
	    "a dtype such as \"int32\", got \"%.80s\"", c->op->opcode, arg,
	    buf_str(&text).p);
	buf_release(&text);
	return -1;
}

static int
find_attrs(const struct bind_call *c, const struct op *op, struct attrs *a,
    char *why)
{
	const char *type;
	int i;

	memset(a, 0, sizeof(*a));
	for (i = 0; i < c->nin; i++) {
		if (!op_is_attr(op, i))
			continue;
		type = op_langtype(op, i);
		if (!c->in[i]->body)
			return wrong_arg(
			    c, op, i, "a value known before the call", why);
		if (!kv_langtype_match(str_of(type), c->in[i]))
			return wrong_arg(c, op, i, type, why);
		if (i == op_naming(op)) {
			if (find_named(c, op, i, &a->named, why))
				return -1;
			continue;
		}
		a->p[i] = a->body[i];
		a->n[i] = match_ints(c->in[i], a->body[i], OP_MAX_ATTR);
		if (a->n[i] < 0)
			return wrong_arg(c, op, i, "at most 16 elements", why);
	}
	return 0;
}

static int
reduce_dims(const struct bind_call *c, const struct op *op,
    const struct attrs *a, struct bound *b, char *why)
{
	const struct shape *in = &c->in[0]->shape;
	bool reduced[MAX_RANK];
	char reason[OP_WHY];
	int axis = 0;

	if (op_axes(in->rank, a->p[1], a->n[1], reduced, reason))
		BUG("axes that op_shape took are refused: %s", reason);
	dims_reduce(&b->dims, in, reduced);
	if (op->dtype_rule != OP_DTYPE_INDEX || b->dims.n != 0 || b->empty)
		return 0;
	while (!reduced[axis] || in->dim[axis] != 0)
		axis++;
	snprintf(why, BIND_WHY, "IndexError: %.200s: axis %d is empty, so no "
	    "element can be chosen", c->op->opcode, axis);
	return -1;
}

static int
op_dims(const struct bind_call *c, const struct op *op,
    const struct attrs *a, struct bound *b, char *why)
{
	const struct shape *shape[DIMS_OPERANDS];
	int i;

	if (b->row->cls == KVK_REDUCE && op->cls == OP_REDUCE)
		return reduce_dims(c, op, a, b, why);
	for (i = 0; i < b->nin; i++)
		shape[i] = &c->in[b->operand[i]]->shape;
	for (i = 0; i < b->nout; i++)
		shape[b->nin + i] = &b->out[i];
	if (b->row->cls == KVK_OTHER)
		dims_other(&b->dims, shape, b->nin + b->nout, a->p, a->n,
		    c->nin);
	else if (b->row->cls == KVK_MAP && op_is_flat(op))
		dims_flat(&b->dims, shape_count(&b->out[0], 1), b->nin + 1);
	else if (b->row->cls != KVK_MAP || op->cls == OP_REDUCE ||
	    dims_map(&b->dims, &b->out[0], shape, b->nin + 1)) {
		snprintf(why, BIND_WHY, "RuntimeError: %.100s: a back end of "
		    "class %.20s cannot run this op", c->op->opcode,
		    b->row->m->cls);
		return -1;
	}
	return 0;
}

static void
set_empty(struct bound *b)
{
	int i;

	b->empty = true;
	for (i = 0; i < b->nout; i++)
		b->empty &= shape_count(&b->out[i], 1) == 0;
}

static bool
sound(const struct rowspec *r)
{
	return r->m->version == 0 || strcmp(r->m->cert, "passed") == 0;
}

/* Whether the row may run at all: level, certificate. */
static bool
usable(const struct rowspec *r, int isa_rank)
{
	return sound(r) && r->isa_rank >= 0 && r->isa_rank <= isa_rank;
}

static int
no_row(const struct bind_call *c, const struct bound *b, enum dtype named,
    char *why)
{
	struct buf have = { 0 };
	size_t i;

	for (i = 0; i < c->op->n && have.n < 120; i++)
		buf_printf(&have, "%s%s for %s%s%s", i ? ", " : "",
		    dtype_name(c->op->row[i].m->dtype),
		    c->op->row[i].m->isa,
		    sound(&c->op->row[i]) ? "" : ", certificate ",
		    sound(&c->op->row[i]) ? "" : c->op->row[i].m->cert);
	snprintf(why, BIND_WHY, "TypeError: %.100s has no kernel of %s%s%s that "
	    "may run here; it has %.160s", c->op->opcode,
	    dtype_name(b->dtype), named == DT_NONE ? "" : " to ",
	    named == DT_NONE ? "" : dtype_name(named), buf_str(&have).p);
	buf_release(&have);
	return -1;
}

/* A back end: the op's signature decides shapes and operands. */
static int
bind_op(const struct bind_call *c, const struct op *op, const struct attrs *a,
    struct bound *b, char *why)
{
	struct shape in[MATCH_INS];
	char reason[OP_WHY];
	int i;

	for (i = 0; i < c->nin; i++)
		in[i] = c->in[i]->shape;
	if (op_shape(op, in, a->p, a->n, b->out, reason)) {
		snprintf(why, BIND_WHY, "TypeError: %.100s: %.280s",
		    c->op->opcode, reason);
		return -1;
	}
	b->nout = op->nout;
	for (i = 0; i < op->nout; i++)
		b->out_dtype[i] = op_out_dtype(op, i, b->dtype, a->named);
	set_empty(b);
	return op_dims(c, op, a, b, why);
}

/* Whether output i of a rows kernel runs along the last axis of the space. */
static bool
out_along(const struct rowspec *r, const bool *along, int i,
    const struct shape *space)
{
	const struct outdim *o = &r->out[i];

	if (o->kind == OUT_SAME)
		return along[o->arg[0]];
	if (o->kind == OUT_LITERAL)
		return o->shape.rank > 0 && space->rank > 0 &&
		    o->shape.dim[o->shape.rank - 1] ==
		    space->dim[space->rank - 1];
	return o->kind == OUT_BC;
}

static bool
in_along(const struct pattern *p)
{
	const struct axis *last;

	if (p->n == 0)
		return false;
	last = &p->axis[p->n - 1];
	return !(last->kind == AXIS_INT && last->n == 1);
}

static int
rows_dims(const struct rowspec *r, const struct shape *space,
    const struct shape **shape, struct bound *b)
{
	struct shape dropped[MATCH_OUTS];
	bool along[DIMS_OPERANDS];
	int i;

	for (i = 0; i < b->nin; i++)
		along[i] = in_along(&r->in[i]);
	for (i = 0; i < r->nout; i++) {
		along[b->nin + i] = out_along(r, along, i, space);
		if (r->out[i].kind != OUT_DROP || space->rank <= 1)
			continue;
		/* One value a row, as if the last axis were kept. */
		dropped[i] = b->out[i];
		dropped[i].dim[dropped[i].rank++] = 1;
		shape[b->nin + i] = &dropped[i];
	}
	if (dims_rows(&b->dims, space, shape, along, b->nin + r->nout))
		return -1;
	/* An output that all rows would write to is not what was asked for. */
	for (i = 0; i < r->nout; i++) {
		if (b->dims.dim[2 + b->nin + i] == 0 &&
		    b->dims.dim[0] != 1 && b->dims.n != 0)
			return -1;
	}
	return 0;
}

/* Whether a value of class cols runs along the axis is written as for rows, but
 * `*` alone says it does, and known dims must be those of the space. */
static int
cols_dims(const struct rowspec *r, const struct shape *space, int axis,
    const struct shape **shape, struct bound *b)
{
	struct shape kept[MATCH_OUTS];
	bool along[DIMS_OPERANDS];
	int i, k;

	for (i = 0; i < b->nin; i++)
		along[i] = r->in[i].n > 0 &&
		    (r->in[i].axis[0].kind == AXIS_LEADING ||
		    shape_eq(shape[i], space));
	for (i = 0; i < r->nout; i++) {
		const struct outdim *o = &r->out[i];

		along[b->nin + i] = o->kind == OUT_SAME ? along[o->arg[0]] :
		    o->kind == OUT_LITERAL ? shape_eq(&o->shape, space) :
		    o->kind == OUT_BC;
		if (o->kind != OUT_DROP)
			continue;
		/* One value a column, as if the axis were kept. */
		kept[i] = b->out[i];
		for (k = kept[i].rank++; k > axis; k--)
			kept[i].dim[k] = kept[i].dim[k - 1];
		kept[i].dim[axis] = 1;
		shape[b->nin + i] = &kept[i];
	}
	return dims_cols(&b->dims, space, axis, shape, along,
	    b->nin + r->nout);
}

static int
map_dims(const struct shape *space, const struct shape **shape,
    struct bound *b)
{
	int i;

	for (i = 0; i < b->nout; i++) {
		if (!shape_eq(&b->out[i], space))
			return -1;
	}
	return dims_map(&b->dims, space, shape, b->nin + b->nout);
}

static int
row_dims(const struct bind_call *c, int axis, struct bound *b,
    char why[MATCH_WHY])
{
	const struct shape *shape[DIMS_OPERANDS];
	struct shape space = { 0 };
	int i, rc = -1;

	for (i = 0; i < b->nin; i++) {
		shape[i] = &c->in[i]->shape;
		if (shape_broadcast(&space, shape[i], &space)) {
			snprintf(why, MATCH_WHY,
			    "the operands do not broadcast");
			return -1;
		}
	}
	for (i = 0; i < b->nout; i++)
		shape[b->nin + i] = &b->out[i];
	if (b->row->cls == KVK_OTHER) {
		dims_other(&b->dims, shape, b->nin + b->nout, NULL, NULL,
		    0);
		return 0;
	}
	if (b->row->cls == KVK_MAP)
		rc = map_dims(&space, shape, b);
	else if (b->row->cls == KVK_ROWS)
		rc = rows_dims(b->row, &space, shape, b);
	else if (b->row->cls == KVK_COLS && axis < space.rank)
		rc = cols_dims(b->row, &space, axis, shape, b);
	if (rc)
		snprintf(why, MATCH_WHY, "the operands do not have the "
		    "steps of class %.20s", b->row->m->cls);
	return rc;
}

/*
 * A row is planned for tensors where its pattern has axes: a scalar in such a
 * place would have been computed with in its own dtype, not in the row's.
 */
static int
fit_dtypes(const struct bind_call *c, struct bound *b, char why[MATCH_WHY])
{
	int i;

	for (i = 0; i < c->nin; i++) {
		const struct value *v = c->in[i];
		bool one = b->row->in[i].n == 0;
		enum dtype t = match_in_dtype(b->row, i);

		b->in_dtype[i] = t;
		if (one ? becomes(v, t) : v->shape.rank > 0 && v->dtype == t)
			continue;
		snprintf(why, MATCH_WHY, "operand %d is %s%s, not a %s of %s",
		    i + 1, v->shape.rank ? "" : "a scalar of ",
		    dtype_name(v->dtype), one ? "scalar" : "tensor",
		    dtype_name(t));
		return -1;
	}
	return 0;
}

static int
fit_row(const struct bind_call *c, struct bound *b, char why[MATCH_WHY])
{
	const struct rowspec *r = b->row;
	int i, rank = 0, axis = -1;

	for (i = 0; i < c->nin; i++)
		rank = c->in[i]->shape.rank > rank ?
		    c->in[i]->shape.rank : rank;
	if (match_shapes(r, c->in, c->nin, why))
		return -1;
	if (r->cls == KVK_COLS) {
		axis = match_axis(r, c->lookup, c->ctx, rank, why);
		if (axis < 0)
			return -1;
	}
	if (match_outdims(r, c->in, axis, b->out, why))
		return -1;
	b->nout = r->nout;
	for (i = 0; i < b->nout; i++) {
		rank = b->out[i].rank > rank ? b->out[i].rank : rank;
		b->out_dtype[i] = match_out_dtype(r, i);
	}
	set_empty(b);
	if (match_guards(r, c->lookup, c->ctx, rank, why))
		return -1;
	return row_dims(c, axis, b, why);
}

/* A generated kernel: the first row that fits. */
static int
bind_row(const struct bind_call *c, int isa_rank, struct bound *b, char *why)
{
	char reason[MATCH_WHY] = "", dtypes[MATCH_WHY] = "";
	enum dtype found = b->dtype;
	size_t i;

	for (i = 0; i < c->op->n; i++) {
		b->row = &c->op->row[i];
		b->dtype = b->row->m->dtype;
		if (!usable(b->row, isa_rank) || b->row->nin != c->nin ||
		    fit_dtypes(c, b, dtypes))
			continue;
		if (!fit_row(c, b, reason))
			return 0;
	}
	b->dtype = found;
	if (!*reason && !*dtypes)
		return no_row(c, b, DT_NONE, why);
	snprintf(why, BIND_WHY, "RuntimeError: no kernel of %.100s fits: %s",
	    c->op->opcode, *reason ? reason : dtypes);
	return -1;
}

static int
check_outs(const struct bind_call *c, const struct bound *b, char *why)
{
	if (c->nout == b->nout)
		return 0;
	snprintf(why, BIND_WHY, "TypeError: %.200s expects %d writes, got %d",
	    c->op->opcode, b->nout, c->nout);
	return -1;
}

int
bind_rwir(const struct bind_call *c, int isa_rank, struct bound *b,
    char why[BIND_WHY])
{
	const struct op *op = NULL;
	struct attrs a;
	size_t i;

	if (c->op->row[0].nin < 0 && !(op = op_find(c->op->opcode))) {
		snprintf(why, BIND_WHY, "RuntimeError: %.200s is no op that "
		    "this program knows", c->op->opcode);
		return -1;
	}
	if (find_operands(c, op, b, why) || find_dtype(c, op, b, why))
		return -1;
	if (!op)
		return bind_row(c, isa_rank, b, why) ||
		    check_outs(c, b, why) ? -1 : 0;
	if (op_dtypes(c, op, b, why) || find_attrs(c, op, &a, why))
		return -1;
	if (b->nin == 0)
		b->dtype = a.named;
	for (i = 0; i < c->op->n; i++) {
		b->row = &c->op->row[i];
		if (usable(b->row, isa_rank) &&
		    b->row->m->dtype == b->dtype &&
		    match_named(b->row) == a.named)
			return bind_op(c, op, &a, b, why) ||
			    check_outs(c, b, why) ? -1 : 0;
	}
	return no_row(c, b, a.named, why);
}
