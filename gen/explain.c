/* SPDX-License-Identifier: MIT */
#include "gen/explain.h"

#include <string.h>

#include "gen/derive/graph.h"

/* Lines of a file. */
struct span {
	const char *file; /* NULL: not known */
	int low, high;
};

/* A group with what both forms say of it. */
struct view {
	const Group *group;
	const RegionState *state;
	const char *template_; /* NULL: op by op */
	uint32_t kernel;       /* k, when there is a template */
	struct span *span;     /* where its steps are, a span a file */
	size_t nspan, cap;
};

static const Region *
region_of(const Fusion *f, const Group *g)
{
	for (uint32_t i = 0; i < f->n_regions; i++)
		if (ir_id_eq(&f->regions[i].id, &g->region))
			return &f->regions[i];
	BUG("a group without a region");
}

static const Step *
step_of(const Fusion *f, const Group *g, uint32_t i)
{
	return &f->steps[graph_step(f, &g->steps[i])];
}

static void
add_line(struct view *v, struct arena *arena, struct loc loc)
{
	struct span *s;

	for (size_t i = 0; i < v->nspan; i++) {
		s = &v->span[i];
		if (s->file != loc.file && (!s->file || !loc.file ||
		    strcmp(s->file, loc.file)))
			continue;
		s->low = loc.line < s->low ? loc.line : s->low;
		s->high = loc.line > s->high ? loc.line : s->high;
		return;
	}
	v->span = arena_grow(arena, v->span, v->nspan, &v->cap, sizeof *s);
	v->span[v->nspan++] = (struct span){ loc.file, loc.line, loc.line };
}

/* The group's view; *kernels counts those that are kernels. */
static struct view
view_of(const struct explainer *x, const Fusion *f, const Group *g,
    uint32_t *kernels)
{
	struct view v = { .group = g, .state = &region_of(f, g)->state };

	if (GroupBody_is_GroupKernel(g->body)) {
		v.template_ = GroupBody_as_GroupKernel(g->body)->template_;
		v.kernel = (*kernels)++;
	}
	for (uint32_t i = 0; i < g->n_steps; i++)
		add_line(&v, x->arena, place_get(&x->plan->session,
		    &step_of(f, g, i)->id));
	return v;
}

static const char *
state_detail(const RegionState *s)
{
	if (RegionState_is_NotFusable(*s))
		return RegionState_as_NotFusable(*s)->why;
	if (RegionState_is_NeedsTemplate(*s))
		return RegionState_as_NeedsTemplate(*s)->pattern;
	return "";
}

const char *
explain_state(const Fusion *f, const Group *g, struct arena *arena)
{
	const RegionState *s = &region_of(f, g)->state;

	return !*state_detail(s) ? RegionState_name(s->tag) :
	    arena_printf(arena, "%s (%s)", RegionState_name(s->tag),
	    state_detail(s));
}

/* The name of the op, without its package. */
static const char *
op_name(const Step *s, struct arena *arena)
{
	struct str pkg, name;

	name_split(s->opcode, &pkg, &name);
	return arena_strndup(arena, name.p, name.n);
}

/* The next published row of a kernel from row *i on; NULL: no more. */
static const struct manifest_row *
next_row(const struct explainer *x, const struct unit *u, uint32_t kernel,
    size_t *i)
{
	char *opcode = arena_printf(x->arena, "%s.%llu.k%u", u->name,
	    (unsigned long long)u->version, kernel);

	while (*i < x->manifest->n) {
		const struct manifest_row *r = &x->manifest->row[(*i)++];

		if (!strcmp(r->opcode, opcode))
			return r;
	}
	return NULL;
}

static void
put_spans(const struct view *v, struct buf *out)
{
	for (size_t i = 0; i < v->nspan; i++) {
		const struct span *s = &v->span[i];

		buf_printf(out, "%s%s:%d", i ? " " : "  ",
		    s->file ? s->file : "-", s->low);
		if (s->high != s->low)
			buf_printf(out, "-%d", s->high);
	}
}

