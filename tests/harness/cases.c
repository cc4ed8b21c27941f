/* SPDX-License-Identifier: MIT */
/*
 * The calls that checkk makes, from what ops.def says of the op: every size with
 * all kinds of data, every offset of every operand, each edge with each other
 * one, random shapes and attributes.
 */
#include "tests/harness/harness.h"

#include <string.h>

#include "base/fatal.h"
#include "kv/kv.h"

enum { RANDOM_CASES = 400, GRIDS = 60 };

/* The elements of an attribute. */
struct attr {
	int64_t v[OP_MAX_ATTR];
	int n;
	bool vector, set; /* set: else a single number is a random one */
};

/* Shapes and attributes of a call, by read. */
struct wanted {
	struct shape shape[OP_MAX_PARAMS];
	struct attr attr[OP_MAX_PARAMS];
};

/* 0 to 70, 127 to 129 and 1000. */
enum { NSIZES = 75 };

static int
size_of(int i)
{
	static const int more[] = { 127, 128, 129, 1000 };

	return i <= 70 ? i : more[i - 71];
}

/* Sums of huge numbers overflow by their order, which no tolerance covers. */
static int
kinds(const struct row *r)
{
	return compare_needs_sums(r) ? EDGES : KINDS;
}

/* Whether the next case is one to run; if so its random numbers begin. */
static bool
case_begins(struct row *r, struct call *c)
{
	static const double base[] = { 0, 0, 1000, -3e5, 0x1p20, 3e7 };
	long number = r->number++;
	uint64_t mixed = data_mix(r->seed + (uint64_t)number);

	if (r->counting || (r->only >= 0 ? number != r->only :
	    (long)(mixed % (uint64_t)r->total) >= r->limit))
		return false;
	r->random = mixed;
	arena_release(&r->arena);
	memset(c, 0, sizeof *c);
	c->kind = data_below(r, kinds(r));
	c->base = base[data_below(r, sizeof base / sizeof *base)];
	for (int i = 0; i <= MAX_IN; i++)
		c->offset[i] = -1;
	return true;
}

static struct shape
vector(int64_t n)
{
	return (struct shape){ .rank = 1, .dim = { n } };
}

static struct shape
matrix(int64_t m, int64_t n)
{
	return (struct shape){ .rank = 2, .dim = { m, n } };
}

static struct shape
random_shape(struct row *r, int least, int most)
{
	struct shape s = { .rank = least + data_below(r, most + 1 - least) };

	for (int i = 0; i < s.rank; i++)
		s.dim[i] = data_below(r, 20) ?
		    1 + data_below(r, s.rank > 4 ? 3 : 9) : 0;
	return s;
}

/* A shape that broadcasts to s. */
static struct shape
random_part(struct row *r, const struct shape *s)
{
	struct shape p = { .rank = data_below(r, 3) ? s->rank :
		data_below(r, s->rank + 1) };

	for (int i = 0; i < p.rank; i++)
		p.dim[i] = data_below(r, 4) ?
		    s->dim[s->rank - p.rank + i] : 1;
	return p;
}

/* Whether read i is a tensor: no attribute, no number. */
static bool
is_tensor(const struct op *op, int i)
{
	return !op_is_attr(op, i) && !op_is_scalar(op, i);
}

/* The attribute that holds axes or extents. */
static struct attr *
vector_attr(struct row *r, struct wanted *w)
{
	for (int i = 0; i < r->op->nin; i++)
		if (op_is_attr(r->op, i) &&
		    strstr(op_langtype(r->op, i), "[]"))
			return &w->attr[i];
	row_fail(r, "checkk finds no attribute with a shape or axes");
}

static void
want_dims(struct row *r, struct wanted *w, const struct shape *s)
{
	struct attr *a = vector_attr(r, w);

	a->n = s->rank;
	a->vector = true;
	memcpy(a->v, s->dim, sizeof s->dim);
}

static void
want_axis(struct row *r, struct wanted *w, int64_t axis)
{
	struct attr *a = vector_attr(r, w);

	a->n = 1;
	a->v[0] = axis;
	a->vector = data_below(r, 2);
}

