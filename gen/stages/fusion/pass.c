/* SPDX-License-Identifier: MIT */
#include "gen/stages/fusion/fusion.h"

#include <string.h>

#include "gen/derive/dtype.h"
#include "gen/derive/form.h"
#include "gen/derive/graph.h"
#include "gen/rules.h"

#define IR_DEF "gen/stages/fusion/fusion.def"
#include "gen/ir/desc.h"

struct fuser {
	struct session *session;
	struct arena *arena;
	struct graph g;
	struct dtypes dtypes;
	Fusion *f;
	int64_t *group;  /* of each step, -1: none yet */
	uint32_t *next;  /* of each step of a group: another, in a circle */
	uint32_t *set, n; /* the group that grows, in source order */
	bool *in_set;    /* of each step */
	uint32_t ngroup;
	bool limited;     /* a step was refused because of the heavy limit */
};

static Id
fusion_id(const struct fuser *fu, char kind, const Id *source)
{
	char hex[2 * sizeof source->b + 1];
	const char *parts[] = { fu->f->unit, hex };

	hex_encode(hex, source->b, sizeof source->b);
	return ir_id(kind, parts, 2);
}

static Id *
fusion_ids(const struct fuser *fu, char kind, const Id *from, uint32_t n)
{
	Id *to = arena_array(fu->arena, n, sizeof *to);

	for (uint32_t i = 0; i < n; i++)
		to[i] = fusion_id(fu, kind, &from[i]);
	return to;
}

/* Buffers, steps and results: the bound level carried down. */
static void
carry(struct fuser *fu, const Bound *b)
{
	Fusion *f = fu->f;

	f->buffers = arena_array(fu->arena, b->n_values, sizeof *f->buffers);
	f->n_buffers = b->n_values;
	for (uint32_t i = 0; i < b->n_values; i++)
		f->buffers[i] = (Buffer){
			.id = fusion_id(fu, 'u', &b->values[i].id),
			.name = b->values[i].name, .role = b->values[i].role,
			.langtype = b->values[i].langtype,
			.lineage = lineage_one("lowered", "carry-buffer",
			    &b->values[i].id, fu->arena) };
	f->steps = arena_array(fu->arena, b->n_calls, sizeof *f->steps);
	f->n_steps = b->n_calls;
	for (uint32_t i = 0; i < b->n_calls; i++) {
		const Call *c = &b->calls[i];

		f->steps[i] = (Step){ .id = fusion_id(fu, 's', &c->id),
			.opcode = c->opcode, .body = c->body,
			.facts = c->facts, .effect = c->effect,
			.inputs = fusion_ids(fu, 'u', c->inputs, c->n_inputs),
			.n_inputs = c->n_inputs,
			.outputs = fusion_ids(fu, 'u', c->outputs,
			    c->n_outputs), .n_outputs = c->n_outputs,
			.lineage = lineage_one("lowered", "carry-step",
			    &c->id, fu->arena) };
		place_set(fu->session, &f->steps[i].id,
		    place_get(fu->session, &c->id));
	}
	f->results = arena_array(fu->arena, b->n_results, sizeof *f->results);
	f->n_results = b->n_results;
	for (uint32_t i = 0; i < b->n_results; i++)
		f->results[i] = (FResult){ .name = b->results[i].name,
			.langtype = b->results[i].langtype,
			.value = fusion_id(fu, 'u', &b->results[i].value) };
}

/* Marks a step outside of the set and puts it on the list, once. Returns
 * whether it is in the set instead. */
static bool
reach(const struct fuser *fu, uint32_t s, bool *seen, uint32_t *list,
    uint32_t *n)
{
	if (fu->in_set[s])
		return true;
	if (!seen[s]) {
		seen[s] = true;
		list[(*n)++] = s;
	}
	return false;
}

/* Reaches the readers of what a step makes; returns whether one of them is in
 * the set. */
static bool
reach_readers(const struct fuser *fu, uint32_t s, bool *seen, uint32_t *list,
    uint32_t *n)
{
	bool in = false;

	for (uint32_t i = 0; i < fu->f->steps[s].n_outputs; i++) {
		const struct readers *r = &fu->g.read[fu->g.out[s][i]];

		for (uint32_t k = 0; k < r->n; k++)
			in |= reach(fu, r->step[k], seen, list, n);
	}
	return in;
}

/* No path leaves the set and comes back; a formed group is one node. */
static bool
is_convex(const struct fuser *fu)
{
	struct arena scratch = { 0 };
	bool *seen = arena_array(&scratch, fu->f->n_steps, sizeof *seen);
	uint32_t *list = arena_array(&scratch, fu->f->n_steps, sizeof *list);
	uint32_t n = 0;
	bool back = false;

	for (uint32_t i = 0; i < fu->n; i++)
		reach_readers(fu, fu->set[i], seen, list, &n);
	for (uint32_t i = 0; i < n && !back; i++) {
		back = reach_readers(fu, list[i], seen, list, &n);
		if (fu->group[list[i]] >= 0)
			reach(fu, fu->next[list[i]], seen, list, &n);
	}
	arena_release(&scratch);
	return !back;
}

