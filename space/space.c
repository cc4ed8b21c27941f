/* SPDX-License-Identifier: MIT */
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* A key and its value in one piece of memory: the struct, the body, the
 * langtype, the key. */
struct entry {
	struct value v;
	char *key;
};

/* From WIDE bytes on a body is aligned to a cache line, for vector loads. */
enum { BODY_AT = 128, WIDE = 256 };

_Static_assert(sizeof(struct entry) <= BODY_AT && BODY_AT % 64 == 0,
    "the body must follow the entry");

/*
 * One array sorted by key. Keys mostly arrive in order (images) or few at a
 * time (frames), so that moving pointers costs less than a tree would.
 */
struct space {
	struct entry **entry;
	size_t n, cap;
};

struct space *
space_new(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (!s)
		fatal("out of memory");
	return s;
}

void
space_free(struct space *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n; i++)
		free(s->entry[i]);
	free(s->entry);
	free(s);
}

/* The index of the first key that is not below `key`. */
static size_t
lower_bound(const struct space *s, const char *key)
{
	size_t lo = 0, hi = s->n, mid;

	/* Appending in order is the common case. */
	if (hi && strcmp(s->entry[hi - 1]->key, key) < 0)
		return hi;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(s->entry[mid]->key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool
is_at(const struct space *s, size_t i, const char *key)
{
	return i < s->n && strcmp(s->entry[i]->key, key) == 0;
}

const struct value *
space_get(const struct space *s, const char *key)
{
	size_t i = lower_bound(s, key);

	return is_at(s, i, key) ? &s->entry[i]->v : NULL;
}

static struct entry *
entry_new(const char *key, const struct value *v)
{
	size_t nkey = strlen(key) + 1, ntype = strlen(v->langtype) + 1, size;
	struct entry *e;
	void *mem = NULL;
	char *p;

	if (__builtin_add_overflow(v->n, BODY_AT + ntype + nkey, &size))
		fatal("out of memory (%zu bytes for %s)", v->n, key);
	if (v->n < WIDE)
		mem = malloc(size);
	else if (posix_memalign(&mem, 64, size))
		mem = NULL;
	if (!mem)
		fatal("out of memory (%zu bytes for %s)", v->n, key);
	e = mem;
	p = (char *)mem + BODY_AT;
	e->v = *v;
	e->v.body = p;
	if (v->n)
		memcpy(p, v->body, v->n);
	p += v->n;
	e->v.langtype = memcpy(p, v->langtype, ntype);
	e->key = memcpy(p + ntype, key, nkey);
	return e;
}

/* Makes a place for one more entry at index i. */
static void
open_gap(struct space *s, size_t i)
{
	struct entry **more;
	size_t cap;

	if (s->n == s->cap) {
		cap = s->cap ? s->cap * 2 : 64;
		more = reallocarray(s->entry, cap, sizeof(*more));
		if (!more)
			fatal("out of memory (%zu keys)", cap);
		s->entry = more;
		s->cap = cap;
	}
	memmove(s->entry + i + 1, s->entry + i,
	    (s->n - i) * sizeof(*s->entry));
	s->n++;
}

void
space_set(struct space *s, const char *key, const struct value *v)
{
	size_t i = lower_bound(s, key);
	struct entry *e, *old = NULL;

	/* The copy is made first: v may be the very value it replaces. */
	e = entry_new(key, v);
	if (is_at(s, i, key))
		old = s->entry[i];
	else
		open_gap(s, i);
	s->entry[i] = e;
	free(old);
}

void
space_set_text(struct space *s, const char *key, const char *langtype,
    const char *text)
{
	struct value v = value_text(langtype, text, strlen(text));

	space_set(s, key, &v);
}

void
space_set_i64(struct space *s, const char *key, int64_t x)
{
	struct value v = { .langtype = "int64", .dtype = DT_INT64,
		.body = &x, .n = sizeof(x) };

	space_set(s, key, &v);
}

void
space_set_bool(struct space *s, const char *key, bool x)
{
	struct value v = { .langtype = "bool", .dtype = DT_BOOL,
		.body = &x, .n = 1 };

	space_set(s, key, &v);
}

/* Deletes the entries [lo, hi). */
static void
cut(struct space *s, size_t lo, size_t hi)
{
	size_t i;

	if (lo == hi)
		return;
	for (i = lo; i < hi; i++)
		free(s->entry[i]);
	memmove(s->entry + lo, s->entry + hi,
	    (s->n - hi) * sizeof(*s->entry));
	s->n -= hi - lo;
}

void
space_del(struct space *s, const char *key)
{
	size_t i = lower_bound(s, key);

	if (is_at(s, i, key))
		cut(s, i, i + 1);
}

void
space_del_tree(struct space *s, const char *key)
{
	struct arena a = { 0 };
	/* '0' is the byte after '/': the first key that is not below. */
	char *below = arena_printf(&a, "%s/", key);
	char *after = arena_printf(&a, "%s0", key);

	cut(s, lower_bound(s, below), lower_bound(s, after));
	/* Keys such as "/a.x" lie between "/a" and "/a/", so the key itself
	 * is a cut of its own. */
	space_del(s, key);
	arena_release(&a);
}

const char *
space_next(const struct space *s, const char *prefix, size_t *it,
    const struct value **value)
{
	size_t i = *it ? *it : lower_bound(s, prefix);

	if (i >= s->n || strncmp(s->entry[i]->key, prefix, strlen(prefix)))
		return NULL;
	if (value)
		*value = &s->entry[i]->v;
	*it = i + 1;
	return s->entry[i]->key;
}

size_t
space_count(const struct space *s)
{
	return s->n;
}