/* All tensors have this shape, but number `one` has one element. */
static void
want_same(const struct row *r, struct wanted *w, struct shape s, int one)
{
	int k = 0;

	for (int i = 0; i < r->op->nin; i++)
		if (is_tensor(r->op, i))
			w->shape[i] = k++ == one ? vector(1) : s;
}

/* Some order of all axes, or none; some count from the end. */
static void
want_order(struct row *r, struct wanted *w)
{
	struct attr *a = vector_attr(r, w);
	int rank = w->shape[0].rank;

	a->vector = true;
	a->n = data_below(r, 8) ? rank : 0;
	for (int i = 0; i < rank; i++) {
		int k = data_below(r, i + 1);

		a->v[i] = a->v[k];
		a->v[k] = i;
	}
	for (int i = 0; i < rank; i++)
		a->v[i] -= data_below(r, 3) ? 0 : rank;
}

/* Whether the op reduces n axes at once. */
static bool
takes_axes(const struct op *op, int n)
{
	const struct shape in[OP_MAX_PARAMS] = { matrix(2, 2) };
	const int64_t axes[] = { 0, 1 }, *attr[OP_MAX_PARAMS] = { 0 };
	int nattr[OP_MAX_PARAMS] = { 0 };
	struct shape out;
	char why[NOTE];

	attr[1] = attr[2] = axes;
	nattr[1] = n;
	nattr[2] = 1;
	return op_shape(op, in, attr, nattr, &out, why) == 0;
}

static void
want_axes(struct row *r, struct wanted *w)
{
	int rank = w->shape[0].rank, most = takes_axes(r->op, 2) ? rank : 1;
	struct attr *a = vector_attr(r, w);

	want_order(r, w);
	a->n = takes_axes(r->op, 0) && data_below(r, 8) == 0 ? 0 :
	    1 + (data_below(r, 2) ? data_below(r, most) : 0);
	a->vector = a->n != 1 || data_below(r, 2);
}

/* Two matrices, or vectors, that multiply. */
static void
want_factors(struct row *r, struct shape in[2])
{
	int64_t m = data_below(r, 20), k = data_below(r, 40);
	int64_t n = data_below(r, 70);
	struct shape all = { .rank = data_below(r, 3), .dim = { 2, 3 } };

	for (int i = 0; i < 2; i++) {
		in[i] = random_part(r, &all);
		in[i].dim[in[i].rank++] = i ? k : m;
		in[i].dim[in[i].rank++] = i ? n : k;
	}
	if (data_below(r, 5) == 0)
		in[0] = vector(k);
	if (data_below(r, 5) == 0)
		in[1] = vector(k);
}

static void
want_integer(struct wanted *w, int i, int64_t v)
{
	w->attr[i] = (struct attr){ .v = { v }, .n = 1, .set = true };
}

/* Axes of 1 that are left out of a shape, or come into one. */
static void
want_ones(struct row *r, struct wanted *w, struct shape s)
{
	bool in = r->op->shape_rule == OP_SHAPE_SQUEEZE;
	struct shape more = { 0 };
	struct attr *a = &w->attr[1];
	int rank = s.rank > 4 ? 4 : s.rank, i = 0;

	a->vector = true;
	while (i < rank || a->n < rank) {
		bool one = i == rank ||
		    (a->n < rank && data_below(r, 2));

		if (one)
			a->v[a->n++] = more.rank;
		more.dim[more.rank++] = one ? 1 : s.dim[i++];
	}
	s.rank = rank;
	w->shape[0] = in ? more : s;
	if (in && data_below(r, 8) == 0)
		a->n = 0;
	if (a->n == 1)
		a->vector = data_below(r, 2);
	for (i = 0; i < a->n; i++)
		a->v[i] -= data_below(r, 3) ? 0 : more.rank;
}

/* An axis that may count from the end. */
static int64_t
some_axis(struct row *r, int rank)
{
	return data_below(r, 2 * rank) - rank;
}

