/* SPDX-License-Identifier: MIT */
/* kvobj why: why a kernel is compiled or found in the cache. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/isa.h"
#include "cache/cmd.h"
#include "cache/parts.h"
#include "cache/receipt.h"
#include "cache/source.h"
#include "cache/store.h"
#include "cache/toolchain.h"

static bool
is_receipt(const char *arg)
{
	size_t n = strlen(arg);

	return n > 3 && strcmp(arg + n - 3, ".ok") == 0;
}

/* How often the cache counted the event for the action. */
static int
count(struct cmd *m, const char *event, const char *action, size_t *n)
{
	char *path = path_join(&m->arena, m->conf.cache, "stats");
	char *want = arena_printf(&m->arena, "%s %s", event, action);
	struct str text, line;

	*n = 0;
	if (!file_exists(path))
		return 0;
	if (file_read(&m->arena, path, &text))
		return diag_error(&m->diag, (struct loc){ path, 0, 0 },
		    "cannot read it: %s", strerror(errno));
	while (str_next(&text, '\n', &line))
		*n += str_is(line, want);
	return 0;
}

static int
read_parts(struct cmd *m, const char *path, struct parts *p)
{
	const char *slash = strrchr(path, '/');
	struct loc loc = { path, 0, 0 };
	struct str text;

	if (file_read(&m->arena, path, &text))
		return diag_error(&m->diag, loc, "cannot read it: %s",
		    strerror(errno));
	if (parts_parse(p, &m->arena, text, path, &m->diag))
		return -1;
	if (strcmp(slash + 1, p->action) != 0)
		return diag_error(&m->diag, loc,
		    "it holds another action, %.12s…; remove the file",
		    p->action);
	return 0;
}

/* Whether part i of a is another one in b. */
static bool
differs(const struct parts *a, size_t i, const struct parts *b)
{
	const char *v = parts_get(b, a->part[i].name);

	return !v || strcmp(v, a->part[i].value) != 0;
}

static size_t
distance(const struct parts *a, const struct parts *b)
{
	size_t i, n = 0;

	for (i = 0; i < a->n; i++)
		n += differs(a, i, b);
	for (i = 0; i < b->n; i++)
		n += !parts_get(a, b->part[i].name);
	return n;
}

/* The stored action of the source, besides p's own, with the fewest other
 * parts; *found says whether there is one. */
static int
nearest(struct cmd *m, const char *folder, const struct parts *p,
    struct parts *best, bool *found)
{
	char **name;
	struct parts other;
	size_t n, i;

	*found = false;
	if (!file_exists(folder))
		return 0;
	if (dir_list(&m->arena, folder, NULL, &name, &n))
		return diag_error(&m->diag, (struct loc){ folder, 0, 0 },
		    "cannot list this folder: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		/* What a writer has not named yet begins with a dot. */
		if (name[i][0] == '.' || strcmp(name[i], p->action) == 0)
			continue;
		if (read_parts(m, path_join(&m->arena, folder, name[i]),
			&other))
			return -1;
		if (!*found || distance(p, &other) < distance(p, best))
			*best = other;
		*found = true;
	}
	return 0;
}

static void
put_differences(const struct parts *p, const struct parts *best)
{
	size_t i;

	printf("nearest\t%s\n", best->action);
	for (i = 0; i < p->n; i++) {
		const char *was = parts_get(best, p->part[i].name);

		if (differs(p, i, best))
			printf("differs\t%s\twas %s\tis %s\n",
			    p->part[i].name, was ? was : "absent",
			    p->part[i].value);
	}
	for (i = 0; i < best->n; i++) {
		if (!parts_get(p, best->part[i].name))
			printf("differs\t%s\twas %s\tis absent\n",
			    best->part[i].name, best->part[i].value);
	}
	if (distance(p, best) == 0)
		puts("differs\torder of the texts");
}

static int
put_state(struct cmd *m, const char *action)
{
	struct receipt r;
	size_t compiles, hits;

	if (count(m, "compile", action, &compiles) ||
	    count(m, "hit", action, &hits))
		return -1;
	if (store_lookup(m->conf.cache, action, &r))
		puts("state\tcompile: no stored action has this key");
	else if (!store_object_good(m->conf.cache, r.object, r.size))
		printf("state\tcompile: the object %s of this key is absent "
		       "or damaged\n", r.object);
	else
		printf("state\thit: the cache holds the object %s\n",
		    r.object);
	printf("compiled\t%zu\nhits\t%zu\n", compiles, hits);
	return 0;
}

/* All about one action whose parts are known. */
static int
explain(struct cmd *m, const char *folder, const struct parts *p)
{
	struct parts best;
	bool found;
	size_t i;

	if (nearest(m, folder, p, &best, &found))
		return -1;
	printf("source\t%s\naction\t%s\n", strrchr(folder, '/') + 1,
	    p->action);
	if (put_state(m, p->action))
		return -1;
	for (i = 0; i < p->n; i++)
		printf("part\t%s\t%s\n", p->part[i].name, p->part[i].value);
	if (found)
		put_differences(p, &best);
	else
		puts("nearest\t-");
	return 0;
}

/* The folder of a source that keeps the action's parts. */
static int
why_receipt(struct cmd *m, const char *arg)
{
	char *why = path_join(&m->arena, m->conf.cache, "why"), **name;
	struct receipt r;
	struct parts p;
	size_t n = 0, i;

	if (receipt_read(&r, arg, &m->diag))
		return -1;
	if (file_exists(why) && dir_list(&m->arena, why, NULL, &name, &n))
		return diag_error(&m->diag, (struct loc){ why, 0, 0 },
		    "cannot list this folder: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		char *folder = path_join(&m->arena, why, name[i]);
		char *path = path_join(&m->arena, folder, r.action);

		if (file_exists(path))
			return read_parts(m, path, &p) ||
			    explain(m, folder, &p) ? -1 : 0;
	}
	return diag_error(&m->diag, (struct loc){ arg, 0, 0 },
	    "the cache %s does not know what the key of this receipt was made "
	    "of; remove the receipt and build again", m->conf.cache);
}

static int
why_source(struct cmd *m, const char *arg)
{
	const struct isa *one = m->isa ? isa_find(m->isa) : NULL;
	const char *const *isa = isa_local();
	char toolchain[SHA256_HEX + 1];
	struct headers headers;
	struct source src;
	struct parts p;
	int i;

	if (m->isa && !one)
		usage_error("unknown instruction set level '%s'", m->isa);
	headers_init(&headers, &m->arena, &m->conf.include, m->hand);
	if (source_read(&src, &m->arena, &headers, arg, &m->diag) ||
	    toolchain_digest(&m->conf, toolchain, &m->diag))
		return -1;
	for (i = 0; one ? i == 0 : isa[i] != NULL; i++) {
		parts_of(&p, &m->arena, &src, one ? one : isa_find(isa[i]),
		    toolchain);
		if (explain(m, parts_folder(&m->arena, m->conf.cache, arg), &p))
			return -1;
	}
	return 0;
}

int
cmd_why(struct cmd *m)
{
	int r;

	if (m->n != 1)
		usage_error("expected why RECEIPT or why [--isa=NAME] K.c");
	if (!is_receipt(m->arg[0]))
		r = why_source(m, m->arg[0]);
	else if (m->isa || m->hand)
		usage_error("--isa and --hand are for a source, not a receipt");
	else
		r = why_receipt(m, m->arg[0]);
	return r ? EXIT_REFUSED : EXIT_OK;
}
