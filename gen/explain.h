/* SPDX-License-Identifier: MIT */
/* What `kvaot explain` says, for people and as JSON. */
#ifndef GEN_EXPLAIN_H
#define GEN_EXPLAIN_H

#include "base/json.h"
#include "gen/plan.h"
#include "gen/rebuild.h"
#include "space/manifest.h"
#include "space/masked.h"

struct explainer {
	struct arena *arena;
	const struct plan *plan;
	const struct unit *unit;  /* planned down to fusion, or interpreted */
	const struct manifest *manifest; /* of the published library */
	const struct masked *masked;     /* in it */
	struct buf *out;
};

void explain_unit(const struct explainer *);
void explain_unit_json(const struct explainer *);

/* The state of a group of the plan: `not-fusable (unsupported-op)`. */
const char *explain_state(const Fusion *, const Group *, struct arena *);

/* The rules of fusion.def; templates with what they match. */
void explain_rules(const struct fusion_rules *, struct arena *, struct buf *);
void explain_rules_json(const struct fusion_rules *, struct arena *,
    struct buf *);

/* What changed since the last plan of `name`; places are the fresh plan's. */
void explain_rebuild(const struct rebuild *, const char *name,
    const struct session *places, struct buf *);
void explain_rebuild_json(const struct rebuild *, const char *name,
    const struct session *places, struct buf *);

#endif
