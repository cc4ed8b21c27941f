/* SPDX-License-Identifier: MIT */
/* How C and kernels/vec/ call dtypes, and where halves need another function. */
#include "gen/emit/emitter.h"

#include <string.h>

#include "base/fatal.h"
#include "ops/ops.h"

static const struct names dtype_names[N_DTYPES] = {
	[DT_BOOL] = { "uint8_t", "v8b", "b", "uint8_t", "b" },
	[DT_INT8] = { "int8_t", "v8i8", "i8", "int8_t", "i8" },
	[DT_INT16] = { "int16_t", "v8i16", "i16", "int16_t", "i16" },
	[DT_INT32] = { "int", "v8i", "i32", "int", "i32" },
	[DT_INT64] = { "int64_t", "v8l", "i64", "int64_t", "i64" },
	[DT_UINT8] = { "uint8_t", "v8u8", "u8", "uint8_t", "u8" },
	[DT_UINT16] = { "uint16_t", "v8u16", "u16", "uint16_t", "u16" },
	[DT_UINT32] = { "uint32_t", "v8u32", "u32", "uint32_t", "u32" },
	[DT_UINT64] = { "uint64_t", "v8u64", "u64", "uint64_t", "u64" },
	[DT_FLOAT32] = { "float", "v8f", "f32", "float", "f32" },
	[DT_FLOAT64] = { "double", "v8d", "f64", "double", "f64" },
	[DT_FLOAT16] = { "uint16_t", "v8f", "f16", "float", "f32" },
	[DT_BFLOAT16] = { "uint16_t", "v8f", "bf16", "float", "f32" },
};

const struct names *
emit_names(const char *dtype)
{
	return &dtype_names[dtype_of(str_of(dtype))];
}

const struct names *
emit_step_names(const KStep *s)
{
	return emit_names(s->dtype);
}

size_t
emit_size(const struct emitter *e, uint32_t v)
{
	return dtype_size(dtype_of(str_of(e->k->values[v].dtype)));
}

bool
emit_is_float(const struct emitter *e, uint32_t v)
{
	return dtype_is_float(dtype_of(str_of(e->k->values[v].dtype)));
}

bool
emit_is_half(const struct emitter *e, uint32_t v)
{
	return strcmp(e->n[v]->X, e->n[v]->F) != 0;
}

const char *
emit_suffix(const struct emitter *e, const KStep *s)
{
	uint32_t out = emit_output(e, s);

	/* To a half is to a float32 that rounds to it as the operand does. */
	return !op_vec_converts(s->vec) ? emit_step_names(s)->F :
	    arena_printf(e->arena, "%s_%s", emit_step_names(s)->F,
	    emit_is_half(e, out) ? "half" : e->n[out]->X);
}

const char *
emit_copy(const struct emitter *e)
{
	const KStep *s = e->k->steps;
	const char *own = emit_names(e->k->dtype)->X;

	return !op_vec_converts(s->vec) ? own : arena_printf(e->arena,
	    "%s_%s", own, e->n[emit_output(e, s)]->X);
}

/* Whether the bytes of a half matter, not only the number: somewhere what was
 * loaded may be stored. */
const char *
emit_load_function(const struct emitter *e, uint32_t v)
{
	for (uint32_t i = 0; emit_is_half(e, v) && i < e->k->n_steps; i++)
		if (op_vec_moves(e->k->steps[i].vec))
			return "load_exact";
	return "load";
}

const char *
emit_element(const struct emitter *e, uint32_t v, const char *at)
{
	return !emit_is_half(e, v) ? at :
	    arena_printf(e->arena, "kv_one_%s(&%s)", e->n[v]->X, at);
}

/* Whether a step reads a value, or its bytes are stored. A store that makes NaNs
 * canonical rounds too. */
static bool
is_read(const struct emitter *e, uint32_t v)
{
	int out = emit_out_number(e, v);

	for (uint32_t i = 0; i < e->k->n_steps; i++)
		for (uint32_t j = 0; j < e->k->steps[i].n_inputs; j++)
			if (e->in[i][j] == v)
				return true;
	return out < 0 || !e->k->outs[out].canonical;
}

const char *
emit_rounded(const struct emitter *e, const KStep *s, const char *x)
{
	uint32_t v = emit_output(e, s);

	if (!emit_is_half(e, v) || op_vec_moves(s->vec) || !is_read(e, v))
		return x;
	return arena_printf(e->arena, "kv_round_%s_f32(%s)", e->n[v]->X, x);
}

size_t
emit_scratch_size(const struct emitter *e)
{
	size_t most = 0;

	for (uint32_t v = 0; v < e->k->n_values; v++)
		if (Place_is_PlaceScratch(e->k->values[v].place) &&
		    emit_size(e, v) > most)
			most = emit_size(e, v);
	return most;
}

const struct names *
emit_sum_names(const struct emitter *e)
{
	for (uint32_t i = 0; i < e->k->n_steps; i++)
		if (emit_is_reduce(&e->k->steps[i]))
			return emit_step_names(&e->k->steps[i]);
	BUG("a kernel of a template that reduces has no reduction");
}
