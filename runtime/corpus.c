/* SPDX-License-Identifier: MIT */
#include "runtime/corpus.h"

#include <string.h>

#include "kv/kv.h"

/* Short and long rows and columns: lanes, chunks of a reduction, tiles, and
 * their ends. */
static const struct shape shapes[] = {
	{ 1, { 1 } }, { 1, { 7 } }, { 2, { 3, 5 } }, { 2, { 4, 64 } },
	{ 3, { 2, 3, 33 } }, { 2, { 2, 2049 } }, { 2, { 2049, 3 } },
	{ 2, { 19, 521 } },
};

/* Larger operands are not made: a build is no benchmark. */
enum { SHAPES = sizeof(shapes) / sizeof(*shapes), FILLS = 3,
	MOST_ELEMENTS = 1 << 24 };

static const uint32_t edges32[] = {
	0, 0x80000000, 0x3f800000, 0xbf800000, 1, 0x80000001, 0x007fffff,
	0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
	0x7fc00000, 0xffc00001, 0x7f800001, 0x42b17218, 0xc2aeac50,
	0x49800000, 0xc9800001, 0x33800000,
};

static const uint64_t edges64[] = {
	0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 1,
	0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001,
	0x7ff0000000000001, 0x40862e42fefa39ef, 0xc086232bdd7abcd2,
	0x4130000000000000, 0xc130000000000001, 0x3ca0000000000000,
};

/* Of float16 and of bfloat16. */
static const uint16_t edges16[2][16] = {
	{ 0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff,
	    0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x3800 },
	{ 0, 0x8000, 0x3f80, 0xbf80, 1, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f,
	    0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x42b1 },
};

int
corpus_cases(void)
{
	return 2 * SHAPES * FILLS;
}

/* splitmix64 */
static uint64_t
next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Element i of the body. fill 0: [-4, 4); 1: one in four an edge; 2: bits. */
static void
fill_one(enum dtype t, void *body, int64_t i, int fill, uint64_t *state)
{
	uint64_t r = next(state);
	double d = (double)(int64_t)(r >> 11) * 0x1p-50 - 4;
	size_t size = dtype_size(t);

	if (fill == 1 && r % 4 == 0 && t == DT_FLOAT32)
		memcpy((char *)body + i * 4, &edges32[(r >> 8) %
		    (sizeof(edges32) / 4)], 4);
	else if (fill == 1 && r % 4 == 0 && t == DT_FLOAT64)
		memcpy((char *)body + i * 8, &edges64[(r >> 8) %
		    (sizeof(edges64) / 8)], 8);
	else if (fill == 1 && r % 4 == 0 && dtype_is_half(t))
		memcpy((char *)body + i * 2, &edges16[t == DT_BFLOAT16]
		    [(r >> 8) % 16], 2);
	else if (fill == 2 && t != DT_BOOL)
		memcpy((char *)body + i * (int64_t)size, &r, size);
	else if (t == DT_BOOL)
		((uint8_t *)body)[i] = r & 1;
	else
		dtype_convert(t, (char *)body + i * (int64_t)size, DT_FLOAT64,
		    &d, 1);
}

/* Dims of the first atom of a langtype that says some: "[2,.]float32"; an open
 * last one is the last of *s, other open ones are 3. False for [*] and for a
 * scalar. */
static bool
type_dims(const char *type, struct shape *s)
{
	struct str rest, one;
	const char *end = strchr(type, ']');
	int64_t open = s->dim[s->rank - 1];
	unsigned long long n;

	if (*type != '[' || !end || end == type + 1 || type[1] == '*')
		return false;
	rest = (struct str){ type + 1, (size_t)(end - type) - 1 };
	for (s->rank = 0; s->rank < MAX_RANK && str_next(&rest, ',', &one);)
		s->dim[s->rank++] = str_u64(one, &n) ? (int64_t)n :
		    rest.n ? 3 : open;
	return true;
}

/* What the rows of a version's kernels ask of one parameter. */
struct wish {
	struct shape shape;
	enum dtype dtype; /* DT_NONE: any */
	bool has_k, scalar, cols;
	int64_t k;        /* a small integer; cols: an axis but the last */
	const char *dims; /* it is the dims of this parameter */
};

static void
wish_pattern(struct wish *w, const struct pattern *p)
{
	struct shape *s = &w->shape;
	int i;

	if (p->dtype != DT_NONE)
		w->dtype = p->dtype;
	if (p->n == 0)
		w->scalar = true;
	for (i = 0; i < p->n && p->axis[i].kind == AXIS_INT; i++)
		;
	if (p->n > 0 && i == p->n) {
		s->rank = p->n;
		for (i = 0; i < p->n; i++)
			s->dim[i] = p->axis[i].n;
	} else if (p->n > 0 && p->axis[p->n - 1].kind == AXIS_INT &&
	    s->rank > 0) {
		s->dim[s->rank - 1] = p->axis[p->n - 1].n;
	}
}

static void
wish_guard(struct wish *w, const char *name, const struct guard *g)
{
	if (!g->a || strcmp(g->a, name) != 0)
		return;
	if (g->kind == GUARD_COLS) {
		w->cols = true;
	} else if (g->kind == GUARD_INT) {
		w->has_k = true;
		w->k = g->k;
	} else if (g->kind == GUARD_DIMS) {
		w->dims = g->b;
	}
}

