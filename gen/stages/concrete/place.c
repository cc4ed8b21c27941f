/* SPDX-License-Identifier: MIT */
#include "gen/stages/concrete/place.h"

#include <string.h>

#include "gen/derive/dtype.h"
#include "ops/ops.h"

/* What is found out of each buffer of the unit. */
struct where {
	uint32_t phase;   /* of a full value: in which it is computed */
	uint32_t there;   /* the first phase that may read it */
	uint32_t last;    /* the last phase that reads it as a full value */
	bool computed;    /* each NaN of it is one that an op computed */
};

struct placer {
	struct session *session;
	const struct graph *g;
	const struct fit *fit;
	const enum dtype *of; /* of each buffer that is a value */
	const uint32_t *step;
	uint32_t n;
	Kernel *k;
	struct arena *arena;
	struct where *at;
	uint32_t parked[MAX_OUTPUTS]; /* first phase that stores to output i */
	bool taken[MAX_OUTPUTS];      /* a value is parked there */
};

static int64_t
find(const uint32_t *list, uint32_t n, uint32_t b)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == b)
			return i;
	return -1;
}

static const char *
step_class(const struct placer *p, uint32_t s)
{
	const char *cls = p->g->f->steps[s].facts.cls;

	return strcmp(cls, "view") ? cls : "move";
}

static bool
is_full(const struct placer *p, uint32_t b)
{
	return p->fit->form[b] == FORM_FULL;
}

/* Whether an input of a step is one of those that a move may give. */
static bool
is_moved(const struct placer *p, uint32_t s, uint32_t i)
{
	const Step *step = &p->g->f->steps[s];

	return !step_attr(step, i) &&
	    p->of[p->g->in[s][i]] == p->of[p->g->out[s][0]];
}

/* How many inputs a move may give, and how many of them are computed. */
static uint32_t
step_moves(const struct placer *p, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->g->f->steps[s].n_inputs; i++)
		n += is_moved(p, s, i);
	return n;
}

static uint32_t
moves_computed(const struct placer *p, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->g->f->steps[s].n_inputs; i++)
		n += is_moved(p, s, i) && p->at[p->g->in[s][i]].computed;
	return n;
}

/*
 * Of what a move gives, NaNs of operands keep their bytes and computed ones are
 * canonical. Where it may give both, the computed ones are made so before it.
 */
static U64
quiet_inputs(const struct placer *p, uint32_t s)
{
	const Step *step = &p->g->f->steps[s];
	uint32_t out = p->g->out[s][0], k = 0;
	U64 quiet = 0;

	for (uint32_t i = 0; i < step->n_inputs; i++) {
		if (step_attr(step, i))
			continue;
		if (is_moved(p, s, i) && p->at[p->g->in[s][i]].computed)
			quiet |= (U64)1 << k;
		k++;
	}
	return op_vec_moves(step->facts.vec) && !p->at[out].computed &&
	    dtype_is_float(p->of[out]) ? quiet : 0;
}

/* The phase each step runs in; for `map` all are 0. */
static uint32_t
place_step(struct placer *p, uint32_t s, bool rows)
{
	const Step *step = &p->g->f->steps[s];
	uint32_t out = p->g->out[s][0], phase = 0;

	for (uint32_t i = 0; i < step->n_inputs; i++) {
		const struct where *w = &p->at[p->g->in[s][i]];

		if (step_attr(step, i))
			continue;
		phase = w->there > phase ? w->there : phase;
	}
	if (rows && !is_full(p, out) && strcmp(step_class(p, s), "reduce"))
		phase = phase ? phase - 1 : 0; /* at the end of that phase */
	p->at[out].phase = phase;
	p->at[out].there = rows && !is_full(p, out) ? phase + 1 : phase;
	p->at[out].computed = !op_vec_moves(step->facts.vec) ||
	    moves_computed(p, s) == step_moves(p, s);
	return phase;
}

/* The last phase that reads each full value. */
static void
last_reads(struct placer *p)
{
	for (uint32_t k = 0; k < p->n; k++) {
		uint32_t s = p->step[k];
		uint32_t phase = p->at[p->g->out[s][0]].phase;

		for (uint32_t i = 0; i < p->g->f->steps[s].n_inputs; i++) {
			struct where *w = &p->at[p->g->in[s][i]];

			if (!step_attr(&p->g->f->steps[s], i) &&
			    phase > w->last)
				w->last = phase;
		}
	}
}

static Place
in_output(struct placer *p, uint32_t i)
{
	PlaceOutput *o = arena_alloc(p->arena, sizeof *o);

	o->index = i;
	return Place_of_PlaceOutput(o);
}

/* A place to keep a full value until its last reader. */
static Place
park(struct placer *p, uint32_t b)
{
	const struct fit *fit = p->fit;
	PlaceScratch *scratch;

	for (uint32_t i = 0; i < fit->noutput; i++)
		if (is_full(p, fit->output[i]) && !p->taken[i] &&
		    p->of[fit->output[i]] == p->of[b] &&
		    p->at[fit->output[i]].phase >= p->at[b].last) {
			p->taken[i] = true;
			p->parked[i] = p->at[b].phase;
			return in_output(p, i);
		}
	scratch = arena_alloc(p->arena, sizeof *scratch);
	scratch->row = p->k->scratch++;
	return Place_of_PlaceScratch(scratch);
}

