/* SPDX-License-Identifier: MIT */
#include "cache/receipt.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"

static int
refuse(const char *name, int line, const char *want, struct diag *d)
{
	return diag_error(d, (struct loc){ name, line, 0 },
	    "receipt is damaged: expected %s; delete it and build again", want);
}

/* Takes the line `key value`. */
static bool
take(struct str *text, const char *key, struct str *value)
{
	struct str line;
	size_t n = strlen(key);

	if (!str_next(text, '\n', &line) || !str_starts(line, key) ||
	    line.n <= n + 1 || line.p[n] != ' ')
		return false;
	*value = (struct str){ line.p + n + 1, line.n - n - 1 };
	return true;
}

static bool
take_digest(struct str *text, const char *key, char out[SHA256_HEX + 1])
{
	unsigned char raw[SHA256_LEN];
	struct str hex;

	if (!take(text, key, &hex) || !hex_decode(raw, sizeof(raw), hex))
		return false;
	memcpy(out, hex.p, SHA256_HEX);
	out[SHA256_HEX] = '\0';
	return true;
}

int
receipt_parse(
    struct receipt *r, struct str text, const char *name, struct diag *d)
{
	struct str s;

	*r = (struct receipt){ .size = 0 };
	if (text.n == 0 || text.p[text.n - 1] != '\n')
		return refuse(name, 0, "a last line with a line end", d);
	text.n--;
	if (!take(&text, "kvreceipt", &s) || !str_is(s, "1"))
		return refuse(name, 1, "'kvreceipt 1'", d);
	if (!take_digest(&text, "action", r->action))
		return refuse(name, 2, "'action' and 64 digits", d);
	if (!take_digest(&text, "object", r->object))
		return refuse(name, 3, "'object' and 64 digits", d);
	if (!take(&text, "size", &s) || !str_u64(s, &r->size))
		return refuse(name, 4, "'size' and a number", d);
	if (str_next(&text, '\n', &s))
		return refuse(name, 5, "the end after four lines", d);
	return 0;
}

int
receipt_read(struct receipt *r, const char *path, struct diag *d)
{
	struct arena a = { 0 };
	struct str text;
	int ret;

	if (file_read(&a, path, &text))
		ret = diag_error(d, (struct loc){ path, 0, 0 },
		    "cannot read the receipt: %s", strerror(errno));
	else
		ret = receipt_parse(r, text, path, d);
	arena_release(&a);
	return ret;
}

void
receipt_format(const struct receipt *r, struct buf *b)
{
	buf_printf(b, "kvreceipt 1\naction %s\nobject %s\nsize %llu\n",
	    r->action, r->object, r->size);
}

int
receipt_write(const struct receipt *r, const char *path, bool *changed)
{
	struct buf b = { 0 };
	int ret;

	receipt_format(r, &b);
	ret = file_update(path, b.p, b.n, changed);
	buf_release(&b);
	return ret;
}
