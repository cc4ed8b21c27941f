/* SPDX-License-Identifier: MIT */
/* Which dtypes a unit is made for, and which dtype each value then has. */
#ifndef GEN_DERIVE_DTYPE_H
#define GEN_DERIVE_DTYPE_H

#include "gen/derive/form.h"

/*
 * The dtypes T that all parameters, and all results of functions, allow whose
 * type leaves a choice of dtypes (`any`: of float32 and float64), in order of
 * enum dtype; no halves where float32 or float64 is among them. A unit without
 * such a value is made for one T that nothing depends on. Returns how many.
 */
int dtype_choices(const Fusion *, enum dtype out[N_DTYPES]);

/*
 * The dtype of every buffer for one T: DT_NONE where it is not known. What is
 * declared with a choice has T, else its own; a back end's output follows its
 * rule. A scalar takes the dtype of the tensors it meets (deepx-ops.md G1).
 */
void dtype_derive(const struct graph *, enum dtype t, enum dtype *of_buffer);

/* The dtypes of all buffers of a unit, for each T it is made for. */
struct dtypes {
	int n;
	enum dtype choice[N_DTYPES];
	enum dtype *of[N_DTYPES];
};

void dtypes_init(struct dtypes *, const struct graph *, struct arena *);

/* The steps of a cut, and the template that takes it. */
struct cut {
	const Fusion *f;
	const struct template *t;
	const uint32_t *step;
	uint32_t n;
};

/* One kernel of a cut: what its entry says, and the dtype of each buffer of the
 * unit that is a value of it. */
struct made {
	enum dtype t;
	enum dtype *of;
};

/*
 * The kernels that are made of this cut: one for each T that an operand
 * depends on. t is that T, without one the dtype of the first operand that is
 * neither a scalar nor bool. Returns how many, 0 when the dtypes of some op are
 * never those of a loop.
 */
int dtypes_kernels(const struct dtypes *, const struct graph *,
    const struct cut *, const struct fit *, struct made out[N_DTYPES],
    struct arena *);

/* T of a back end's step (ops.def), by the dtypes of a kernel's values. */
enum dtype dtype_of_step(const struct graph *, uint32_t step,
    const enum dtype *of);

#endif
