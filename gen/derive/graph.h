/* SPDX-License-Identifier: MIT */
/* The steps of a unit as a graph of indices, with the shapes that are known
 * before any run. A view: nothing here is part of a snapshot. */
#ifndef GEN_DERIVE_GRAPH_H
#define GEN_DERIVE_GRAPH_H

#include "gen/stages/fusion/fusion.h"
#include "space/value.h"

struct known {
	bool known;
	struct shape shape;
};

/* The steps that read a buffer, as operand or attribute, each once, in source
 * order. */
struct readers {
	uint32_t *step, n;
};

struct graph {
	const Fusion *f;
	uint32_t **in, **out;  /* of each step: buffer indices */
	int64_t *producer;     /* of each buffer: step, -1 for the interface */
	struct readers *read;  /* of each buffer */
	bool *result;          /* of each buffer: a result of the unit */
	uint32_t *segment;     /* of each step: between which effects it is */
	struct known *shape;   /* of each buffer */
	const char **misfit;   /* of each step: why its operands do not fit */
	bool all_known;        /* of every operand of every back end */
};

/* Buffers and steps of f must be set; groups are not looked at. */
void graph_init(struct graph *, const Fusion *, struct arena *);

uint32_t graph_buffer(const Fusion *, const Id *);
uint32_t graph_step(const Fusion *, const Id *);

/* Whether read i of a step is an attribute. */
bool step_attr(const Step *, uint32_t i);

/* A literal attribute's elements, as literal_ints(); -1: it is not a literal. */
int graph_literal(const struct graph *, uint32_t buffer, int64_t *out,
    int cap);

/* The dtype that a literal attribute of a step names, DT_NONE when there is none
 * or it is no literal. */
enum dtype graph_named(const struct graph *, uint32_t step);

/* A langtype with all dims fixed, or a scalar: its shape. */
bool langtype_shape(const char *, struct shape *);

#endif
