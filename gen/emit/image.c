/* SPDX-License-Identifier: MIT */
#include "gen/emit/image.h"

#include <string.h>

#include "gen/derive/graph.h"
#include "gen/literal.h"
#include "gen/rows.h"
#include "ops/ops.h"

/* Overwrites the opcode of a row in place; nothing else changes. */
static void
rebind(struct plan *p, const char *func, size_t i, const char *opcode)
{
	char *key = arena_printf(p->arena, "/lib/%s/[%zu,0]", func, i + 1);
	struct buf b = { 0 };
	struct value v;

	buf_put(&b, "\0\0\0\0\0", 5);
	buf_puts(&b, opcode);
	v = value_text("rwir|rwfunc", b.p, b.n);
	space_set(p->space, key, &v);
	buf_release(&b);
}

static int
bind_function(struct plan *p, const char *name)
{
	struct func *f = func_read(p->space, name, p->arena);
	int bad = 0;

	for (size_t i = 0; i < f->nrow; i++) {
		struct binding binding;

		if (!rwir_is_abstract(p->space, f->row[i].opcode))
			continue;
		if (policy_bind(&p->policy, &p->catalog, f->row[i].opcode,
		    plan_is_library(p, name), f->row[i].loc, &binding,
		    p->diag))
			bad = -1;
		else
			rebind(p, name, i, binding.backend->opcode);
	}
	return bad;
}

/* A back end's types are those of its abstract op. */
static void
declare_backend(struct plan *p, const struct backend *b)
{
	const struct op *op = op_find(b->base);
	const char *type[OP_MAX_PARAMS];

	if (!op)
		return;
	for (int i = 0; i < op->nin + op->nout; i++)
		type[i] = op_langtype(op, i);
	rwir_write(p->space, b->opcode, type, (size_t)op->nin, type + op->nin,
	    (size_t)op->nout);
}

static const Buffer *
buffer_of(const Fusion *f, const Id *id)
{
	for (uint32_t i = 0; i < f->n_buffers; i++)
		if (ir_id_eq(&f->buffers[i].id, id))
			return &f->buffers[i];
	BUG("%s: a reference to no buffer", f->unit);
}

/* A slot that reads a buffer: a literal by its value, others by name. */
static struct slot
slot_of(struct plan *p, const Fusion *f, const Id *id)
{
	const Buffer *b = buffer_of(f, id);
	struct value *v;

	if (!ValueRole_is_RoleConst(b->role))
		return (struct slot){ b->name, NULL };
	v = arena_alloc(p->arena, sizeof *v);
	*v = literal_value(&ValueRole_as_RoleConst(b->role)->literal,
	    p->arena);
	return (struct slot){ NULL, v };
}

static void
fill_row(struct plan *p, const Fusion *f, struct row *row,
    const char *opcode, const Id *in, uint32_t nin, const Id *out,
    uint32_t nout)
{
	row->opcode = opcode;
	row->read = arena_array(p->arena, nin, sizeof *row->read);
	row->write = arena_array(p->arena, nout, sizeof *row->write);
	row->nread = nin;
	row->nwrite = nout;
	for (uint32_t i = 0; i < nin; i++)
		row->read[i] = slot_of(p, f, &in[i]);
	for (uint32_t i = 0; i < nout; i++)
		row->write[i] = buffer_of(f, &out[i])->name;
}

static const Step *
first_step(const Fusion *f, const Group *g)
{
	for (uint32_t i = 0; i < f->n_steps; i++)
		if (ir_id_eq(&f->steps[i].id, &g->steps[0]))
			return &f->steps[i];
	BUG("%s: a group of no step", f->unit);
}

static void
declare_kernel(struct plan *p, const char *opcode, const Group *g)
{
	static const char any[] = "[*]any";
	const char **type = arena_array(p->arena,
	    g->n_inputs + g->n_outputs, sizeof *type);

	for (uint32_t i = 0; i < g->n_inputs + g->n_outputs; i++)
		type[i] = any;
	rwir_write(p->space, opcode, type, g->n_inputs, type, g->n_outputs);
}

/* One row a group: a kernel's call, or the bound call itself. */
static void
version_row(struct plan *p, const struct unit *u, const Group *g,
    uint32_t *kernels, struct row *row)
{
	const Fusion *f = u->fusion.root;
	const Step *s = first_step(f, g);

	row->loc = place_get(&p->session, &s->id);
	if (GroupBody_is_GroupKernel(g->body)) {
		char *opcode = arena_printf(p->arena, "%s.%llu.k%u", u->name,
		    (unsigned long long)u->version, (*kernels)++);

		fill_row(p, f, row, opcode, g->inputs, g->n_inputs,
		    g->outputs, g->n_outputs);
		declare_kernel(p, opcode, g);
	} else {
		fill_row(p, f, row, s->opcode, s->inputs, s->n_inputs,
		    s->outputs, s->n_outputs);
	}
}

/* Whether a result's value has another name, or is a literal. */
static bool
is_copied(const Fusion *f, uint32_t result)
{
	const Buffer *b = buffer_of(f, &f->results[result].value);

	return ValueRole_is_RoleConst(b->role) ||
	    strcmp(b->name, f->results[result].name);
}

