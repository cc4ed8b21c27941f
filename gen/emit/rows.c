/* SPDX-License-Identifier: MIT */
/* The regions of the template `rows`. */
#include "gen/emit/emitter.h"

#include <string.h>

unsigned
emit_rows_width(const Kernel *k)
{
	return k->phases > 1 ? 1 : 4;
}

/* Whether results of `rows` may pass the caches: all values are of one float
 * dtype. */
static bool
can_pass(const struct emitter *e)
{
	for (uint32_t v = 1; v < e->k->n_values; v++)
		if (strcmp(e->n[v]->X, e->n[0]->X))
			return false;
	return e->rows && (!strcmp(e->n[0]->X, "f32") ||
	    !strcmp(e->n[0]->X, "f64"));
}

/* Whether a full value is read in a later phase than the one that makes it. */
static bool
is_read_later(const struct emitter *e, uint32_t v)
{
	for (uint32_t i = 0; i < e->k->n_steps && e->maker[v]; i++)
		if (e->k->steps[i].phase > e->maker[v]->phase &&
		    emit_reads(e, &e->k->steps[i], v))
			return true;
	return false;
}

bool
emit_waits_apart(const struct emitter *e, uint32_t v)
{
	return can_pass(e) && is_read_later(e, v);
}

/*
 * Whether values of `rows` wait in output `out` for a later phase. Then the
 * rows of the output have two places: k, where values wait, and q, the result;
 * they are the same memory unless results are stored past the caches.
 */
static bool
is_kept(const struct emitter *e, uint32_t out)
{
	for (uint32_t i = 0; i < e->k->n_steps && can_pass(e); i++)
		if (emit_stores(e, &e->k->steps[i], out) &&
		    is_read_later(e, emit_output(e, &e->k->steps[i])))
			return true;
	return false;
}

uint32_t
emit_rows_apart(const struct emitter *e)
{
	uint32_t kept = 0;

	for (uint32_t o = 0; o < e->k->n_outs; o++)
		kept += is_kept(e, o);
	return kept;
}

/*
 * Inputs are asked for in the first phase that reads them, outputs in the one
 * before the first that stores to them. With a single phase, which only loads
 * and reduces, asking costs more than it gives.
 */
static void
fill_fetch(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "load", phase);

	if (e->k->phases == 1)
		return;
	for (uint32_t v = 0; v < e->k->nin; v++)
		if (emit_is_full(e, v) &&
		    emit_first_phase(e, emit_reads, v) == (U64)phase)
			lines_add(l, no_loc, "kv_fetch(w->p%u + i);", v);
	for (uint32_t o = 0; o < e->k->n_outs; o++)
		if (emit_first_phase(e, emit_stores, o) == (U64)phase + 1 &&
		    phase + 1 < (int)e->k->phases)
			lines_add(l, no_loc, "%skv_fetch_out(w->%c%u + i);",
			    is_kept(e, o) ? "" : "if (!past) ",
			    is_kept(e, o) ? 'k' : 'q', o);
}

/* Whether a value is a result of full rows that may hold NaNs which are not
 * canonical. */
static bool
is_marked(const struct emitter *e, uint32_t v)
{
	int out = emit_out_number(e, v);

	return out >= 0 && e->k->outs[out].canonical && emit_is_full(e, v) &&
	    emit_is_float(e, v) && !emit_is_half(e, v);
}

void
emit_store_in_row(struct emitter *e, struct lines *l, const KStep *s, int out)
{
	uint32_t v = emit_output(e, s);
	const char *X = e->n[v]->X, *to;
	bool stays = !can_pass(e) || is_read_later(e, v);

	if (stays)
		lines_add(l, emit_loc(e, s), "kv_%s_%s(%s + i, v%u, k);",
		    emit_is_half(e, v) ? emit_store_function(e, out) : "put",
		    X, emit_home(e, v), v);
	if (out >= 0 && can_pass(e)) {
		to = arena_printf(e->arena, !stays && is_kept(e, (uint32_t)out)
		    ? "(past ? w->q%d : w->k%d)" : "w->q%d", out, out);
		if (stays)
			lines_add(l, emit_loc(e, s), "if (past)");
		lines_add(l, emit_loc(e, s), "%skv_put_past_%s(%s + i, v%u, k, "
		    "past);", stays ? "\t" : "", X, to, v);
	}
	if (is_marked(e, v))
		lines_add(l, emit_loc(e, s), "w->sums.z%d = kv_mark_%s("
		    "w->sums.z%d, v%u);", out, X, out, v);
}

