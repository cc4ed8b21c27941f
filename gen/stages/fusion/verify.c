/* SPDX-License-Identifier: MIT */
#include "gen/stages/fusion/fusion.h"

#include <string.h>

#include "gen/ir/ids.h"

/* Of the readers of a buffer: there are none, or they are in several groups. */
enum { NOBODY = -3, MANY = -2 };

/* What is asked often, found once; of the root alone, nothing that the pass
 * knew. */
struct view {
	const Fusion *f;
	struct arena arena;
	struct ir_ids steps, buffers;
	int64_t *group;    /* of each step; n_groups: none has it, -1: several */
	int64_t *producer; /* of each buffer: a step, or -1 */
	int64_t *reader;   /* of each buffer: the group of all that read it */
	bool *result;      /* of each buffer */
};

static void
view_groups(struct view *v)
{
	const Fusion *f = v->f;

	v->group = arena_array(&v->arena, f->n_steps, sizeof *v->group);
	for (uint32_t s = 0; s < f->n_steps; s++)
		v->group[s] = f->n_groups;
	for (uint32_t g = 0; g < f->n_groups; g++)
		for (uint32_t i = 0; i < f->groups[g].n_steps; i++) {
			int64_t s = ir_ids_find(&v->steps,
			    &f->groups[g].steps[i]);

			if (s >= 0)
				v->group[s] = v->group[s] == f->n_groups ?
				    (int64_t)g : -1;
		}
}

static void
view_buffers(struct view *v)
{
	const Fusion *f = v->f;
	int64_t b;

	v->producer = arena_array(&v->arena, f->n_buffers, sizeof(int64_t));
	v->reader = arena_array(&v->arena, f->n_buffers, sizeof(int64_t));
	v->result = arena_array(&v->arena, f->n_buffers, sizeof(bool));
	for (b = 0; b < f->n_buffers; b++) {
		v->producer[b] = -1;
		v->reader[b] = NOBODY;
	}
	for (uint32_t s = f->n_steps; s-- > 0;) {
		const Step *step = &f->steps[s];

		for (uint32_t i = 0; i < step->n_outputs; i++)
			if ((b = ir_ids_find(&v->buffers,
			    &step->outputs[i])) >= 0)
				v->producer[b] = s;
		for (uint32_t i = 0; i < step->n_inputs; i++)
			if ((b = ir_ids_find(&v->buffers,
			    &step->inputs[i])) >= 0)
				v->reader[b] = v->reader[b] == NOBODY ||
				    v->reader[b] == v->group[s] ?
				    v->group[s] : MANY;
	}
	for (uint32_t i = 0; i < f->n_results; i++)
		if ((b = ir_ids_find(&v->buffers, &f->results[i].value)) >= 0)
			v->result[b] = true;
}

static int64_t
producer_of(const struct view *v, const Id *buffer)
{
	int64_t b = ir_ids_find(&v->buffers, buffer);

	return b < 0 ? -1 : v->producer[b];
}

/* Every step is in exactly one group, and what it needs comes from the same
 * group or an earlier one: groups are then convex and in order. */
static int
verify_step(const struct view *v, uint32_t s, struct diag *diag)
{
	const Fusion *f = v->f;
	const Step *step = &f->steps[s];
	int64_t own = v->group[s];
	int bad = 0;

	if (own < 0 || own == f->n_groups)
		return diag_error(diag, no_loc, "fusion.partition: %s: step %u "
		    "(%s) is in %s", f->unit, s, step->opcode,
		    own < 0 ? "several groups" : "no group");
	for (uint32_t i = 0; i < step->n_inputs; i++) {
		int64_t p = producer_of(v, &step->inputs[i]);

		if (p >= 0 && v->group[p] > own)
			bad = diag_error(diag, no_loc, "fusion.convex: %s: "
			    "step %u (%s) needs a later group", f->unit, s,
			    step->opcode);
	}
	for (uint32_t t = 0; t < s; t++)
		if ((step->effect || f->steps[t].effect) && v->group[t] >= own)
			bad = diag_error(diag, no_loc, "fusion.effect: %s: "
			    "step %u (%s) moved over an effect", f->unit, s,
			    step->opcode);
	return bad;
}

