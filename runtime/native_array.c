/* SPDX-License-Identifier: MIT */
/* Arrays: making, measuring, reading and changing them (kvlang.md 6.4). */
#include "runtime/native_ops.h"

#include <string.h>

#include "kv/infer.h"
#include "kv/langtype.h"
#include "space/text.h"

static int
new_cell(struct native_call *c, enum dtype dtype, const struct shape *shape)
{
	c->out = cell_new(&c->rt->heap, dtype, shape);
	return c->out ? 0 : native_fail(c, "MemoryError: %s", c->name);
}

static bool
is_array(const struct cell *v)
{
	return v && v->v.dtype != DT_NONE && v->v.shape.rank > 0;
}

static int
need_array(struct native_call *c, const char *name)
{
	if (is_array(c->in[0]))
		return 0;
	return native_fail(c, "TypeError: %s requires a compact array, got %s",
	    name, native_kind(c->in[0]));
}

/* Stores a scalar as an element. Nothing is lost: integers must fit, and
 * floats go to floats only. */
static int
put(struct native_call *c, struct cell *v, enum dtype to, void *dst)
{
	struct number n = { 0 };
	int64_t back = 0;
	bool fits;

	if (v && v->v.shape.rank == 0 && v->v.dtype == DT_BOOL &&
	    to == DT_BOOL) {
		memcpy(dst, v->mem, 1);
		return 0;
	}
	if (!number_of(v, &n) || to == DT_BOOL ||
	    (dtype_is_float(n.dtype) && !dtype_is_float(to)))
		return native_fail(c, "TypeError: %s: expected an element of "
		    "%s, got %s", c->name, dtype_name(to), native_kind(v));
	dtype_convert(to, dst, n.dtype, v->mem, 1);
	if (dtype_is_float(to))
		return 0;
	dtype_convert(DT_INT64, &back, to, dst, 1);
	fits = back == n.i && (back >= 0 || number_is_unsigned(&n) ==
	    (to >= DT_UINT8));
	if (!fits)
		return native_fail(c, number_is_unsigned(&n) ? "ValueError: "
		    "%s: %llu does not fit %s" : "ValueError: %s: %lld does "
		    "not fit %s", c->name, (long long)n.i, dtype_name(to));
	return 0;
}

/* One element for each read, of the same kind and dims. */
int
array_new(struct native_call *c)
{
	const struct value *first = c->nin && c->in[0] ? &c->in[0]->v : NULL;
	struct shape shape = { 1, { c->nin } };
	int i;

	for (i = 0; i < c->nin; i++) {
		struct cell *v = c->in[i];

		if (!v || v->v.dtype == DT_NONE)
			return native_fail(c, "TypeError: a compact array "
			    "[...] cannot hold %s", native_kind(v));
		if (v->v.dtype != first->dtype)
			return native_fail(c, "TypeError: array: mixed kinds "
			    "%s and %s", dtype_name(first->dtype),
			    dtype_name(v->v.dtype));
		if (!shape_eq(&v->v.shape, &first->shape))
			return native_fail(c, "TypeError: array: rows of "
			    "different dims, %s and %s",
			    native_kind(c->in[0]), native_kind(v));
	}
	if (!first || first->shape.rank == MAX_RANK)
		return native_fail(c, first ? "TypeError: array: more than 8 "
		    "dimensions" : "TypeError: array: no elements, so no "
		    "kind; declare one, as in x:[0]float64 = []");
	memcpy(shape.dim + 1, first->shape.dim,
	    (size_t)first->shape.rank * sizeof(*shape.dim));
	shape.rank += first->shape.rank;
	if (new_cell(c, first->dtype, &shape))
		return -1;
	for (i = 0; i < c->nin && first->n > 0; i++)
		memcpy((char *)c->out->mem + (size_t)i * first->n,
		    c->in[i]->mem, first->n);
	return 0;
}

/* Kind and dims that a read names, "[2,3]int64". */
static int
get_type(struct native_call *c, int i, enum dtype *dtype, struct shape *shape)
{
	struct buf text = { 0 };
	struct kv_atom atom;
	struct str rest;
	bool ok = false;

	if (text_is(c->in[i])) {
		value_display(cell_value(c->in[i]), &text);
		rest = buf_str(&text);
		ok = kv_atom_next(&rest, &atom) && rest.n == 0 &&
		    (!atom.array || kv_atom_shape(&atom, shape)) &&
		    (*dtype = dtype_of(atom.kind)) != DT_NONE;
		if (ok && !atom.array)
			shape->rank = 0;
	}
	if (!ok)
		native_fail(c, "TypeError: %s arg %d: expected a type with all "
		    "dims known, as in \"[2,3]int64\", got %s%.100s", c->name,
		    i + 1, text_is(c->in[i]) ? "" : native_kind(c->in[i]),
		    text.n ? text.p : "");
	buf_release(&text);
	return ok ? 0 : -1;
}

