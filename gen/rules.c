/* SPDX-License-Identifier: MIT */
#include "gen/rules.h"

#include <errno.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/str.h"
#include "gen/ir/ir.h"

static const struct {
	const char *cls;
	enum class_rule rule;
} class_rules[] = {
#define CLASS(c, r) { #c, RULE_##r },
#define LIMIT(c, n)
#define TEMPLATE(t)
#define STATE(s, t)
#include "gen/fusion.def"
#undef CLASS
#undef LIMIT
};

static const struct {
	const char *cls;
	int n;
} limits[] = {
#define CLASS(c, r)
#define LIMIT(c, n) { #c, n },
#include "gen/fusion.def"
#undef LIMIT
#undef TEMPLATE
};

static const char *const template_names[] = {
#define LIMIT(c, n)
#define TEMPLATE(t) #t,
#include "gen/fusion.def"
#undef TEMPLATE
#undef STATE
};

static const struct {
	const char *state, *text;
} states[] = {
#define TEMPLATE(t)
#define STATE(s, t) { #s, t },
#include "gen/fusion.def"
#undef CLASS
#undef LIMIT
#undef TEMPLATE
#undef STATE
};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum class_rule
rules_class(const char *cls)
{
	for (size_t i = 0; i < COUNT_OF(class_rules); i++)
		if (!strcmp(class_rules[i].cls, cls))
			return class_rules[i].rule;
	return RULE_NONE;
}

int
rules_limit(const char *cls)
{
	for (size_t i = 0; i < COUNT_OF(limits); i++)
		if (!strcmp(limits[i].cls, cls))
			return limits[i].n;
	return 0;
}

const char *
rules_state_text(const char *state)
{
	for (size_t i = 0; i < COUNT_OF(states); i++)
		if (!strcmp(states[i].state, state))
			return states[i].text;
	BUG("fusion.def has no state %s", state);
}

const char *
template_entry(const struct template *t)
{
	return t->reduce_axis ? "cols" : t->reduce_last ? "rows" : "map";
}

bool
template_takes(const struct template *t, const char *cls)
{
	return (t->map && !strcmp(cls, "map")) ||
	    (t->view && !strcmp(cls, "view")) ||
	    ((t->reduce_last || t->reduce_axis) && !strcmp(cls, "reduce"));
}

const struct template *
rules_template(const struct fusion_rules *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->template_[i].name, name))
			return &r->template_[i];
	return NULL;
}

/* Ends a line of the plain text, without blanks at its end; one of blanks alone
 * goes away. */
static void
end_line(struct buf *out, size_t *start)
{
	while (out->n > *start && strchr("\t ", out->p[out->n - 1]))
		out->n--;
	if (out->n > *start)
		buf_putc(out, '\n');
	*start = out->n;
}

/* The text without comments and empty lines, as the revision of a template
 * counts it. Strings do not hold comment marks in templates. */
static void
strip_comments(struct str text, struct buf *out)
{
	size_t start = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.n - i > 1 && text.p[i] == '/' &&
		    text.p[i + 1] == '*') {
			for (i += 2; i + 1 < text.n && !(text.p[i] == '*' &&
			    text.p[i + 1] == '/'); i++)
				;
			i++;
		} else if (text.p[i] == '\n') {
			end_line(out, &start);
		} else {
			buf_putc(out, text.p[i]);
		}
	}
}

static int
match_word(struct template *t, struct str word, struct loc loc,
    struct diag *diag)
{
	struct str list, item;

	if (str_is(word, "need=reduce")) {
		t->need_reduce = true;
		return 0;
	}
	if (str_is(word, "dtype=any")) {
		t->any_dtype = true;
		return 0;
	}
	if (!str_starts(word, "class=") || word.p[word.n - 1] != '+')
		return diag_error(diag, loc, "expected `class=A|B+`, "
		    "`need=CLASS` or `dtype=any`, found `%.*s`", (int)word.n, word.p);
	list = (struct str){ word.p + 6, word.n - 7 };
	while (str_next(&list, '|', &item)) {
		if (str_is(item, "map"))
			t->map = true;
		else if (str_is(item, "view"))
			t->view = true;
		else if (str_is(item, "reduce(last)"))
			t->reduce_last = true;
		else if (str_is(item, "reduce(axis)"))
			t->reduce_axis = true;
		else
			return diag_error(diag, loc, "unknown class `%.*s`",
			    (int)item.n, item.p);
	}
	return 0;
}

int
template_parse(struct template *t, struct diag *diag)
{
	struct loc loc = { t->path, 0, 1 };
	struct str text = t->text, line, word;

	while (str_next(&text, '\n', &line)) {
		const char *at = line.n ? memmem(line.p, line.n, "@match ", 7)
		    : NULL;

		loc.line++;
		if (!at)
			continue;
		line.n -= (size_t)(at + 7 - line.p);
		line.p = at + 7;
		while (str_next(&line, ' ', &word)) {
			if (str_is(word, "*/"))
				return 0;
			if (word.n && match_word(t, word, loc, diag))
				return -1;
		}
		return 0;
	}
	return diag_error(diag, (struct loc){ t->path, 0, 0 }, "the template "
	    "has no `@match` line");
}

/* Fills a template of which name, path and text are set. */
static int
read_template(struct template *t, struct diag *diag)
{
	struct buf plain = { 0 };

	strip_comments(t->text, &plain);
	sha256_of(plain.p ? plain.p : "", plain.n, t->revision.b);
	buf_release(&plain);
	return template_parse(t, diag);
}

int
rules_read(struct fusion_rules *r, struct arena *arena, const char *folder,
    struct diag *diag)
{
	int bad = 0;

	*r = (struct fusion_rules){ .n = COUNT_OF(template_names) };
	r->template_ = arena_array(arena, r->n, sizeof *r->template_);
	for (size_t i = 0; i < r->n; i++) {
		struct template *t = &r->template_[i];

		t->name = template_names[i];
		t->path = arena_printf(arena, "%s/%s.c", folder, t->name);
		if (file_read(arena, t->path, &t->text))
			bad = diag_error(diag, (struct loc){ t->path, 0, 0 },
			    "cannot read the template: %s", strerror(errno));
		else
			bad |= read_template(t, diag);
	}
	return bad;
}

static const struct template *
find_revision(const struct template *t, size_t n, const char *name,
    const Digest *revision)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(t[i].name, name) &&
		    ir_digest_eq(&t[i].revision, revision))
			return &t[i];
	return NULL;
}

const struct template *
rules_revision(const struct fusion_rules *r, const char *name,
    const Digest *revision)
{
	const struct template *t = find_revision(r->template_, r->n, name,
	    revision);

	return t ? t : find_revision(r->released, r->nreleased, name,
	    revision);
}

int
rules_add_released(struct fusion_rules *r, struct arena *arena,
    const char *name, const char *path, struct str text, struct diag *diag)
{
	struct template t = { .name = name, .path = path, .text = text };

	if (read_template(&t, diag))
		return -1;
	if (rules_revision(r, name, &t.revision))
		return 0;
	r->released = arena_grow(arena, r->released, r->nreleased, &r->cap,
	    sizeof t);
	r->released[r->nreleased++] = t;
	return 0;
}
