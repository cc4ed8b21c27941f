/* SPDX-License-Identifier: MIT */
#include "cache/parts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/isa.h"
#include "cache/conf.h"
#include "cache/key.h"
#include "cache/source.h"
#define KVK_NO_STDINT
#include "include/kvk.h"

static const char *const names[] = { "abi", "route", "toolchain", "isa",
	"features", "flags", "link" };

enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

static void
add(struct parts *p, struct arena *a, const char *name, const char *value)
{
	p->part = arena_grow(a, p->part, p->n, &p->cap, sizeof(*p->part));
	p->part[p->n++] = (struct part){ name, value };
}

static const char *
words(struct arena *a, const char *const *item)
{
	const char *text = *item;

	for (item++; *item; item++)
		text = arena_printf(a, "%s %s", text, *item);
	return text;
}

void
parts_of(struct parts *p, struct arena *a, const struct source *src,
    const struct isa *isa, const char *toolchain)
{
	char hex[SHA256_HEX + 1];
	size_t i;

	*p = (struct parts){ .n = 0 };
	key_action(src, isa, toolchain, p->action);
	add(p, a, "abi", arena_printf(a, "%d", KVK_ABI));
	add(p, a, "route", KEY_ROUTE);
	add(p, a, "toolchain", arena_strdup(a, toolchain));
	add(p, a, "isa", isa->name);
	add(p, a, "features", *isa->features ? isa->features : "-");
	add(p, a, "flags", words(a,
	    (const char *const *)key_flags(a, isa, src->headers->include->n)));
	add(p, a, "link", words(a, key_link_flags));
	for (i = 0; i < src->n; i++) {
		sha256_hex(src->file[i].text.p, src->file[i].text.n, hex);
		add(p, a, arena_printf(a, "text %s", src->file[i].name),
		    arena_strdup(a, hex));
	}
}

const char *
parts_get(const struct parts *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (strcmp(p->part[i].name, name) == 0)
			return p->part[i].value;
	}
	return NULL;
}

void
parts_format(const struct parts *p, struct buf *b)
{
	size_t i;

	buf_printf(b, "kvparts 1\naction %s\n", p->action);
	for (i = 0; i < p->n; i++) {
		if (i < N_NAMES)
			buf_printf(b, "%s %s\n", p->part[i].name,
			    p->part[i].value);
		else
			buf_printf(b, "text %s %s\n", p->part[i].value,
			    p->part[i].name + strlen("text "));
	}
}

struct reader {
	struct parts *parts;
	struct arena *arena;
	struct str text;
	const char *name;
	int line;
	struct diag *diag;
};

static int
refuse(struct reader *r, const char *want)
{
	return diag_error(r->diag, (struct loc){ r->name, r->line, 0 },
	    "parts of a key are damaged: expected %s; remove the file", want);
}

/* Takes the line `key value`, whose value is not empty. */
static bool
take(struct reader *r, const char *key, struct str *value)
{
	size_t n = strlen(key);

	r->line++;
	if (!str_next(&r->text, '\n', value) || !str_starts(*value, key) ||
	    value->n <= n + 1 || value->p[n] != ' ')
		return false;
	*value = (struct str){ value->p + n + 1, value->n - n - 1 };
	return memchr(value->p, '\0', value->n) == NULL;
}

static bool
is_digest(struct str s)
{
	unsigned char raw[SHA256_LEN];

	return hex_decode(raw, sizeof(raw), s);
}

static int
read_text(struct reader *r)
{
	struct str v, hex;
	char *name;

	if (!take(r, "text", &v) || !str_next(&v, ' ', &hex) ||
	    !is_digest(hex) || v.n == 0)
		return refuse(r, "'text', 64 digits and a name");
	name = arena_printf(r->arena, "text %.*s", (int)v.n, v.p);
	if (parts_get(r->parts, name))
		return refuse(r, "each text once");
	add(r->parts, r->arena, name,
	    arena_strndup(r->arena, hex.p, hex.n));
	return 0;
}

int
parts_parse(struct parts *p, struct arena *a, struct str text,
    const char *name, struct diag *d)
{
	struct reader r = { p, a, text, name, 0, d };
	struct str v, rest;
	size_t i;

	*p = (struct parts){ .n = 0 };
	if (text.n == 0 || text.p[text.n - 1] != '\n')
		return refuse(&r, "a last line with a line end");
	r.text.n--;
	if (!take(&r, "kvparts", &v) || !str_is(v, "1"))
		return refuse(&r, "'kvparts 1'");
	if (!take(&r, "action", &v) || !is_digest(v))
		return refuse(&r, "'action' and 64 digits");
	memcpy(p->action, v.p, SHA256_HEX);
	for (i = 0; i < N_NAMES; i++) {
		if (!take(&r, names[i], &v) ||
		    (strcmp(names[i], "toolchain") == 0 && !is_digest(v)))
			return refuse(&r, names[i]);
		add(p, a, names[i], arena_strndup(a, v.p, v.n));
	}
	do {
		if (read_text(&r))
			return -1;
		rest = r.text;
	} while (str_next(&rest, '\n', &v));
	return 0;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *
parts_folder(struct arena *a, const char *cache, const char *source)
{
	return arena_printf(a, "%s/why/%s", cache, base_name(source));
}

int
parts_keep(const struct parts *p, const char *cache, const char *source)
{
	struct arena a = { 0 };
	char *path = path_join(&a, parts_folder(&a, cache, source), p->action);
	struct buf b = { 0 };
	const char *c;
	int r = 0;

	for (c = base_name(source); *c && (unsigned char)*c >= 0x20; c++)
		;
	if (*c) {
		errno = EINVAL;
		r = -1;
	} else if (!file_exists(path)) {
		parts_format(p, &b);
		r = make_parents(path);
		if (r == 0)
			r = file_write(path, b.p, b.n, false);
	}
	buf_release(&b);
	arena_release(&a);
	return r;
}