/* Whether the copy of a result before this one writes the slot it is in. */
static bool
is_overwritten(const Fusion *f, uint32_t result)
{
	const Buffer *b = buffer_of(f, &f->results[result].value);

	for (uint32_t i = 0; i < result; i++)
		if (is_copied(f, i) && !strcmp(f->results[i].name, b->name))
			return !ValueRole_is_RoleConst(b->role);
	return false;
}

static void
copy_row(struct plan *p, struct func *func, struct slot from, const char *to)
{
	struct row *row = &func->row[func->nrow++];

	row->opcode = "=";
	row->read = arena_alloc(p->arena, sizeof *row->read);
	row->read[0] = from;
	row->write = arena_alloc(p->arena, sizeof *row->write);
	row->write[0] = to;
	row->nread = row->nwrite = 1;
}

/* Copies into the results; what one of them would overwrite goes to a slot of
 * its own before. */
static void
result_rows(struct plan *p, const Fusion *f, struct func *func)
{
	struct slot *from = arena_array(p->arena, f->n_results, sizeof *from);

	for (uint32_t i = 0; i < f->n_results; i++) {
		from[i] = slot_of(p, f, &f->results[i].value);
		if (is_overwritten(f, i)) {
			const char *kept = arena_printf(p->arena,
			    "%s‥result", from[i].name);

			copy_row(p, func, from[i], kept);
			from[i].name = kept;
		}
	}
	for (uint32_t i = 0; i < f->n_results; i++)
		if (is_copied(f, i) || is_overwritten(f, i))
			copy_row(p, func, from[i], f->results[i].name);
}

/* What the version was made from: digests, then each group's ops. */
static void
write_origin(struct plan *p, const struct unit *u, const char *name)
{
	const Fusion *f = u->fusion.root;
	char core[65], base[65];
	struct buf out = { 0 };
	uint32_t k = 0;

	hex_encode(core, u->fusion.core.b, 32);
	hex_encode(base, u->inlined.core.b, 32);
	buf_printf(&out, "core %s\nbase %s\n", core, base);
	for (uint32_t i = 0; i < f->n_groups; i++) {
		const Group *g = &f->groups[i];
		bool kernel = GroupBody_is_GroupKernel(g->body);

		for (uint32_t j = 0; kernel && j < g->n_steps; j++) {
			const Step *s = &f->steps[graph_step(f, &g->steps[j])];
			struct loc loc = place_get(&p->session, &s->id);

			buf_printf(&out, "k%u %s %s:%d\n", k, s->opcode,
			    loc.file ? loc.file : "-", loc.line);
		}
		k += kernel;
	}
	space_set_text(p->space, arena_printf(p->arena, "/lib/%s/‥fusedfrom",
	    name), arena_printf(p->arena, "[%zu]char/utf8", out.n), out.p);
	buf_release(&out);
}

/* /lib/NAME/‥KEY: by these digests the runtime sees whether a version was made
 * from the base that is there. */
static void
put_digest(struct plan *p, const char *name, const char *key,
    const Digest *digest)
{
	char hex[65];

	hex_encode(hex, digest->b, sizeof digest->b);
	space_set_text(p->space, arena_printf(p->arena, "/lib/%s/‥%s", name,
	    key), "[64]char/utf8", hex);
}

static void
add_version(struct plan *p, const struct unit *u)
{
	const Fusion *f = u->fusion.root;
	struct func *base = func_read(p->space, u->name, p->arena);
	struct func v = { .read = base->read, .write = base->write,
		.nread = base->nread, .nwrite = base->nwrite };
	const char *file = "";
	uint32_t kernels = 0;

	v.name = arena_printf(p->arena, "%s.%llu", u->name,
	    (unsigned long long)u->version);
	v.row = arena_array(p->arena, f->n_groups + 2 * f->n_results,
	    sizeof *v.row);
	for (uint32_t i = 0; i < f->n_groups; i++)
		version_row(p, u, &f->groups[i], &kernels, &v.row[v.nrow++]);
	result_rows(p, f, &v);
	if (v.nrow && v.row[0].loc.file)
		file = v.row[0].loc.file;
	func_write(p->space, &v, file);
	put_digest(p, v.name, "base", &u->inlined.core);
	write_origin(p, u, v.name);
}

/* ‥maxversion is the highest of today's version and the released ones. */
static void
mark_version(struct plan *p, const struct unit *u)
{
	const char *key = arena_printf(p->arena, "/lib/%s/‥maxversion",
	    u->name);
	const struct value *v = space_get(p->space, key);
	int64_t n = 0;

	if (v)
		memcpy(&n, v->body, sizeof n);
	if (u->has_kernels && (int64_t)u->version > n)
		space_set_i64(p->space, key, (int64_t)u->version);
}

int
image_build(struct plan *p)
{
	int bad = 0;

	for (size_t i = 0; i < p->units.n; i++) {
		const struct unit *u = p->units.entry[i].value;

		if (!u->released)
			bad |= bind_function(p, u->name);
	}
	for (size_t i = 0; i < p->catalog.n; i++)
		declare_backend(p, &p->catalog.backend[i]);
	for (size_t i = 0; i < p->units.n; i++) {
		const struct unit *u = p->units.entry[i].value;

		if (u->inlined.root)
			put_digest(p, u->name, "program", &u->inlined.core);
		if (u->has_kernels)
			add_version(p, u);
	}
	for (size_t i = 0; i < p->units.n; i++)
		mark_version(p, p->units.entry[i].value);
	return bad;
}
