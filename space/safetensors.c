/* SPDX-License-Identifier: MIT */
#include "space/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"

enum { LENGTH = 8 };

static const struct {
	const char *name;
	enum dtype dtype;
} kinds[] = {
	{ "BOOL", DT_BOOL },
	{ "I8", DT_INT8 }, { "I16", DT_INT16 },
	{ "I32", DT_INT32 }, { "I64", DT_INT64 },
	{ "U8", DT_UINT8 }, { "U16", DT_UINT16 },
	{ "U32", DT_UINT32 }, { "U64", DT_UINT64 },
	{ "F16", DT_FLOAT16 }, { "BF16", DT_BFLOAT16 },
	{ "F32", DT_FLOAT32 }, { "F64", DT_FLOAT64 },
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Of a tensor, which bytes after the header it has. */
struct entry {
	struct safetensor t;
	enum dtype dtype;
	struct shape shape;
	int64_t begin, end;
};

struct reader {
	struct arena *arena;
	struct diag *diag;
	const char *body;
	size_t head, n; /* bytes before the body, and of it */
};

static int
expected(struct reader *r, const struct json_value *v, const char *what)
{
	return diag_error(r->diag, v->loc, "expected %s, found %s", what,
	    json_what(v, r->arena));
}

static int
read_dtype(struct reader *r, const struct json_value *v, struct entry *e)
{
	struct buf known = { 0 };

	for (int i = 0; i < N_KINDS; i++) {
		if (v->kind == JSON_TEXT && str_is(v->text, kinds[i].name)) {
			e->dtype = kinds[i].dtype;
			buf_release(&known);
			return 0;
		}
		buf_printf(&known, " %s", kinds[i].name);
	}
	expected(r, v, arena_printf(r->arena, "a dtype:%s", known.p));
	buf_release(&known);
	return -1;
}

static int
read_shape(struct reader *r, const struct json_value *v, struct entry *e)
{
	const struct json_value *d = v->first;

	if (v->kind != JSON_ARRAY || v->n > MAX_RANK)
		return expected(r, v, "a shape: an array of at most 8 dims");
	for (; d; d = d->next)
		if (!json_int(d, &e->shape.dim[e->shape.rank++]) ||
		    e->shape.dim[e->shape.rank - 1] < 0)
			return expected(r, d, "a dim");
	return 0;
}

static int
read_offsets(struct reader *r, const struct json_value *v, struct entry *e)
{
	if (v->kind != JSON_ARRAY || v->n != 2 ||
	    !json_int(v->first, &e->begin) ||
	    !json_int(v->first->next, &e->end) || e->begin < 0 ||
	    e->end < e->begin || (uint64_t)e->end > r->n)
		return diag_error(r->diag, v->loc, "expected two offsets in "
		    "the %zu bytes after the header, first the lower one; the "
		    "file is damaged or cut short", r->n);
	return 0;
}

/* The three members in any order. */
static int
read_members(struct reader *r, const struct json_value *v, struct entry *e)
{
	static const struct {
		const char *name;
		int (*read)(struct reader *, const struct json_value *,
		    struct entry *);
	} member[] = {
		{ "dtype", read_dtype }, { "shape", read_shape },
		{ "data_offsets", read_offsets },
	};

	if (v->kind != JSON_OBJECT || v->n != 3)
		return expected(r, v, "an object of dtype, shape and "
		    "data_offsets");
	for (int i = 0; i < 3; i++) {
		const struct json_value *m = json_member(v, member[i].name);

		if (!m)
			return diag_error(r->diag, v->loc, "the member `%s` is "
			    "missing", member[i].name);
		if (member[i].read(r, m, e))
			return -1;
	}
	return 0;
}

/* Any other byte in a bool would mean different things to different code. */
static int
check_bools(struct reader *r, const struct entry *e)
{
	for (int64_t i = e->begin; e->dtype == DT_BOOL && i < e->end; i++)
		if ((unsigned char)r->body[i] > 1)
			return diag_error(r->diag, e->t.loc, "expected 0 or 1 "
			    "in a bool, found %d", (unsigned char)r->body[i]);
	return 0;
}

static int
read_tensor(struct reader *r, const struct json_value *v, struct entry *e)
{
	int64_t count;
	size_t size;

	e->t.name = v->name.p;
	e->t.loc = v->loc;
	if (read_members(r, v, e))
		return -1;
	size = dtype_size(e->dtype);
	count = shape_count(&e->shape, size);
	if (count < 0 || count * (int64_t)size != e->end - e->begin)
		return diag_error(r->diag, v->loc, "expected %lld elements of "
		    "%zu bytes, found %lld bytes", (long long)count, size,
		    (long long)(e->end - e->begin));
	if ((r->head + (size_t)e->begin) % size)
		return diag_error(r->diag, v->loc, "expected a tensor at a "
		    "multiple of %zu bytes, found it at byte %zu of the file; "
		    "save it again with the library safetensors", size,
		    r->head + (size_t)e->begin);
	e->t.value = value_tensor(r->arena, e->dtype, &e->shape,
	    r->body + e->begin);
	return check_bools(r, e);
}

/* Texts for people. */
static int
check_metadata(struct reader *r, const struct json_value *v)
{
	const struct json_value *m = v->first;

	if (v->kind != JSON_OBJECT)
		return expected(r, v, "an object of texts");
	for (; m; m = m->next)
		if (m->kind != JSON_TEXT)
			return expected(r, m, "a text");
	return 0;
}

static int
by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return strcmp(x->t.name, y->t.name);
}

