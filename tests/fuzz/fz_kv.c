/* SPDX-License-Identifier: MIT */
/* The language: any text is laid out or refused, and what the formatter makes
 * of one lays out alike and stays as it is. */
#include <string.h>

#include "kv/ast.h"
#include "kv/example.h"
#include "kv/format.h"
#include "kv/kv.h"
#include "space/text.h"
#include "tests/fuzz/fuzz.h"

/* Formats a text that has no errors of syntax. */
static void
format(struct fuzz *f, struct str text, struct buf *out)
{
	struct diag d;

	diag_init(&d);
	if (kv_format(kv_parse(&f->arena, "f.kv", text, &d), out, &d))
		BUG("a formatted text does not parse:\n%.*s", (int)text.n,
		    text.p);
	diag_release(&d);
}

/* The rows without what tells of places in the text. */
static void
rows(struct fuzz *f, struct str text, struct buf *out)
{
	struct space *s = space_new();
	const struct value *v;
	const char *key;
	size_t it = 0;
	struct diag d;

	diag_init(&d);
	if (!kv_layout(kv_parse(&f->arena, "f.kv", text, &d), s, &d))
		while ((key = space_next(s, "", &it, &v))) {
			struct str k = str_of(key);

			if ((k.n > 4 && !strcmp(key + k.n - 4, ".src")) ||
			    strstr(key, "/‥lines") || strstr(key, "/‥cols"))
				continue;
			buf_printf(out, "%s\t%s\t", key, v->langtype);
			value_describe(v, out);
			buf_putc(out, '\n');
		}
	diag_release(&d);
	space_free(s);
}

/* What stands in comments is read after the file itself. */
static int
examples(const struct kv_file *file, struct diag *diag)
{
	for (const struct kv_func *f = file->funcs; f; f = f->next)
		kv_examples(file, f, diag);
	return diag->errors ? -1 : 0;
}

void
fz_source(const uint8_t *p, size_t n)
{
	struct str text = { (const char *)p, n };
	struct buf once = { 0 }, twice = { 0 }, old = { 0 }, new = { 0 };
	struct kv_file *file;
	struct fuzz f;
	int refused;

	fuzz_begin(&f);
	file = kv_parse(&f.arena, "f.kv", text, &f.diag);
	if (!kv_format(file, &once, &f.diag)) {
		format(&f, buf_str(&once), &twice);
		fuzz_same("format", buf_str(&once), buf_str(&twice));
		rows(&f, text, &old);
		rows(&f, buf_str(&once), &new);
		fuzz_same("layout", buf_str(&old), buf_str(&new));
	}
	refused = kv_vet(file, &f.diag);
	fuzz_end(&f, refused ? refused : examples(file, &f.diag));
	buf_release(&once);
	buf_release(&twice);
	buf_release(&old);
	buf_release(&new);
}

void
fz_langtype(const uint8_t *p, size_t n)
{
	static const float body[2];
	struct value v = { .langtype = "[1,2]float32", .dtype = DT_FLOAT32,
		.shape = { 2, { 1, 2 } }, .body = body, .n = sizeof(body) };
	struct str text = { (const char *)p, n };

	if (kv_langtype_match(text, &v) && !kv_langtype_valid(text))
		BUG("a malformed langtype matches: %.*s", (int)n, text.p);
}
