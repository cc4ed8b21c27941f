/* SPDX-License-Identifier: MIT */
#include "gen/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "gen/derive/graph.h"
#include "space/manifest.h"

struct explainer {
	const struct setup *setup;
	struct arena *arena;
	struct diag *diag;
	const struct plan *plan;
	const struct unit *unit;
	struct manifest manifest;
	struct buf out;
};

static const Region *
region_of(const Fusion *f, const Group *g)
{
	for (uint32_t i = 0; i < f->n_regions; i++)
		if (ir_id_eq(&f->regions[i].id, &g->region))
			return &f->regions[i];
	BUG("a group without a region");
}

/* `lib/nn.kv:12-15` */
static void
put_places(struct explainer *x, const Fusion *f, const Group *g)
{
	struct loc first = no_loc;
	int low = 0, high = 0;

	for (uint32_t i = 0; i < g->n_steps; i++) {
		const Step *s = &f->steps[graph_step(f, &g->steps[i])];
		struct loc loc = place_get(&x->plan->session, &s->id);

		if (!first.file)
			first = loc;
		low = !i || loc.line < low ? loc.line : low;
		high = loc.line > high ? loc.line : high;
	}
	buf_printf(&x->out, "  %s:%d", first.file ? first.file : "-", low);
	if (high != low)
		buf_printf(&x->out, "-%d", high);
	buf_puts(&x->out, "\n");
}

static const char *
state_detail(const Region *r)
{
	if (RegionState_is_NotFusable(r->state))
		return RegionState_as_NotFusable(r->state)->why;
	if (RegionState_is_NeedsTemplate(r->state))
		return RegionState_as_NeedsTemplate(r->state)->pattern;
	return "";
}

static void
put_rows(struct explainer *x, uint32_t kernel)
{
	char *opcode = arena_printf(x->arena, "%s.%llu.k%u", x->unit->name,
	    (unsigned long long)x->unit->version, kernel);

	for (size_t i = 0; i < x->manifest.n; i++) {
		const struct manifest_row *r = &x->manifest.row[i];

		if (strcmp(r->opcode, opcode))
			continue;
		buf_printf(&x->out, "  row %s %s %s %s object %.12s cert %s\n",
		    dtype_name(r->dtype), r->pattern,
		    *r->guard ? r->guard : "-", r->isa, r->object,
		    *r->cert ? r->cert : "-");
	}
}

static void
put_group(struct explainer *x, const Fusion *f, const Group *g,
    uint32_t *kernels)
{
	const Region *r = region_of(f, g);
	bool kernel = GroupBody_is_GroupKernel(g->body);

	if (kernel)
		buf_printf(&x->out, "k%u %s ", *kernels,
		    GroupBody_as_GroupKernel(g->body)->template_);
	else
		buf_puts(&x->out, "-- ");
	buf_puts(&x->out, RegionState_name(r->state.tag));
	if (*state_detail(r))
		buf_printf(&x->out, " (%s)", state_detail(r));
	buf_puts(&x->out, ":");
	for (uint32_t i = 0; i < g->n_steps; i++) {
		const Step *s = &f->steps[graph_step(f, &g->steps[i])];
		struct str pkg, name;

		name_split(s->opcode, &pkg, &name);
		buf_printf(&x->out, " %.*s", (int)name.n, name.p);
	}
	put_places(x, f, g);
	if (kernel)
		put_rows(x, (*kernels)++);
}

static void
put_unit(struct explainer *x)
{
	const struct unit *u = x->unit;
	const Fusion *f = u->fusion.root;
	char core[65], base[65];
	uint32_t kernels = 0;

	hex_encode(core, u->fusion.core.b, 32);
	hex_encode(base, u->inlined.core.b, 32);
	if (u->has_kernels)
		buf_printf(&x->out, "%s.%llu %s core %.12s base %.12s\n",
		    u->name, (unsigned long long)u->version,
		    u->pending ? "pending" : "released", core, base);
	else
		buf_printf(&x->out, "%s has no version: no group of it became "
		    "a kernel\n", u->name);
	for (uint32_t i = 0; i < f->n_groups; i++)
		put_group(x, f, &f->groups[i], &kernels);
	if (u->has_kernels)
		buf_printf(&x->out, "chosen: .%llu (highest whose groups all "
		    "fit)\n", (unsigned long long)u->version);
	else
		buf_puts(&x->out, "chosen: the base\n");
}

/* The published rows, where a library is published. */
static int
read_manifest(struct explainer *x)
{
	const char *path = setup_path(x->setup, x->arena,
	    "lib/current/manifest");
	struct str text;

	manifest_init(&x->manifest);
	if (file_read(x->arena, path, &text))
		return errno == ENOENT ? 0 : diag_error(x->diag, (struct loc){
		    path, 0, 0 }, "cannot read: %s", strerror(errno));
	return manifest_decode(&x->manifest, text.p, text.n, path, x->diag);
}

static void
explain(struct explainer *x, const char *name)
{
	x->unit = map_get(&x->plan->units, name);
	if (!x->unit) {
		diag_error(x->diag, no_loc, "the library has no function `%s`",
		    name);
		return;
	}
	if (x->unit->interpreted) {
		buf_printf(&x->out, "%s has no version: it has jumps, "
		    "absolute paths or reads before writes\n"
		    "chosen: the base\n", name);
	} else if (!x->unit->fusion.root || read_manifest(x)) {
		return;
	} else {
		put_unit(x);
		manifest_release(&x->manifest);
	}
	command_print(&x->out);
}

static int
run_explain(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct explainer x = { .arena = &arena };
	struct plan_paths paths;
	struct setup setup;
	struct plan plan;
	struct diag diag;
	int code;

	if (argc != 2 || argv[1][0] == '-')
		usage_error("explain: expected one NAME, e.g. deepx:softmax");
	diag_init(&diag);
	x.setup = &setup;
	x.diag = &diag;
	x.plan = &plan;
	if (!setup_read(&setup, setup_home(&arena), &arena, &diag)) {
		setup_plan_paths(&setup, &paths);
		if (!plan_run(&plan, &paths, LEVEL_FUSION, &arena, &diag))
			explain(&x, name_typed(&arena, argv[1]));
		plan_release(&plan);
	}
	code = command_end(&diag);
	arena_release(&arena);
	return code;
}

const struct command command_explain = {
	"explain", "NAME", "say why a function has its versions and kernels",
	"Prints the version and its digests, each group with its state, ops and\n"
	"place in the source, and the rows that the library has for it.\n\n"
	"Example: kvaot explain deepx:softmax\n",
	run_explain,
};