static bool
may_join(const struct fuser *fu, uint32_t s)
{
	enum class_rule rule = rules_class(fu->f->steps[s].facts.cls);

	return CallBody_is_CallBackend(fu->f->steps[s].body) &&
	    rule != RULE_NONE && rule != RULE_BARRIER;
}

/* How many steps of the set, with s, are of the class of s, when that class
 * counts. */
static bool
within_limit(struct fuser *fu, uint32_t s)
{
	const char *cls = fu->f->steps[s].facts.cls;
	int count = 1;

	if (rules_class(cls) != RULE_COUNT)
		return true;
	for (uint32_t i = 0; i < fu->n; i++)
		count += !strcmp(fu->f->steps[fu->set[i]].facts.cls, cls);
	if (count < rules_limit(cls))
		return true;
	fu->limited = true;
	return false;
}

/* The first template that takes the set, in at least one dtype; the fit is in
 * the arena. */
static const struct template *
taken_by(struct fuser *fu, struct fit *fit, struct arena *arena)
{
	const struct fusion_rules *r = fu->session->rules;
	struct made made[N_DTYPES];

	for (size_t i = 0; i < r->n; i++) {
		struct cut g = { fu->f, &r->template_[i], fu->set,
			fu->n };

		if (form_fit(&fu->g, g.t, fu->set, fu->n, fit, arena) &&
		    dtypes_kernels(&fu->dtypes, &fu->g, &g, fit, made, arena))
			return g.t;
	}
	return NULL;
}

static void
set_insert(struct fuser *fu, uint32_t s)
{
	uint32_t i = fu->n++;

	for (; i > 0 && fu->set[i - 1] > s; i--)
		fu->set[i] = fu->set[i - 1];
	fu->set[i] = s;
	fu->in_set[s] = true;
}

static void
set_remove(struct fuser *fu, uint32_t s)
{
	uint32_t i = 0;

	while (fu->set[i] != s)
		i++;
	for (fu->n--; i < fu->n; i++)
		fu->set[i] = fu->set[i + 1];
	fu->in_set[s] = false;
}

static bool
try_step(struct fuser *fu, uint32_t s)
{
	struct arena scratch = { 0 };
	struct fit fit;
	bool taken;

	if (fu->group[s] >= 0 || fu->in_set[s] || !may_join(fu, s) ||
	    fu->g.segment[s] != fu->g.segment[fu->set[0]] ||
	    !within_limit(fu, s))
		return false;
	set_insert(fu, s);
	taken = is_convex(fu) && taken_by(fu, &fit, &scratch);
	arena_release(&scratch);
	if (!taken)
		set_remove(fu, s);
	return taken;
}

/* Whether a step reads what one of the set makes. */
static bool
is_consumer(const struct fuser *fu, uint32_t s)
{
	for (uint32_t i = 0; i < fu->f->steps[s].n_inputs; i++) {
		int64_t from = fu->g.producer[fu->g.in[s][i]];

		if (from >= 0 && fu->in_set[from])
			return true;
	}
	return false;
}

/* Whether one of the set reads what a step makes. */
static bool
is_producer(const struct fuser *fu, uint32_t s)
{
	for (uint32_t i = 0; i < fu->f->steps[s].n_outputs; i++) {
		const struct readers *r = &fu->g.read[fu->g.out[s][i]];

		for (uint32_t k = 0; k < r->n; k++)
			if (fu->in_set[r->step[k]])
				return true;
	}
	return false;
}

/* Adds the first consumer in source order that can join, else the first
 * producer; false when none can. */
static bool
grow_once(struct fuser *fu)
{
	for (uint32_t s = 0; s < fu->f->n_steps; s++)
		if (is_consumer(fu, s) && try_step(fu, s))
			return true;
	for (uint32_t s = 0; s < fu->f->n_steps; s++)
		if (is_producer(fu, s) && try_step(fu, s))
			return true;
	return false;
}

