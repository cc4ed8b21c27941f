/* SPDX-License-Identifier: MIT */
/*
 * A run of the planner: sources laid out into one space, every function a
 * unit, every unit taken through the levels.
 */
#ifndef GEN_PLAN_H
#define GEN_PLAN_H

#include "base/diag.h"
#include "base/map.h"
#include "base/str.h"
#include "gen/catalog.h"
#include "gen/pass.h"
#include "gen/policy.h"
#include "gen/rules.h"
#include "gen/stages/artifact/artifact.h"
#include "gen/versions.h"
#include "space/space.h"

/* A function on its way down. Snapshots exist up to where the run went; none
 * where the function is interpreted. */
struct unit {
	const char *name;
	struct snapshot program, inlined, bound, fusion, concrete, artifact;
	/* Not straight (gen/rows.h), or hands on what its variables hold
	 * (gen/initial.h): stays as it is. */
	bool interpreted;
	bool has_kernels;      /* some group of it became a kernel */
	uint64_t version;      /* N, when has_kernels */
	bool pending;          /* N is not in versions.lock */
	bool released;         /* not today's plan: a released one, kept */
};

/* A level of a unit as ir.kvs has it; snap is NULL where there is none. */
struct unit_level {
	const char *name;
	const struct ir_type *type;
	const struct snapshot *snap;
};

enum { UNIT_LEVELS = 6 };

/* Level i, from 0, in the order in which they are made; u may be NULL. */
struct unit_level unit_level(const struct unit *u, size_t i);

/* Where things are; all paths as the caller gives them. */
struct plan_paths {
	const char *lib;       /* folder of .kv files, authors.map, versions.lock */
	const char *folder;    /* more .kv files, perhaps an authors.map; or NULL */
	const char *authors;   /* a user's table; NULL: the folder's, if any */
	const char *templates;
	const char *backends;  /* folder of back-end receipts */
	const char *cache;
	const char *program;   /* a .kv file planned on top; may be NULL */
	const char *const *isas; /* levels, NULL at the end */
};

struct plan {
	struct arena *arena;
	struct diag *diag;
	struct space *space;
	struct catalog catalog;
	struct policy policy, library; /* library: the table below, if any */
	struct fusion_rules rules;
	struct versions locked;
	struct session session;
	/* name -> struct unit *, sorted; a released version is `name.N`. */
	struct map units;
	struct map program;    /* functions that the program file defines */
	struct map origin;     /* name -> bool *, whether it is the library's */
};

/* Which levels to make. */
enum level { LEVEL_LAYOUT, LEVEL_PROGRAM, LEVEL_BOUND, LEVEL_FUSION,
	LEVEL_CONCRETE, LEVEL_ARTIFACT };

/* Reads everything and takes all units down to `last`. -1 with errors in diag;
 * what could be made is there all the same. */
int plan_run(struct plan *, const struct plan_paths *, enum level last,
    struct arena *, struct diag *);
void plan_release(struct plan *);

/* After plan_run down to LEVEL_LAYOUT: adds the function of a text, which is
 * called `shown` in messages, and takes it alone through all levels. */
int plan_function(struct plan *, const struct plan_paths *, const char *name,
    const char *shown, struct str text);

/* The second half of plan_run: makes a unit of each function of the space and
 * takes it down to `last`. Space and bindings must be there. */
int plan_units(struct plan *, enum level last);

/* Takes a unit from its fusion level down to `last`. -1 with errors. */
int plan_lower(struct plan *, struct unit *, enum level last);

/* Whether a function is the library's, and no folder or program replaced it. */
bool plan_is_library(const struct plan *, const char *name);

/* The imported program of a function, NULL when there is none. */
const Program *plan_program(const struct plan *, const char *name);

#endif