static void
put_group(const struct explainer *x, const struct unit *u,
    const struct view *v)
{
	const Fusion *f = u->fusion.root;
	const struct manifest_row *r;
	size_t at = 0;

	if (v->template_)
		buf_printf(x->out, "k%u %s ", v->kernel, v->template_);
	else
		buf_puts(x->out, "-- ");
	buf_printf(x->out, "%s:", explain_state(f, v->group, x->arena));
	for (uint32_t i = 0; i < v->group->n_steps; i++)
		buf_printf(x->out, " %s",
		    op_name(step_of(f, v->group, i), x->arena));
	put_spans(v, x->out);
	buf_puts(x->out, "\n");
	while (v->template_ && (r = next_row(x, u, v->kernel, &at)))
		buf_printf(x->out, "  row %s %s %s %s object %.12s cert %s\n",
		    dtype_name(r->dtype), r->pattern,
		    *r->guard ? r->guard : "-", r->isa, r->object,
		    *r->cert ? r->cert : "-");
}

/* The unit of a released version; NULL when it is superseded. */
static const struct unit *
released_unit(const struct explainer *x, const struct version_line *line)
{
	return map_get(&x->plan->units, arena_printf(x->arena, "%s.%llu",
	    line->base, (unsigned long long)line->n));
}

/* Whether a line of versions.lock is one of the function's older versions. */
static bool
is_older(const struct explainer *x, const struct version_line *line)
{
	return !strcmp(line->base, x->unit->name) &&
	    line->n != x->unit->version;
}

static bool
is_masked(const struct explainer *x, uint64_t n)
{
	return masked_has(x->masked, arena_printf(x->arena, "%s.%llu",
	    x->unit->name, (unsigned long long)n));
}

/* The highest version that is neither superseded nor masked; 0: the base. */
static uint64_t
chosen_version(const struct explainer *x)
{
	uint64_t best = x->unit->has_kernels &&
	    !is_masked(x, x->unit->version) ? x->unit->version : 0;

	for (size_t i = 0; i < x->plan->locked.n; i++) {
		const struct version_line *line = &x->plan->locked.line[i];

		if (is_older(x, line) && released_unit(x, line) &&
		    !is_masked(x, line->n) && line->n > best)
			best = line->n;
	}
	return best;
}

static void
put_version(const struct explainer *x, const struct version_line *v,
    const char *state, bool superseded)
{
	char core[65], base[65];

	hex_encode(core, v->core.b, 32);
	hex_encode(base, v->program.b, 32);
	buf_printf(x->out, "%s.%llu %s core %.12s base %.12s%s%s\n", v->base,
	    (unsigned long long)v->n, state, core, base,
	    superseded ? " superseded" : "",
	    is_masked(x, v->n) ? " masked" : "");
}

static void
put_groups(const struct explainer *x, const struct unit *u)
{
	const Fusion *f = u->fusion.root;
	uint32_t kernels = 0;

	for (uint32_t i = 0; i < f->n_groups; i++) {
		struct view v = view_of(x, f, &f->groups[i], &kernels);

		put_group(x, u, &v);
	}
}

/* The released versions besides today's. */
static void
put_older(const struct explainer *x)
{
	for (size_t i = 0; i < x->plan->locked.n; i++) {
		const struct version_line *line = &x->plan->locked.line[i];
		const struct unit *u;

		if (!is_older(x, line))
			continue;
		u = released_unit(x, line);
		put_version(x, line, "released", !u);
		if (u)
			put_groups(x, u);
	}
}

