/* SPDX-License-Identifier: MIT */
#include "space/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "space/half.h"

/* How elements are held while they are converted. */
enum kind { NONE, BOOL, SIGNED, UNSIGNED, FLOAT };

static const struct {
	const char *name;
	size_t size;
	enum kind kind;
} dtypes[N_DTYPES] = {
	[DT_NONE] = { "-", 0, NONE },
	[DT_BOOL] = { "bool", 1, BOOL },
	[DT_INT8] = { "int8", 1, SIGNED },
	[DT_INT16] = { "int16", 2, SIGNED },
	[DT_INT32] = { "int32", 4, SIGNED },
	[DT_INT64] = { "int64", 8, SIGNED },
	[DT_UINT8] = { "uint8", 1, UNSIGNED },
	[DT_UINT16] = { "uint16", 2, UNSIGNED },
	[DT_UINT32] = { "uint32", 4, UNSIGNED },
	[DT_UINT64] = { "uint64", 8, UNSIGNED },
	[DT_FLOAT32] = { "float32", 4, FLOAT },
	[DT_FLOAT64] = { "float64", 8, FLOAT },
	[DT_FLOAT16] = { "float16", 2, FLOAT },
	[DT_BFLOAT16] = { "bfloat16", 2, FLOAT },
};

const char *
dtype_name(enum dtype t)
{
	return dtypes[t].name;
}

enum dtype
dtype_of(struct str s)
{
	int t;

	/* Most langtypes that are asked about are none: the first letter
	 * decides fast. */
	for (t = DT_NONE + 1; t < N_DTYPES; t++) {
		if (s.n && s.p[0] == dtypes[t].name[0] &&
		    str_is(s, dtypes[t].name))
			return (enum dtype)t;
	}
	return DT_NONE;
}

size_t
dtype_size(enum dtype t)
{
	return dtypes[t].size;
}

bool
dtype_is_float(enum dtype t)
{
	return dtypes[t].kind == FLOAT;
}

bool
dtype_is_half(enum dtype t)
{
	return t == DT_FLOAT16 || t == DT_BFLOAT16;
}

bool
dtype_wider(enum dtype a, enum dtype than)
{
	if (dtype_is_float(a) != dtype_is_float(than))
		return dtype_is_float(a);
	return dtype_size(a) > dtype_size(than);
}

int64_t
shape_count(const struct shape *s, size_t size)
{
	int64_t n = 1, bytes;
	bool empty = false;
	int i;

	for (i = 0; i < s->rank; i++) {
		if (s->dim[i] < 0)
			return -1;
		empty |= s->dim[i] == 0;
	}
	if (empty)
		return 0;
	for (i = 0; i < s->rank; i++) {
		if (__builtin_mul_overflow(n, s->dim[i], &n))
			return -1;
	}
	return __builtin_mul_overflow(n, size, &bytes) ? -1 : n;
}

bool
shape_eq(const struct shape *a, const struct shape *b)
{
	int i;

	if (a->rank != b->rank)
		return false;
	for (i = 0; i < a->rank; i++) {
		if (a->dim[i] != b->dim[i])
			return false;
	}
	return true;
}

void
shape_text(const struct shape *s, char *out)
{
	int i;

	for (i = 0; i < s->rank; i++)
		out += sprintf(out, "%c%lld", i ? ',' : '[',
		    (long long)s->dim[i]);
	strcpy(out, s->rank ? "]" : "");
}

struct value
value_tensor(struct arena *a, enum dtype t, const struct shape *s,
    const void *body)
{
	int64_t n = shape_count(s, dtype_size(t));
	char dims[200];

	if (t == DT_NONE || n < 0)
		BUG("value_tensor of dtype %s with an impossible shape",
		    dtype_name(t));
	shape_text(s, dims);
	return (struct value){
		.langtype = arena_printf(a, "%s%s", dims, dtype_name(t)),
		.dtype = t,
		.shape = *s,
		.body = body,
		.n = (size_t)n * dtype_size(t),
	};
}

struct value
value_text(const char *langtype, const void *body, size_t n)
{
	return (struct value){ .langtype = langtype, .body = body, .n = n };
}

static bool
parse_dims(struct str dims, struct shape *s)
{
	struct str field;
	long long d;

	while (str_next(&dims, ',', &field)) {
		if (s->rank == MAX_RANK || !str_i64(field, &d) || d < 0)
			return false;
		s->dim[s->rank++] = d;
	}
	return s->rank > 0;
}

/* Fills dtype and shape; DT_NONE for a langtype that is not numeric. */
static bool
parse_langtype(struct value *v)
{
	struct str type = str_of(v->langtype), dims;
	const char *end;

	v->shape = (struct shape){ 0 };
	v->dtype = dtype_of(type);
	if (v->dtype != DT_NONE || !str_starts(type, "["))
		return true;
	end = memchr(type.p, ']', type.n);
	if (!end)
		return false;
	dims = (struct str){ type.p + 1, (size_t)(end - type.p) - 1 };
	v->dtype = dtype_of(str_of(end + 1));
	return v->dtype == DT_NONE || parse_dims(dims, &v->shape);
}

