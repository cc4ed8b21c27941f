/* SPDX-License-Identifier: MIT */
/*
 * Whether a template takes a set of steps, and what form each value then has.
 * Forms are relative to the iteration space of the kernel: all positions for
 * `map`; rows and n for `rows`; for `cols` columns and n, where what is said of
 * rows and the last axis holds of columns and the reduced axis.
 */
#ifndef GEN_DERIVE_FORM_H
#define GEN_DERIVE_FORM_H

#include "gen/derive/graph.h"
#include "gen/rules.h"

/* FULL: an element for each position. ROW: one a row, last extent 1. DROP: one
 * a row, last axis gone. ONE: a scalar. */
enum form { FORM_NONE = 0, FORM_ONE, FORM_FULL, FORM_ROW, FORM_DROP };

enum { MAX_INPUTS = 16, MAX_OUTPUTS = 4 };

struct fit {
	uint32_t input[MAX_INPUTS], output[MAX_OUTPUTS]; /* buffers */
	uint32_t ninput, noutput;
	enum form *form;  /* of each buffer of the unit */
	Assume *assume;   /* what must hold at run time */
	uint32_t nassume;
	int64_t shape_of; /* input whose dims an assumed shape equals, or -1 */
	int64_t axis;     /* of `cols`, when all shapes are known, else -1 */
	const char *why;  /* set when it does not fit */
};

/* Whether the template takes these steps (in source order) as one kernel. The
 * fit's arrays are in the arena. */
bool form_fit(const struct graph *, const struct template *,
    const uint32_t *steps, uint32_t n, struct fit *, struct arena *);

/* Operands and results of a set of steps: buffers read from outside, in order
 * of first use, attributes left out; buffers that are used outside, or by
 * nobody. False when there are more than a kernel may have. */
bool form_cut(const struct graph *, const uint32_t *steps, uint32_t n,
    struct fit *);

#endif
