/* SPDX-License-Identifier: MIT */
/* What the files that print kernels share: a kernel, its values by number, and
 * the lines that are the same in all templates. */
#ifndef GEN_EMIT_EMITTER_H
#define GEN_EMIT_EMITTER_H

#include "gen/emit/template.h"
#include "gen/ir/ids.h"
#include "gen/stages/concrete/concrete.h"
#include "space/value.h"

/*
 * How C and kernels/vec/ call a dtype: element, vector, end of a function. A
 * half is another element in registers, and there functions of float32 compute
 * with it: E, F; of other dtypes these are T and X.
 */
struct names {
	const char *T, *V, *X, *E, *F;
};

/*
 * n: float, v8f and f32, for each value. at: the copy of the template's block
 * that `map` fills; divides: a step may find a 0 that it must not divide by;
 * past: stores may pass the caches by.
 */
struct emitter {
	const Kernel *k;
	const struct session *session;
	struct arena *arena;
	struct filling *fill;
	const struct names **n; /* of each value */
	int at;
	bool rows, cols;       /* the template, else map */
	bool divides, past;
	struct ir_ids values;
	uint32_t **in, *made; /* of each step: its values */
	const KStep **maker;  /* of each value: the step, or NULL */
};

/* The names of a dtype; T of a step. */
const struct names *emit_names(const char *dtype);
const struct names *emit_step_names(const KStep *);

/* How many bytes an element of a value has; whether it is a float. */
size_t emit_size(const struct emitter *, uint32_t v);
bool emit_is_float(const struct emitter *, uint32_t v);

/* Whether a value is a float16 or bfloat16. */
bool emit_is_half(const struct emitter *, uint32_t v);

/* The end of the name of a step's function; by which the loops of a copy are
 * called: f32. */
const char *emit_suffix(const struct emitter *, const KStep *);
const char *emit_copy(const struct emitter *);

/* The name of what loads a value, and its element at `at` by itself. */
const char *emit_load_function(const struct emitter *, uint32_t v);
const char *emit_element(const struct emitter *, uint32_t v, const char *at);

/* What a step gives, x, rounded where it is a half that is read again. */
const char *emit_rounded(const struct emitter *, const KStep *, const char *x);

/* The most bytes that an element of a value in scratch memory has. */
size_t emit_scratch_size(const struct emitter *);

/* T of the reductions, of which all of a kernel have one. */
const struct names *emit_sum_names(const struct emitter *);

/* The number of a value; the value that is input j of a step, and the one the
 * step makes; the output number a value is, or -1. */
uint32_t emit_number(const struct emitter *, const Id *value);
uint32_t emit_input(const struct emitter *, const KStep *, uint32_t j);
uint32_t emit_output(const struct emitter *, const KStep *);
int emit_out_number(const struct emitter *, uint32_t v);

/* Whether a value has an element for each position. */
bool emit_is_full(const struct emitter *, uint32_t v);

bool emit_is_reduce(const KStep *);

/* Whether a step works on elements (else on the values of a row or column, at
 * the end of the phase). */
bool emit_in_body(const struct emitter *, const KStep *);

/* Where the step is in a .kv file. */
struct loc emit_loc(const struct emitter *, const KStep *);

/* The pointer expression under which a full value is kept. */
const char *emit_home(const struct emitter *, uint32_t v);

/* Whether an element step reads a value, or stores to an output; the first
 * phase with a step of that kind, or the number of phases. */
bool emit_reads(const struct emitter *, const KStep *, uint32_t v);
bool emit_stores(const struct emitter *, const KStep *, uint32_t out);
U64 emit_first_phase(const struct emitter *,
    bool (*is)(const struct emitter *, const KStep *, uint32_t), uint32_t at);

/* The first element step of a phase that reads each value, or NULL. */
const KStep **emit_first_users(const struct emitter *, int phase);

/* `v8f v6 = kv_sub_f32(v0, v5);` */
void emit_op(struct emitter *, struct lines *, const KStep *);

/* The region `body` of a phase. */
void emit_body(struct emitter *, int phase);

/* The regions `load` and `store` of a phase of `rows`, or of a copy of `map`. */
void emit_load(struct emitter *, int phase);
void emit_store(struct emitter *, int phase);

/* The same of `rows` for one value: what waits for a later phase goes to its
 * place, and results to theirs, past the caches where all of the call do. */
void emit_store_in_row(struct emitter *, struct lines *, const KStep *,
    int out);

/* Whether a value of `rows` that waits in a result has a place apart from it
 * when results pass the caches; how many results have such places. */
bool emit_waits_apart(const struct emitter *, uint32_t v);
uint32_t emit_rows_apart(const struct emitter *);

/* Rows that the template `rows` has in one phase: with a single phase several,
 * else the phases keep each other busy. */
unsigned emit_rows_width(const Kernel *);

/* The end of the name of what stores output `out`, or a parked value: -1. */
const char *emit_store_function(const struct emitter *, int out);

/* All regions of the templates but `include` and `table`. */
void emit_cols(struct emitter *);
void emit_map(struct emitter *);
void emit_rows(struct emitter *);

#endif