/* A part of some axis, whose ends may lie outside. */
static void
want_slice(struct row *r, struct wanted *w)
{
	int rank = w->shape[0].rank;
	int64_t axis = some_axis(r, rank);
	int64_t n = w->shape[0].dim[axis < 0 ? axis + rank : axis];
	int around = n < 1000 ? (int)n + 3 : 1000;

	want_integer(w, 1, axis);
	want_integer(w, 2, data_below(r, 2 * around) - around);
	want_integer(w, 3, data_below(r, 4) ? data_below(r, 2 * around) -
	    around : INT32_MAX);
	want_integer(w, 4, data_below(r, 8) ? 1 + data_below(r, 4) :
	    INT32_MAX);
}

/* Numbers for n axes, below `most`. */
static void
want_numbers(struct row *r, struct wanted *w, int n, int most)
{
	w->attr[1].vector = true;
	w->attr[1].n = n;
	for (int i = 0; i < n; i++)
		w->attr[1].v[i] = data_below(r, most);
}

/* What the ops of movement need besides the shape of their operand. */
static void
want_moved(struct row *r, struct wanted *w)
{
	enum op_shape_rule rule = r->op->shape_rule;
	struct shape *s = &w->shape[0];

	if (rule == OP_SHAPE_SLICE) {
		want_slice(r, w);
	} else if (rule == OP_SHAPE_TILE) {
		want_numbers(r, w, s->rank + data_below(r, 2) * (s->rank < 4),
		    4);
	} else if (rule == OP_SHAPE_STRETCH) {
		want_integer(w, 1, data_below(r, 5));
		want_integer(w, 2, some_axis(r, s->rank));
	} else if (rule == OP_SHAPE_PAD) {
		want_numbers(r, w, 2 * s->rank, data_below(r, 4) ? 3 : 1);
	} else {
		if (s->rank < 2)
			*s = matrix(3, s->dim[0]);
		want_integer(w, 1, data_below(r, 20) - 10);
	}
}

/* A tensor and an index along an axis of it. */
static void
want_index(struct row *r, struct wanted *w)
{
	bool gathers = r->op->shape_rule == OP_SHAPE_GATHER;
	struct shape *s = &w->shape[0], *index = &w->shape[1];
	int axis;

	*s = random_shape(r, 1, gathers ? MAX_RANK : 5);
	axis = data_below(r, s->rank);
	*index = gathers ? *s : random_shape(r, 0, 3);
	for (int i = 0; i < s->rank && gathers; i++)
		index->dim[i] = data_below(r, i == axis ? 12 :
		    (int)s->dim[i] + 1);
	want_integer(w, 2, axis - data_below(r, 2) * s->rank);
}

/* Random shapes and attributes that the op's shape rule takes. */
static void
want_random(struct row *r, struct wanted *w)
{
	bool reduces = r->op->shape_rule == OP_SHAPE_REDUCE;
	struct shape s = random_shape(r, reduces, MAX_RANK);

	if (is_tensor(r->op, 0))
		w->shape[0] = s;
	switch (r->op->shape_rule) {
	case OP_SHAPE_BROADCAST:
		for (int i = 0; i < r->op->nin; i++)
			if (is_tensor(r->op, i))
				w->shape[i] = random_part(r, &s);
		break;
	case OP_SHAPE_REDUCE:
		want_axes(r, w);
		break;
	case OP_SHAPE_TARGET:
		w->shape[0] = random_part(r, &s);
		want_dims(r, w, &s);
		break;
	case OP_SHAPE_RESHAPE:
		w->shape[0] = vector(shape_count(&s, 8));
		want_dims(r, w, &s);
		break;
	case OP_SHAPE_PERMUTE:
		want_order(r, w);
		break;
	case OP_SHAPE_FILL:
		want_dims(r, w, &s);
		break;
	case OP_SHAPE_MATMUL:
		want_factors(r, w->shape);
		break;
	case OP_SHAPE_SQUEEZE:
	case OP_SHAPE_UNSQUEEZE:
		want_ones(r, w, s);
		break;
	case OP_SHAPE_FLATTEN:
		want_integer(w, 1, data_below(r, s.rank + 1) -
		    data_below(r, 2) * s.rank);
		break;
	case OP_SHAPE_SLICE:
	case OP_SHAPE_TILE:
	case OP_SHAPE_STRETCH:
	case OP_SHAPE_PAD:
	case OP_SHAPE_TRIANGLE:
		w->shape[0] = random_shape(r, 1, r->op->shape_rule ==
		    OP_SHAPE_SLICE ? MAX_RANK : 4);
		want_moved(r, w);
		break;
	case OP_SHAPE_SCAN:
		w->shape[0] = random_shape(r, 1, MAX_RANK);
		want_integer(w, 1, some_axis(r, w->shape[0].rank));
		break;
	case OP_SHAPE_SELECT:
	case OP_SHAPE_GATHER:
		want_index(r, w);
		break;
	}
}

