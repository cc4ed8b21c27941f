/* SPDX-License-Identifier: MIT */
/* What a fresh plan of a function has that the plan in ir.kvs had not. */
#ifndef GEN_REBUILD_H
#define GEN_REBUILD_H

#include "gen/ir/kvs.h"
#include "gen/plan.h"

/* An entity that is on one side only, or on both with other fields. */
struct rebuild_change {
	Id id;
	const char *was, *now; /* in words; NULL where it is not */
	const char **field;    /* keys of the fields that differ */
	size_t nfield;
};

struct rebuild {
	const char *level; /* the first that differs; NULL: none does */
	bool before, after; /* whether the plans have the function */
	struct rebuild_change *change; /* removed, added, changed */
	size_t n;
};

/* Compares level by level; unit: of the fresh plan, NULL: it has none of that
 * name. rows as kvs_read gives them. -1 with errors. */
int rebuild_compare(const struct kvs_row *rows, size_t n, const char *name,
    const struct unit *unit, struct arena *, struct rebuild *, struct diag *);

#endif