static Place
place_of(struct placer *p, uint32_t b)
{
	static const PlaceRegister in_register;
	int64_t in = find(p->fit->input, p->fit->ninput, b);
	int64_t out = find(p->fit->output, p->fit->noutput, b);

	if (in >= 0) {
		PlaceInput *i = arena_alloc(p->arena, sizeof *i);

		i->index = (U64)in;
		return Place_of_PlaceInput(i);
	}
	if (out >= 0)
		return in_output(p, (uint32_t)out);
	if (is_full(p, b) && p->at[b].last > p->at[b].phase)
		return park(p, b);
	return Place_of_PlaceRegister(&in_register);
}

static Id
value_id(const struct placer *p, uint32_t b)
{
	const Id *id = &p->g->f->buffers[b].id;
	char kernel[2 * sizeof id->b + 1], buffer[2 * sizeof id->b + 1];
	const char *parts[] = { kernel, buffer };

	hex_encode(kernel, p->k->id.b, sizeof id->b);
	hex_encode(buffer, id->b, sizeof id->b);
	return ir_id('x', parts, 2);
}

static void
add_value(struct placer *p, uint32_t b,
    const char *(*form_word)(enum form))
{
	const Buffer *buffer = &p->g->f->buffers[b];

	p->k->values[p->k->n_values++] = (KValue){ .id = value_id(p, b),
		.name = buffer->name, .dtype = dtype_name(p->of[b]),
		.form = form_word(p->fit->form[b]),
		.place = place_of(p, b),
		.lineage = lineage_one("lowered", "place-value", &buffer->id,
		    p->arena) };
}

static void
add_step(struct placer *p, uint32_t s)
{
	const Step *step = &p->g->f->steps[s];
	Id own = value_id(p, p->g->out[s][0]);
	KStep *k = &p->k->steps[p->k->n_steps++];
	char hex[2 * sizeof own.b + 1];

	hex_encode(hex, own.b, sizeof own.b);
	*k = (KStep){ .id = ir_id('t', (const char *const[]){ hex }, 1),
		.cls = step_class(p, s), .vec = step->facts.vec,
		.dtype = dtype_name(dtype_of_step(p->g, s, p->of)),
		.quiet = quiet_inputs(p, s),
		.phase = p->at[p->g->out[s][0]].phase, .output = own,
		.lineage = lineage_one("lowered", "place-step", &step->id,
		    p->arena) };
	k->inputs = arena_array(p->arena, step->n_inputs, sizeof(Id));
	for (uint32_t i = 0; i < step->n_inputs; i++)
		if (!step_attr(step, i))
			k->inputs[k->n_inputs++] = value_id(p,
			    p->g->in[s][i]);
	place_set(p->session, &k->id, place_get(p->session, &step->id));
}

/* Output o may be the very memory of input i when no phase reads i after the
 * first that stores to o. */
static void
find_aliases(struct placer *p, bool rows)
{
	const struct fit *fit = p->fit;

	for (uint32_t o = 0; o < fit->noutput; o++)
		for (uint32_t i = 0; i < fit->ninput; i++) {
			bool ok = p->of[fit->output[o]] ==
			    p->of[fit->input[i]] && (!rows || (is_full(p, fit->output[o]) &&
			    is_full(p, fit->input[i]) &&
			    p->at[fit->input[i]].last <= p->parked[o]));

			if (ok)
				p->k->alias |= (U64)1 << (o * 16 + i);
		}
}

/* Then values belong to all elements or to a row, and phases are counted. */
static bool
reduces(const struct placer *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!strcmp(p->g->f->steps[p->step[i]].facts.cls, "reduce"))
			return true;
	return false;
}

void
place_kernel(struct session *session, const struct graph *g,
    const struct fit *fit, const enum dtype *of, const uint32_t *step,
    uint32_t n, const char *(*form_word)(enum form), Kernel *k, struct arena *arena)
{
	struct placer p = { .session = session, .g = g, .fit = fit, .of = of,
		.step = step, .n = n, .k = k, .arena = arena };
	bool rows = reduces(&p);

	p.at = arena_array(arena, g->f->n_buffers, sizeof *p.at);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t phase = place_step(&p, step[i], rows);

		if (phase + 1 > k->phases)
			k->phases = phase + 1;
	}
	last_reads(&p);
	for (uint32_t i = 0; i < fit->noutput; i++)
		p.parked[i] = p.at[fit->output[i]].phase;
	k->nin = fit->ninput;
	k->values = arena_array(arena, fit->ninput + n, sizeof *k->values);
	k->steps = arena_array(arena, n, sizeof *k->steps);
	k->outs = arena_array(arena, fit->noutput, sizeof *k->outs);
	for (uint32_t i = 0; i < fit->ninput; i++)
		add_value(&p, fit->input[i], form_word);
	for (uint32_t i = 0; i < n; i++)
		add_value(&p, g->out[step[i]][0], form_word);
	for (uint32_t i = 0; i < n; i++)
		add_step(&p, step[i]);
	for (uint32_t i = 0; i < fit->noutput; i++)
		k->outs[k->n_outs++] = (KOut){
			.value = value_id(&p, fit->output[i]),
			.phase = p.at[fit->output[i]].phase,
			.canonical = p.at[fit->output[i]].computed };
	find_aliases(&p, rows);
}
