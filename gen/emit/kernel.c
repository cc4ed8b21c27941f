/* SPDX-License-Identifier: MIT */
#include "gen/emit/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "gen/emit/emitter.h"

/* Rows that the template `rows` has in one phase: with a single phase several,
 * else the phases keep each other busy. */
static unsigned
rows_width(const Kernel *k)
{
	return k->phases > 1 ? 1 : 4;
}

uint32_t
emit_number(const struct emitter *e, const Id *value)
{
	int64_t at = ir_ids_find(&e->values, value);

	if (at < 0)
		BUG("a value of another kernel");
	return (uint32_t)at;
}

/* Numbers the values once; steps name them by ids. */
static void
number_values(struct emitter *e)
{
	const Kernel *k = e->k;

	ir_ids_init(&e->values, e->arena, k->values, k->n_values,
	    sizeof *k->values, offsetof(KValue, id));
	e->in = arena_array(e->arena, k->n_steps, sizeof *e->in);
	e->made = arena_array(e->arena, k->n_steps, sizeof *e->made);
	e->maker = arena_array(e->arena, k->n_values, sizeof *e->maker);
	e->n = arena_array(e->arena, k->n_values, sizeof *e->n);
	for (uint32_t v = 0; v < k->n_values; v++)
		e->n[v] = emit_names(k->values[v].dtype);
	for (uint32_t i = 0; i < k->n_steps; i++) {
		const KStep *s = &k->steps[i];

		e->in[i] = arena_array(e->arena, s->n_inputs, sizeof(uint32_t));
		for (uint32_t j = 0; j < s->n_inputs; j++)
			e->in[i][j] = emit_number(e, &s->inputs[j]);
		e->made[i] = emit_number(e, &s->output);
		e->maker[e->made[i]] = s;
	}
}

/* The value that is input j of a step, and the one the step makes. */
uint32_t
emit_input(const struct emitter *e, const KStep *s, uint32_t j)
{
	return e->in[s - e->k->steps][j];
}

uint32_t
emit_output(const struct emitter *e, const KStep *s)
{
	return e->made[s - e->k->steps];
}

bool
emit_is_full(const struct emitter *e, uint32_t v)
{
	return (!e->rows && !e->cols) || !strcmp(e->k->values[v].form, "full");
}

bool
emit_is_reduce(const KStep *s)
{
	return !strcmp(s->cls, "reduce");
}

/* Whether a step works on elements (else on the row's values, at the end of
 * the phase). */
bool
emit_in_body(const struct emitter *e, const KStep *s)
{
	return emit_is_reduce(s) || emit_is_full(e, emit_output(e, s));
}

/* The output number a value is, or -1. */
int
emit_out_number(const struct emitter *e, uint32_t v)
{
	for (uint32_t i = 0; i < e->k->n_outs; i++)
		if (ir_id_eq(&e->k->outs[i].value, &e->k->values[v].id))
			return (int)i;
	return -1;
}

