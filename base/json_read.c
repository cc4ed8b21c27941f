/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/map.h"

struct reader {
	struct arena *arena;
	struct diag *diag;
	const char *p, *end, *line; /* line: where the present one begins */
	struct loc loc;             /* its column is set when it is needed */
	int depth;
};

static struct loc
place(struct reader *r)
{
	r->loc.col = (int)(r->p - r->line) + 1;
	return r->loc;
}

/* Always NULL, with an error at the present place. */
static struct json_value *
refuse(struct reader *r, const char *expected)
{
	struct loc loc = place(r);
	size_t n;

	if (r->p == r->end)
		diag_error(r->diag, loc, "expected %s, found the end of the "
		    "text", expected);
	else if ((n = json_sequence(r->p, (size_t)(r->end - r->p))) == 0 ||
	    (unsigned char)*r->p < ' ')
		diag_error(r->diag, loc, "expected %s, found the byte 0x%02x",
		    expected, (unsigned)(unsigned char)*r->p);
	else
		diag_error(r->diag, loc, "expected %s, found `%.*s`", expected,
		    (int)n, r->p);
	return NULL;
}

static void
skip_blanks(struct reader *r)
{
	while (r->p < r->end && *r->p && strchr(" \t\r\n", *r->p))
		if (*r->p++ == '\n') {
			r->loc.line++;
			r->line = r->p;
		}
}

static bool
take(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* Four hexadecimal digits, or -1. */
static int
take_hex(struct reader *r)
{
	unsigned char b[2];
	char low[4];

	if (r->end - r->p < 4)
		return -1;
	for (int i = 0; i < 4; i++)
		low[i] = (char)(r->p[i] >= 'A' && r->p[i] <= 'F' ?
		    r->p[i] - 'A' + 'a' : r->p[i]);
	if (!hex_decode(b, 2, (struct str){ low, 4 }))
		return -1;
	r->p += 4;
	return b[0] << 8 | b[1];
}

static void
put_utf8(struct buf *out, int c)
{
	if (c >= 0x10000) {
		buf_putc(out, (char)(0xf0 | c >> 18));
		buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		buf_putc(out, (char)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	else if (c >= 0x80)
		buf_putc(out, (char)(0xc0 | c >> 6));
	buf_putc(out, (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c));
}

/* After `\u`: a character, or a pair of surrogates that are one. */
static bool
read_unicode(struct reader *r, struct buf *out)
{
	int c = take_hex(r), low;

	if (c >= 0xd800 && c < 0xdc00) {
		low = take(r, '\\') && take(r, 'u') ? take_hex(r) : -1;
		c = low >= 0xdc00 && low < 0xe000 ?
		    0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00)) : -1;
	}
	if (c <= 0 || (c >= 0xdc00 && c < 0xe000)) {
		refuse(r, "a character as \\uXXXX, other than \\u0000");
		return false;
	}
	put_utf8(out, c);
	return true;
}

static bool
read_escape(struct reader *r, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = r->p < r->end && *r->p ? strchr(from, *r->p) : NULL;

	if (take(r, 'u'))
		return read_unicode(r, out);
	if (!at) {
		refuse(r, "one of \"\\/bfnrtu after a \\");
		return false;
	}
	r->p++;
	buf_putc(out, to[at - from]);
	return true;
}

/* A text in its quotes. */
static bool
read_text(struct reader *r, struct str *text)
{
	struct buf out = { 0 };
	bool ok = take(r, '"');

	if (!ok)
		refuse(r, "a text in quotes");
	while (ok && !take(r, '"')) {
		size_t n = r->p == r->end ? 0 :
		    json_sequence(r->p, (size_t)(r->end - r->p));

		if (n == 0 || (unsigned char)*r->p < ' ') {
			refuse(r, "a character of UTF-8 or the end of the "
			    "text");
			ok = false;
		} else if (take(r, '\\')) {
			ok = read_escape(r, &out);
		} else {
			buf_put(&out, r->p, n);
			r->p += n;
		}
	}
	*text = (struct str){ arena_strndup(r->arena, out.p ? out.p : "",
	    out.n), out.n };
	buf_release(&out);
	return ok;
}

static bool
take_digits(struct reader *r)
{
	const char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > from;
}

static struct json_value *
read_number(struct reader *r, struct json_value *v)
{
	const char *from = r->p;
	bool ok;

	v->kind = JSON_NUMBER;
	take(r, '-');
	ok = take(r, '0') || take_digits(r);
	if (ok && take(r, '.'))
		ok = take_digits(r);
	if (ok && (take(r, 'e') || take(r, 'E'))) {
		if (!take(r, '+'))
			take(r, '-');
		ok = take_digits(r);
	}
	if (!ok)
		return refuse(r, "a digit");
	v->text = (struct str){ arena_strndup(r->arena, from,
	    (size_t)(r->p - from)), (size_t)(r->p - from) };
	return v;
}

static bool
take_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n))
		return false;
	r->p += n;
	return true;
}

