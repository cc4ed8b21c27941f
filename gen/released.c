/* SPDX-License-Identifier: MIT */
#include "gen/released.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "gen/ir/kvs.h"
#include "gen/stages/fusion/fusion.h"

char *
released_path(struct arena *arena, const struct version_line *line)
{
	return arena_printf(arena, "%s/versions/%s.%llu.kvs", line->folder,
	    name_escape(arena, line->base), (unsigned long long)line->n);
}

const char *
released_stem(struct arena *arena, const struct unit *u)
{
	char hex[65];

	hex_encode(hex, u->fusion.core.b, sizeof u->fusion.core.b);
	return arena_printf(arena, "%.12s", hex);
}

static int
unusable(struct plan *p, const struct version_line *line, const char *why)
{
	return diag_error(p->diag, (struct loc){ released_path(p->arena, line),
	    0, 0 }, "%s; %s.%llu was released, so get this file back from "
	    "version control", why, line->base, (unsigned long long)line->n);
}

static int
check_template(struct plan *p, const struct version_line *line,
    const char *name, const Digest *revision)
{
	if (rules_revision(&p->rules, name, revision))
		return 0;
	return unusable(p, line, arena_printf(p->arena, "it lacks the text of "
	    "template %s", name));
}

/* The templates of each kernel group must be at hand. */
static int
check_templates(struct plan *p, const struct version_line *line,
    const Fusion *f)
{
	for (uint32_t i = 0; i < f->n_groups; i++) {
		const GroupKernel *k;

		if (!GroupBody_is_GroupKernel(f->groups[i].body))
			continue;
		k = GroupBody_as_GroupKernel(f->groups[i].body);
		if (check_template(p, line, k->template_, &k->revision))
			return -1;
		for (uint32_t j = 0; j < k->n_variants; j++)
			if (check_template(p, line, k->variants[j].template_,
			    &k->variants[j].revision))
				return -1;
	}
	return 0;
}

static int
check_fusion(struct plan *p, const struct version_line *line,
    const struct snapshot *s)
{
	const Fusion *f = s->root;

	if (!ir_digest_eq(&s->core, &line->core) || strcmp(f->unit,
	    line->base))
		return unusable(p, line, "it is not the plan that the lock "
		    "names");
	if (fusion_verify(f, p->diag))
		return unusable(p, line, "its plan is refused");
	return check_templates(p, line, f);
}

static int
read_fusion(struct plan *p, const struct version_line *line,
    struct snapshot *s)
{
	const char *path = released_path(p->arena, line);
	const struct kvs_row *found;
	struct kvs_row *row;
	size_t n;

	if (!file_exists(path))
		return unusable(p, line, "it is missing");
	if (kvs_read(path, p->arena, &row, &n, p->diag))
		return unusable(p, line, "it cannot be used");
	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].level, "template") &&
		    rules_add_released(&p->rules, p->arena, row[i].unit, path,
		    row[i].bytes, p->diag))
			return -1;
	found = kvs_find(row, n, line->base, "fusion");
	if (!found)
		return unusable(p, line, "it holds no plan of that function");
	if (snapshot_open(&Fusion_type, found->bytes, &found->digest, p->arena,
	    s, p->diag))
		return unusable(p, line, "its plan cannot be read");
	if (!check_fusion(p, line, s))
		return 0;
	snapshot_release(s);
	return -1;
}

static int
add_released(struct plan *p, const struct unit *today,
    const struct version_line *line, enum level last)
{
	struct unit *u = arena_alloc(p->arena, sizeof *u);

	*u = (struct unit){ .name = today->name, .has_kernels = true,
		.version = line->n, .released = true };
	if (read_fusion(p, line, &u->fusion))
		return -1;
	/* Both come from one program; only its digest is asked for here. */
	u->inlined.core = today->inlined.core;
	map_set(&p->units, arena_printf(p->arena, "%s.%llu", u->name,
	    (unsigned long long)u->version), u);
	return plan_lower(p, u, last);
}

int
released_plan(struct plan *p, enum level last)
{
	int bad = 0;

	for (size_t i = 0; i < p->locked.n; i++) {
		const struct version_line *line = &p->locked.line[i];
		const struct unit *u = map_get(&p->units, line->base);

		if (u && u->inlined.root && line->n != u->version &&
		    ir_digest_eq(&line->program, &u->inlined.core))
			bad |= add_released(p, u, line, last);
	}
	map_sort(&p->units);
	return bad;
}

/* Whether the function is of the folder that is planned on top of a library. */
static bool
in_folder(const struct plan *p, const char *name)
{
	const struct value *v = space_get(p->space, arena_printf(p->arena,
	    "/lib/%s/‥file", name));

	return v && str_starts((struct str){ v->body, v->n }, "folder/");
}

void
released_pending(const struct plan *p, bool own, struct versions *out)
{
	for (size_t i = 0; i < p->units.n; i++) {
		const struct unit *u = p->units.entry[i].value;

		if (u->has_kernels && u->pending &&
		    (!own || in_folder(p, u->name)))
			versions_add(out, &(struct version_line){
				.base = u->name, .n = u->version,
				.core = u->fusion.core,
				.program = u->inlined.core });
	}
}

/* A row for a template, once. */
static void
template_row(const struct plan *p, const char *name, const Digest *revision,
    struct kvs_row *row, size_t *n)
{
	const struct template *t = rules_revision(&p->rules, name, revision);

	for (size_t i = 0; i < *n; i++)
		if (!strcmp(row[i].unit, t->name))
			return;
	row[(*n)++] = (struct kvs_row){ t->name, "template", t->revision,
		t->text };
}

/* Rows for the templates of each kernel group. */
static size_t
template_rows(const struct plan *p, const Fusion *f, struct kvs_row *row,
    size_t n)
{
	for (uint32_t i = 0; i < f->n_groups; i++) {
		const GroupKernel *k;

		if (!GroupBody_is_GroupKernel(f->groups[i].body))
			continue;
		k = GroupBody_as_GroupKernel(f->groups[i].body);
		template_row(p, k->template_, &k->revision, row, &n);
		for (uint32_t j = 0; j < k->n_variants; j++)
			template_row(p, k->variants[j].template_,
			    &k->variants[j].revision, row, &n);
	}
	return n;
}

int
released_write(const struct plan *p, const struct unit *u,
    const struct version_line *line, struct diag *diag)
{
	const char *path = released_path(p->arena, line);
	const Fusion *f = u->fusion.root;
	struct kvs_row *row = arena_array(p->arena, f->n_groups + 1 +
	    p->rules.n, sizeof *row);
	size_t n = 0;

	row[n++] = (struct kvs_row){ u->name, "fusion", u->fusion.digest,
		u->fusion.bytes };
	n = template_rows(p, f, row, n);
	if (make_parents(path))
		return diag_env(diag, (struct loc){ path, 0, 0 },
		    "cannot make its folder");
	return kvs_write(path, row, n, diag);
}
