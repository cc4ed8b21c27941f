/* SPDX-License-Identifier: MIT */
/* Readers of base/. */
#include "base/json.h"
#include "tests/fuzz/fuzz.h"

/* Texts of what is taken are UTF-8 without U+0000. */
static void
check_texts(const struct json_value *v)
{
	for (size_t i = 0; i < v->text.n;) {
		size_t n = json_sequence(v->text.p + i, v->text.n - i);

		if (n == 0 || v->text.p[i] == '\0')
			BUG("json: a text that is none");
		i += n;
	}
	for (v = v->first; v; v = v->next)
		check_texts(v);
}

void
fz_json(const uint8_t *p, size_t n)
{
	const struct json_value *v;
	struct fuzz f;

	fuzz_begin(&f);
	v = json_read(&f.arena, "json", (struct str){ (const char *)p, n },
	    &f.diag);
	if (v)
		check_texts(v);
	fuzz_end(&f, !v);
}
