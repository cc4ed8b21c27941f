/* SPDX-License-Identifier: MIT */
#include "gen/emit/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "gen/emit/emitter.h"

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
		    emit_waits_apart(e, v) ? 'k' : 'q',
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

const char *
emit_store_function(const struct emitter *e, int out)
{
	return out >= 0 && e->k->outs[out].canonical ? "store" : "put";
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
			emit_store_in_row(e, l, s, out);
			continue;
		}
		lines_add(l, emit_loc(e, s), "kv_%s%s_%s(%s + i, v%u, k%s);",
		    emit_store_function(e, out), e->past ? "_past" : "",
		    e->n[v]->X, emit_home(e, v), v, e->past ? ", w->past" : "");
	}
}

/* Memory that a call needs whatever its rows have. */
static void
fill_fixed(struct emitter *e, struct lines *l)
{
	uint32_t kept = e->rows ? emit_rows_apart(e) : 0;

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
	    (size_t)e->k->phases * emit_rows_width(e->k)));
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
		emit_rows(e);
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
