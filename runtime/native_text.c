/* SPDX-License-Identifier: MIT */
/* Strings: arrays of characters in one of three kinds (kvlang.md 3.1). */
#include "runtime/native_ops.h"

#include <string.h>

#include "kv/token.h"
#include "space/text.h"

bool
text_is(const struct cell *c)
{
	const char *close;

	if (!c || c->v.dtype != DT_NONE || *c->v.langtype != '[')
		return false;
	close = strchr(c->v.langtype, ']');
	return close && strncmp(close + 1, "char/", 5) == 0;
}

static bool
is_kind(const struct cell *c, const char *kind)
{
	return strcmp(strchr(c->v.langtype, ']') + 1, kind) == 0;
}

int64_t
text_length(const struct cell *c)
{
	return (int64_t)(is_kind(c, "char/utf32") ? c->v.n / 4 : c->v.n);
}

static void
decode(struct text *t, struct str rest)
{
	int32_t c;

	while (rest.n > 0) {
		c = utf8_next(&rest);
		if (c < 0) {
			c = 0xfffd;
			rest.p++;
			rest.n--;
		}
		t->c[t->n++] = c;
	}
}

int
text_of(struct cell *c, struct arena *arena, struct text *t)
{
	if (!text_is(c))
		return -1;
	t->kind = strchr(c->v.langtype, ']') + 1;
	t->n = 0;
	t->c = arena_array(arena, (size_t)text_length(c) + 1, sizeof(*t->c));
	if (is_kind(c, "char/utf32")) {
		t->n = c->v.n / 4;
		if (t->n)
			memcpy(t->c, c->mem, 4 * t->n);
	} else {
		decode(t, (struct str){ c->mem, c->v.n });
	}
	return 0;
}

/* In UTF-8, which display gives of UTF-32. */
static void
encode(const int32_t *text, size_t n, bool wide, struct buf *out)
{
	struct value v = value_text("[]char/utf32", text, 4 * n);

	if (wide)
		buf_put(out, text, 4 * n);
	else
		value_display(&v, out);
}

int
give_text(struct native_call *c, const char *kind, const int32_t *text,
    size_t n)
{
	bool wide = strcmp(kind, "char/utf32") == 0;
	struct buf body = { 0 };
	char langtype[64];
	struct value v;

	encode(text, n, wide, &body);
	snprintf(langtype, sizeof(langtype), "[%zu]%s", wide ? n : body.n,
	    kind);
	v = value_text(langtype, body.n ? body.p : "", body.n);
	c->out = cell_copy(&c->rt->heap, &v);
	buf_release(&body);
	return c->out ? 0 : native_fail(c, "MemoryError: %s", c->name);
}

/* Read i, of which single characters are asked for. */
static int
fixed(struct native_call *c, int i, struct arena *arena, struct text *t)
{
	if (text_of(c->in[i], arena, t))
		return native_fail(c, "TypeError: %s requires a string, got "
		    "%s", c->name, native_kind(c->in[i]));
	if (strcmp(t->kind, "char/utf8") == 0)
		return native_fail(c, "TypeError: char/utf8 is variable-width; "
		    "index/code-point ops require char/utf32 or char/ascii");
	return 0;
}

int
text_len(struct native_call *c)
{
	struct arena arena = { 0 };
	struct text t;
	int rc = fixed(c, 0, &arena, &t);

	arena_release(&arena);
	return rc ? -1 : give_int(c, (int64_t)t.n);
}

static int
check_index(struct native_call *c, int64_t at, size_t n)
{
	if (at >= 0 && at < (int64_t)n)
		return 0;
	return native_fail(c, "IndexError: at: index %lld out of bounds (char "
	    "count=%zu)", (long long)at, n);
}

