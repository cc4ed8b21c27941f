/* SPDX-License-Identifier: MIT */
#include "kv/near.h"

#include <stdint.h>
#include <string.h>

#include "kv/token.h"

enum { MAX_WORD = 64, MAX_EDITS = 2 };

/* The code points of a word; -1 when it is too long to be compared. */
static int
decode(const char *word, int32_t *out)
{
	struct str rest = str_of(word);
	int32_t c;
	int n = 0;

	while ((c = utf8_next(&rest)) >= 0) {
		if (n == MAX_WORD)
			return -1;
		out[n++] = c;
	}
	return n;
}

static int
least(int a, int b)
{
	return a < b ? a : b;
}

/* The restricted Damerau-Levenshtein distance, three rows at a time. */
static int
distance(const int32_t *a, int na, const int32_t *b, int nb)
{
	int row[3][MAX_WORD + 1], *last = row[0], *now = row[1], *old = row[2];
	int *swap, i, j;

	for (j = 0; j <= nb; j++)
		last[j] = j;
	for (i = 1; i <= na; i++) {
		now[0] = i;
		for (j = 1; j <= nb; j++) {
			now[j] = least(last[j] + 1, now[j - 1] + 1);
			now[j] = least(now[j],
			    last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = least(now[j], old[j - 2] + 1);
		}
		swap = old;
		old = last;
		last = now;
		now = swap;
	}
	return last[nb];
}

void
near_try(struct near *near, const char *name)
{
	int32_t a[MAX_WORD], b[MAX_WORD];
	int na = decode(near->word, a), nb = decode(name, b), d;

	if (na < 0 || nb < 0 || na - nb > MAX_EDITS || nb - na > MAX_EDITS)
		return;
	d = distance(a, na, b, nb);
	if (d == 0 || d > MAX_EDITS || 3 * d >= na ||
	    (near->best && d >= near->distance))
		return;
	near->best = name;
	near->distance = d;
}
