/* SPDX-License-Identifier: MIT */
#include "tests/harness/wanted.h"

#include <string.h>

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

void
want_axis(struct row *r, struct wanted *w, int64_t axis)
{
	struct attr *a = vector_attr(r, w);

	a->n = 1;
	a->v[0] = axis;
	a->vector = data_below(r, 2);
}

void
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

bool
want_is_product(const struct op *op)
{
	return op->shape_rule == OP_SHAPE_MATMUL ||
	    op->shape_rule == OP_SHAPE_MATMUL_NT ||
	    op->shape_rule == OP_SHAPE_MATMUL_TN;
}

void
want_turned(const struct row *r, struct wanted *w)
{
	struct shape *s = &w->shape[r->op->shape_rule == OP_SHAPE_MATMUL_NT];
	int64_t last = s->dim[s->rank - 1];

	if (r->op->shape_rule == OP_SHAPE_MATMUL)
		return;
	s->dim[s->rank - 1] = s->dim[s->rank - 2];
	s->dim[s->rank - 2] = last;
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
	if (r->op->shape_rule != OP_SHAPE_MATMUL)
		return;
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

/* How many of an axis: all, one, or some. */
static void
want_best(struct row *r, struct wanted *w, int64_t axis)
{
	const struct shape *s = &w->shape[0];
	int64_t n = s->dim[axis < 0 ? axis + s->rank : axis];
	int way = data_below(r, 4);

	want_integer(w, 1, n == 0 || way == 0 ? n : way == 1 ? 1 :
	    data_below(r, (int)n + 1));
	want_integer(w, 2, axis);
}

void
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
	case OP_SHAPE_MATMUL_NT:
	case OP_SHAPE_MATMUL_TN:
		want_factors(r, w->shape);
		want_turned(r, w);
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
	case OP_SHAPE_TOPK:
		w->shape[0] = random_shape(r, 1, MAX_RANK);
		want_best(r, w, some_axis(r, w->shape[0].rank));
		break;
	}
}

int
want_ways(const struct op *op)
{
	int tensors = 0;

	for (int i = 0; i < op->nin; i++)
		tensors += is_tensor(op, i);
	return op->shape_rule == OP_SHAPE_REDUCE ? 18 :
	    op->shape_rule == OP_SHAPE_BROADCAST ? 1 + tensors : 3;
}

void
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
	case OP_SHAPE_MATMUL_NT:
	case OP_SHAPE_MATMUL_TN:
		w->shape[0] = matrix(way == 0 ? n : 3, way == 1 ? n : 4);
		w->shape[1] = matrix(way == 1 ? n : 4, way == 2 ? n : 9);
		want_turned(r, w);
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
	case OP_SHAPE_TOPK:
		want_best(r, w, way == 2 ? -1 : 0);
		break;
	case OP_SHAPE_SELECT:
	case OP_SHAPE_GATHER:
		w->shape[1] = r->op->shape_rule == OP_SHAPE_GATHER ? s[way] :
		    vector(n);
		want_integer(w, 2, way == 2 ? -1 : 0);
		break;
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
	if (r->op->shape_rule == OP_SHAPE_TOPK)
		want_integer(w, 1, 8);
	for (int i = 0; i < w->attr[1].n; i++)
		if (r->op->shape_rule == OP_SHAPE_TILE)
			w->attr[1].v[i] = 1;
}

void
want_about(struct row *r, struct wanted *w, int64_t n)
{
	enum op_shape_rule rule = r->op->shape_rule;
	int64_t side = 1;

	while (side * side < n)
		side++;
	want_size(r, w, n, 0);
	if (rule == OP_SHAPE_REDUCE)
		w->shape[0] = (struct shape){ 3, { n / side, side, 1 } };
	else if (rule == OP_SHAPE_PERMUTE || rule == OP_SHAPE_SCAN)
		w->shape[0] = matrix(side, side);
	else if (want_is_product(r->op))
		w->shape[0] = w->shape[1] = matrix(side, side);
	if (rule == OP_SHAPE_PERMUTE)
		want_order(r, w);
	want_whole(r, w);
}
