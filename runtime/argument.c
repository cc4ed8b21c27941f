/* SPDX-License-Identifier: MIT */
#include "runtime/argument.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "space/half.h"
#include "space/npy.h"

enum { ELEMENTS_MAX = 4096 };

/* Numbers of a literal while it is read. wide: what int64 does not hold may be
 * uint64. */
struct literal {
	enum dtype dtype;
	bool wide;
	size_t n;
	union { int64_t i; double d; } v[ELEMENTS_MAX];
};

static uint64_t
splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void
argument_random(enum dtype t, void *body, size_t n, uint64_t seed)
{
	float *f = body;
	double *d = body;
	size_t i, size = dtype_size(t);

	for (i = 0; i < n; i++) {
		uint64_t bits = splitmix64(&seed);

		if (t == DT_FLOAT32) {
			f[i] = (float)(bits >> 40) * 0x1p-21f - 4.0f;
		} else if (t == DT_FLOAT64) {
			d[i] = (double)(bits >> 11) * 0x1p-50 - 4.0;
		} else if (dtype_is_half(t)) {
			half_store(t, (char *)body + i * size,
			    (double)(bits >> 40) * 0x1p-21 - 4.0);
		} else {
			bits >>= t == DT_BOOL ? 63 : 64 - 8 * size;
			memcpy((char *)body + i * size, &bits, size);
		}
	}
}

static int
refuse(struct diag *d, const char *text, const char *expected)
{
	return diag_error(d, no_loc, "cannot read the value `%s`: expected %s",
	    text, expected);
}

/* "64x128"; "" is a scalar. */
static bool
parse_dims(struct str s, struct shape *shape)
{
	struct str part;
	long long n;

	shape->rank = 0;
	while (str_next(&s, 'x', &part)) {
		if (shape->rank == MAX_RANK || !str_i64(part, &n) || n < 0)
			return false;
		shape->dim[shape->rank++] = n;
	}
	return true;
}

static int
read_random(struct arena *a, const char *text, struct value *v,
    struct diag *d)
{
	struct str rest = str_of(text + 5), dims, type, seed;
	unsigned long long n;
	struct shape shape;
	enum dtype t;
	int64_t count;
	void *body;

	if (!str_next(&rest, ':', &dims) || !str_next(&rest, ':', &type) ||
	    !str_next(&rest, ':', &seed) || rest.n ||
	    !parse_dims(dims, &shape) || !str_u64(seed, &n))
		return refuse(d, text, "rand:64x128:float32:SEED");
	t = dtype_of(type);
	count = shape_count(&shape, 8);
	if (t == DT_NONE || count < 0)
		return refuse(d, text, "a dtype such as float32, of a possible "
		    "size");
	body = arena_alloc(a, (size_t)count * dtype_size(t));
	argument_random(t, body, (size_t)count, n);
	*v = value_tensor(a, t, &shape, body);
	return 0;
}

static int
read_npy(struct arena *a, const char *path, struct value *v, struct diag *d)
{
	struct str bytes;

	if (file_read(a, path, &bytes))
		return diag_error(d, (struct loc){ .file = path },
		    "cannot read: %s", strerror(errno));
	return npy_decode(a, bytes.p, bytes.n, path, v, d);
}

/* One number or bool; its dtype must be that of those before it. */
static bool
read_element(struct str s, struct literal *l)
{
	char text[64], *end;
	unsigned long long u;
	enum dtype t;
	long long i;

	while (s.n > 0 && *s.p == ' ')
		s.p++, s.n--;
	if (s.n == 0 || s.n >= sizeof(text) || l->n == ELEMENTS_MAX)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	if (str_is(s, "true") || str_is(s, "false")) {
		t = DT_BOOL;
		l->v[l->n].i = text[0] == 't';
	} else if (l->wide && str_u64(s, &u)) {
		t = DT_UINT64;
		l->v[l->n].i = (int64_t)u;
	} else if (str_i64(s, &i)) {
		t = DT_INT64;
		l->v[l->n].i = i;
	} else {
		t = DT_FLOAT64;
		l->v[l->n].d = strtod(text, &end);
		if (*end || !strpbrk(text, "0123456789n"))
			return false;
	}
	if (l->n > 0 && l->dtype != t)
		return false;
	l->dtype = t;
	l->n++;
	return true;
}

