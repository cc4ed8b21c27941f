/* SPDX-License-Identifier: MIT */
/* Which dtypes a unit is made for, and which dtype each value then has. */
#ifndef GEN_DERIVE_DTYPE_H
#define GEN_DERIVE_DTYPE_H

#include "gen/derive/form.h"

/*
 * The dtypes T that all parameters, and all results of functions, allow whose
 * type leaves a choice of dtypes (`any`: of floats), in order of enum dtype; a
 * unit without such a value is made for one T that nothing depends on. Returns
 * how many.
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

/* The dtypes that a kernel of this cut is made for; returns how many, 0 when
 * its operands never have one dtype in common that all have loops of. */
int dtypes_kernels(const struct dtypes *, const struct cut *,
    const struct fit *, enum dtype out[N_DTYPES]);

#endif