static const Region *
region_of(const Fusion *f, const Group *g)
{
	for (uint32_t i = 0; i < f->n_regions; i++)
		if (ir_id_eq(&f->regions[i].id, &g->region))
			return &f->regions[i];
	return NULL;
}

static bool
has_id(const Id *list, uint32_t n, const Id *id)
{
	for (uint32_t i = 0; i < n; i++)
		if (ir_id_eq(&list[i], id))
			return true;
	return false;
}

/* Whether a step of the group makes the buffer. */
static bool
makes(const struct view *v, uint32_t g, const Id *buffer)
{
	int64_t p = producer_of(v, buffer);

	return p >= 0 && v->group[p] == g;
}

/* Whether a result of the unit or a step outside of the group reads it. */
static bool
leaves(const struct view *v, uint32_t g, const Id *buffer)
{
	int64_t b = ir_ids_find(&v->buffers, buffer);

	return b >= 0 && (v->result[b] || (v->reader[b] != NOBODY &&
	    v->reader[b] != g));
}

/* inputs and outputs are the cut: nothing else comes in or goes out. */
static int
verify_cut(const struct view *v, uint32_t index, struct diag *diag)
{
	const Fusion *f = v->f;
	const Group *g = &f->groups[index];
	bool ok = true;

	for (uint32_t i = 0; i < g->n_inputs; i++)
		ok &= !makes(v, index, &g->inputs[i]);
	for (uint32_t i = 0; i < g->n_outputs; i++)
		ok &= makes(v, index, &g->outputs[i]);
	for (uint32_t s = 0; s < f->n_steps; s++) {
		const Step *step = &f->steps[s];

		if (v->group[s] != index)
			continue;
		for (uint32_t i = 0; i < step->n_inputs; i++)
			ok &= step->facts.attrs >> i & 1 ||
			    makes(v, index, &step->inputs[i]) ||
			    has_id(g->inputs, g->n_inputs, &step->inputs[i]);
		for (uint32_t i = 0; i < step->n_outputs; i++)
			ok &= !leaves(v, index, &step->outputs[i]) || has_id(
			    g->outputs, g->n_outputs, &step->outputs[i]);
	}
	return ok ? 0 : diag_error(diag, no_loc, "fusion.cut: %s: inputs and "
	    "outputs of a kernel group are not what crosses its border",
	    f->unit);
}

static int
verify_group(const struct view *v, uint32_t index, struct diag *diag)
{
	const Fusion *f = v->f;
	const Group *g = &f->groups[index];
	const Region *r = region_of(f, g);
	U64 heavy = 0;

	if (!GroupBody_is_GroupKernel(g->body))
		return 0;
	if (!r || !RegionState_is_Fusable(r->state))
		return diag_error(diag, no_loc, "fusion.state: %s: a kernel "
		    "group whose region is not fusable", f->unit);
	for (uint32_t s = 0; s < f->n_steps; s++) {
		if (v->group[s] != index)
			continue;
		heavy += !strcmp(f->steps[s].facts.cls, "heavy");
		if (f->steps[s].effect)
			return diag_error(diag, no_loc, "fusion.effect: %s: a "
			    "kernel group has an effect", f->unit);
	}
	if (heavy >= f->heavy_limit)
		return diag_error(diag, no_loc, "fusion.heavy: %s: a kernel "
		    "group has %llu heavy ops, the limit is %llu", f->unit,
		    (unsigned long long)heavy,
		    (unsigned long long)f->heavy_limit);
	return verify_cut(v, index, diag);
}

int
fusion_verify(const void *root, struct diag *diag)
{
	const Fusion *f = root;
	struct view v = { .f = f };
	int bad = 0;

	ir_ids_init(&v.steps, &v.arena, f->steps, f->n_steps,
	    sizeof *f->steps, offsetof(Step, id));
	ir_ids_init(&v.buffers, &v.arena, f->buffers, f->n_buffers,
	    sizeof *f->buffers, offsetof(Buffer, id));
	view_groups(&v);
	view_buffers(&v);
	for (uint32_t s = 0; s < f->n_steps; s++)
		bad |= verify_step(&v, s, diag);
	for (uint32_t g = 0; g < f->n_groups; g++)
		bad |= verify_group(&v, g, diag);
	arena_release(&v.arena);
	return bad;
}
