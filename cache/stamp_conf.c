/* SPDX-License-Identifier: MIT */
#include "cache/stamp_conf.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"

static const struct {
	const char *text;
	enum stamp_word word;
	bool grouped; /* belongs to the stamp above it */
} words[] = {
	{ "stamp", STAMP_STAMP, false },
	{ "file", STAMP_FILE, true },
	{ "tree", STAMP_TREE, true },
	{ "toolchain", STAMP_TOOLCHAIN, true },
	{ "receipts", STAMP_RECEIPTS, false },
	{ "sealed", STAMP_SEALED, false },
	{ "cache", STAMP_CACHE, false },
};

enum { N_WORDS = sizeof(words) / sizeof(words[0]) };

/* The name of a file beside `memo`. */
static bool
is_name(struct str s)
{
	return !memchr(s.p, '/', s.n) && !str_is(s, "memo") && s.p[0] != '.';
}

static bool
read_order(struct str line, bool in_group, struct stamp_order *o)
{
	struct str word;
	size_t i;

	*o = (struct stamp_order){ .path = { "", 0 } };
	if (memchr(line.p, '\0', line.n) || !str_next(&line, '\t', &word))
		return false;
	str_next(&line, '\t', &o->path);
	o->suffixes = line;
	for (i = 0; i < N_WORDS && !str_is(word, words[i].text); i++)
		;
	if (i == N_WORDS || (words[i].grouped && !in_group))
		return false;
	o->word = words[i].word;
	if (line.n && o->word != STAMP_TREE)
		return false;
	if (o->path.n == 0)
		return o->word == STAMP_TOOLCHAIN;
	return o->word != STAMP_STAMP || is_name(o->path);
}

int
stamp_conf_parse(struct arena *a, const char *file, struct str text,
    struct stamp_order **order, size_t *n, struct diag *d)
{
	struct loc l = { file, 0, 0 };
	bool in_group = false;
	size_t cap = 0;
	struct str line, word;

	*order = NULL;
	*n = 0;
	while (str_next(&text, '\n', &line)) {
		l.line++;
		if (line.n == 0)
			continue;
		*order = arena_grow(a, *order, *n, &cap, sizeof(**order));
		if (!read_order(line, in_group, &(*order)[*n])) {
			str_next(&line, '\t', &word);
			return diag_error(d, l, "expected stamp and a name, "
			    "then file, tree or toolchain, or receipts, cache "
			    "or sealed, and a path; found '%.*s'",
			    (int)word.n, word.p);
		}
		in_group |= (*order)[*n].word == STAMP_STAMP;
		++*n;
	}
	return 0;
}