int
array_fill(struct native_call *c)
{
	struct shape shape;
	enum dtype dtype;
	uint64_t v = 0;
	size_t i, n, size;

	if (get_type(c, 0, &dtype, &shape) ||
	    (c->nin > 1 && put(c, c->in[1], dtype, &v)) ||
	    new_cell(c, dtype, &shape))
		return -1;
	size = dtype_size(dtype);
	n = (size_t)shape_count(&shape, 1);
	for (i = 0; i < n; i++)
		memcpy((char *)c->out->mem + i * size, &v, size);
	return 0;
}

int
array_append(struct native_call *c)
{
	const struct value *a = c->in[0] ? &c->in[0]->v : NULL;
	struct shape shape;
	uint64_t v;

	if (need_array(c, c->name))
		return -1;
	if (a->shape.rank != 1)
		return native_fail(c, "TypeError: array·append requires one "
		    "dimension, got %s", native_kind(c->in[0]));
	shape = a->shape;
	shape.dim[0]++;
	if (put(c, c->in[1], a->dtype, &v) || new_cell(c, a->dtype, &shape))
		return -1;
	if (a->n)
		memcpy(c->out->mem, a->body, a->n);
	memcpy((char *)c->out->mem + a->n, &v, dtype_size(a->dtype));
	return 0;
}

/* Along the first dimension. */
int
array_slice(struct native_call *c)
{
	const struct value *a = c->in[0] ? &c->in[0]->v : NULL;
	struct shape shape;
	int64_t lo, hi;

	if (need_array(c, c->name) || native_index(c, 1, &lo) ||
	    native_index(c, 2, &hi))
		return -1;
	shape = a->shape;
	if (lo < 0 || hi < lo || hi > shape.dim[0])
		return native_fail(c, "IndexError: array·slice: bounds "
		    "[%lld:%lld] out of range (len=%lld)", (long long)lo,
		    (long long)hi, (long long)shape.dim[0]);
	shape.dim[0] = hi - lo;
	if (new_cell(c, a->dtype, &shape))
		return -1;
	if (c->out->v.n)
		memcpy(c->out->mem, (const char *)a->body +
		    a->n / (size_t)a->shape.dim[0] * (size_t)lo, c->out->v.n);
	return 0;
}

/* What has no dims counts as one element; a string is a list. */
int
array_count(struct native_call *c)
{
	struct cell *v = c->in[0];

	if (!v && c->code == COUNT_BYTES)
		return give_int(c, 0);
	if (!v)
		return native_fail(c, "TypeError: %s arg 1: expected a value, "
		    "got None", c->name);
	if (c->code == COUNT_BYTES)
		return give_int(c, (int64_t)v->v.n);
	if (text_is(v))
		return give_int(c, c->code == COUNT_DIM ? 1 : text_length(v));
	return give_int(c, c->code == COUNT_DIM ? v->v.shape.rank :
	    shape_count(&v->v.shape, 1));
}

int
array_shape(struct native_call *c)
{
	struct cell *v = c->in[0];
	struct shape shape, one = { 1, { 0 } };

	if (!v)
		return native_fail(c, "TypeError: ndarray·shape arg 1: "
		    "expected a value, got None");
	shape = v->v.shape;
	if (text_is(v))
		shape = (struct shape){ 1, { text_length(v) } };
	one.dim[0] = shape.rank;
	if (new_cell(c, DT_INT64, &one))
		return -1;
	memcpy(c->out->mem, shape.dim,
	    (size_t)shape.rank * sizeof(*shape.dim));
	return 0;
}

/* The position that n reads from the second on name. */
static int
position(struct native_call *c, int n, size_t *at)
{
	const struct shape *s = &c->in[0]->v.shape;
	int64_t i;
	int k;

	if (n != s->rank)
		return native_fail(c, "IndexError: %s: %d-dim array needs %d "
		    "indices, got %d", c->name, s->rank, s->rank, n);
	*at = 0;
	for (k = 0; k < n; k++) {
		if (native_index(c, k + 1, &i))
			return -1;
		if (i < 0 || i >= s->dim[k])
			return native_fail(c, "IndexError: %s: index out of "
			    "bounds", c->name);
		*at = *at * (size_t)s->dim[k] + (size_t)i;
	}
	return 0;
}