static RegionState
state_of(struct fuser *fu, const struct template *t)
{
	const Step *s = &fu->f->steps[fu->set[0]];
	NotFusable *not = arena_alloc(fu->arena, sizeof *not);

	if (fu->limited) {
		MustSplit *split = arena_alloc(fu->arena, sizeof *split);

		split->heavy = (U64)rules_limit("heavy");
		return RegionState_of_MustSplit(split);
	}
	if (t && fu->n > 1) {
		Fusable *ok = arena_alloc(fu->arena, sizeof *ok);

		ok->template_ = t->name;
		return RegionState_of_Fusable(ok);
	}
	if (!t && may_join(fu, fu->set[0])) {
		NeedsTemplate *needs = arena_alloc(fu->arena, sizeof *needs);

		needs->pattern = s->facts.op;
		return RegionState_of_NeedsTemplate(needs);
	}
	not->why = t ? "alone" : s->effect ? "effect" :
	    CallBody_is_CallBackend(s->body) ? "unsupported-op" : "control";
	return RegionState_of_NotFusable(not);
}

/* The later templates that take the set too, where the first one assumes
 * something that they do not. */
static void
find_variants(struct fuser *fu, const struct template *t, GroupKernel *k)
{
	const struct fusion_rules *r = fu->session->rules;
	const struct template *end = r->template_ + r->n;
	struct made made[N_DTYPES];
	size_t cap = 0;

	while (k->n_assumes && ++t < end) {
		struct cut cut = { fu->f, t, fu->set, fu->n };
		struct fit fit;
		Variant *v;

		if (!form_fit(&fu->g, t, fu->set, fu->n, &fit, fu->arena) ||
		    !dtypes_kernels(&fu->dtypes, &fu->g, &cut, &fit, made,
		    fu->arena))
			continue;
		k->variants = arena_grow(fu->arena, k->variants, k->n_variants,
		    &cap, sizeof *v);
		v = &k->variants[k->n_variants++];
		*v = (Variant){ .template_ = t->name, .revision = t->revision,
			.assumes = fit.assume, .n_assumes = fit.nassume };
	}
}

static GroupBody
body_of(struct fuser *fu, const struct template *t, const struct fit *fit)
{
	static const GroupFallback fallback;
	GroupKernel *k;

	if (!t || fu->n < 2)
		return GroupBody_of_GroupFallback(&fallback);
	k = arena_alloc(fu->arena, sizeof *k);
	k->template_ = t->name;
	k->revision = t->revision;
	k->assumes = fit->assume;
	k->n_assumes = fit->nassume;
	find_variants(fu, t, k);
	return GroupBody_of_GroupKernel(k);
}

static Id *
buffer_ids(const struct fuser *fu, const uint32_t *b, uint32_t n)
{
	Id *id = arena_array(fu->arena, n, sizeof *id);

	for (uint32_t i = 0; i < n; i++)
		id[i] = fu->f->buffers[b[i]].id;
	return id;
}

/* The calls of the bound level that the set was made from. */
static Lineage
lineage_of_set(const struct fuser *fu, const char *rule)
{
	Id *calls = arena_array(fu->arena, fu->n, sizeof *calls);

	for (uint32_t i = 0; i < fu->n; i++)
		calls[i] = fu->f->steps[fu->set[i]].lineage.sources[0];
	return (Lineage){ .kind = fu->n > 1 ? "fused" : "preserved",
		.rule = rule, .sources = calls, .n_sources = fu->n };
}

/* Makes a region and a group of the set. */
static void
close_group(struct fuser *fu)
{
	Group *g = &fu->f->groups[fu->ngroup];
	Region *r = &fu->f->regions[fu->ngroup];
	Id *steps = arena_array(fu->arena, fu->n, sizeof *steps);
	const struct template *t = NULL;
	struct fit fit = { 0 };

	if (may_join(fu, fu->set[0]))
		t = taken_by(fu, &fit, fu->arena);
	for (uint32_t i = 0; i < fu->n; i++) {
		steps[i] = fu->f->steps[fu->set[i]].id;
		fu->group[fu->set[i]] = fu->ngroup;
		fu->next[fu->set[i]] = fu->set[(i + 1) % fu->n];
		fu->in_set[fu->set[i]] = false;
	}
	r->id = fusion_id(fu, 'r', &steps[0]);
	r->state = state_of(fu, t);
	r->steps = steps;
	r->n_steps = fu->n;
	r->lineage = lineage_of_set(fu, "match-region");
	g->id = fusion_id(fu, 'g', &steps[0]);
	g->body = body_of(fu, t, &fit);
	g->region = r->id;
	g->steps = steps;
	g->n_steps = fu->n;
	g->lineage = lineage_of_set(fu, "fuse-group");
	if (GroupBody_is_GroupKernel(g->body)) {
		g->inputs = buffer_ids(fu, fit.input, fit.ninput);
		g->n_inputs = fit.ninput;
		g->outputs = buffer_ids(fu, fit.output, fit.noutput);
		g->n_outputs = fit.noutput;
	} else {
		const Step *s = &fu->f->steps[fu->set[0]];

		g->inputs = s->inputs;
		g->n_inputs = s->n_inputs;
		g->outputs = s->outputs;
		g->n_outputs = s->n_outputs;
	}
	fu->ngroup++;
}