/* An integer as int64; whether it is below 0. */
static bool
is_negative(enum dtype t, const void *p, int64_t *out)
{
	dtype_convert(DT_INT64, out, t, p, 1);
	return t < DT_UINT8 && *out < 0;
}

bool
argument_fits(enum dtype to, void *dst, enum dtype from, const void *src)
{
	int64_t a, b;

	if (dtype_convert(to, dst, from, src, 1))
		return false;
	if (dtype_is_float(to) || to == DT_BOOL)
		return true;
	return !dtype_is_float(from) && is_negative(from, src, &a) ==
	    is_negative(to, dst, &b) && a == b;
}

/* A literal; kind: the dtype that KIND(VALUE) gives it, or DT_NONE. */
static int
read_literal(struct arena *a, const char *text, struct str s,
    enum dtype kind, struct value *v, struct diag *d)
{
	struct literal *l = arena_alloc(a, sizeof(*l));
	struct shape shape = { .rank = str_starts(s, "[") };
	struct str part;
	bool ok = true;
	char *body;
	size_t i;

	l->wide = kind == DT_UINT64;
	if (shape.rank) {
		ok = s.n > 2 && s.p[s.n - 1] == ']';
		s = (struct str){ s.p + 1, ok ? s.n - 2 : 0 };
		while (ok && str_next(&s, ',', &part))
			ok = read_element(part, l);
	} else {
		ok = read_element(s, l);
	}
	if (!ok)
		return refuse(d, text, "F.npy, rand:64x128:float32:SEED, a "
		    "number, true, false, a list of one of these: [1,0], or "
		    "int8(VALUE)");
	shape.dim[0] = (int64_t)l->n;
	kind = kind == DT_NONE ? l->dtype : kind;
	body = arena_alloc(a, l->n * dtype_size(kind));
	for (i = 0; i < l->n; i++)
		if (!argument_fits(kind, body + i * dtype_size(kind), l->dtype,
		    &l->v[i]))
			return refuse(d, text, arena_printf(a, "values that "
			    "%s holds", dtype_name(kind)));
	*v = value_tensor(a, kind, &shape, body);
	return 0;
}

/* KIND(VALUE), as in int8([1,-2]). */
static int
read_kind(struct arena *a, const char *text, const char *open,
    struct value *v, struct diag *d)
{
	enum dtype kind = dtype_of((struct str){ text, (size_t)(open - text) });
	size_t n = strlen(open);

	if (kind == DT_NONE || open[n - 1] != ')')
		return refuse(d, text, "a dtype and a value, as in "
		    "int8([1,-2])");
	return read_literal(a, text, (struct str){ open + 1, n - 2 }, kind, v,
	    d);
}

int
argument_value(struct arena *a, const char *text, struct value *v,
    struct diag *d)
{
	const char *open = strchr(text, '(');
	size_t n = strlen(text);

	if (n > 4 && strcmp(text + n - 4, ".npy") == 0)
		return read_npy(a, text, v, d);
	if (strncmp(text, "rand:", 5) == 0)
		return read_random(a, text, v, d);
	if (open)
		return read_kind(a, text, open, v, d);
	return read_literal(a, text, str_of(text), DT_NONE, v, d);
}

int
argument_write(const char *path, const struct value *v)
{
	struct buf bytes = { 0 };
	int rc;

	npy_encode(v, &bytes);
	rc = file_write(path, bytes.p, bytes.n, false);
	buf_release(&bytes);
	return rc;
}