/* How a size gets into the shapes: how many ways there are. */
static int
ways(const struct op *op)
{
	int tensors = 0;

	for (int i = 0; i < op->nin; i++)
		tensors += is_tensor(op, i);
	return op->shape_rule == OP_SHAPE_REDUCE ? 18 :
	    op->shape_rule == OP_SHAPE_BROADCAST ? 1 + tensors : 3;
}

/* Shapes and attributes with an extent n. */
static void
want_size(struct row *r, struct wanted *w, int64_t n, int way)
{
	static const int inner[] = { 1, 2, 7, 8, 9, 33 }, outer[] = { 1, 5, 0 };
	const struct shape s[] = { vector(n), matrix(n, 3), matrix(3, n) };
	const struct shape thin[] = { vector(1), matrix(n, 1), vector(n) };

	if (is_tensor(r->op, 0))
		w->shape[0] = s[way % 3];
	switch (r->op->shape_rule) {
	case OP_SHAPE_BROADCAST:
		want_same(r, w, s[0], way - 1);
		break;
	case OP_SHAPE_REDUCE:
		w->shape[0] = (struct shape){ 3, { outer[way / 6], n,
			inner[way % 6] } };
		want_axis(r, w, data_below(r, 2) ? 1 : -2);
		break;
	case OP_SHAPE_TARGET:
		w->shape[0] = thin[way];
		want_dims(r, w, &s[way]);
		break;
	case OP_SHAPE_RESHAPE:
		w->shape[0] = vector(shape_count(&s[way], 8));
		want_dims(r, w, &s[way]);
		break;
	case OP_SHAPE_PERMUTE:
		want_order(r, w);
		break;
	case OP_SHAPE_FILL:
		want_dims(r, w, &s[way]);
		break;
	case OP_SHAPE_MATMUL:
		w->shape[0] = matrix(way == 0 ? n : 3, way == 1 ? n : 4);
		w->shape[1] = matrix(way == 1 ? n : 4, way == 2 ? n : 9);
		break;
	case OP_SHAPE_SQUEEZE:
	case OP_SHAPE_UNSQUEEZE:
		want_ones(r, w, s[way]);
		break;
	case OP_SHAPE_FLATTEN:
		want_integer(w, 1, way % 2);
		break;
	case OP_SHAPE_SLICE:
	case OP_SHAPE_TILE:
	case OP_SHAPE_STRETCH:
	case OP_SHAPE_PAD:
	case OP_SHAPE_TRIANGLE:
		want_moved(r, w);
		break;
	case OP_SHAPE_SCAN:
		w->shape[0] = way == 0 ? matrix(1 + data_below(r, 30), n) :
		    matrix(n, way == 1 ? 3 : 1 + data_below(r, 150));
		want_integer(w, 1, way ? -2 : -1);
		break;
	case OP_SHAPE_SELECT:
	case OP_SHAPE_GATHER:
		w->shape[1] = r->op->shape_rule == OP_SHAPE_GATHER ? s[way] :
		    vector(n);
		want_integer(w, 2, way == 2 ? -1 : 0);
		break;
	}
}

