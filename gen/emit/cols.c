/* SPDX-License-Identifier: MIT */
/* The regions of the template `cols`. Values that are not full are one a
 * column, or scalars. */
#include "gen/emit/emitter.h"

#include <string.h>

/* The value of the columns of a vector: of an operand, or computed before. */
static const char *
column_value(const struct emitter *e, uint32_t v)
{
	if (v >= e->k->nin)
		return arena_printf(e->arena, "w->sums->r%u[at.v]", v);
	if (!strcmp(e->k->values[v].form, "one"))
		return arena_printf(e->arena, "kv_splat_%s(%s)", e->n[v]->F,
		    emit_element(e, v, arena_printf(e->arena, "*w->p%u", v)));
	return arena_printf(e->arena, "kv_%s_%s(w->p%u + KV_LANES * at.v, "
	    "at.k)", emit_load_function(e, v), e->n[v]->X, v);
}

static bool
in_scratch(const struct emitter *e, uint32_t v)
{
	return Place_is_PlaceScratch(e->k->values[v].place);
}

/* The address of a full value's element of a spot. */
static const char *
element(const struct emitter *e, uint32_t v)
{
	return arena_printf(e->arena, "%s + at.%s", emit_home(e, v),
	    in_scratch(e, v) ? "s" : "i");
}

/* Loads what the steps of a phase read and do not make in it; what is one a
 * column is held while rows go by. Results that are stored to without being
 * loaded are asked for as well. */
static void
fill_load(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "load", phase);
	struct lines *get = filling_region(e->fill, "get", phase);
	const KStep **users = emit_first_users(e, phase);
	bool *asked = arena_array(e->arena, e->k->n_outs + 1, sizeof *asked);

	for (uint32_t v = 0; v < e->k->n_values; v++) {
		const KStep *made = e->maker[v], *user = users[v];
		Place p = e->k->values[v].place;

		if (!user || (made && made->phase == (U64)phase))
			continue;
		if (!emit_is_full(e, v)) {
			lines_add(get, emit_loc(e, user), "h->r%u = %s;", v,
			    column_value(e, v));
			lines_add(l, emit_loc(e, user), "%s v%u = h->r%u;",
			    e->n[v]->V, v, v);
			continue;
		}
		if (!in_scratch(e, v))
			lines_add(l, no_loc, "fetch(w, %s);", element(e, v));
		if (Place_is_PlaceOutput(p))
			asked[Place_as_PlaceOutput(p)->index] = true;
		lines_add(l, emit_loc(e, user), "%s v%u = kv_%s_%s(%s, "
		    "at.k);", e->n[v]->V, v, emit_load_function(e, v),
		    e->n[v]->X, element(e, v));
	}
	for (uint32_t o = 0; o < e->k->n_outs; o++)
		if (!asked[o] && emit_first_phase(e, emit_stores, o) ==
		    (U64)phase)
			lines_add(l, no_loc, "fetch_out(w, w->q%u + at.i);",
			    o);
}

/* Stores what the phase makes and somebody needs: results, parked values. */
static void
fill_store(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "store", phase);

	for (uint32_t i = 0; i < e->k->n_steps; i++) {
		const KStep *s = &e->k->steps[i];
		uint32_t v = emit_output(e, s);

		if (s->phase != (U64)phase || emit_is_reduce(s) ||
		    !emit_is_full(e, v) ||
		    Place_is_PlaceRegister(e->k->values[v].place))
			continue;
		lines_add(l, emit_loc(e, s), "kv_%s_%s(%s, v%u, at.k);",
		    emit_store_function(e, emit_out_number(e, v)),
		    e->n[v]->X, element(e, v), v);
	}
}