/* Adds d to what the group of each reader of a step waits for; a group does not
 * wait for itself. */
static void
count_readers(const struct fuser *fu, uint32_t s, int64_t d, int64_t *waits)
{
	for (uint32_t i = 0; i < fu->f->steps[s].n_outputs; i++) {
		const struct readers *r = &fu->g.read[fu->g.out[s][i]];

		for (uint32_t k = 0; k < r->n; k++)
			if (fu->group[r->step[k]] != fu->group[s])
				waits[fu->group[r->step[k]]] += d;
	}
}

/* The first step of each group. */
static uint32_t *
first_steps(const struct fuser *fu)
{
	uint32_t *first = arena_array(fu->arena, fu->ngroup, sizeof *first);

	for (uint32_t s = fu->f->n_steps; s-- > 0;)
		first[fu->group[s]] = s;
	return first;
}

/* Orders groups topologically; ties keep the order of their first steps. That
 * keeps effects in place too: no group crosses one, and what comes before an
 * effect needs nothing from behind it. */
static void
order_groups(struct fuser *fu)
{
	Group *sorted = arena_array(fu->arena, fu->ngroup, sizeof *sorted);
	Region *regions = arena_array(fu->arena, fu->ngroup, sizeof *regions);
	int64_t *waits = arena_array(fu->arena, fu->ngroup, sizeof *waits);
	bool *done = arena_array(fu->arena, fu->ngroup, sizeof *done);
	uint32_t *first = first_steps(fu), n = 0;

	for (uint32_t s = 0; s < fu->f->n_steps; s++)
		count_readers(fu, s, 1, waits);
	while (n < fu->ngroup) {
		uint32_t g = 0, s;

		while (g < fu->ngroup && (done[g] || waits[g]))
			g++;
		if (g == fu->ngroup)
			BUG("%s: groups form a circle", fu->f->unit);
		done[g] = true;
		s = first[g];
		do {
			count_readers(fu, s, -1, waits);
			s = fu->next[s];
		} while (s != first[g]);
		regions[n] = fu->f->regions[g];
		sorted[n++] = fu->f->groups[g];
	}
	fu->f->groups = sorted;
	fu->f->regions = regions;
	fu->f->n_groups = fu->f->n_regions = n;
}

/* What is wrong with the axes of a reduction whatever runs it, where they and
 * the rank are known. */
static int
check_axes(const struct fuser *fu, struct diag *diag)
{
	int bad = 0;

	for (uint32_t s = 0; s < fu->f->n_steps; s++) {
		const Step *step = &fu->f->steps[s];

		if (fu->g.misfit[s] && !strcmp(step->facts.cls, "reduce"))
			bad = diag_error(diag, place_get(fu->session,
			    &step->id), "TypeError: %s: %s", step->opcode,
			    fu->g.misfit[s]);
	}
	return bad;
}

static const void *
fuse_run(const struct snapshot *in, struct session *session,
    struct arena *arena, struct diag *diag)
{
	const Bound *b = in->root;
	struct fuser fu = { .session = session, .arena = arena,
		.f = arena_alloc(arena, sizeof(Fusion)) };
	uint32_t n = b->n_calls;

	fu.f->header = header_of(in, arena);
	fu.f->unit = b->unit;
	fu.f->heavy_limit = (U64)rules_limit("heavy");
	carry(&fu, b);
	graph_init(&fu.g, fu.f, arena);
	if (check_axes(&fu, diag))
		return NULL;
	dtypes_init(&fu.dtypes, &fu.g, arena);
	fu.group = arena_array(arena, n, sizeof *fu.group);
	fu.next = arena_array(arena, n, sizeof *fu.next);
	fu.in_set = arena_array(arena, n, sizeof *fu.in_set);
	fu.set = arena_array(arena, n, sizeof *fu.set);
	fu.f->groups = arena_array(arena, n, sizeof *fu.f->groups);
	fu.f->regions = arena_array(arena, n, sizeof *fu.f->regions);
	for (uint32_t s = 0; s < n; s++)
		fu.group[s] = -1;
	for (uint32_t s = 0; s < n; s++) {
		if (fu.group[s] >= 0)
			continue;
		fu.n = 0;
		set_insert(&fu, s);
		fu.limited = false;
		while (may_join(&fu, s) && grow_once(&fu))
			;
		close_group(&fu);
	}
	order_groups(&fu);
	return fu.f;
}

const struct pass fusion_fuse = {
	.name = "fuse", .revision = "1", .in = &Bound_type,
	.out = &Fusion_type, .verify = fusion_verify, .run = fuse_run,
};
