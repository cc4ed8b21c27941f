/* SPDX-License-Identifier: MIT */
/* The rule table, and what a rebuild would change. */
#include <string.h>

#include "gen/explain.h"

/* fusion.def as rows of text; a template's second cell is its match. */
static const struct {
	const char *kind, *name, *text;
} rules[] = {
#define CLASS(c, r) { "class", #c, #r },
#define LIMIT(c, n) { "limit", #c, #n },
#define TEMPLATE(t) { "template", #t, NULL },
#define STATE(s, t) { "state", #s, t },
#include "gen/fusion.def"
#undef CLASS
#undef LIMIT
#undef TEMPLATE
#undef STATE
};

enum { N_RULES = sizeof rules / sizeof *rules };

static const char *
match_of(const struct template *t, struct arena *arena)
{
	const struct {
		bool has;
		const char *name;
	} cls[] = { { t->map, "map" }, { t->view, "view" },
		{ t->reduce_last, "reduce(last)" },
		{ t->reduce_axis, "reduce(axis)" } };
	const char *text = "class=";

	for (size_t i = 0, n = 0; i < sizeof cls / sizeof *cls; i++)
		if (cls[i].has)
			text = arena_printf(arena, "%s%s%s", text,
			    n++ ? "|" : "", cls[i].name);
	return arena_printf(arena, "%s+%s%s", text,
	    t->need_reduce ? " need=reduce" : "",
	    t->any_dtype ? " dtype=any" : "");
}

static const char *
text_of(size_t i, const struct fusion_rules *r, struct arena *arena)
{
	return rules[i].text ? rules[i].text :
	    match_of(rules_template(r, rules[i].name), arena);
}

void
explain_rules(const struct fusion_rules *r, struct arena *arena,
    struct buf *out)
{
	for (size_t i = 0; i < N_RULES; i++)
		buf_printf(out, "%s\t%s\t%s\n", rules[i].kind, rules[i].name,
		    text_of(i, r, arena));
}

void
explain_rules_json(const struct fusion_rules *r, struct arena *arena,
    struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < N_RULES; i++) {
		json_open(&j, NULL, '{');
		json_text(&j, "kind", rules[i].kind);
		json_text(&j, "name", rules[i].name);
		json_text(&j, "rule", text_of(i, r, arena));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	buf_putc(out, '\n');
}

static const char *
status_of(const struct rebuild *r)
{
	if (!r->before)
		return "new";
	if (!r->after)
		return "removed";
	return r->level ? "changed" : "unchanged";
}

static const char *
kind_of(const struct rebuild_change *c)
{
	return !c->was ? "added" : !c->now ? "removed" : "changed";
}

static void
put_change(const struct rebuild_change *c, const struct session *places,
    struct buf *out)
{
	struct loc loc = place_get(places, &c->id);

	buf_printf(out, "  %-7s %s", kind_of(c), c->now ? c->now : c->was);
	if (c->now && loc.file)
		buf_printf(out, "  %s:%d", loc.file, loc.line);
	buf_puts(out, "\n");
	if (!c->nfield)
		return;
	if (strcmp(c->was, c->now))
		buf_printf(out, "          was %s\n", c->was);
	buf_puts(out, "          differs in");
	for (size_t i = 0; i < c->nfield; i++)
		buf_printf(out, "%s %s", i ? "," : "", c->field[i]);
	buf_puts(out, "\n");
}

void
explain_rebuild(const struct rebuild *r, const char *name,
    const struct session *places, struct buf *out)
{
	buf_printf(out, "%s %s since the last plan", name,
	    r->before && r->after ? r->level ? "changed" : "is unchanged" :
	    r->after ? "is new" : "was removed");
	if (r->before && r->after && r->level)
		buf_printf(out, "; first level that differs: %s", r->level);
	buf_puts(out, "\n");
	if (!r->before || !r->after)
		return;
	for (size_t i = 0; i < r->n; i++)
		put_change(&r->change[i], places, out);
	if (r->level && !r->n)
		buf_puts(out, "  changed the function's own fields\n");
}

static void
json_change(const struct rebuild_change *c, const struct session *places,
    struct json *j)
{
	struct loc loc = place_get(places, &c->id);
	char hex[2 * sizeof c->id.b + 1];

	hex_encode(hex, c->id.b, sizeof c->id.b);
	json_open(j, NULL, '{');
	json_text(j, "change", kind_of(c));
	json_text(j, "id", hex);
	json_text(j, "was", c->was);
	json_text(j, "now", c->now);
	json_open(j, "fields", '[');
	for (size_t i = 0; i < c->nfield; i++)
		json_text(j, NULL, c->field[i]);
	json_close(j, ']');
	json_text(j, "file", c->now ? loc.file : NULL);
	json_number(j, "line", c->now ? loc.line : 0);
	json_close(j, '}');
}

void
explain_rebuild_json(const struct rebuild *r, const char *name,
    const struct session *places, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_text(&j, "function", name);
	json_text(&j, "status", status_of(r));
	json_text(&j, "level", r->before && r->after ? r->level : NULL);
	json_open(&j, "changes", '[');
	for (size_t i = 0; r->before && r->after && i < r->n; i++)
		json_change(&r->change[i], places, &j);
	json_close(&j, ']');
	json_close(&j, '}');
	buf_putc(out, '\n');
}
