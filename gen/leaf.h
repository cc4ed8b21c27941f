/* SPDX-License-Identifier: MIT */
/* A request planned: the one kernel that it is, and what is said of it. */
#ifndef GEN_LEAF_H
#define GEN_LEAF_H

#include "cache/receipt.h"
#include "gen/catalog.h"
#include "gen/plan.h"
#include "gen/request.h"

struct leaf {
	struct request request;
	const Fusion *fusion;
	const Group *group;
	const Kernel *kernel;
	struct str c; /* its C text */
};

/* Plans a request, of which messages say `file`, over the library of p, which
 * is laid out and not planned. What it finds lives as long as the plan. -1 with
 * errors. */
int leaf_plan(struct leaf *, struct plan *p, const struct plan_paths *,
    const char *file, struct str text);

/* The meta file of a kernel that was compiled: receipt and table of it. */
void leaf_meta(const struct leaf *, const struct receipt *,
    const struct backend *, struct arena *, struct buf *);

#endif