/* What a reduction gives for a row. */
static const char *
row_rounded(const struct emitter *e, const KStep *s, const char *x)
{
	uint32_t v = emit_output(e, s);

	return !emit_is_half(e, v) ? x : arena_printf(e->arena, "%s[0]",
	    emit_rounded(e, s, arena_printf(e->arena, "kv_splat_f32(%s)", x)));
}

/* combine and fold: one accumulator a reduction of the phase, and one for the
 * NaNs of each result. */
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
		lines_add(combine, emit_loc(e, s), "w->sums.a%u = "
		    "kv_%s_take_%s(w->sums.a%u, v%u, k);", a, s->vec,
		    emit_suffix(e, s), a, emit_input(e, s, 0));
		lines_add(fold, emit_loc(e, s), "w->r%u = %s;", emit_output(e,
		    s), row_rounded(e, s, arena_printf(e->arena, "kv_%s_fold_%s("
		    "w->count->c%u, w->chunks, w->n, &w->sums.a%u)", s->vec,
		    emit_suffix(e, s), a, a)));
		a++;
	}
	for (uint32_t o = 0; o < e->k->n_outs; o++) {
		uint32_t v = emit_number(e, &e->k->outs[o].value);
		const KStep *made = e->maker[v];

		if (made && made->phase == (U64)phase && is_marked(e, v))
			lines_add(fold, emit_loc(e, made), "kv_canon_%s("
			    "&w->sums.z%u, w->chunks, w->last, w->q%u, w->n);",
			    e->n[v]->X, o, o);
	}
	return a;
}

/* At the end of a phase: steps on row values, and row results. */
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
				lines_add(l, emit_loc(e, s), "%s v%u = "
				    "kv_splat_%s(w->r%u);", e->n[r]->V, r,
				    e->n[r]->F, r);
			have[r] = true;
		}
		emit_op(e, l, s);
		lines_add(l, emit_loc(e, s), "w->r%u = v%u[0];", v, v);
		have[v] = true;
	}
	for (uint32_t o = 0; o < k->n_outs; o++) {
		uint32_t v = emit_number(e, &k->outs[o].value);

		if (k->outs[o].phase != (U64)phase || emit_is_full(e, v))
			continue;
		if (!have[v])
			lines_add(l, emit_loc(e, e->maker[v]), "%s v%u = "
			    "kv_splat_%s(w->r%u);", e->n[v]->V, v,
			    e->n[v]->F, v);
		lines_add(l, emit_loc(e, e->maker[v]), "kv_%s_%s(w->q%u, v%u, "
		    "1);", emit_store_function(e, (int)o), e->n[v]->X, o, v);
	}
}

/* Where results go, and where values wait that do so in scratch memory if the
 * results pass the caches. */
static void
fill_outputs(struct emitter *e, struct lines *params, struct lines *bind)
{
	uint32_t nin = (uint32_t)e->k->nin, place = 0;

	for (uint32_t o = 0; o < e->k->n_outs; o++) {
		uint32_t v = emit_number(e, &e->k->outs[o].value);
		const char *T = e->n[v]->T;

		lines_add(params, no_loc, "%s *q%u;", T, o);
		lines_add(bind, no_loc, "w->q%u = (%s *)c->ptr[%u] + "
		    "c->dim[%u] * row;", o, T, nin + o, 2 + nin + o);
		if (!is_kept(e, o))
			continue;
		lines_add(params, no_loc, "%s *k%u;", T, o);
		lines_add(bind, no_loc, "w->k%u = c->past ? under_way + %llu * "
		    "PHASES * WIDTH * n + %u * next : w->q%u;", o,
		    (unsigned long long)e->k->scratch, place++, o);
	}
}

