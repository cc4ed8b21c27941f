/* SPDX-License-Identifier: MIT */
#include "gen/plan.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/isa.h"
#include "gen/initial.h"
#include "gen/released.h"
#include "gen/rows.h"
#include "kv/ast.h"
#include "kv/kv.h"

#define AUTHORS_MAP "authors.map"

static int
layout_text(struct plan *p, const char *shown, struct str text, bool library)
{
	struct arena scratch = { 0 };
	const struct kv_file *file;
	bool *origin = arena_alloc(p->arena, sizeof *origin);
	int bad;

	file = kv_parse(&scratch, shown, text, p->diag);
	bad = kv_layout(file, p->space, p->diag);
	*origin = library;
	for (const struct kv_func *f = file->funcs; f; f = f->next)
		map_set(&p->origin, f->qualified, origin);
	arena_release(&scratch);
	return bad;
}

static int
layout_file(struct plan *p, const char *path, const char *shown, bool library)
{
	struct str text;

	if (file_read(p->arena, path, &text))
		return diag_error(p->diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	diag_source(p->diag, shown, path);
	return layout_text(p, shown, text, library);
}

/* All .kv files of a folder, called `as`/… wherever the folder is. */
static int
layout_folder(struct plan *p, const char *folder, const char *as, bool library)
{
	char **file;
	size_t n;
	int bad = 0;

	if (dir_walk(p->arena, folder, ".kv", &file, &n))
		return diag_error(p->diag, (struct loc){ folder, 0, 0 },
		    "cannot list the folder: %s", strerror(errno));
	for (size_t i = 0; i < n; i++)
		bad |= layout_file(p, path_join(p->arena, folder, file[i]),
		    path_join(p->arena, as, file[i]), library);
	return bad;
}

/* The library, the user's folder, the program. */
static int
layout_all(struct plan *p, const struct plan_paths *paths)
{
	const char **before, **after;
	size_t nbefore, nafter;
	int bad = layout_folder(p, paths->lib, "lib", true);

	if (!bad && paths->folder)
		bad = layout_folder(p, paths->folder, "folder", false);
	map_init(&p->program, p->arena);
	if (bad || !paths->program)
		return bad;
	nbefore = func_list(p->space, p->arena, &before);
	bad = layout_file(p, paths->program, paths->program, false);
	nafter = func_list(p->space, p->arena, &after);
	for (size_t i = 0, k = 0; i < nafter; i++) {
		while (k < nbefore && strcmp(before[k], after[i]) < 0)
			k++;
		if (k == nbefore || strcmp(before[k], after[i]))
			map_set(&p->program, after[i], p);
	}
	return bad;
}

bool
plan_is_library(const struct plan *p, const char *name)
{
	const bool *library = map_get(&p->origin, name);

	return library && *library;
}

/* The library's table of authors, and over it the user's: the one that is
 * given, else the one that lies in his folder. */
static int
read_policies(struct plan *p, const struct plan_paths *paths)
{
	const char *own = paths->authors;
	int bad;

	if (!own && paths->folder)
		own = path_join(p->arena, paths->folder, AUTHORS_MAP);
	bad = policy_read(&p->library, p->arena, path_join(p->arena,
	    paths->lib, AUTHORS_MAP), p->diag);
	p->policy = p->library;
	if (bad || !own || (!paths->authors && !file_exists(own)))
		return bad;
	bad = policy_read(&p->policy, p->arena, own, p->diag);
	p->policy.library = &p->library;
	return bad;
}

/* The folder's lock decides about the bases it names, the library's about the
 * others. */
static int
read_locks(struct plan *p, const struct plan_paths *paths)
{
	struct versions library;
	int bad = 0;

	versions_init(&p->locked, p->arena);
	versions_init(&library, p->arena);
	if (paths->folder)
		bad = versions_read(&p->locked, path_join(p->arena,
		    paths->folder, VERSIONS_LOCK), p->diag);
	bad |= versions_read(&library, path_join(p->arena, paths->lib,
	    VERSIONS_LOCK), p->diag);
	versions_join(&p->locked, &library);
	return bad;
}

static int
read_bindings(struct plan *p, const struct plan_paths *paths)
{
	int bad;

	catalog_init(&p->catalog, p->arena);
	bad = read_policies(p, paths);
	bad |= rules_read(&p->rules, p->arena, paths->templates, p->diag);
	bad |= catalog_load(&p->catalog, paths->backends, paths->cache,
	    p->diag);
	bad |= read_locks(p, paths);
	p->session = (struct session){ .catalog = &p->catalog,
		.policy = &p->policy, .rules = &p->rules, .plan = p,
		.isas = paths->isas };
	map_init(&p->session.places, p->arena);
	map_init(&p->session.library, p->arena);
	map_init(&p->session.texts, p->arena);
	return bad;
}

struct unit_level
unit_level(const struct unit *u, size_t i)
{
	static const struct {
		const char *name;
		const struct ir_type *type;
		size_t at;
	} levels[UNIT_LEVELS] = {
		{ "program", &Program_type, offsetof(struct unit, program) },
		{ "inlined", &Program_type, offsetof(struct unit, inlined) },
		{ "bound", &Bound_type, offsetof(struct unit, bound) },
		{ "fusion", &Fusion_type, offsetof(struct unit, fusion) },
		{ "concrete", &Concrete_type, offsetof(struct unit, concrete) },
		{ "artifact", &Artifact_type, offsetof(struct unit, artifact) },
	};
	const struct snapshot *s = u ? (const void *)((const char *)u +
	    levels[i].at) : NULL;

	return (struct unit_level){ levels[i].name, levels[i].type,
		s && s->root ? s : NULL };
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
	const struct func *f = func_read(p->space, name, p->arena);
	const Program *program;

	u->name = name;
	u->interpreted = !func_is_straight(f) ||
	    func_hands_initial(p->space, f, p->arena);
	map_set(&p->units, name, u);
	if (u->interpreted)
		return 0;
	program = program_import(p->space, name, &p->session, p->arena,
	    p->diag);
	if (!program)
		return -1;
	for (uint32_t i = 0; i < program->n_ops && plan_is_library(p, name); i++)
		library_set(&p->session, &program->ops[i].id);
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
}

int
plan_lower(struct plan *p, struct unit *u, enum level last)
{
	struct session *s = &p->session;

	if (last < LEVEL_CONCRETE || !u->has_kernels)
		return 0;
	s->version = u->version;
	s->release = u->released ? released_stem(p->arena, u) : NULL;
	if (pass_run(&concrete_specialize, &u->fusion, s, p->arena,
	    &u->concrete, p->diag))
		return -1;
	if (last < LEVEL_ARTIFACT)
		return 0;
	return pass_run(&artifact_emit, &u->concrete, s, p->arena,
	    &u->artifact, p->diag);
}

/* One unit through the levels; each pass is behind the gate. */
static int
plan_unit(struct plan *p, struct unit *u, enum level last)
{
	struct session *s = &p->session;

	if (!u->program.root)
		return u->interpreted ? 0 : -1;
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
	return plan_lower(p, u, last);
}

static int
import_units(struct plan *p)
{
	const char **name;
	size_t n = func_list(p->space, p->arena, &name);
	int bad = 0;

	for (size_t i = 0; i < n; i++)
		if (!name_version(name[i]))
			bad |= import_unit(p, name[i]);
	map_sort(&p->units);
	return bad;
}

int
plan_units(struct plan *p, enum level last)
{
	int bad = import_units(p);

	for (size_t i = 0; i < p->units.n; i++)
		bad |= plan_unit(p, p->units.entry[i].value, last);
	if (!bad && last >= LEVEL_FUSION)
		bad = released_plan(p, last);
	return bad;
}

int
plan_run(struct plan *p, const struct plan_paths *paths, enum level last,
    struct arena *arena, struct diag *diag)
{
	int bad;

	*p = (struct plan){ .arena = arena, .diag = diag,
		.space = space_new() };
	map_init(&p->units, arena);
	map_init(&p->origin, arena);
	bad = layout_all(p, paths);
	if (bad || last == LEVEL_LAYOUT)
		return bad;
	if (read_bindings(p, paths))
		return -1;
	return plan_units(p, last);
}

int
plan_function(struct plan *p, const struct plan_paths *paths, const char *name,
    const char *shown, struct str text)
{
	struct unit *u;

	if (layout_text(p, shown, text, false))
		return -1;
	map_set(&p->program, name, p);
	if (read_bindings(p, paths) || import_units(p))
		return -1;
	u = map_get(&p->units, name);
	return plan_unit(p, u, LEVEL_ARTIFACT);
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
