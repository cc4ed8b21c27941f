/* SPDX-License-Identifier: MIT */
#include "space/kept.h"

#include <string.h>

#include "base/map.h"

#define LIB "/lib/"

size_t
kept_owner(const char *key)
{
	static const char *const part[] = { "/[", "/‥", ".[" };
	size_t n = strlen(key), i;
	const char *at;

	for (i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		at = strstr(key, part[i]);
		if (at && (size_t)(at - key) < n)
			n = (size_t)(at - key);
	}
	if (!key[n] && n > 4 && !strcmp(key + n - 4, ".src"))
		n -= 4;
	return n;
}

static bool
owns(const char *function, const char *key)
{
	size_t n = strlen(function);

	return kept_owner(key) == n && !strncmp(key, function, n);
}

void
kept_remove(struct space *s, const char *function)
{
	struct arena a = { 0 };
	const char *key, **own = NULL;
	size_t it = 0, n = 0, cap = 0;

	while ((key = space_next(s, function, &it, NULL))) {
		if (!owns(function, key))
			continue;
		own = arena_grow(&a, own, n, &cap, sizeof(*own));
		own[n++] = arena_strdup(&a, key);
	}
	while (n)
		space_del(s, own[--n]);
	arena_release(&a);
}

/* Of a function in a folder and the same in a tree. */
struct kept {
	const struct fs *fs;
	const struct space *tree;
	struct arena *arena;
	char **key; /* all keys of the folder below /lib, sorted */
	size_t n;
	struct diag *diag;
};

static bool
same_value(const struct value *a, const struct value *b)
{
	return a && b && !strcmp(a->langtype, b->langtype) && a->n == b->n &&
	    (!a->n || !memcmp(a->body, b->body, a->n));
}

/* Keys of the folder that the function owns, which also the tree has. */
static int
compare(const struct kept *k, const char *function, bool *same)
{
	const struct value *there, *v;
	const char *key;
	size_t it = 0, i;

	*same = true;
	for (i = 0; i < k->n && *same; i++)
		*same = !owns(function, k->key[i]) ||
		    space_get(k->tree, k->key[i]);
	while (*same && (key = space_next(k->tree, function, &it, &v))) {
		if (!owns(function, key))
			continue;
		if (fs_get(k->fs, key, k->arena, &there, k->diag))
			return -1;
		*same = same_value(v, there);
	}
	return 0;
}

static const char *
head_of(const struct kept *k, const char *function)
{
	const char *head = arena_printf(k->arena, "%s/[0,0]", function);

	return space_get(k->tree, head) ? head : function;
}

static int
remove_kept(const struct kept *k, const char *function)
{
	size_t i;

	if (fs_del(k->fs, arena_printf(k->arena, "%s/[0,0]", function),
	    k->diag) || fs_del(k->fs, function, k->diag))
		return -1;
	for (i = 0; i < k->n; i++) {
		if (owns(function, k->key[i]) &&
		    fs_del(k->fs, k->key[i], k->diag))
			return -1;
	}
	return 0;
}

static int
replace(const struct kept *k, const char *function)
{
	const char *head = head_of(k, function), *key;
	const struct value *v;
	size_t it = 0;

	if (remove_kept(k, function))
		return -1;
	while ((key = space_next(k->tree, function, &it, &v))) {
		if (owns(function, key) && strcmp(key, head) &&
		    fs_set(k->fs, key, v, k->diag))
			return -1;
	}
	return fs_set(k->fs, head, space_get(k->tree, head), k->diag);
}

/* The functions that own the keys of a list, each once, in its order. */
static void
add_owner(struct map *owners, struct arena *a, const char *key)
{
	char *function = arena_strndup(a, key, kept_owner(key));

	if (!map_get(owners, function))
		map_set(owners, function, function);
}

int
kept_store(const struct fs *fs, const struct space *tree, struct diag *d)
{
	struct arena a = { 0 };
	struct kept k = { .fs = fs, .tree = tree, .arena = &a, .diag = d };
	struct map owners;
	const char *key;
	size_t it = 0, i;
	int bad = fs_list(fs, LIB, &a, &k.key, &k.n, d);
	bool same;

	map_init(&owners, &a);
	while ((key = space_next(tree, LIB, &it, NULL)))
		add_owner(&owners, &a, key);
	for (i = 0; i < owners.n && !bad; i++) {
		bad = compare(&k, owners.entry[i].key, &same);
		if (!bad && !same)
			bad = replace(&k, owners.entry[i].key);
	}
	arena_release(&a);
	return bad;
}

static const char *
mark_of(struct arena *a, const char *function)
{
	return arena_printf(a, "%s/‥library", function);
}

void
kept_mark(struct space *s, const char *image)
{
	struct arena a = { 0 };
	const char *key;
	struct map owners;
	size_t it = 0, i;

	map_init(&owners, &a);
	while ((key = space_next(s, LIB, &it, NULL)))
		add_owner(&owners, &a, key);
	for (i = 0; i < owners.n; i++)
		space_set_text(s, mark_of(&a, owners.entry[i].key),
		    arena_printf(&a, "[%zu]char/utf8", strlen(image)), image);
	arena_release(&a);
}

static int
is_compiled(const struct kept *k, const char *function, const char *image,
    bool *yes)
{
	const struct value *v;

	if (fs_get(k->fs, mark_of(k->arena, function), k->arena, &v, k->diag))
		return -1;
	*yes = v && v->n == strlen(image) && !memcmp(v->body, image, v->n);
	return 0;
}

static int
load(const struct kept *k, struct space *tree, const char *function)
{
	const struct value *v;
	size_t i;

	kept_remove(tree, function);
	for (i = 0; i < k->n; i++) {
		if (!owns(function, k->key[i]))
			continue;
		if (fs_get(k->fs, k->key[i], k->arena, &v, k->diag))
			return -1;
		if (v)
			space_set(tree, k->key[i], v);
	}
	return 0;
}

int
kept_load(const struct fs *fs, struct space *tree, const char *image,
    struct diag *d)
{
	struct arena a = { 0 };
	struct kept k = { .fs = fs, .tree = tree, .arena = &a, .diag = d };
	struct map owners;
	int bad = fs_list(fs, LIB, &a, &k.key, &k.n, d);
	bool there;
	size_t i;

	map_init(&owners, &a);
	for (i = 0; i < k.n && !bad; i++)
		add_owner(&owners, &a, k.key[i]);
	for (i = 0; i < owners.n && !bad; i++) {
		bad = is_compiled(&k, owners.entry[i].key, image, &there);
		if (!bad && !there)
			bad = load(&k, tree, owners.entry[i].key);
	}
	arena_release(&a);
	return bad;
}
