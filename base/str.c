/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/sha256.h"

/* The bytes of U+00B7, the separator of packages. */
#define DOT "\xc2\xb7"

enum { NAME_MAX_BYTES = 200, NAME_PREFIX = 135 };

struct str
str_of(const char *s)
{
	return (struct str){ s, strlen(s) };
}

bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
str_is(struct str a, const char *s)
{
	return str_eq(a, str_of(s));
}

bool
str_starts(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.n >= n && (n == 0 || memcmp(a.p, prefix, n) == 0);
}

bool
str_next(struct str *rest, char sep, struct str *field)
{
	/* Marks, by its address, a rest that is empty because the text ended
	 * in a separator: one more, empty field is due. Its content keeps the
	 * compiler from giving "" the same address. */
	static const char due[] = "str_next: an empty field is due";
	const char *end;

	if (rest->n == 0) {
		if (rest->p != due)
			return false;
		*field = *rest;
		*rest = (struct str){ "", 0 };
		return true;
	}
	end = memchr(rest->p, sep, rest->n);
	if (!end) {
		*field = *rest;
		*rest = (struct str){ rest->p + rest->n, 0 };
		return true;
	}
	*field = (struct str){ rest->p, (size_t)(end - rest->p) };
	*rest = (struct str){ end + 1, rest->n - field->n - 1 };
	if (rest->n == 0)
		rest->p = due;
	return true;
}

bool
str_u64(struct str s, unsigned long long *out)
{
	unsigned long long v = 0;
	size_t i;

	if (s.n == 0 || (s.n > 1 && s.p[0] == '0'))
		return false;
	for (i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' ||
		    __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (unsigned)(s.p[i] - '0'), &v))
			return false;
	}
	*out = v;
	return true;
}

bool
str_i64(struct str s, long long *out)
{
	bool neg = s.n && s.p[0] == '-';
	unsigned long long v;

	if (neg)
		s = (struct str){ s.p + 1, s.n - 1 };
	if (!str_u64(s, &v) || (neg && v == 0) ||
	    v > (unsigned long long)LLONG_MAX + neg)
		return false;
	/* -v - 1 + 1 keeps the smallest number in range. */
	*out = neg ? -(long long)(v - 1) - 1 : (long long)v;
	return true;
}

static void
buf_room(struct buf *b, size_t n)
{
	size_t want = b->cap ? b->cap : 64;
	char *p;

	if (n < b->cap - b->n && b->p)
		return;
	if (n > PTRDIFF_MAX - b->n - 1)
		fatal("out of memory (%zu bytes)", n);
	while (want < b->n + n + 1)
		want *= 2;
	p = realloc(b->p, want);
	if (!p)
		fatal("out of memory (%zu bytes)", want);
	b->p = p;
	b->cap = want;
}

void
buf_put(struct buf *b, const void *p, size_t n)
{
	buf_room(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void
buf_putc(struct buf *b, char c)
{
	buf_put(b, &c, 1);
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room;
	va_list again;
	int n;

	/* At once where there is room, which is mostly. */
	va_copy(again, ap);
	buf_room(b, 0);
	room = b->cap - b->n;
	n = vsnprintf(b->p + b->n, room, fmt, ap);
	if (n < 0)
		BUG("vsnprintf failed on \"%s\"", fmt);
	if ((size_t)n >= room) {
		buf_room(b, (size_t)n);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	b->n += (size_t)n;
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void
buf_clear(struct buf *b)
{
	b->n = 0;
	if (b->p)
		b->p[0] = '\0';
}

void
buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

struct str
buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}

void
hex_encode(char *out, const void *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < n; i++) {
		out[2 * i] = digit[p[i] >> 4];
		out[2 * i + 1] = digit[p[i] & 15];
	}
	out[2 * n] = '\0';
}

bool
hex_decode(void *bytes, size_t n, struct str s)
{
	/* The value of a digit + 1; 0 for what is none. A table, because
	 * digits of digests are at random and branches would be too. */
	static const unsigned char digit[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5,
		['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
		['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
		['f'] = 16,
	};
	unsigned char *p = bytes;
	size_t i;

	if (s.n % 2 || s.n / 2 != n)
		return false;
	for (i = 0; i < n; i++) {
		unsigned hi = digit[(unsigned char)s.p[2 * i]];
		unsigned lo = digit[(unsigned char)s.p[2 * i + 1]];

		if (!hi || !lo)
			return false;
		p[i] = (unsigned char)((hi - 1) << 4 | (lo - 1));
	}
	return true;
}

static bool
is_plain(unsigned char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-';
}

char *
name_escape(struct arena *a, const char *name)
{
	char hex[SHA256_HEX + 1], *out;
	struct buf b = { 0 };
	const char *s = name;

	while (*s) {
		if (strncmp(s, DOT, 2) == 0) {
			buf_putc(&b, '.');
			s += 2;
			continue;
		}
		if (is_plain((unsigned char)*s))
			buf_putc(&b, *s);
		else
			buf_printf(&b, "%%%02X", (unsigned char)*s);
		s++;
	}
	if (b.n > NAME_MAX_BYTES) {
		sha256_hex(name, strlen(name), hex);
		b.n = NAME_PREFIX;
		buf_putc(&b, '~');
		buf_puts(&b, hex);
	}
	out = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return out;
}

char *
name_typed(struct arena *a, const char *s)
{
	struct buf b = { 0 };
	char *name;

	for (; *s; s++) {
		if (*s == ':')
			buf_puts(&b, DOT);
		else
			buf_putc(&b, *s);
	}
	name = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return name;
}

void
name_split(const char *qualified, struct str *pkg, struct str *name)
{
	const char *s, *last = NULL;

	for (s = strstr(qualified, DOT); s; s = strstr(s + 2, DOT))
		last = s;
	if (!last) {
		*pkg = (struct str){ qualified, 0 };
		*name = str_of(qualified);
		return;
	}
	*pkg = (struct str){ qualified, (size_t)(last - qualified) };
	*name = str_of(last + 2);
}
