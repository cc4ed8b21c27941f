/* SPDX-License-Identifier: MIT */
#include "gen/stages/concrete/concrete.h"

#include <string.h>

static const KValue *
value_of(const Kernel *k, const Id *id)
{
	for (uint32_t i = 0; i < k->n_values; i++)
		if (ir_id_eq(&k->values[i].id, id))
			return &k->values[i];
	return NULL;
}

static const KStep *
maker_of(const Kernel *k, const Id *value)
{
	for (uint32_t i = 0; i < k->n_steps; i++)
		if (ir_id_eq(&k->steps[i].output, value))
			return &k->steps[i];
	return NULL;
}

/* A value made in an earlier phase must have a place, unless it is one a
 * row. */
static int
verify_read(const Concrete *c, const Kernel *k, const KStep *s, const Id *id,
    struct diag *diag)
{
	const KValue *v = value_of(k, id);
	const KStep *maker = maker_of(k, id);
	bool full;

	if (!v)
		return diag_error(diag, no_loc, "concrete.value: %s: a step "
		    "reads a value of another kernel", c->unit);
	if (!maker)
		return Place_is_PlaceInput(v->place) ? 0 : diag_error(diag,
		    no_loc, "concrete.undefined: %s: nothing makes %s",
		    c->unit, v->name);
	full = !strcmp(v->form, "full");
	if (maker->phase > s->phase)
		return diag_error(diag, no_loc, "concrete.phase: %s: phase "
		    "%llu reads %s of a later one", c->unit,
		    (unsigned long long)s->phase, v->name);
	if (full && maker->phase < s->phase &&
	    Place_is_PlaceRegister(v->place))
		return diag_error(diag, no_loc, "concrete.place: %s: %s is "
		    "read in a later phase and kept nowhere", c->unit,
		    v->name);
	return 0;
}

int
concrete_verify(const void *root, struct diag *diag)
{
	const Concrete *c = root;
	int bad = 0;

	for (uint32_t i = 0; i < c->n_kernels; i++) {
		const Kernel *k = &c->kernels[i];

		for (uint32_t s = 0; s < k->n_steps; s++) {
			if (k->steps[s].phase >= k->phases)
				bad = diag_error(diag, no_loc, "concrete.phase"
				    ": %s: a step is after the last phase",
				    c->unit);
			for (uint32_t j = 0; j < k->steps[s].n_inputs; j++)
				bad |= verify_read(c, k, &k->steps[s],
				    &k->steps[s].inputs[j], diag);
		}
	}
	return bad;
}
