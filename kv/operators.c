/* SPDX-License-Identifier: MIT */
#include "kv/operators.h"

#include <stddef.h>
#include <string.h>

struct operator {
	const char *text;
	int level;
	const char *word;
};

static const struct operator infix[] = {
#define INFIX(text, level, word) { text, level, word },
#define PREFIX(text, word)
#include "kv/operators.def"
#undef INFIX
#undef PREFIX
};

static const struct operator prefix[] = {
#define INFIX(text, level, word)
#define PREFIX(text, word) { text, 0, word },
#include "kv/operators.def"
#undef INFIX
#undef PREFIX
};

static const struct operator *
find(const struct operator *table, size_t n, const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(table[i].text, text) == 0)
			return &table[i];
	return NULL;
}

static const struct operator *
find_infix(const char *text)
{
	return find(infix, sizeof(infix) / sizeof(infix[0]), text);
}

int
infix_level(const char *text)
{
	const struct operator *o = find_infix(text);

	return o ? o->level : 0;
}

const char *
infix_word(const char *text)
{
	const struct operator *o = find_infix(text);

	return o ? o->word : NULL;
}

const char *
prefix_word(const char *text)
{
	const struct operator *o = find(prefix,
	    sizeof(prefix) / sizeof(prefix[0]), text);

	return o ? o->word : NULL;
}
