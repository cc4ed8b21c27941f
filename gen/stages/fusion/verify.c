/* SPDX-License-Identifier: MIT */
#include "gen/stages/fusion/fusion.h"

#include <string.h>

/* The group of a step; n_groups when none has it, -1 when several do. */
static int64_t
group_of(const Fusion *f, const Id *step)
{
	int64_t found = f->n_groups;

	for (uint32_t g = 0; g < f->n_groups; g++)
		for (uint32_t i = 0; i < f->groups[g].n_steps; i++) {
			if (!ir_id_eq(&f->groups[g].steps[i], step))
				continue;
			if (found != f->n_groups)
				return -1;
			found = g;
		}
	return found;
}

static int64_t
producer_of(const Fusion *f, const Id *buffer)
{
	for (uint32_t s = 0; s < f->n_steps; s++)
		for (uint32_t i = 0; i < f->steps[s].n_outputs; i++)
			if (ir_id_eq(&f->steps[s].outputs[i], buffer))
				return s;
	return -1;
}

/* Every step is in exactly one group, and what it needs comes from the same
 * group or an earlier one: groups are then convex and in order. */
static int
verify_step(const Fusion *f, uint32_t s, struct diag *diag)
{
	const Step *step = &f->steps[s];
	int64_t own = group_of(f, &step->id);
	int bad = 0;

	if (own < 0 || own == f->n_groups)
		return diag_error(diag, no_loc, "fusion.partition: %s: step %u "
		    "(%s) is in %s", f->unit, s, step->opcode,
		    own < 0 ? "several groups" : "no group");
	for (uint32_t i = 0; i < step->n_inputs; i++) {
		int64_t p = producer_of(f, &step->inputs[i]);

		if (p >= 0 && group_of(f, &f->steps[p].id) > own)
			bad = diag_error(diag, no_loc, "fusion.convex: %s: "
			    "step %u (%s) needs a later group", f->unit, s,
			    step->opcode);
	}
	for (uint32_t t = 0; t < s; t++)
		if ((step->effect || f->steps[t].effect) &&
		    group_of(f, &f->steps[t].id) >= own)
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
makes(const Fusion *f, const Group *g, const Id *buffer)
{
	int64_t p = producer_of(f, buffer);

	return p >= 0 && has_id(g->steps, g->n_steps, &f->steps[p].id);
}

/* Whether a result of the unit or a step outside of the group reads it. */
static bool
leaves(const Fusion *f, const Group *g, const Id *buffer)
{
	for (uint32_t i = 0; i < f->n_results; i++)
		if (ir_id_eq(&f->results[i].value, buffer))
			return true;
	for (uint32_t s = 0; s < f->n_steps; s++)
		if (!has_id(g->steps, g->n_steps, &f->steps[s].id) &&
		    has_id(f->steps[s].inputs, f->steps[s].n_inputs, buffer))
			return true;
	return false;
}

/* inputs and outputs are the cut: nothing else comes in or goes out. */
static int
verify_cut(const Fusion *f, const Group *g, struct diag *diag)
{
	bool ok = true;

	for (uint32_t i = 0; i < g->n_inputs; i++)
		ok &= !makes(f, g, &g->inputs[i]);
	for (uint32_t i = 0; i < g->n_outputs; i++)
		ok &= makes(f, g, &g->outputs[i]);
	for (uint32_t s = 0; s < f->n_steps; s++) {
		const Step *step = &f->steps[s];

		if (!has_id(g->steps, g->n_steps, &step->id))
			continue;
		for (uint32_t i = 0; i < step->n_inputs; i++)
			ok &= step->facts.attrs >> i & 1 ||
			    makes(f, g, &step->inputs[i]) ||
			    has_id(g->inputs, g->n_inputs, &step->inputs[i]);
		for (uint32_t i = 0; i < step->n_outputs; i++)
			ok &= !leaves(f, g, &step->outputs[i]) || has_id(
			    g->outputs, g->n_outputs, &step->outputs[i]);
	}
	return ok ? 0 : diag_error(diag, no_loc, "fusion.cut: %s: inputs and "
	    "outputs of a kernel group are not what crosses its border",
	    f->unit);
}

static int
verify_group(const Fusion *f, const Group *g, struct diag *diag)
{
	const Region *r = region_of(f, g);
	U64 heavy = 0;

	if (!GroupBody_is_GroupKernel(g->body))
		return 0;
	if (!r || !RegionState_is_Fusable(r->state))
		return diag_error(diag, no_loc, "fusion.state: %s: a kernel "
		    "group whose region is not fusable", f->unit);
	for (uint32_t s = 0; s < f->n_steps; s++)
		for (uint32_t i = 0; i < g->n_steps; i++)
			if (ir_id_eq(&f->steps[s].id, &g->steps[i])) {
				heavy += !strcmp(f->steps[s].facts.cls,
				    "heavy");
				if (f->steps[s].effect)
					return diag_error(diag, no_loc,
					    "fusion.effect: %s: a kernel "
					    "group has an effect", f->unit);
			}
	if (heavy >= f->heavy_limit)
		return diag_error(diag, no_loc, "fusion.heavy: %s: a kernel "
		    "group has %llu heavy ops, the limit is %llu", f->unit,
		    (unsigned long long)heavy,
		    (unsigned long long)f->heavy_limit);
	return verify_cut(f, g, diag);
}

int
fusion_verify(const void *root, struct diag *diag)
{
	const Fusion *f = root;
	int bad = 0;

	for (uint32_t s = 0; s < f->n_steps; s++)
		bad |= verify_step(f, s, diag);
	for (uint32_t g = 0; g < f->n_groups; g++)
		bad |= verify_group(f, &f->groups[g], diag);
	return bad;
}
