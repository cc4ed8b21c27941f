/* SPDX-License-Identifier: MIT */
/*
 * What every pass of the planner is: a contract (constant data) with a pure
 * function from a sealed snapshot and the session to a value of the next
 * level. pass_run is the gate: nothing gets on without it.
 */
#ifndef GEN_PASS_H
#define GEN_PASS_H

#include "base/map.h"
#include "gen/ir/ir.h"
#include "gen/ir/snapshot.h"

struct catalog;
struct policy;
struct fusion_rules;
struct plan;

/*
 * The bindings of a run: all that a pass may know besides its input. places is
 * the side table from entity ids (ir_id as hexadecimal) to struct loc; no
 * digest includes it.
 */
struct session {
	const struct catalog *catalog;    /* abstract ops and their providers */
	const struct policy *policy;      /* tables of authors */
	const struct fusion_rules *rules; /* fusion.def and the templates */
	const struct plan *plan;          /* other units, for inlining */
	const char *const *isas;          /* target levels, NULL at the end */
	struct map places;
	struct map library; /* ids of ops that a function of the library holds */
	/* Names and digests that only the emit pass needs. */
	uint64_t version;                 /* N of the plan */
	/* What sets the files of a released version apart; NULL: today's plan. */
	const char *release;
	/* C texts made by emit: path -> struct str, and K.map texts. */
	struct map texts;
	/* Where seal finds receipts and what they stand for. */
	const char *build, *cache;
};

struct pass {
	const char *name, *revision;
	const struct ir_type *in, *out;
	int (*verify)(const void *root, struct diag *);
	/* NULL with errors in diag. */
	const void *(*run)(const struct snapshot *in, struct session *,
	    struct arena *, struct diag *);
};

/*
 * Runs a pass and seals its result: the input's type, the result's structure
 * (ir_check), its verifier, and that it names its parent. 0, or -1 with errors
 * in diag that name the pass. The pass works in an arena of its own, which goes
 * when the result is sealed; the snapshot's bytes are in the given one.
 */
int pass_run(const struct pass *, const struct snapshot *in,
    struct session *, struct arena *, struct snapshot *out, struct diag *);

/* Seals a value that has no input snapshot: the frontend's. */
int pass_seal(const struct ir_type *, const void *root,
    int (*verify)(const void *, struct diag *), struct arena *,
    struct snapshot *out, struct diag *);

/* The header of a snapshot made from `parent` (NULL: none). */
Header header_of(const struct snapshot *parent, struct arena *);

/* A lineage with one source, or none when source is NULL. */
Lineage lineage_one(const char *kind, const char *rule, const Id *source,
    struct arena *);

/* The side table of places. */
void place_set(struct session *, const Id *, struct loc);
struct loc place_get(const struct session *, const Id *);

/* Marks an op that stands in a function of the library, wherever it is inlined:
 * it is bound there and in its own function alike. */
void library_set(struct session *, const Id *);
bool library_has(const struct session *, const Id *);

#endif