/* The value of an attribute, of one of the dtypes that it may have. */
static void
set_attr(struct row *r, struct call *c, int i, const struct attr *a)
{
	static const enum dtype types[] = { DT_INT64, DT_INT32, DT_INT64,
		DT_BOOL };
	struct shape s = { .rank = a->vector, .dim = { a->n } };

	for (int k = data_below(r, 2); k < 4; k++) {
		void *body = arena_alloc(&r->arena, sizeof a->v);
		bool flag = types[k] == DT_BOOL;
		uint8_t bit = a->v[0] != 0;

		if (dtype_convert(types[k], body, flag ? DT_BOOL : DT_INT64,
		    flag ? (void *)&bit : (void *)(uintptr_t)a->v,
		    (size_t)a->n))
			BUG("an attribute is not converted");
		c->read[i] = value_tensor(&r->arena, types[k], &s, body);
		if (kv_langtype_match(str_of(op_langtype(r->op, i)),
		    &c->read[i]))
			return;
	}
	row_fail(r, "checkk has no value for an attribute of type %s",
	    op_langtype(r->op, i));
}

/* The name of a dtype as a string. */
static struct value
name_of(enum dtype t, struct arena *a)
{
	size_t n = strlen(dtype_name(t));

	return value_text(arena_printf(a, "[%zu]char/utf8", n), dtype_name(t),
	    n);
}

/* Makes the values and binds the call as the runtime does. False when it refuses
 * inputs without elements. */
static bool
make_call(struct row *r, struct call *c, struct wanted *w)
{
	const struct value *in[OP_MAX_PARAMS];
	struct lib_op one = { r->m->opcode, &r->spec, 1 };
	struct bind_call b = { .op = &one, .in = in, .nin = r->op->nin,
		.nout = r->op->nout };
	char why[BIND_WHY];
	bool empty = false;

	for (int i = 0; i < r->op->nin; i++) {
		struct attr *a = &w->attr[i];

		in[i] = &c->read[i];
		if (!op_is_attr(r->op, i)) {
			c->read[i] = value_tensor(&r->arena, row_dtype(r, i),
			    &w->shape[i], NULL);
			empty |= shape_count(&w->shape[i], 1) == 0;
			continue;
		}
		if (i == op_naming(r->op)) {
			c->read[i] = name_of(r->odtype, &r->arena);
			continue;
		}
		if (!a->set && !strstr(op_langtype(r->op, i), "[]")) {
			a->n = 1;
			a->v[0] = strcmp(op_langtype(r->op, i), "bool") ?
			    data_below(r, 2000) - 10 : data_below(r, 2);
		}
		set_attr(r, c, i, a);
	}
	if (bind_rwir(&b, r->spec.isa_rank, &c->b, why) == 0)
		return true;
	if (!empty)
		row_fail(r, "case %ld is refused: %s", r->number - 1, why);
	return false;
}

static void
run_case(struct row *r, struct call *c, struct wanted *w)
{
	if (make_call(r, c, w))
		place_case(r, c);
}

static void
run_sizes(struct row *r)
{
	/* Of reductions and products each way has random data. */
	bool all = r->op->cls == OP_MAP || r->op->cls == OP_VIEW;
	int n = all ? KINDS : 1;
	struct call c;

	for (int i = 0; i < NSIZES; i++)
		for (int way = 0; way < ways(r->op); way++)
			for (int kind = 0; kind < n; kind++) {
				struct wanted w = { 0 };

				if (!case_begins(r, &c))
					continue;
				if (all)
					c.kind = kind;
				want_size(r, &w, size_of(i), way);
				run_case(r, &c, &w);
			}
}

static void
run_offsets(struct row *r)
{
	static const int sizes[] = { 1, 7, 8, 9, 31, 33, 64, 67, 200 };
	struct call c;

	for (int k = 0; k <= r->e->nin; k++)
		for (int o = 0; o < OFFSETS; o++)
			for (int i = 0; i < 9; i++) {
				struct wanted w = { 0 };

				if (!case_begins(r, &c))
					continue;
				c.offset[k] = o;
				want_size(r, &w, sizes[i], 0);
				run_case(r, &c, &w);
			}
}