struct loc
emit_loc(const struct emitter *e, const KStep *s)
{
	return place_get(e->session, &s->id);
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

/* The pointer expression under which a full value is kept. */
const char *
emit_home(const struct emitter *e, uint32_t v)
{
	Place p = e->k->values[v].place;

	switch (p.tag) {
	case Place_PlaceInput:
		return arena_printf(e->arena, "w->p%llu", (unsigned long long)
		    Place_as_PlaceInput(p)->index);
	case Place_PlaceOutput:
		return arena_printf(e->arena, "w->%c%llu",
		    can_pass(e) && is_read_later(e, v) ? 'k' : 'q',
		    (unsigned long long)Place_as_PlaceOutput(p)->index);
	case Place_PlaceScratch:
		return arena_printf(e->arena, "w->s%llu", (unsigned long long)
		    Place_as_PlaceScratch(p)->row);
	case Place_PlaceRegister:
		break;
	}
	BUG("value %s has no place", e->k->values[v].name);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
has_halves(const struct emitter *e)
{
	for (uint32_t v = 0; v < e->k->n_values; v++)
		if (emit_is_half(e, v))
			return true;
	return false;
}

static void
fill_include(struct emitter *e)
{
	struct lines *l = filling_region(e->fill, "include", -1);
	const char **vec = arena_array(e->arena, e->k->n_steps, sizeof *vec);

	for (uint32_t i = 0; i < e->k->n_steps; i++)
		vec[i] = e->k->steps[i].vec;
	qsort(vec, e->k->n_steps, sizeof *vec, by_text);
	/* No lane of a map knows of another; float64 has long vectors anyway. */
	if (!e->rows && !e->cols && ((e->fill->copies == 1 &&
	    !strcmp(e->k->dtype, "float32")) || has_halves(e)))
		lines_add(l, no_loc, "#define KV_WIDE");
	if (has_halves(e))
		lines_add(l, no_loc, "#include \"vec/half.h\"");
	for (uint32_t i = 0; i < e->k->n_steps; i++)
		if (!i || strcmp(vec[i], vec[i - 1]))
			lines_add(l, no_loc, "#include \"vec/%s.h\"", vec[i]);
}

/* Whether an element step of a phase reads a value, or stores to an output. */
bool
emit_reads(const struct emitter *e, const KStep *s, uint32_t v)
{
	for (uint32_t j = 0; j < s->n_inputs; j++)
		if (emit_in_body(e, s) && emit_input(e, s, j) == v)
			return true;
	return false;
}

bool
emit_stores(const struct emitter *e, const KStep *s, uint32_t out)
{
	uint32_t v = emit_output(e, s);
	Place p = e->k->values[v].place;

	return !emit_is_reduce(s) && emit_is_full(e, v) &&
	    Place_is_PlaceOutput(p) &&
	    Place_as_PlaceOutput(p)->index == out;
}

/* The first phase with a step of that kind, or the number of phases. */
U64
emit_first_phase(const struct emitter *e,
    bool (*is)(const struct emitter *, const KStep *, uint32_t), uint32_t at)
{
	U64 first = e->k->phases;

	for (uint32_t i = 0; i < e->k->n_steps; i++)
		if (e->k->steps[i].phase < first && is(e, &e->k->steps[i], at))
			first = e->k->steps[i].phase;
	return first;
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

/* The first element step of a phase that reads each value, or NULL. */
const KStep **
emit_first_users(const struct emitter *e, int phase)
{
	const KStep **user = arena_array(e->arena, e->k->n_values,
	    sizeof *user);

	for (uint32_t i = e->k->n_steps; i-- > 0;) {
		const KStep *s = &e->k->steps[i];

		for (uint32_t j = 0; j < s->n_inputs; j++)
			if (s->phase == (U64)phase && emit_in_body(e, s))
				user[emit_input(e, s, j)] = s;
	}
	return user;
}

/* Loads what the element steps of a phase read and do not make in it. */
void
emit_load(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "load",
	    e->rows ? phase : e->at);
	const KStep **users = emit_first_users(e, phase);

	for (uint32_t v = 0; v < e->k->n_values; v++) {
		const KStep *made = e->maker[v], *user = users[v];

		if (!user || (made && made->phase == (U64)phase))
			continue;
		if (!e->rows)
			lines_add(l, emit_loc(e, user), "%s v%u = kv_%s_%s("
			    "w->p%u + i * w->s%u, k);", e->n[v]->V, v,
			    emit_load_function(e, v), e->n[v]->X, v, v);
		else if (emit_is_full(e, v))
			lines_add(l, emit_loc(e, user), "%s v%u = kv_%s_%s("
			    "%s + i, k);", e->n[v]->V, v,
			    emit_load_function(e, v), e->n[v]->X,
			    emit_home(e, v));
		else
			lines_add(l, emit_loc(e, user), "%s v%u = kv_splat_%s("
			    "w->r%u);", e->n[v]->V, v, e->n[v]->X, v);
	}
}

/* `v8f v6 = kv_sub_f32(v0, v5);` */
void
emit_op(struct emitter *e, struct lines *l, const KStep *s)
{
	uint32_t last = emit_input(e, s, s->n_inputs - 1);
	uint32_t made = emit_output(e, s);
	struct buf args = { 0 };

	if (!emit_is_float(e, last) && op_vec_divides(s->vec)) {
		lines_add(l, emit_loc(e, s), "w->div0 |= kv_div0_%s(v%u, k);",
		    e->n[last]->X, last);
		e->divides = true;
	}
	for (uint32_t j = 0; j < s->n_inputs; j++) {
		uint32_t v = emit_input(e, s, j);

		buf_puts(&args, j ? ", " : "");
		if (s->quiet >> j & 1)
			buf_printf(&args, "kv_quiet_%s(v%u)", e->n[v]->F, v);
		else
			buf_printf(&args, "v%u", v);
	}
	lines_add(l, emit_loc(e, s), "%s v%u = %s;", e->n[made]->V, made,
	    emit_rounded(e, s, arena_printf(e->arena, "kv_%s_%s(%s)", s->vec,
	    emit_suffix(e, s), args.p)));
	buf_release(&args);
}

void
emit_body(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "body",
	    e->rows || e->cols ? phase : e->at);

	for (uint32_t i = 0; i < e->k->n_steps; i++) {
		const KStep *s = &e->k->steps[i];

		if (s->phase == (U64)phase && !emit_is_reduce(s) &&
		    emit_in_body(e, s))
			emit_op(e, l, s);
	}
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

const char *
emit_store_function(const struct emitter *e, int out)
{
	return out >= 0 && e->k->outs[out].canonical ? "store" : "put";
}

/* Of `rows`: what waits for a later phase goes to its place, and results to
 * theirs, past the caches where all of the call do. */
static void
store_in_row(struct emitter *e, struct lines *l, const KStep *s, int out)
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

/*
 * Stores what the phase makes and somebody needs: results, parked values. Of a
 * row's results the NaNs become canonical at its end (fill_reduce), those of
 * halves when they are rounded.
 */
void
emit_store(struct emitter *e, int phase)
{
	struct lines *l = filling_region(e->fill, "store",
	    e->rows ? phase : e->at);

	for (uint32_t i = 0; i < e->k->n_steps; i++) {
		const KStep *s = &e->k->steps[i];
		uint32_t v = emit_output(e, s);
		int out = emit_out_number(e, v);

		if (s->phase != (U64)phase || emit_is_reduce(s) ||
		    !emit_is_full(e, v) ||
		    Place_is_PlaceRegister(e->k->values[v].place))
			continue;
		if (e->rows) {
			store_in_row(e, l, s, out);
			continue;
		}
		lines_add(l, emit_loc(e, s), "kv_%s%s_%s(%s + i, v%u, k%s);",
		    emit_store_function(e, out), e->past ? "_past" : "",
		    e->n[v]->X, emit_home(e, v), v, e->past ? ", w->past" : "");
	}
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

static void
fill_rows(struct emitter *e)
{
	struct lines *sizes = filling_region(e->fill, "sizes", -1);
	struct lines *steps = filling_region(e->fill, "steps", -1);
	struct lines *closes = filling_region(e->fill, "closes", -1);
	struct lines *dims = filling_region(e->fill, "dims", -1);
	uint32_t accumulators = 0;

	lines_add(sizes, no_loc, "#define PHASES %d", e->fill->copies);
	lines_add(sizes, no_loc, "#define WIDTH %u", rows_width(e->k));
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

/* Memory that a call needs whatever its rows have. */
static void
fill_fixed(struct emitter *e, struct lines *l)
{
	uint32_t kept = 0;

	for (uint32_t o = 0; o < e->k->n_outs; o++)
		kept += is_kept(e, o);
	if (kept)
		lines_add(l, no_loc, "\t.scratch = %u * PHASES * WIDTH * "
		    "APART(LONGEST) * sizeof(element),", (unsigned)kept);
	else
		lines_add(l, no_loc, "\t.scratch = %s,",
		    e->cols ? "sizeof(struct sums)" : "0");
}

static void
fill_table(struct emitter *e, const char *opcode, const char *langtypes)
{
	struct lines *l = filling_region(e->fill, "table", -1);
	const char *suffix = e->fill->copies > 1 && !e->rows && !e->cols ?
	    arena_printf(e->arena, "_%s", emit_copy(e)) : "";

	lines_add(l, no_loc, "{");
	lines_add(l, no_loc, "\t.abi = KVK_ABI,");
	lines_add(l, no_loc, "\t.size = sizeof(struct kvk_entry),");
	lines_add(l, no_loc, "\t.opcode = \"%s\",", opcode);
	lines_add(l, no_loc, "\t.langtypes = \"%s\",", langtypes);
	lines_add(l, no_loc, "\t.dtype = \"%s\",", e->k->dtype);
	lines_add(l, no_loc, "\t.isa = K_ISA,");
	lines_add(l, no_loc, "\t.cls = %s,", e->rows ? "KVK_ROWS" :
	    e->cols ? "KVK_COLS" : "KVK_MAP");
	lines_add(l, no_loc, "\t.nin = %u,", (unsigned)e->k->nin);
	lines_add(l, no_loc, "\t.nout = %u,", (unsigned)e->k->n_outs);
	lines_add(l, no_loc, "\t.alias = %#llx,", (unsigned long long)
	    e->k->alias);
	fill_fixed(e, l);
	lines_add(l, no_loc, "\t.scratch_n = %zu,", (size_t)e->k->scratch *
	    emit_scratch_size(e) * (e->cols ? 1 :
	    (size_t)e->k->phases * rows_width(e->k)));
	lines_add(l, no_loc, "\t.fn = kernel%s,", suffix);
	lines_add(l, no_loc, "},");
}

/* The kernel as copy `at` of the file. */
static void
fill_kernel(struct emitter *e, const Kernel *k, int at, const char *opcode,
    const char *langtypes)
{
	e->k = k;
	e->at = at;
	e->divides = e->past = false;
	number_values(e);
	if (at == 0)
		fill_include(e);
	if (e->rows)
		fill_rows(e);
	else if (e->cols)
		emit_cols(e);
	else
		emit_map(e);
	fill_table(e, opcode, langtypes);
}

int
kernel_emit(const Kernel *const *k, int n, const struct template *t,
    const struct session *session, const char *opcode,
    const char *const *langtypes, struct arena *arena, struct buf *c,
    struct buf *map, struct diag *diag)
{
	struct filling fill;
	struct emitter e = { .session = session, .arena = arena,
		.fill = &fill, .rows = t->reduce_last, .cols = t->reduce_axis };
	bool phases = e.rows || e.cols;

	filling_init(&fill, arena, phases ? "phase" : "dtype",
	    phases ? (int)k[0]->phases : n);
	for (int i = 0; i < n; i++)
		fill_kernel(&e, k[i], i, opcode, langtypes[i]);
	return template_expand(t, &fill, c, map, diag);
}

/* A kernel of one step, all values full, phase 0. */
Kernel *
kernel_of_op(const struct op *op, enum dtype dtype, enum dtype named,
    struct arena *arena)
{
	static const SpecDynamic dynamic;
	Kernel *k = arena_alloc(arena, sizeof *k);
	const char *parts[] = { op->name, "", "" };
	PlaceOutput *out = arena_alloc(arena, sizeof *out);
	/* Halves that only move are not made numbers. */
	enum dtype own = dtype_is_half(dtype) && op_vec_moves(op->vec) ?
	    DT_UINT16 : dtype;

	k->id = ir_id('k', parts, 1);
	k->template_ = "map";
	k->dtype = dtype_name(dtype);
	k->spec = Spec_of_SpecDynamic(&dynamic);
	k->phases = 1;
	k->values = arena_array(arena, OP_MAX_PARAMS, sizeof *k->values);
	k->steps = arena_alloc(arena, sizeof *k->steps);
	k->outs = arena_alloc(arena, sizeof *k->outs);
	k->n_steps = k->n_outs = 1;
	k->steps[0].inputs = arena_array(arena, OP_MAX_PARAMS, sizeof(Id));
	for (int i = 0; i <= op->nin; i++) {
		KValue *v;

		if (i < op->nin && op_is_attr(op, i))
			continue;
		parts[1] = arena_printf(arena, "%d", i);
		v = &k->values[k->n_values++];
		v->id = ir_id('x', parts, 2);
		v->form = "full";
		v->dtype = dtype_name(i == op->nin ?
		    op_out_dtype(op, 0, own, named) :
		    op_fixed(op, i) != DT_NONE ? op_fixed(op, i) : own);
		if (i < op->nin) {
			PlaceInput *in = arena_alloc(arena, sizeof *in);

			in->index = k->nin++;
			v->place = Place_of_PlaceInput(in);
			k->steps[0].inputs[k->steps[0].n_inputs++] = v->id;
		} else {
			v->place = Place_of_PlaceOutput(out);
			k->steps[0].output = k->outs[0].value = v->id;
		}
	}
	k->steps[0].cls = op->cls == OP_VIEW ? "move" : "map";
	k->steps[0].vec = op->vec;
	k->steps[0].dtype = dtype_name(own);
	k->outs[0].canonical = op->cls != OP_VIEW && !op_vec_moves(op->vec);
	/* A value of another dtype has other places. */
	for (U64 i = 0; i < k->nin; i++)
		if (!strcmp(k->values[i].dtype, k->values[k->nin].dtype))
			k->alias |= (U64)1 << i;
	return k;
}