/* combine and fold: the accumulators of each reduction of the phase. */
static uint32_t
fill_reduce(struct emitter *e, int phase)
{
	struct lines *combine = filling_region(e->fill, "combine", phase);
	struct lines *fold = filling_region(e->fill, "fold", phase);
	uint32_t a = 0;

	for (uint32_t i = 0; i < e->k->n_steps; i++) {
		const KStep *s = &e->k->steps[i];

		if (s->phase != (U64)phase || !emit_is_reduce(s))
			continue;
		lines_add(combine, emit_loc(e, s), "w->sums->a%u[at.l][at.v] = "
		    "kv_%s_%s(w->sums->a%u[at.l][at.v], v%u);", a, s->vec,
		    emit_suffix(e, s), a, emit_input(e, s, 0));
		lines_add(fold, emit_loc(e, s), "w->sums->r%u[at.v] = %s;",
		    emit_output(e, s), emit_rounded(e, s, arena_printf(e->arena,
		    "kv_%s_cols_%s(&w->sums->c%u[0][at.v], w->chunks, w->n, "
		    "&w->sums->a%u[0][at.v], VECS)", s->vec, emit_suffix(e, s), a,
		    a)));
		a++;
	}
	return a;
}

/* At the end of a phase: steps on values of columns, and such results. */
static void
fill_finish(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "finish", phase);
	bool *have = arena_array(e->arena, e->k->n_values, sizeof *have);
	const Kernel *k = e->k;

	for (uint32_t i = 0; i < k->n_steps; i++) {
		const KStep *s = &k->steps[i];
		uint32_t v = emit_output(e, s);

		if (s->phase != (U64)phase || emit_in_body(e, s))
			continue;
		for (uint32_t j = 0; j < s->n_inputs; j++) {
			uint32_t r = emit_input(e, s, j);

			if (!have[r])
				lines_add(l, emit_loc(e, s), "%s v%u = %s;",
				    e->n[r]->V, r, column_value(e, r));
			have[r] = true;
		}
		emit_op(e, l, s);
		lines_add(l, emit_loc(e, s), "w->sums->r%u[at.v] = v%u;", v,
		    v);
		have[v] = true;
	}
	for (uint32_t o = 0; o < k->n_outs; o++) {
		uint32_t v = emit_number(e, &k->outs[o].value);

		if (k->outs[o].phase != (U64)phase || emit_is_full(e, v))
			continue;
		lines_add(l, emit_loc(e, e->maker[v]), "kv_%s_%s(w->q%u + "
		    "KV_LANES * at.v, %s, at.k);", emit_store_function(e,
		    (int)o), e->n[v]->X, o, column_value(e, v));
	}
}

/* Fields of struct tile, and how a tile's operands are found. */
static void
fill_tile(struct emitter *e)
{
	struct lines *params = filling_region(e->fill, "params", -1);
	struct lines *bind = filling_region(e->fill, "bind", -1);
	uint32_t nin = (uint32_t)e->k->nin;

	lines_add(bind, no_loc, "w->ahead = ROWS * w->inner * "
	    "(int64_t)sizeof(%s);", emit_sum_names(e)->T);
	for (uint32_t v = 0; v < nin; v++) {
		lines_add(params, no_loc, "const %s *p%u;", e->n[v]->T, v);
		if (!strcmp(e->k->values[v].form, "one"))
			lines_add(bind, no_loc, "w->p%u = c->ptr[%u];", v, v);
		else
			lines_add(bind, no_loc, "w->p%u = (const %s *)"
			    "c->ptr[%u] + c->dim[%u] * outer + first;", v,
			    e->n[v]->T, v, 3 + v);
	}
	for (uint32_t o = 0; o < e->k->n_outs; o++) {
		const char *T = e->n[emit_number(e, &e->k->outs[o].value)]->T;

		lines_add(params, no_loc, "%s *q%u;", T, o);
		lines_add(bind, no_loc, "w->q%u = (%s *)c->ptr[%u] + "
		    "c->dim[%u] * outer + first;", o, T, nin + o,
		    3 + nin + o);
	}
	for (uint32_t v = 0; v < e->k->n_values; v++) {
		unsigned long long j;

		if (!in_scratch(e, v))
			continue;
		j = Place_as_PlaceScratch(e->k->values[v].place)->row;
		lines_add(params, no_loc, "%s *s%llu;", e->n[v]->T, j);
		lines_add(bind, no_loc, "w->s%llu = (%s *)((char *)(sums + 1) "
		    "+ %llu * w->n * w->width * %zu);", j, e->n[v]->T, j,
		    emit_scratch_size(e));
	}
}

