/* SPDX-License-Identifier: MIT */
#include "base/json.h"

size_t
json_sequence(const char *text, size_t most)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	if (p[0] >= 0xf8 || (p[0] & 0xc0) == 0x80 || n > most)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

static void
put_string(struct buf *out, const char *s)
{
	buf_putc(out, '"');
	while (*s) {
		/* The NUL at the end continues no sequence. */
		size_t n = json_sequence(s, 4);

		if (n == 0)
			buf_puts(out, "\\ufffd");
		else if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			buf_printf(out, "\\u%04x", (unsigned)*s);
		else
			buf_put(out, s, n);
		s += n ? n : 1;
	}
	buf_putc(out, '"');
}

/* What stands before a value. */
static void
begin(struct json *j, const char *key)
{
	if (j->more)
		buf_putc(j->out, ',');
	j->more = true;
	if (key) {
		put_string(j->out, key);
		buf_putc(j->out, ':');
	}
}

void
json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	buf_putc(j->out, bracket);
	j->more = false;
}

void
json_close(struct json *j, char bracket)
{
	buf_putc(j->out, bracket);
	j->more = true;
}

void
json_text(struct json *j, const char *key, const char *text)
{
	begin(j, key);
	if (text)
		put_string(j->out, text);
	else
		buf_puts(j->out, "null");
}

void
json_number(struct json *j, const char *key, long long n)
{
	begin(j, key);
	buf_printf(j->out, "%lld", n);
}

void
json_bool(struct json *j, const char *key, bool b)
{
	begin(j, key);
	buf_puts(j->out, b ? "true" : "false");
}
