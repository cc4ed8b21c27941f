/* SPDX-License-Identifier: MIT */
/* Readers of runtime/. */
#include <stdbool.h>
#include <string.h>

#include "runtime/argument.h"
#include "tests/fuzz/fuzz.h"

/* Whether a text asks for a large random tensor, whose time and memory are the
 * asker's choice, or for a file. */
static bool
is_costly(const char *text)
{
	size_t n = strlen(text), i, run = 0, x = 0;

	if (n > 4 && strcmp(text + n - 4, ".npy") == 0)
		return true;
	if (strncmp(text, "rand:", 5) != 0)
		return false;
	for (i = 5; i < n && text[i] != ':'; i++) {
		x += text[i] == 'x';
		run = text[i] >= '0' && text[i] <= '9' ? run + 1 : 0;
		if (run > 3 || x > 1)
			return true;
	}
	return false;
}

void
fz_argument(const uint8_t *p, size_t n)
{
	const char *text;
	struct value v;
	struct fuzz f;
	char why[120];
	int bad;

	fuzz_begin(&f);
	text = arena_strndup(&f.arena, (const char *)p, n);
	if (is_costly(text)) {
		fuzz_end(&f, 0);
		return;
	}
	bad = argument_value(&f.arena, text, &v, &f.diag);
	if (!bad && value_check(&v, why))
		BUG("%s gives a value that does not check: %s", text, why);
	fuzz_end(&f, bad);
}