/* Every byte after the header is of one tensor. */
static int
check_places(struct reader *r, const struct entry *e, size_t n, struct loc all)
{
	int64_t at = 0;

	for (size_t i = 0; i < n; at = e[i++].end)
		if (e[i].begin != at)
			return diag_error(r->diag, e[i].t.loc, "expected a "
			    "tensor at offset %lld, where the one before it "
			    "ends, found %lld", (long long)at,
			    (long long)e[i].begin);
	if ((uint64_t)at != r->n)
		return diag_error(r->diag, all, "expected %lld bytes after the "
		    "header, as its tensors have, found %zu", (long long)at,
		    r->n);
	return 0;
}

static int
read_header(struct reader *r, const struct json_value *v,
    struct safetensor **out, size_t *count)
{
	struct entry *e = arena_array(r->arena, v->n, sizeof *e);
	const struct json_value *m = v->first;
	size_t n = 0;

	if (v->kind != JSON_OBJECT)
		return expected(r, v, "an object of tensors");
	for (; m; m = m->next)
		if (str_is(m->name, "__metadata__") ? check_metadata(r, m) :
		    read_tensor(r, m, &e[n++]))
			return -1;
	if (n)
		qsort(e, n, sizeof *e, by_place);
	if (check_places(r, e, n, v->loc))
		return -1;
	*out = arena_array(r->arena, n, sizeof **out);
	for (size_t i = 0; i < n; i++)
		(*out)[i] = e[i].t;
	*count = n;
	return 0;
}

int
safetensors_decode(struct arena *arena, const void *bytes, size_t n,
    const char *name, struct safetensor **out, size_t *count,
    struct diag *diag)
{
	struct reader r = { .arena = arena, .diag = diag };
	const unsigned char *p = bytes;
	const struct json_value *v;
	uint64_t length = 0;

	for (int i = 0; i < LENGTH && n >= LENGTH; i++)
		length |= (uint64_t)p[i] << 8 * i;
	if (n < LENGTH || length > n - LENGTH)
		return diag_error(diag, (struct loc){ name, 0, 0 },
		    "safetensors: expected the length of a header, then the "
		    "header, found %zu bytes, of which %llu should be the "
		    "header; the file is damaged or cut short", n,
		    (unsigned long long)length);
	r.head = LENGTH + (size_t)length;
	r.n = n - r.head;
	r.body = (const char *)p + r.head;
	v = json_read(arena, arena_printf(arena, "%s (header)", name),
	    (struct str){ (const char *)p + LENGTH, (size_t)length }, diag);
	return v ? read_header(&r, v, out, count) : -1;
}