/* Also xv·at of a string. */
int
text_char(struct native_call *c)
{
	struct arena arena = { 0 };
	struct number n;
	struct text t;
	int64_t at;
	int rc;

	if (!text_is(c->in[0]) || !number_of(c->in[1], &n) ||
	    dtype_is_float(n.dtype))
		return native_fail(c, "TypeError: string·char requires string "
		    "and index");
	rc = fixed(c, 0, &arena, &t) || native_index(c, 1, &at) ||
	    check_index(c, at, t.n) || give_text(c, t.kind, t.c + at, 1);
	arena_release(&arena);
	return rc ? -1 : 0;
}

int
text_ord(struct native_call *c)
{
	struct arena arena = { 0 };
	struct text t;
	int rc = fixed(c, 0, &arena, &t) || check_index(c, 0, t.n) ||
	    give_int(c, t.c[0]);

	arena_release(&arena);
	return rc ? -1 : 0;
}

static int
no_strings(struct native_call *c)
{
	return native_fail(c, "TypeError: %s requires strings, got %s and %s",
	    c->name, native_kind(c->in[0]), native_kind(c->in[1]));
}

/* Two strings of any kind. */
static int
both(struct native_call *c, struct arena *arena, struct text *t)
{
	return text_of(c->in[0], arena, &t[0]) ||
	    text_of(c->in[1], arena, &t[1]) ? no_strings(c) : 0;
}

int
text_order(struct cell *a, struct cell *b)
{
	struct arena arena = { 0 };
	struct text s, t;
	size_t i = 0;
	int order;

	text_of(a, &arena, &s);
	text_of(b, &arena, &t);
	while (i < s.n && i < t.n && s.c[i] == t.c[i])
		i++;
	order = i < s.n && i < t.n ? (s.c[i] > t.c[i] ? 1 : -1) :
	    (s.n > t.n) - (s.n < t.n);
	arena_release(&arena);
	return order;
}

int
text_cmp(struct native_call *c)
{
	if (!text_is(c->in[0]) || !text_is(c->in[1]))
		return no_strings(c);
	return give_int(c, text_order(c->in[0], c->in[1]));
}

static int64_t
find(const struct text *in, const struct text *what)
{
	size_t i;

	for (i = 0; i + what->n <= in->n; i++)
		if (memcmp(in->c + i, what->c, 4 * what->n) == 0)
			return (int64_t)i;
	return -1;
}

int
text_find(struct native_call *c)
{
	struct arena arena = { 0 };
	struct text t[2];
	int rc = both(c, &arena, t) || fixed(c, 0, &arena, &t[0]) ||
	    give_int(c, find(&t[0], &t[1]));

	arena_release(&arena);
	return rc ? -1 : 0;
}

int
text_slice(struct native_call *c)
{
	struct arena arena = { 0 };
	struct text t;
	int64_t lo, hi;
	int rc = fixed(c, 0, &arena, &t) || native_index(c, 1, &lo) ||
	    native_index(c, 2, &hi);

	if (!rc && (lo < 0 || hi < lo || hi > (int64_t)t.n))
		rc = native_fail(c, "IndexError: at: slice index out of bounds "
		    "(lo=%lld hi=%lld char count=%zu)", (long long)lo,
		    (long long)hi, t.n);
	if (!rc)
		rc = give_text(c, t.kind, t.c + lo, (size_t)(hi - lo));
	arena_release(&arena);
	return rc ? -1 : 0;
}

int
text_concat(struct native_call *c)
{
	struct arena arena = { 0 };
	struct text t[2];
	int32_t *joined;
	int rc = both(c, &arena, t);

	if (!rc) {
		joined = arena_array(&arena, t[0].n + t[1].n + 1,
		    sizeof(*joined));
		memcpy(joined, t[0].c, 4 * t[0].n);
		memcpy(joined + t[0].n, t[1].c, 4 * t[1].n);
		rc = give_text(c, "char/utf32", joined, t[0].n + t[1].n);
	}
	arena_release(&arena);
	return rc;
}
