/* SPDX-License-Identifier: MIT */
#include "space/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "space/half.h"

enum { MAX_ELEMENTS = 16, MAX_CHARS = 64, COUNTS = 5 };

/* Whether the text of a number of dtype t is that of x. */
static bool
reads_back(const char *text, enum dtype t, double x)
{
	double d = strtod(text, NULL);
	uint16_t bits;

	if (t == DT_FLOAT32)
		return strtof(text, NULL) == (float)x;
	if (!dtype_is_half(t))
		return d == x;
	half_store(t, &bits, d);
	return half_load(t, &bits) == x;
}

/* Significant digits of the shortest text that reads back as x. The text has
 * the locale's radix, which strtod expects too; only its digits are used. */
static int
shortest(double x, enum dtype t, char *digits, int *exponent)
{
	char text[64];
	int precision, n = 0;
	const char *p;

	for (precision = 0; precision < 17; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, x);
		if (reads_back(text, t, x))
			break;
	}
	for (p = text; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			digits[n++] = *p;
	*exponent = atoi(p + 1);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	return n;
}

static void
put_float(double x, enum dtype t, struct buf *out)
{
	char digits[32];
	int n, exponent, i;

	if (isnan(x)) {
		buf_puts(out, "nan");
		return;
	}
	if (signbit(x))
		buf_putc(out, '-');
	if (isinf(x)) {
		buf_puts(out, "inf");
		return;
	}
	n = shortest(fabs(x), t, digits, &exponent);
	if (exponent < -4 || exponent >= 16) {
		buf_putc(out, digits[0]);
		if (n > 1)
			buf_putc(out, '.');
		buf_put(out, digits + 1, (size_t)n - 1);
		buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+',
		    abs(exponent));
		return;
	}
	if (exponent < 0) {
		buf_puts(out, "0.");
		for (i = exponent + 1; i < 0; i++)
			buf_putc(out, '0');
		buf_put(out, digits, (size_t)n);
		return;
	}
	for (i = 0; i < n || i < exponent + 2; i++) {
		if (i == exponent + 1)
			buf_putc(out, '.');
		buf_putc(out, i < n ? digits[i] : '0');
	}
}

static int64_t
load_int(enum dtype t, const void *p)
{
	int64_t i = 0;
	size_t size = dtype_size(t);

	memcpy(&i, p, size);
	if (t >= DT_INT8 && t <= DT_INT32)
		i = (int64_t)((uint64_t)i << (64 - 8 * size)) >>
		    (64 - 8 * size);
	return i;
}

static void
put_element(enum dtype t, const void *p, struct buf *out)
{
	double d;
	float f;

	if (t == DT_BOOL) {
		buf_puts(out, *(const uint8_t *)p ? "true" : "false");
	} else if (t == DT_FLOAT32) {
		memcpy(&f, p, sizeof(f));
		put_float((double)f, t, out);
	} else if (t == DT_FLOAT64) {
		memcpy(&d, p, sizeof(d));
		put_float(d, t, out);
	} else if (dtype_is_half(t)) {
		put_float(half_load(t, p), t, out);
	} else if (t == DT_UINT64) {
		buf_printf(out, "%" PRIu64, (uint64_t)load_int(t, p));
	} else {
		buf_printf(out, "%" PRId64, load_int(t, p));
	}
}

/* Axis `axis` of an array at *p, which moves on. At most *left elements are
 * shown, then `…` in each list that has more. */
static void
put_axis(const struct value *v, int axis, const char **p, int64_t *left,
    struct buf *out)
{
	int64_t i;

	if (axis == v->shape.rank) {
		put_element(v->dtype, *p, out);
		*p += dtype_size(v->dtype);
		--*left;
		return;
	}
	buf_putc(out, '[');
	for (i = 0; i < v->shape.dim[axis]; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		if (*left <= 0) {
			buf_puts(out, "…");
			break;
		}
		put_axis(v, axis + 1, p, left, out);
	}
	buf_putc(out, ']');
}

/* Lists without elements are not spelled out: one of their other dims may be
 * huge. */