static struct json_value *read_value(struct reader *);

/* `"name":` */
static bool
read_name(struct reader *r, struct map *names, struct str *name)
{
	struct loc loc = place(r);

	if (!read_text(r, name))
		return false;
	if (map_get(names, name->p)) {
		diag_error(r->diag, loc, "`%s` stands here twice", name->p);
		return false;
	}
	map_set(names, name->p, r);
	skip_blanks(r);
	if (take(r, ':'))
		return true;
	refuse(r, "`:`");
	return false;
}

/* After the bracket. */
static struct json_value *
read_all(struct reader *r, struct json_value *v)
{
	bool object = v->kind == JSON_OBJECT;
	struct json_value **last = &v->first;
	struct map names;

	map_init(&names, r->arena);
	skip_blanks(r);
	if (take(r, object ? '}' : ']'))
		return v;
	do {
		struct str name = { 0 };

		skip_blanks(r);
		if (object && !read_name(r, &names, &name))
			return NULL;
		*last = read_value(r);
		if (!*last)
			return NULL;
		(*last)->name = name;
		last = &(*last)->next;
		v->n++;
		skip_blanks(r);
	} while (take(r, ','));
	if (take(r, object ? '}' : ']'))
		return v;
	return refuse(r, object ? "`,` or `}`" : "`,` or `]`");
}

static struct json_value *
read_value(struct reader *r)
{
	struct json_value *v = arena_alloc(r->arena, sizeof *v), *read;

	skip_blanks(r);
	v->loc = place(r);
	if (take_word(r, "null"))
		return v;
	v->kind = JSON_BOOL;
	v->text = str_of("true");
	if (take_word(r, v->text.p))
		return v;
	v->text = str_of("false");
	if (take_word(r, v->text.p))
		return v;
	v->kind = JSON_TEXT;
	if (r->p < r->end && *r->p == '"')
		return read_text(r, &v->text) ? v : NULL;
	if (r->p < r->end && *r->p && strchr("-0123456789", *r->p))
		return read_number(r, v);
	v->kind = take(r, '{') ? JSON_OBJECT : JSON_ARRAY;
	if (v->kind == JSON_ARRAY && !take(r, '['))
		return refuse(r, "a value");
	v->text = (struct str){ "", 0 };
	if (r->depth++ == JSON_DEPTH)
		return refuse(r, "fewer arrays in one another");
	read = read_all(r, v);
	r->depth--;
	return read;
}

const struct json_value *
json_read(struct arena *arena, const char *file, struct str text,
    struct diag *diag)
{
	struct reader r = { .arena = arena, .diag = diag, .p = text.p,
		.end = text.p + text.n, .line = text.p,
		.loc = { file, 1, 1 } };
	struct json_value *v = read_value(&r);

	if (!v)
		return NULL;
	skip_blanks(&r);
	return r.p == r.end ? v : refuse(&r, "the end of the text");
}

const struct json_value *
json_member(const struct json_value *v, const char *name)
{
	if (v->kind != JSON_OBJECT)
		return NULL;
	for (v = v->first; v; v = v->next)
		if (str_is(v->name, name))
			return v;
	return NULL;
}

bool
json_int(const struct json_value *v, int64_t *out)
{
	long long n;

	if (v->kind != JSON_NUMBER || !str_i64(v->text, &n))
		return false;
	*out = n;
	return true;
}

const char *
json_what(const struct json_value *v, struct arena *arena)
{
	static const char *const kinds[] = { "null", "", "", "", "an array",
		"an object" };

	switch (v->kind) {
	case JSON_TEXT:
		return arena_printf(arena, "the text \"%.60s\"", v->text.p);
	case JSON_NUMBER: case JSON_BOOL:
		return arena_printf(arena, "%.60s", v->text.p);
	case JSON_NULL: case JSON_ARRAY: case JSON_OBJECT:
		break;
	}
	return kinds[v->kind];
}