/* Fields of struct row, and how a row's operands are found. */
static void
fill_row(struct emitter *e, uint32_t accumulators)
{
	struct lines *params = filling_region(e->fill, "params", -1);
	struct lines *count = filling_region(e->fill, "count", -1);
	struct lines *sums = filling_region(e->fill, "sums", -1);
	struct lines *bind = filling_region(e->fill, "bind", -1);
	const struct names *sum = emit_sum_names(e);

	for (uint32_t v = 0; v < e->k->nin; v++) {
		const char *T = e->n[v]->T;

		if (emit_is_full(e, v)) {
			lines_add(params, no_loc, "const %s *p%u;", T, v);
			lines_add(bind, no_loc, "w->p%u = (const %s *)"
			    "c->ptr[%u] + c->dim[%u] * row;", v, T, v, 2 + v);
		} else {
			lines_add(bind, no_loc, "w->r%u = %s;", v,
			    emit_element(e, v, arena_printf(e->arena,
			    "((const %s *)c->ptr[%u])[c->dim[%u] * row]", T, v,
			    2 + v)));
		}
	}
	fill_outputs(e, params, bind);
	for (uint32_t o = 0; o < e->k->n_outs; o++) {
		uint32_t v = emit_number(e, &e->k->outs[o].value);

		if (is_marked(e, v))
			lines_add(sums, no_loc, "%s z%u;", e->n[v]->V, o);
	}
	for (uint32_t a = 0; a < accumulators; a++) {
		lines_add(count, no_loc, "%s c%u[KV_LEVELS];", sum->E, a);
		lines_add(sums, no_loc, "%s a%u;", sum->V, a);
	}
	for (uint32_t v = 0; v < e->k->n_values; v++)
		if (!emit_is_full(e, v))
			lines_add(params, no_loc, "%s r%u;", e->n[v]->E, v);
}

/* Values in scratch memory: a row of the largest elements each. */
static void
fill_scratch(struct emitter *e)
{
	struct lines *params = filling_region(e->fill, "params", -1);
	struct lines *bind = filling_region(e->fill, "bind", -1);

	for (uint32_t v = 0; v < e->k->n_values; v++) {
		Place p = e->k->values[v].place;
		U64 j;

		if (!Place_is_PlaceScratch(p))
			continue;
		j = Place_as_PlaceScratch(p)->row;
		lines_add(params, no_loc, "%s *s%llu;", e->n[v]->T,
		    (unsigned long long)j);
		lines_add(bind, no_loc, "w->s%llu = (%s *)((char *)c->scratch + "
		    "(%llu * PHASES * WIDTH + row %% (PHASES * WIDTH)) * n * "
		    "%zu);", (unsigned long long)j, e->n[v]->T,
		    (unsigned long long)j, emit_scratch_size(e));
	}
}

/* How many results have an element for each position and may pass. */
static unsigned
full_results(const struct emitter *e)
{
	unsigned n = 0;

	for (uint32_t o = 0; o < e->k->n_outs && can_pass(e); o++)
		n += emit_is_full(e, emit_number(e, &e->k->outs[o].value));
	return n;
}

void
emit_rows(struct emitter *e)
{
	struct lines *sizes = filling_region(e->fill, "sizes", -1);
	struct lines *steps = filling_region(e->fill, "steps", -1);
	struct lines *closes = filling_region(e->fill, "closes", -1);
	struct lines *dims = filling_region(e->fill, "dims", -1);
	uint32_t accumulators = 0;

	lines_add(sizes, no_loc, "#define PHASES %d", e->fill->copies);
	lines_add(sizes, no_loc, "#define WIDTH %u", emit_rows_width(e->k));
	lines_add(sizes, no_loc, "#define NIN %u", (unsigned)e->k->nin);
	lines_add(sizes, no_loc, "#define NOUT %u", (unsigned)e->k->n_outs);
	lines_add(sizes, no_loc, "#define FULL %u", full_results(e));
	lines_add(sizes, no_loc, "typedef %s element;", e->n[0]->T);
	if (Spec_is_SpecFixed(e->k->spec))
		lines_add(dims, no_loc, "int64_t n = %lld;", (long long)
		    Spec_as_SpecFixed(e->k->spec)->n);
	else
		lines_add(dims, no_loc, "int64_t n = c->dim[1];");
	for (int p = 0; p < e->fill->copies; p++) {
		uint32_t a;

		lines_add(filling_region(e->fill, "step", p), no_loc,
		    "step%d(struct row *w, int64_t i, int k, int past)", p);
		lines_add(filling_region(e->fill, "close", p), no_loc,
		    "close%d(struct row *w)", p);
		fill_fetch(e, p);
		emit_load(e, p);
		emit_body(e, p);
		a = fill_reduce(e, p);
		accumulators = a > accumulators ? a : accumulators;
		emit_store(e, p);
		fill_finish(e, p);
		lines_add(steps, no_loc, "step%d(&w[%d][r], i, k, past);", p, p);
		lines_add(closes, no_loc, "close%d(&w[%d][r]);", p, p);
	}
	fill_row(e, accumulators);
	fill_scratch(e);
}
