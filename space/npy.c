/* SPDX-License-Identifier: MIT */
#include "space/npy.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"

#define MAGIC "\x93NUMPY"

/* As NumPy writes it, so that the body is aligned in a mapped file. */
enum { HEAD_ALIGN = 64 };

static const char *const descr[N_DTYPES] = {
	[DT_BOOL] = "|b1",
	[DT_INT8] = "|i1",
	[DT_INT16] = "<i2",
	[DT_INT32] = "<i4",
	[DT_INT64] = "<i8",
	[DT_UINT8] = "|u1",
	[DT_UINT16] = "<u2",
	[DT_UINT32] = "<u4",
	[DT_UINT64] = "<u8",
	[DT_FLOAT32] = "<f4",
	[DT_FLOAT64] = "<f8",
	[DT_FLOAT16] = "<f2",
	[DT_BFLOAT16] = "<V2",
};

/* The header: a literal of a Python dictionary. */
struct reader {
	struct str rest;
	struct loc loc;
	struct diag *diag;
	struct value *v;
};

static int
refuse(struct reader *r, const char *want)
{
	struct str s = r->rest;

	return diag_error(r->diag, r->loc, "npy: expected %s, found \"%.*s\"; "
	    "save the array again with numpy.save", want,
	    (int)(s.n < 40 ? s.n : 40), s.p);
}

static void
skip(struct reader *r, size_t n)
{
	r->rest = (struct str){ r->rest.p + n, r->rest.n - n };
}

/* Takes a token, and the blanks after it, when it comes next. */
static bool
take(struct reader *r, const char *token)
{
	if (!str_starts(r->rest, token))
		return false;
	skip(r, strlen(token));
	while (str_starts(r->rest, " "))
		skip(r, 1);
	return true;
}

static int
get_descr(struct reader *r)
{
	struct str s;
	int t;

	if (r->rest.n < 5 || r->rest.p[0] != '\'' || r->rest.p[4] != '\'')
		return refuse(r, "a dtype such as '<f8'");
	s = (struct str){ r->rest.p + 1, 3 };
	for (t = DT_NONE + 1; t < N_DTYPES; t++) {
		if (str_is(s, descr[t])) {
			r->v->dtype = (enum dtype)t;
			skip(r, 5);
			take(r, "");
			return 0;
		}
	}
	return refuse(r, "a little-endian dtype: b1 i1 i2 i4 i8 u1 u2 u4 u8 "
	    "f2 f4 f8, or V2, which is bfloat16");
}

static int
get_shape(struct reader *r)
{
	struct shape *s = &r->v->shape;
	unsigned long long d;
	struct str digits;
	bool comma = true;

	if (!take(r, "("))
		return refuse(r, "a shape such as (2, 3)");
	while (comma && r->rest.n && r->rest.p[0] != ')') {
		digits = (struct str){ r->rest.p, 0 };
		while (digits.n < r->rest.n && digits.p[digits.n] >= '0' &&
		    digits.p[digits.n] <= '9')
			digits.n++;
		if (s->rank == MAX_RANK || !str_u64(digits, &d) ||
		    d > INT64_MAX)
			return refuse(r, "at most 8 dims from 0");
		s->dim[s->rank++] = (int64_t)d;
		skip(r, digits.n);
		take(r, "");
		comma = take(r, ",");
	}
	/* (3) is a number to Python, not a shape. */
	if ((s->rank == 1 && !comma) || !take(r, ")"))
		return refuse(r, "`,` or the end of a shape such as (2, 3)");
	return 0;
}

static int
get_order(struct reader *r)
{
	if (take(r, "False"))
		return 0;
	return refuse(r, "False for fortran_order (rows one after the other; "
	    "numpy.ascontiguousarray makes it so)");
}

