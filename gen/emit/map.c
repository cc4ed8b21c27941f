/* SPDX-License-Identifier: MIT */
/* The regions of the template `map`. */
#include "gen/emit/emitter.h"

#include <string.h>

#include "ops/ops.h"

/* Whether all results are floats, from a float at least, and no value is a
 * half, for which no store passes the caches by. */
static bool
gives_floats(const struct emitter *e)
{
	bool all = true, any = false;

	for (uint32_t v = 0; v < e->k->n_values; v++) {
		all &= !emit_is_half(e, v);
		all &= emit_out_number(e, v) < 0 || emit_is_float(e, v);
		any |= v < e->k->nin && emit_is_float(e, v);
	}
	return all && any;
}

/* Whether much is computed: what is rounded once is cheap, functions with an
 * error are not. */
static bool
computes(const struct emitter *e)
{
	for (uint32_t i = 0; i < e->k->n_steps; i++)
		if (!op_vec_is_exact(e->k->steps[i].vec))
			return true;
	return false;
}

static const struct names *
result_names(const struct emitter *e, uint32_t i)
{
	return e->n[emit_number(e, &e->k->outs[i].value)];
}

/* Stores of floats may pass the caches by: those of all results, or none. */
static void
fill_past(struct emitter *e)
{
	struct lines *bind = filling_region(e->fill, "bind", e->at);
	struct lines *past = filling_region(e->fill, "past", e->at);

	if (!e->past)
		return;
	lines_add(filling_region(e->fill, "params", e->at), no_loc,
	    "int past;");
	lines_add(bind, no_loc, "w.past = c->past;");
	for (uint32_t j = 0; j < e->k->n_outs; j++)
		lines_add(bind, no_loc, "w.past &= kv_past_at(w.q%u, "
		    "sizeof *w.q%u);", j, j);
	lines_add(past, no_loc, "c.past = kv_past(ptr, %u, %u, dim, "
	    "sizeof(%s));", (unsigned)e->k->nin, (unsigned)e->k->n_outs,
	    result_names(e, 0)->T);
}

/* Where much is computed for each element, memory is asked in time: the CPU sees
 * too few loads ahead to keep it busy. */
static void
fill_fetch(struct emitter *e)
{
	struct lines *load = filling_region(e->fill, "load", e->at);

	if (!e->past || !computes(e))
		return;
	for (uint32_t j = 0; j < e->k->nin; j++)
		lines_add(load, no_loc, "kv_fetch(w->p%u + i * w->s%u);", j, j);
	for (uint32_t j = 0; j < e->k->n_outs; j++)
		lines_add(load, no_loc, "if (!w->past) "
		    "kv_fetch_store(w->q%u + i);", j);
}

/* What a division needs besides its line in the body. */
static void
fill_divides(struct emitter *e)
{
	struct lines *check = filling_region(e->fill, "check", e->at);

	if (!e->divides)
		return;
	lines_add(filling_region(e->fill, "params", e->at), no_loc,
	    "int div0;");
	lines_add(filling_region(e->fill, "bind", e->at), no_loc,
	    "w.div0 = 0;");
	lines_add(check, no_loc, "if (w.div0)");
	lines_add(check, no_loc, "\treturn KVK_DIV0;");
}

/* Loops of several dtypes in one file have names of their own. */
static void
fill_names(struct emitter *e)
{
	static const char *const words[] = { "run", "step", "piece",
		"kernel" };
	struct lines *names = filling_region(e->fill, "names", e->at);

	for (size_t i = 0; e->fill->copies > 1 && i < 4; i++) {
		if (e->at)
			lines_add(names, no_loc, "#undef %s", words[i]);
		lines_add(names, no_loc, "#define %s %s_%s", words[i],
		    words[i], emit_copy(e));
	}
}

void
emit_map(struct emitter *e)
{
	struct lines *params = filling_region(e->fill, "params", e->at);
	struct lines *bind = filling_region(e->fill, "bind", e->at);
	uint32_t nin = (uint32_t)e->k->nin;

	for (uint32_t j = 0; j < nin; j++) {
		lines_add(params, no_loc, "const %s *p%u;", e->n[j]->T, j);
		lines_add(params, no_loc, "int64_t s%u;", j);
		lines_add(bind, no_loc, "%s b%u[KV_LANES];", e->n[j]->T, j);
	}
	lines_add(bind, no_loc, "%s", "");
	for (uint32_t j = 0; j < nin; j++) {
		lines_add(bind, no_loc, "w.s%u = inner(c, %u);", j, j);
		lines_add(bind, no_loc, "w.p%u = (const %s *)c->ptr[%u] + "
		    "offset(c, at, first, %u);", j, e->n[j]->T, j, j);
		lines_add(bind, no_loc, "w.p%u = w.s%u ? w.p%u : kv_fill_%s("
		    "b%u, w.p%u);", j, j, j, e->n[j]->X, j, j);
	}
	for (uint32_t j = 0; j < e->k->n_outs; j++) {
		const char *T = result_names(e, j)->T;

		lines_add(params, no_loc, "%s *q%u;", T, j);
		lines_add(bind, no_loc, "w.q%u = (%s *)c->ptr[%u] + offset(c, "
		    "at, first, %u);", j, T, nin + j, nin + j);
	}
	e->past = gives_floats(e);
	fill_past(e);
	fill_fetch(e);
	emit_load(e, 0);
	emit_body(e, 0);
	emit_store(e, 0);
	fill_divides(e);
	fill_names(e);
}