/* Each edge of the domain with each other one; numbers have any of them. */
static void
run_grids(struct row *r)
{
	struct call c;
	int tensors = ways(r->op) - 1;

	if (r->op->shape_rule != OP_SHAPE_BROADCAST)
		return;
	for (int i = 0; i < (r->e->nin > tensors ? GRIDS : 1); i++) {
		struct wanted w = { 0 };

		if (!case_begins(r, &c))
			continue;
		c.kind = GRID;
		want_same(r, &w, vector(data_grid(r, tensors)), -1);
		run_case(r, &c, &w);
	}
}

/* Ends of the blocks that reductions work in. */
static void
run_long(struct row *r)
{
	static const struct shape shapes[] = {
		{ 3, { 1, 2047, 1 } }, { 3, { 2, 2048, 1 } },
		{ 3, { 3, 2049, 3 } }, { 3, { 1, 4096, 2 } },
		{ 3, { 1, 4097, 1 } }, { 3, { 1, 6145, 2 } },
		{ 3, { 2, 8192, 1 } }, { 3, { 1, 20000, 1 } },
		{ 3, { 2, 3, 511 } }, { 3, { 1, 5, 512 } },
		{ 3, { 1, 2, 513 } }, { 3, { 2, 2, 1030 } },
		{ 3, { 1030, 2, 1 } }, { 3, { 70, 3, 1 } },
	};
	struct call c;

	if (r->op->shape_rule != OP_SHAPE_REDUCE)
		return;
	for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++) {
		struct wanted w = { .shape = { shapes[i / 3] } };

		if (!case_begins(r, &c))
			continue;
		want_axis(r, &w, 1);
		run_case(r, &c, &w);
	}
}

static void
run_all(struct row *r)
{
	struct call c;

	r->number = 0;
	run_sizes(r);
	run_offsets(r);
	run_grids(r);
	run_long(r);
	for (int i = 0; i < RANDOM_CASES; i++) {
		struct wanted w = { 0 };

		if (!case_begins(r, &c))
			continue;
		want_random(r, &w);
		run_case(r, &c, &w);
	}
}

/* Of what cuts or repeats, all of it and once. */
static void
want_whole(const struct row *r, struct wanted *w)
{
	if (r->op->shape_rule == OP_SHAPE_SLICE)
		for (int i = 1; i < 5; i++)
			want_integer(w, i, i == 3 ? INT32_MAX : i == 4);
	if (r->op->shape_rule == OP_SHAPE_STRETCH)
		want_integer(w, 1, 1);
	for (int i = 0; i < w->attr[1].n; i++)
		if (r->op->shape_rule == OP_SHAPE_TILE)
			w->attr[1].v[i] = 1;
}

void
cases_run(struct row *r)
{
	r->counting = true;
	run_all(r);
	r->total = r->number;
	r->counting = false;
	run_all(r);
}

void
cases_one(struct row *r, struct call *c, int64_t n)
{
	struct wanted w = { 0 };
	int64_t side = 1;

	while (side * side < n)
		side++;
	r->number = 0;
	r->total = r->limit = 1;
	r->only = -1;
	if (!case_begins(r, c))
		BUG("a case is not chosen");
	c->kind = UNIFORM;
	want_size(r, &w, n, 0);
	if (r->op->shape_rule == OP_SHAPE_REDUCE)
		w.shape[0] = (struct shape){ 3, { n / side, side, 1 } };
	else if (r->op->shape_rule == OP_SHAPE_PERMUTE)
		w.shape[0] = matrix(side, side), want_order(r, &w);
	else if (r->op->shape_rule == OP_SHAPE_MATMUL)
		w.shape[0] = w.shape[1] = matrix(side, side);
	else if (r->op->shape_rule == OP_SHAPE_SCAN)
		w.shape[0] = matrix(side, side);
	want_whole(r, &w);
	if (!make_call(r, c, &w))
		BUG("a call is refused");
}