/* The three entries in any order, each once. */
static int
get_header(struct reader *r)
{
	static const struct {
		const char *key;
		int (*get)(struct reader *);
	} entry[] = {
		{ "'descr'", get_descr },
		{ "'fortran_order'", get_order },
		{ "'shape'", get_shape },
	};
	bool seen[3] = { false };
	size_t i, n = 0;

	if (!take(r, "{"))
		return refuse(r, "a header that begins with {");
	for (; n < 3; n++) {
		for (i = 0; i < 3; i++) {
			if (!seen[i] && take(r, entry[i].key))
				break;
		}
		if (i == 3)
			return refuse(r, "'descr', 'fortran_order' and "
			    "'shape', once each");
		seen[i] = true;
		if (!take(r, ":"))
			return refuse(r, "`:` after a name");
		if (entry[i].get(r))
			return -1;
		if (!take(r, ",") && n < 2)
			return refuse(r, "`,` between the entries");
	}
	if (!take(r, "}") || !str_is(r->rest, "\n"))
		return refuse(r, "}, blanks and a line end as the header's "
		    "end");
	return 0;
}

/* Finds the header of version 1.0 or 2.0: its text and where the body is. */
static int
find_header(struct reader *r, const uint8_t *p, size_t n, size_t *body)
{
	size_t len, head;

	if (n < 10 || memcmp(p, MAGIC, 6) != 0)
		return diag_error(r->diag, r->loc, "npy: expected a file that "
		    "begins with \\x93NUMPY, found %zu bytes of something "
		    "else; save the array with numpy.save", n);
	if ((p[6] != 1 && p[6] != 2) || p[7] != 0)
		return diag_error(r->diag, r->loc, "npy: expected version 1.0 "
		    "or 2.0, found %d.%d; save the array again with "
		    "numpy.save", p[6], p[7]);
	head = p[6] == 1 ? 10 : 12;
	len = p[8] | (size_t)p[9] << 8;
	if (p[6] == 2 && n >= head)
		len |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
	if (n < head || len > n - head)
		return diag_error(r->diag, r->loc, "npy: expected a header of "
		    "%zu bytes, found a file of %zu bytes; the file is cut "
		    "short: save the array again", len, n);
	r->rest = (struct str){ (const char *)p + head, len };
	*body = head + len;
	return 0;
}

/* Any other byte in a bool would mean different things to different code. */
static int
check_bools(struct reader *r, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (p[i] > 1)
			return diag_error(r->diag, r->loc, "npy: expected 0 "
			    "or 1 in a bool, found %d at element %zu; convert "
			    "the array with astype(bool)", p[i], i);
	}
	return 0;
}

int
npy_decode(struct arena *a, const void *bytes, size_t n, const char *name,
    struct value *v, struct diag *d)
{
	struct value got = { 0 };
	struct reader r = { .loc = { name, 0, 0 }, .diag = d, .v = &got };
	size_t body = 0, size;
	int64_t count;
	void *copy;

	if (find_header(&r, bytes, n, &body) || get_header(&r))
		return -1;
	size = dtype_size(got.dtype);
	count = shape_count(&got.shape, size);
	if (count < 0 || (uint64_t)count * size != n - body)
		return diag_error(d, r.loc, "npy: expected %lld elements of "
		    "%zu bytes, found %zu bytes; the file is cut short or not "
		    "one array: save the array again", (long long)count, size,
		    n - body);
	bytes = (const char *)bytes + body;
	if (got.dtype == DT_BOOL && check_bools(&r, bytes, n - body))
		return -1;
	copy = arena_alloc(a, n - body);
	if (n > body)
		memcpy(copy, bytes, n - body);
	*v = value_tensor(a, got.dtype, &got.shape, copy);
	return 0;
}

void
npy_encode(const struct value *v, struct buf *out)
{
	struct buf text = { 0 };
	size_t len;
	int i;

	if (v->dtype == DT_NONE)
		BUG("npy_encode of a value of type %s", v->langtype);
	buf_printf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
	    descr[v->dtype]);
	for (i = 0; i < v->shape.rank; i++)
		buf_printf(&text, "%s%lld", i ? ", " : "",
		    (long long)v->shape.dim[i]);
	buf_puts(&text, v->shape.rank == 1 ? ",), }" : "), }");
	while ((10 + text.n + 1) % HEAD_ALIGN)
		buf_putc(&text, ' ');
	buf_putc(&text, '\n');
	len = text.n;
	buf_puts(out, MAGIC);
	buf_put(out, (const uint8_t[]){ 1, 0, (uint8_t)len,
	    (uint8_t)(len >> 8) }, 4);
	buf_put(out, text.p, len);
	buf_put(out, v->body, v->n);
	buf_release(&text);
}