/* The values of columns, and what reductions need. */
static void
fill_sums(struct emitter *e, uint32_t accumulators)
{
	struct lines *sums = filling_region(e->fill, "sums", -1);
	struct lines *held = filling_region(e->fill, "held", -1);

	for (uint32_t a = 0; a < accumulators; a++) {
		const char *V = emit_sum_names(e)->V;

		lines_add(sums, no_loc, "%s a%u[KV_LANES][VECS];", V, a);
		lines_add(sums, no_loc, "%s c%u[KV_COLS_LEVELS][VECS];", V, a);
	}
	for (uint32_t v = 0; v < e->k->n_values; v++) {
		if (emit_is_full(e, v))
			continue;
		lines_add(held, no_loc, "%s r%u;", e->n[v]->V, v);
		if (v >= e->k->nin)
			lines_add(sums, no_loc, "%s r%u[VECS];", e->n[v]->V,
			    v);
	}
}

/* `if (phase == 0)` and what is called then. */
static void
dispatch(struct emitter *e, const char *region, int phase, const char *call)
{
	struct lines *l = filling_region(e->fill, region, -1);

	lines_add(l, no_loc, "if (phase == %d)", phase);
	lines_add(l, no_loc, "\t%s", call);
}

static void
fill_phase(struct emitter *e, int p)
{
	struct lines *passes = filling_region(e->fill, "passes", -1);
	struct arena *a = e->arena;

	lines_add(filling_region(e->fill, "hold", p), no_loc, "hold%d(const "
	    "struct tile *w, struct spot at, struct held *h)", p);
	lines_add(filling_region(e->fill, "step", p), no_loc, "step%d(const "
	    "struct tile *w, const struct held *h, struct spot at)", p);
	lines_add(filling_region(e->fill, "close", p), no_loc,
	    "close%d(const struct tile *w, struct spot at)", p);
	dispatch(e, "holds", p, arena_printf(a, "hold%d(w, at, h);", p));
	dispatch(e, "steps", p, arena_printf(a, "step%d(w, h, at);", p));
	dispatch(e, "closes", p, arena_printf(a, "close%d(w, at);", p));
	if (p > 0)
		lines_add(passes, no_loc, "%s", "");
	lines_add(passes, no_loc, "KV_CALLED void");
	lines_add(passes, no_loc, "pass%d(const struct tile *w)", p);
	lines_add(passes, no_loc, "{");
	lines_add(passes, no_loc, "\tpass(w, %d);", p);
	lines_add(passes, no_loc, "}");
	lines_add(filling_region(e->fill, "phases", -1), no_loc,
	    "pass%d(w);", p);
}

void
emit_cols(struct emitter *e)
{
	struct lines *dims = filling_region(e->fill, "dims", -1);
	uint32_t accumulators = 0;

	if (Spec_is_SpecFixed(e->k->spec))
		lines_add(dims, no_loc, "w->n = %lld;", (long long)
		    Spec_as_SpecFixed(e->k->spec)->n);
	else
		lines_add(dims, no_loc, "w->n = c->dim[1];");
	for (int p = 0; p < e->fill->copies; p++) {
		uint32_t a;

		fill_phase(e, p);
		fill_load(e, p);
		emit_body(e, p);
		a = fill_reduce(e, p);
		accumulators = a > accumulators ? a : accumulators;
		fill_store(e, p);
		fill_finish(e, p);
	}
	fill_tile(e);
	fill_sums(e, accumulators);
}
