/* SPDX-License-Identifier: MIT */
/*
 * Tensors of files at absolute paths: constants of every program that runs. A
 * file of safetensors is mapped, so nothing of it is read before it is used;
 * it must not change until the runtime is closed.
 */
#ifndef RUNTIME_WEIGHTS_H
#define RUNTIME_WEIGHTS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "runtime/heap.h"

struct mapping {
	void *p;
	size_t n;
};

struct weights {
	struct arena arena;
	struct map map; /* path -> struct cell, which has a reference */
	struct heap *heap;
	struct mapping *mapping;
	size_t n, cap;
};

void weights_init(struct weights *, struct heap *);
void weights_release(struct weights *);

/* F.npy at `path`, or each tensor T of F.safetensors at `path/T`. -1 with
 * errors; then some of them may be there. */
int weights_load(struct weights *, const char *file, const char *path,
    struct diag *);

/* The cell at a path, borrowed, which nobody may change; NULL: none. */
struct cell *weights_at(const struct weights *, const char *path);

#endif