static int
give_element(struct native_call *c, size_t at)
{
	static const struct shape scalar = { 0 };
	enum dtype dtype = c->in[0]->v.dtype;
	size_t size = dtype_size(dtype);

	if (new_cell(c, dtype, &scalar))
		return -1;
	memcpy(c->out->mem, (const char *)c->in[0]->mem + at * size, size);
	return 0;
}

int
array_at(struct native_call *c)
{
	size_t at;

	if (text_is(c->in[0]) && c->nin == 2)
		return text_char(c);
	if (need_array(c, c->name) || position(c, c->nin - 1, &at))
		return -1;
	return give_element(c, at);
}

/* The body of the loop may have made the array shorter. */
int
array_item(struct native_call *c)
{
	int64_t at;

	if (text_is(c->in[0]))
		return text_char(c);
	if (need_array(c, "for") || native_index(c, 1, &at))
		return -1;
	if (at >= shape_count(&c->in[0]->v.shape, 1))
		return native_fail(c, "IndexError: for: index out of bounds");
	return give_element(c, (size_t)at);
}

/* Others that hold the array keep what they have. */
int
array_set(struct native_call *c)
{
	struct cell *a = c->in[0];
	uint64_t v;
	size_t at, size;

	if (need_array(c, c->name) || position(c, c->nin - 2, &at) ||
	    put(c, c->in[c->nin - 1], a->v.dtype, &v))
		return -1;
	c->out = c->own ? cell_ref(a) :
	    cell_copy(&c->rt->heap, cell_value(a));
	if (!c->out)
		return native_fail(c, "MemoryError: xv·set");
	size = dtype_size(a->v.dtype);
	memcpy((char *)c->out->mem + at * size, &v, size);
	return 0;
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

int
array_reshaped(const struct value *const *in, int nin, struct shape *s,
    char why[BIND_WHY])
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

int
array_reshape(struct native_call *c)
{
	const struct value *v[1 + MAX_RANK];
	struct shape s;
	int i;

	if (c->nin > 1 + MAX_RANK)
		return native_fail(c, "TypeError: xv·reshape expects an array "
		    "and at most %d dims, got %d", MAX_RANK, c->nin - 1);
	for (i = 0; i < c->nin; i++)
		v[i] = c->in[i] ? &c->in[i]->v : NULL;
	if (array_reshaped(v, c->nin, &s, c->why) ||
	    new_cell(c, v[0]->dtype, &s))
		return -1;
	if (v[0]->n)
		memcpy(c->out->mem, v[0]->body, v[0]->n);
	return 0;
}

/* The same bytes as another type. Not every byte is a bool. */
int
array_reinterpret(struct native_call *c)
{
	struct cell *a = c->in[0];
	struct shape shape;
	enum dtype dtype;

	if (!a || a->v.dtype == DT_NONE)
		return native_fail(c, "TypeError: xv·reinterpret arg 1: "
		    "expected numbers, got %s", native_kind(a));
	if (get_type(c, 1, &dtype, &shape))
		return -1;
	if (dtype == DT_BOOL && a->v.dtype != DT_BOOL)
		return native_fail(c, "TypeError: xv·reinterpret: %s cannot "
		    "become bool", native_kind(a));
	if (shape_count(&shape, dtype_size(dtype)) < 0 ||
	    (size_t)shape_count(&shape, 1) * dtype_size(dtype) != a->v.n)
		return native_fail(c, "IndexError: xv·reinterpret: the type "
		    "does not have the %zu bytes of %s", a->v.n,
		    native_kind(a));
	if (new_cell(c, dtype, &shape))
		return -1;
	if (a->v.n)
		memcpy(c->out->mem, a->mem, a->v.n);
	return 0;
}

int
array_langtype(struct native_call *c)
{
	const struct value *v = cell_value(c->in[0]);
	struct arena arena = { 0 };
	const char *type = v ? v->langtype : "";
	size_t n = strlen(type), i;
	int32_t *wide = arena_array(&arena, n + 1, sizeof(*wide));
	int rc;

	/* A type is ASCII. */
	for (i = 0; i < n; i++)
		wide[i] = (unsigned char)type[i];
	rc = give_text(c, "char/utf32", wide, n);
	arena_release(&arena);
	return rc;
}