void
explain_unit(const struct explainer *x)
{
	const struct unit *u = x->unit;
	uint64_t chosen;

	if (u->interpreted) {
		buf_printf(x->out, "%s has no version: it has jumps, "
		    "absolute paths, reads before writes, or results that "
		    "may stay as they were\n"
		    "chosen: the base\n", u->name);
		return;
	}
	if (u->has_kernels)
		put_version(x, &(struct version_line){ .base = u->name,
		    .n = u->version, .core = u->fusion.core,
		    .program = u->inlined.core }, u->pending ? "pending" : "released", false);
	else
		buf_printf(x->out, "%s has no version of today's plan: no "
		    "group of it became a kernel\n", u->name);
	put_groups(x, u);
	put_older(x);
	chosen = chosen_version(x);
	if (chosen)
		buf_printf(x->out, "chosen: .%llu (highest whose groups all "
		    "fit)\n", (unsigned long long)chosen);
	else
		buf_puts(x->out, "chosen: the base\n");
}

static void
json_rows(const struct explainer *x, uint32_t kernel, struct json *j)
{
	const struct unit *u = x->unit;
	const struct manifest_row *r;
	size_t at = 0;

	json_open(j, "rows", '[');
	while ((r = next_row(x, u, kernel, &at))) {
		json_open(j, NULL, '{');
		json_text(j, "dtype", dtype_name(r->dtype));
		json_text(j, "pattern", r->pattern);
		json_text(j, "guard", r->guard);
		json_text(j, "isa", r->isa);
		json_text(j, "object", r->object);
		json_text(j, "cert", r->cert);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void
json_group(const struct explainer *x, const Fusion *f, const struct view *v,
    struct json *j)
{
	json_open(j, NULL, '{');
	json_text(j, "template", v->template_);
	json_text(j, "state", RegionState_name(v->state->tag));
	json_text(j, "detail", state_detail(v->state));
	json_open(j, "ops", '[');
	for (uint32_t i = 0; i < v->group->n_steps; i++)
		json_text(j, NULL, step_of(f, v->group, i)->opcode);
	json_close(j, ']');
	json_open(j, "places", '[');
	for (size_t i = 0; i < v->nspan; i++) {
		json_open(j, NULL, '{');
		json_text(j, "file", v->span[i].file);
		json_number(j, "first", v->span[i].low);
		json_number(j, "last", v->span[i].high);
		json_close(j, '}');
	}
	json_close(j, ']');
	if (v->template_) {
		json_number(j, "k", v->kernel);
		json_rows(x, v->kernel, j);
	}
	json_close(j, '}');
}

static void
json_version(const struct unit *u, struct json *j)
{
	char hex[65];

	json_number(j, "n", (long long)u->version);
	json_bool(j, "pending", u->pending);
	hex_encode(hex, u->fusion.core.b, 32);
	json_text(j, "core", hex);
	hex_encode(hex, u->inlined.core.b, 32);
	json_text(j, "base", hex);
}

/* The released versions besides today's. */
static void
json_older(const struct explainer *x, struct json *j)
{
	json_open(j, "released", '[');
	for (size_t i = 0; i < x->plan->locked.n; i++) {
		const struct version_line *line = &x->plan->locked.line[i];

		if (!is_older(x, line))
			continue;
		json_open(j, NULL, '{');
		json_number(j, "n", (long long)line->n);
		json_bool(j, "superseded", !released_unit(x, line));
		json_bool(j, "masked", is_masked(x, line->n));
		json_close(j, '}');
	}
	json_close(j, ']');
	json_number(j, "chosen", (long long)chosen_version(x));
}

void
explain_unit_json(const struct explainer *x)
{
	const struct unit *u = x->unit;
	const Fusion *f = u->fusion.root;
	struct json j = { .out = x->out };
	uint32_t kernels = 0;

	json_open(&j, NULL, '{');
	json_text(&j, "function", u->name);
	json_bool(&j, "interpreted", u->interpreted);
	json_bool(&j, "versioned", u->has_kernels);
	if (u->has_kernels)
		json_version(u, &j);
	json_open(&j, "groups", '[');
	for (uint32_t i = 0; f && i < f->n_groups; i++) {
		struct view v = view_of(x, f, &f->groups[i], &kernels);

		json_group(x, f, &v, &j);
	}
	json_close(&j, ']');
	json_older(x, &j);
	json_close(&j, '}');
	buf_putc(x->out, '\n');
}