static void
put_array(const struct value *v, int64_t left, struct buf *out)
{
	const char *p = v->body;

	if (shape_count(&v->shape, 1) == 0)
		buf_puts(out, "[]");
	else
		put_axis(v, 0, &p, &left, out);
}

/* The kind after the brackets when the value is a string, else NULL. */
static const char *
string_kind(const struct value *v)
{
	const char *close = strchr(v->langtype, ']');

	return v->langtype[0] == '[' && close &&
	    strncmp(close + 1, "char/", 5) == 0 ? close + 1 : NULL;
}

static void
put_utf8(uint32_t c, struct buf *out)
{
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = 0xfffd;
	if (c < 0x80) {
		buf_putc(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_putc(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_putc(out, (char)(0xe0 | c >> 12));
		} else {
			buf_putc(out, (char)(0xf0 | c >> 18));
			buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_putc(out, (char)(0x80 | (c & 0x3f)));
}

/* The text of a string value. */
static void
put_string(const struct value *v, struct buf *out)
{
	const char *body = v->body;
	uint32_t c;
	size_t i;

	if (strcmp(string_kind(v), "char/utf32") != 0) {
		buf_put(out, body, v->n);
		return;
	}
	for (i = 0; i + 4 <= v->n; i += 4) {
		memcpy(&c, body + i, 4);
		put_utf8(c, out);
	}
}

/* Text that keeps to one line: without TAB, line ends and other controls. */
static void
put_escaped(const char *p, size_t n, struct buf *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '\t')
			buf_puts(out, "\\t");
		else if (c < ' ' || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_putc(out, p[i]);
	}
}

static void
put_quoted(const char *p, size_t n, struct buf *out)
{
	size_t chars = 0, i;

	buf_putc(out, '"');
	for (i = 0; i < n; i++) {
		chars += (p[i] & 0xc0) != 0x80;
		if (chars > MAX_CHARS)
			break;
		if (p[i] == '"' || p[i] == '\\')
			buf_putc(out, '\\');
		put_escaped(p + i, 1, out);
	}
	buf_puts(out, i < n ? "\"…" : "\"");
}

void
value_display(const struct value *v, struct buf *out)
{
	if (v->langtype[0] == '\0')
		buf_puts(out, "None");
	else if (v->dtype != DT_NONE)
		put_array(v, INT64_MAX, out);
	else if (string_kind(v))
		put_string(v, out);
	else
		value_describe(v, out);
}

static bool
is_type(const struct value *v, const char *a, const char *b)
{
	return strcmp(v->langtype, a) == 0 || strcmp(v->langtype, b) == 0;
}

void
value_describe(const struct value *v, struct buf *out)
{
	const uint8_t *head = v->body;
	const char *p = v->body, *nul;
	struct buf text = { 0 };

	if (v->langtype[0] == '\0') {
		buf_puts(out, "None");
	} else if (v->dtype != DT_NONE) {
		put_array(v, MAX_ELEMENTS, out);
	} else if (string_kind(v)) {
		put_string(v, &text);
		put_quoted(text.p, text.n, out);
	} else if (is_type(v, "rwfunc", "def rwir") && v->n == COUNTS) {
		buf_printf(out, "%d %d %d", head[0] | head[1] << 8,
		    head[2] | head[3] << 8, head[4]);
	} else if (is_type(v, "rwir", "rwir|rwfunc") && v->n >= COUNTS) {
		put_escaped(p + COUNTS, v->n - COUNTS, out);
	} else if (is_type(v, "def langtype", "def langtype")) {
		nul = v->n ? memchr(p, '\0', v->n) : NULL;
		if (nul) {
			put_escaped(p, (size_t)(nul - p), out);
			buf_putc(out, ':');
			p = nul + 1;
		}
		put_escaped(p, v->n - (size_t)(p - (const char *)v->body),
		    out);
	} else {
		put_quoted(p, v->n, out);
	}
	buf_release(&text);
}

void
space_print(const struct space *s, const char *prefix, struct buf *out)
{
	const struct value *v;
	const char *key;
	size_t it = 0;

	while ((key = space_next(s, prefix, &it, &v))) {
		buf_printf(out, "%s\t%s\t", key, v->langtype);
		value_describe(v, out);
		buf_putc(out, '\n');
	}
}
