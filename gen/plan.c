/* SPDX-License-Identifier: MIT */
#include "gen/plan.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/isa.h"
#include "gen/rows.h"
#include "kv/kv.h"

static int
layout_file(struct plan *p, const char *path, const char *shown)
{
	struct str text;

	if (file_read(p->arena, path, &text))
		return diag_error(p->diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	return kv_layout_text(p->space, shown, text, p->diag);
}

/* All .kv files of the library, then the program. */
static int
layout_all(struct plan *p, const struct plan_paths *paths)
{
	const char **before, **after;
	char **file;
	size_t n, nbefore, nafter;
	int bad = 0;

	if (dir_walk(p->arena, paths->lib, ".kv", &file, &n))
		return diag_error(p->diag, (struct loc){ paths->lib, 0, 0 },
		    "cannot list the library: %s", strerror(errno));
	for (size_t i = 0; i < n; i++)
		bad |= layout_file(p, path_join(p->arena, paths->lib, file[i]),
		    arena_printf(p->arena, "lib/%s", file[i]));
	map_init(&p->program, p->arena);
	if (bad || !paths->program)
		return bad;
	nbefore = func_list(p->space, p->arena, &before);
	bad = layout_file(p, paths->program, paths->program);
	nafter = func_list(p->space, p->arena, &after);
	for (size_t i = 0, k = 0; i < nafter; i++) {
		while (k < nbefore && strcmp(before[k], after[i]) < 0)
			k++;
		if (k == nbefore || strcmp(before[k], after[i]))
			map_set(&p->program, after[i], p);
	}
	return bad;
}

/* Baseline and the best level of this machine. */
static const char *const *
local_isas(struct arena *arena)
{
	const char **isa = arena_array(arena, 3, sizeof *isa);

	isa[0] = isa_table[0].name;
	if (isa_best() != &isa_table[0])
		isa[1] = isa_best()->name;
	return isa;
}

static int
read_bindings(struct plan *p, const struct plan_paths *paths)
{
	const char *authors = paths->authors ? paths->authors :
	    path_join(p->arena, paths->lib, "authors.map");
	int bad;

	catalog_init(&p->catalog, p->arena);
	versions_init(&p->locked, p->arena);
	bad = policy_read(&p->policy, p->arena, authors, p->diag);
	bad |= rules_read(&p->rules, p->arena, paths->templates, p->diag);
	bad |= catalog_load(&p->catalog, paths->backends, paths->cache,
	    p->diag);
	bad |= versions_read(&p->locked, path_join(p->arena, paths->lib,
	    "versions.lock"), p->diag);
	p->session = (struct session){ .catalog = &p->catalog,
		.policy = &p->policy, .rules = &p->rules, .plan = p,
		.isas = local_isas(p->arena) };
	map_init(&p->session.places, p->arena);
	map_init(&p->session.texts, p->arena);
	return bad;
}

const Program *
plan_program(const struct plan *p, const char *name)
{
	const struct unit *u = map_get(&p->units, name);

	return u ? u->program.root : NULL;
}

static int
import_unit(struct plan *p, const char *name)
{
	struct unit *u = arena_alloc(p->arena, sizeof *u);
	const Program *program = program_import(p->space, name, &p->session,
	    p->arena, p->diag);

	u->name = name;
	map_set(&p->units, name, u);
	if (!program)
		return -1;
	return pass_seal(&Program_type, program, program_verify, p->arena,
	    &u->program, p->diag);
}

static void
number_unit(struct plan *p, struct unit *u)
{
	const Fusion *f = u->fusion.root;

	for (uint32_t i = 0; i < f->n_groups; i++)
		u->has_kernels |= GroupBody_is_GroupKernel(f->groups[i].body);
	if (u->has_kernels)
		u->version = versions_number(&p->locked, u->name,
		    &u->fusion.core, &u->inlined.core, &u->pending);
	p->session.version = u->version;
}

/* One unit through the levels; each pass is behind the gate. */
static int
plan_unit(struct plan *p, struct unit *u, enum level last)
{
	struct session *s = &p->session;

	if (!u->program.root)
		return -1;
	if (last < LEVEL_PROGRAM)
		return 0;
	if (pass_run(&program_inline, &u->program, s, p->arena, &u->inlined,
	    p->diag))
		return -1;
	if (last < LEVEL_BOUND)
		return 0;
	if (pass_run(&bound_bind, &u->inlined, s, p->arena, &u->bound,
	    p->diag))
		return -1;
	if (last < LEVEL_FUSION)
		return 0;
	if (pass_run(&fusion_fuse, &u->bound, s, p->arena, &u->fusion,
	    p->diag))
		return -1;
	number_unit(p, u);
	if (last < LEVEL_CONCRETE || !u->has_kernels)
		return 0;
	if (pass_run(&concrete_specialize, &u->fusion, s, p->arena,
	    &u->concrete, p->diag))
		return -1;
	if (last < LEVEL_ARTIFACT)
		return 0;
	return pass_run(&artifact_emit, &u->concrete, s, p->arena,
	    &u->artifact, p->diag);
}

int
plan_run(struct plan *p, const struct plan_paths *paths, enum level last,
    struct arena *arena, struct diag *diag)
{
	const char **name;
	size_t n;
	int bad;

	*p = (struct plan){ .arena = arena, .diag = diag,
		.space = space_new() };
	map_init(&p->units, arena);
	bad = layout_all(p, paths);
	if (bad || last == LEVEL_LAYOUT)
		return bad;
	if (read_bindings(p, paths))
		return -1;
	n = func_list(p->space, arena, &name);
	for (size_t i = 0; i < n; i++)
		if (!name_version(name[i]))
			bad |= import_unit(p, name[i]);
	map_sort(&p->units);
	for (size_t i = 0; i < p->units.n; i++)
		bad |= plan_unit(p, p->units.entry[i].value, last);
	return bad;
}

void
plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.entry[i].value;

		snapshot_release(&u->program);
		snapshot_release(&u->inlined);
		snapshot_release(&u->bound);
		snapshot_release(&u->fusion);
		snapshot_release(&u->concrete);
		snapshot_release(&u->artifact);
	}
	space_free(p->space);
}
