/* SPDX-License-Identifier: MIT */
#include "gen/policy.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"

enum { MAX_PROVIDERS = 64 };

/* The two words of a line; false when there are not exactly two. */
static bool
two_words(struct str line, struct str *a, struct str *b)
{
	struct str *word[2] = { a, b };
	size_t i = 0;

	for (int k = 0; k < 2; k++) {
		while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
			i++;
		word[k]->p = line.p + i;
		while (i < line.n && line.p[i] != ' ' && line.p[i] != '\t')
			i++;
		word[k]->n = (size_t)(line.p + i - word[k]->p);
	}
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	return a->n && b->n && i == line.n;
}

static int
policy_line(struct policy *policy, struct arena *arena, size_t *cap,
    struct str line, struct loc loc, struct diag *diag)
{
	struct str op, author;
	const char *comment = NULL;

	for (size_t i = 0; i + 1 < line.n && !comment; i++)
		if (line.p[i] == '/' && line.p[i + 1] == '/')
			comment = line.p + i;
	if (comment)
		line.n = (size_t)(comment - line.p);
	while (line.n && strchr(" \t\r", line.p[line.n - 1]))
		line.n--;
	if (!line.n)
		return 0;
	if (!two_words(line, &op, &author))
		return diag_error(diag, loc, "expected `op author`, found "
		    "`%.*s`", (int)line.n, line.p);
	if (policy->n && !strcmp(policy->row[policy->n - 1].op, "*"))
		return diag_error(diag, loc, "the row `*` must be the last");
	for (size_t i = 0; i < policy->n; i++)
		if (str_is(op, policy->row[i].op))
			return diag_error(diag, loc, "op `%.*s` has a row "
			    "already", (int)op.n, op.p);
	policy->row = arena_grow(arena, policy->row, policy->n, cap,
	    sizeof *policy->row);
	policy->row[policy->n].op = arena_strndup(arena, op.p, op.n);
	policy->row[policy->n++].author = arena_strndup(arena, author.p,
	    author.n);
	return 0;
}

int
policy_read(struct policy *policy, struct arena *arena, const char *path,
    struct diag *diag)
{
	struct loc loc = { path, 0, 1 };
	struct str text, line;
	size_t cap = 0;
	int bad = 0;

	*policy = (struct policy){ 0 };
	if (file_read(arena, path, &text))
		return diag_error(diag, loc, "cannot read the table of "
		    "authors: %s", strerror(errno));
	while (str_next(&text, '\n', &line)) {
		loc.line++;
		bad |= policy_line(policy, arena, &cap, line, loc, diag);
	}
	return bad;
}

/* The row of a table that names an op, or else with `any` its row `*`. */
static const struct policy_row *
find_row(const struct policy *policy, const char *base, bool any)
{
	struct str pkg, name;

	name_split(base, &pkg, &name);
	for (size_t i = 0; i < policy->n; i++)
		if (str_is(name, policy->row[i].op) ||
		    !strcmp(policy->row[i].op, base) ||
		    (any && !strcmp(policy->row[i].op, "*")))
			return &policy->row[i];
	return NULL;
}

/* The provider that a row chooses; false when it is none of them. */
static bool
choose(const struct policy_row *row, enum bind_why why,
    const struct backend *const *provider, size_t n, struct binding *out)
{
	for (size_t i = 0; row && i < n && i < MAX_PROVIDERS; i++)
		if (!strcmp(provider[i]->author, row->author)) {
			*out = (struct binding){ provider[i], why, row->op };
			return true;
		}
	return false;
}

/* The tables in their order; false when neither decides. */
static bool
by_table(const struct policy *policy, const char *base, bool library,
    const struct backend *const *provider, size_t n, struct binding *out)
{
	const struct policy *below = policy->library;

	if (!below)
		return choose(find_row(policy, base, true), BIND_TABLE,
		    provider, n, out);
	return choose(find_row(policy, base, !library), BIND_USER, provider, n,
	    out) || choose(find_row(below, base, library), BIND_TABLE,
	    provider, n, out);
}

int
policy_bind(const struct policy *policy, const struct catalog *catalog,
    const char *base, bool library, struct loc loc, struct binding *out,
    struct diag *diag)
{
	const struct backend *provider[MAX_PROVIDERS];
	size_t n = catalog_providers(catalog, base, provider, MAX_PROVIDERS);
	struct buf list = { 0 };

	if (by_table(policy, base, library, provider, n, out))
		return 0;
	if (n == 1) {
		*out = (struct binding){ provider[0], BIND_ONLY, NULL };
		return 0;
	}
	for (size_t i = 0; i < n && i < MAX_PROVIDERS; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", provider[i]->opcode);
	if (n == 0)
		diag_error(diag, loc, "%s has no registered back end (无已注册后端); "
		    "add one under kernels/<author>/ or call a back end by "
		    "its full name", base);
	else
		diag_error(diag, loc, "%s is ambiguous: %s provide it and no "
		    "row of a table of authors decides; add a row `%s AUTHOR`",
		    base, list.p, base);
	buf_release(&list);
	return -1;
}