int
value_check(struct value *v, char *why)
{
	char scratch[120];
	int64_t n;

	if (!why)
		why = scratch;
	if (!parse_langtype(v)) {
		snprintf(why, sizeof(scratch), "expected a langtype such as "
		    "[2,3]float64 of 1 to %d dims, found %.30s", MAX_RANK,
		    v->langtype);
		return -1;
	}
	if (v->dtype == DT_NONE)
		return 0;
	n = shape_count(&v->shape, dtype_size(v->dtype));
	if (n < 0) {
		snprintf(why, sizeof(scratch), "expected a size below 2^63 "
		    "bytes, found %.50s", v->langtype);
		return -1;
	}
	if ((uint64_t)n * dtype_size(v->dtype) != v->n) {
		snprintf(why, sizeof(scratch), "expected %llu bytes for "
		    "%.40s, found %zu", (unsigned long long)n *
		    dtype_size(v->dtype), v->langtype, v->n);
		return -1;
	}
	return 0;
}

/* One element, wide enough for every dtype. Unsigned numbers that int64 does
 * not hold are kept in it by their bits. */
struct element {
	enum kind kind;
	int64_t i;
	double f;
};

#define LOAD(type, field) do { \
	type x_; \
	memcpy(&x_, p, sizeof(x_)); \
	e.field = (__typeof__(e.field))x_; \
} while (0)

static struct element
load(enum dtype t, const void *p)
{
	struct element e = { .kind = dtypes[t].kind };

	switch (t) {
	case DT_NONE:
	case DT_BOOL: break; /* bool is never converted */
	case DT_INT8: LOAD(int8_t, i); break;
	case DT_INT16: LOAD(int16_t, i); break;
	case DT_INT32: LOAD(int32_t, i); break;
	case DT_INT64: LOAD(int64_t, i); break;
	case DT_UINT8: LOAD(uint8_t, i); break;
	case DT_UINT16: LOAD(uint16_t, i); break;
	case DT_UINT32: LOAD(uint32_t, i); break;
	case DT_UINT64: LOAD(uint64_t, i); break;
	case DT_FLOAT32: LOAD(float, f); break;
	case DT_FLOAT64: LOAD(double, f); break;
	case DT_FLOAT16:
	case DT_BFLOAT16: e.f = half_load(t, p); break;
	}
	return e;
}

/* Truncates and saturates; the bits of an integer of `size` bytes. */
static uint64_t
int_of_float(double f, enum kind kind, size_t size)
{
	int bits = (int)size * 8 - (kind == SIGNED);
	double end = ldexp(1, bits); /* the first number above the range */

	if (isnan(f))
		return 0;
	if (f >= end)
		return UINT64_MAX >> (64 - bits);
	if (kind == UNSIGNED)
		return f <= 0 ? 0 : (uint64_t)f;
	return f <= -end ? (uint64_t)0 - ((uint64_t)1 << bits) :
	    (uint64_t)(int64_t)f;
}

static void
store(enum dtype t, void *p, struct element e)
{
	double f = e.kind == FLOAT ? e.f : e.kind == UNSIGNED ?
	    (double)(uint64_t)e.i : (double)e.i;
	/* From integers in one step: by way of double it would round twice. */
	float single = e.kind == FLOAT ? (float)e.f : e.kind == UNSIGNED ?
	    (float)(uint64_t)e.i : (float)e.i;
	uint64_t bits;

	if (t == DT_FLOAT64) {
		memcpy(p, &f, sizeof(f));
	} else if (t == DT_FLOAT32) {
		memcpy(p, &single, sizeof(single));
	} else if (dtype_is_half(t) && e.kind == FLOAT) {
		half_store(t, p, e.f);
	} else if (dtype_is_half(t)) {
		half_store_int(t, p, e.kind == SIGNED && e.i < 0, (uint64_t)e.i);
	} else {
		bits = e.kind != FLOAT ? (uint64_t)e.i :
		    int_of_float(e.f, dtypes[t].kind, dtypes[t].size);
		/* Little-endian: the low bytes come first. */
		memcpy(p, &bits, dtypes[t].size);
	}
}

int
dtype_convert(enum dtype to, void *dst, enum dtype from, const void *src,
    size_t n)
{
	size_t i, to_size = dtypes[to].size, from_size = dtypes[from].size;

	if (to == DT_NONE || from == DT_NONE ||
	    (to == DT_BOOL) != (from == DT_BOOL))
		return -1;
	if (to == from) {
		if (n)
			memcpy(dst, src, n * to_size);
		return 0;
	}
	for (i = 0; i < n; i++)
		store(to, (char *)dst + i * to_size,
		    load(from, (const char *)src + i * from_size));
	return 0;
}