/* Looks through the kernels that the function calls. */
static void
wish_find(struct wish *w, const struct library *l, const struct func *f,
    int param, enum dtype t)
{
	int i, j;
	size_t r;

	for (i = 0; i < f->ninsn; i++) {
		const struct lib_op *op = library_op(l, f->insn[i].opcode);

		for (r = 0; op && r < op->n; r++) {
			const struct rowspec *row = &op->row[r];

			if (row->nin != f->insn[i].nread || row->m->dtype != t)
				continue;
			for (j = 0; j < row->nin; j++)
				if (f->insn[i].read[j].var == param)
					wish_pattern(w, &row->in[j]);
			for (j = 0; j < row->nguard; j++)
				wish_guard(w, f->param[param].name,
				    &row->guard[j]);
		}
	}
}

/* A value of a dtype and dims, if the parameter takes one. */
static bool
try_value(const struct param *p, struct arena *a, enum dtype t,
    const struct shape *s, int fill, uint64_t *state, const int64_t *k,
    struct value *v)
{
	int64_t i, n = shape_count(s, dtype_size(t));
	void *body;

	if (n < 0 || n > MOST_ELEMENTS)
		return false;
	body = arena_alloc(a, (size_t)n * dtype_size(t) + 8);
	*v = value_tensor(a, t, s, body);
	if (!kv_langtype_match(str_of(p->type), v))
		return false;
	for (i = 0; i < n; i++) {
		if (k)
			dtype_convert(t, (char *)body + i *
			    (int64_t)dtype_size(t), DT_INT64, &k[i], 1);
		else
			fill_one(t, body, i, fill, state);
	}
	return true;
}

/* A small integer, as a scalar or as a vector of one. */
static bool
try_integer(const struct param *p, struct arena *a, int64_t k,
    struct value *v)
{
	static const enum dtype types[] = { DT_INT64, DT_INT32 };
	static const struct shape forms[] = { { 0 }, { 1, { 1 } } };
	size_t i;

	for (i = 0; i < 4; i++) {
		if (try_value(p, a, types[i % 2], &forms[i / 2], 0, NULL, &k,
		    v))
			return true;
	}
	return false;
}

/* Of what the rows ask for, else of the first dtype that the parameter takes: t,
 * floats, what a langtype of tensors alone names. */
static bool
try_data(const struct param *p, struct arena *a, enum dtype t,
    const struct wish *w, int fill, uint64_t *state, struct value *v)
{
	static const struct shape scalar;
	const enum dtype first[] = { w->dtype != DT_NONE ? w->dtype : t, t,
		DT_FLOAT32, DT_FLOAT64, DT_FLOAT16, DT_BFLOAT16 };
	int i, n = sizeof(first) / sizeof(*first);

	for (i = 0; i < n && !w->scalar; i++) {
		if (try_value(p, a, first[i], &w->shape, fill, state, NULL, v))
			return true;
	}
	for (i = 1; i < N_DTYPES && !w->scalar && *p->type == '[' &&
	    p->type[1] != ']'; i++) {
		if (try_value(p, a, (enum dtype)i, &w->shape, fill, state,
		    NULL, v))
			return true;
	}
	for (i = 0; i < n; i++) {
		if (try_value(p, a, first[i], &scalar, fill, state, NULL, v))
			return true;
	}
	return try_value(p, a, DT_BOOL, &scalar, 0, state, NULL, v);
}

/* The dims of another parameter, as a vector; where that is none, of the first
 * tensor. */
static bool
try_dims(const struct func *f, int param, const char *of,
    struct arena *a, struct value *v)
{
	int slot = func_slot(f, of);
	struct shape s = { 1, { 0 } };

	if (slot < 0 || slot >= f->nread) {
		for (slot = 0; slot < f->nread && (v[slot].shape.rank == 0 ||
		    !dtype_is_float(v[slot].dtype)); slot++)
			;
	}
	if (slot == f->nread || slot == param)
		return false;
	s.dim[0] = v[slot].shape.rank;
	return try_value(&f->param[param], a, DT_INT64, &s, 0, NULL,
	    v[slot].shape.dim, &v[param]);
}

int
corpus_fill(const struct library *l, const struct func *f, enum dtype t,
    int number, struct arena *a, struct value *v)
{
	const struct shape *shape = &shapes[number / FILLS % SHAPES];
	bool inner = number >= SHAPES * FILLS, found = !inner;
	uint64_t state = (uint64_t)number;
	struct wish w;
	int i, pass;

	/* Parameters that are the dims of others come second. */
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < f->nread; i++) {
			w = (struct wish){ .shape = *shape };
			if (type_dims(f->param[i].type, &w.shape))
				w.scalar = false;
			wish_find(&w, l, f, i, t);
			if (inner && w.cols) {
				w.has_k = found = true;
				w.k = shape->rank > 2 ? -2 : 0;
			}
			if (!w.dims && !w.has_k &&
			    !strncmp(f->param[i].type, "[]int", 5))
				w.dims = "";
			if ((w.dims != NULL) != (pass == 1))
				continue;
			if (w.dims ? !try_dims(f, i, w.dims, a, v) :
			    w.has_k ? !try_integer(&f->param[i], a, w.k,
			    &v[i]) : !try_data(&f->param[i], a, t, &w,
			    number % FILLS, &state, &v[i]) &&
			    !try_integer(&f->param[i], a, -1, &v[i]))
				return -1;
		}
	}
	return found ? 0 : -1;
}
