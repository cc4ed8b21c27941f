/* SPDX-License-Identifier: MIT */
#include "tests/harness/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/isa.h"
#include "include/kvaot.h"
#include "runtime/blas.h"
#include "runtime/load.h"

void
row_fail(struct row *r, const char *fmt, ...)
{
	size_t n = strlen(r->note);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->note + n, NOTE - n, fmt, ap);
	va_end(ap);
	_exit(EXIT_REFUSED);
}

enum dtype
row_dtype(const struct row *r, int i)
{
	enum dtype fixed = op_fixed(r->op, i);

	return fixed != DT_NONE ? fixed : r->dtype;
}

bool
row_has_index(const struct row *r)
{
	return r->op->shape_rule == OP_SHAPE_SELECT ||
	    r->op->shape_rule == OP_SHAPE_GATHER;
}

size_t
call_size(const struct call *c, int k)
{
	return dtype_size(c->b.in_dtype[k]);
}

static bool
is_asked(const struct op *op, char *const *name, int n)
{
	for (int i = 0; i < n; i++)
		if (op && strcmp(op->name, name[i]) == 0)
			return true;
	return n == 0;
}

/* Whether the loaded entry is what its row says. */
static bool
entry_is(const struct kvk_entry *e, const struct manifest_row *m)
{
	return strcmp(e->opcode, m->opcode) == 0 &&
	    strcmp(e->dtype, dtype_name(m->dtype)) == 0 &&
	    strcmp(e->isa, m->isa) == 0 && e->alias == m->alias &&
	    e->scratch == m->scratch && e->scratch_n == m->scratch_n;
}

/* `dtype==int32`: what the row's op gives. */
static enum dtype
named_by(const struct op *op, const struct manifest_row *m)
{
	const char *eq = strstr(m->guard, "==");

	return op->dtype_rule == OP_DTYPE_NAMED && eq ?
	    dtype_of(str_of(eq + 2)) : DT_NONE;
}

/* Adds a row for one of its outputs. */
static void
add_output(struct rows *rows, const struct manifest_row *m,
    const struct kvk_entry *e, int which, const char *why)
{
	struct row r = { .m = m, .e = e, .op = op_find(m->opcode),
		.dtype = m->dtype, .which = which, .only = -1 };

	snprintf(r.why, sizeof r.why, "%s", why);
	if (r.op) {
		r.ref = refs_find(&rows->refs, r.op, r.dtype,
		    named_by(r.op, m));
		r.odtype = op_out_dtype(r.op, which, r.dtype,
		    named_by(r.op, m));
		r.osize = dtype_size(r.odtype);
		r.blas = blas_needed(m);
		r.seed = data_mix((uint64_t)(r.op - op_table) * N_DTYPES +
		    r.dtype);
	}
	if (*r.why)
		;
	else if (!r.ref)
		snprintf(r.why, sizeof r.why, "no reference kernel for it");
	else if (!entry_is(e, m) || e->nin != r.ref->nin ||
	    e->cls != r.ref->cls || e->nin > MAX_IN || e->nout > MAX_OUT ||
	    e->nout != r.op->nout ||
	    match_parse(&rows->arena, m, &r.spec, r.why))
		snprintf(r.why, sizeof r.why,
		    "the entry is not what its row says");
	rows->row = arena_grow(&rows->arena, rows->row, rows->n, &rows->cap,
	    sizeof r);
	rows->row[rows->n++] = r;
}

/* Adds a row whose entry may be NULL: then why says the reason. */
static void
add(struct rows *rows, const struct manifest_row *m,
    const struct kvk_entry *e, const char *why)
{
	const struct op *op = op_find(m->opcode);

	for (int i = 0; i < (op ? op->nout : 1); i++)
		add_output(rows, m, e, i, why);
}

static void
open_library(struct rows *rows, const char *path)
{
	char err[400];
	struct diag d;

	diag_init(&d);
	if (library_open(&rows->library, path, &d)) {
		diag_print(&d, stderr, 0);
		fatal("%s cannot be opened", path);
	}
	diag_release(&d);
	rows->opened = true;
	for (size_t i = 0; i < isa_count && i < ROWS_LEVELS; i++) {
		struct kvaotOptions o = { .size = sizeof o, .threads = 1,
			.isa = isa_table[i].name };

		if (isa_runs_here(&isa_table[i]) &&
		    kvaotOpen(path, &o, &rows->lib[i], err, sizeof err))
			fatal("%s: %s", path, err);
	}
}

static void
add_library(struct rows *rows, char *const *op, int nop)
{
	const struct library *l = &rows->library;

	for (size_t i = 0; i < l->manifest.n; i++) {
		const struct manifest_row *m = &l->manifest.row[i];
		const struct isa *isa = isa_find(m->isa);
		const struct object *o;
		const struct kvk_entry *e;
		char why[MATCH_WHY] = "";
		struct diag d;

		if (m->version != 0 || !is_asked(op_find(m->opcode), op, nop))
			continue;
		if (isa && !isa_runs_here(isa)) {
			rows->skipped++;
			continue;
		}
		diag_init(&d);
		o = object_get(l->dir, m->object, &d);
		e = o ? object_entry(o, m->entry, &d) : NULL;
		diag_first(&d, why, sizeof why);
		diag_release(&d);
		add(rows, m, e, why);
		for (size_t k = rows->n; isa && k > 0 &&
		     rows->row[k - 1].m == m; k--)
			rows->row[k - 1].lib = rows->lib[isa - isa_table];
	}
}

/* The row that a library would have for the entry. */
static const struct manifest_row *
row_of(struct arena *a, const struct kvk_entry *e)
{
	static const char *const classes[] = { "", "map", "rows", "reduce",
		"other" };
	struct manifest_row *m = arena_alloc(a, sizeof *m);
	const struct op *op = op_find(e->opcode);
	enum dtype named = op ? op_entry_named(op, e->langtypes) : DT_NONE;
	struct str pkg, name, domain;

	name_split(e->opcode, &pkg, &name);
	str_next(&pkg, '/', &domain);
	if (e->cls < KVK_MAP || e->cls > KVK_OTHER)
		fatal("%s: no such class: %d", e->opcode, e->cls);
	*m = (struct manifest_row){ .opcode = e->opcode, .base = "",
		.dtype = dtype_of(str_of(e->dtype)), .pattern = "",
		.guard = named == DT_NONE ? "" : arena_printf(a, "dtype==%s",
		dtype_name(named)), .cls = classes[e->cls], .isa = e->isa,
		.author = arena_strndup(a, pkg.p, pkg.n), .outdims = "", .alias = e->alias,
		.scratch = e->scratch, .scratch_n = e->scratch_n,
		.object = "", .shapehash = "", .cert = "" };
	return m;
}

static void
add_objects(struct rows *rows, const char *dir, char *const *op, int nop)
{
	struct refs own = { 0 };

	refs_load(&own, dir);
	for (size_t i = 0; i < own.n; i++) {
		const struct kvk_entry *e = own.entry[i];
		const struct isa *isa = isa_find(e->isa);

		if (!is_asked(op_find(e->opcode), op, nop))
			continue;
		if (isa && !isa_runs_here(isa))
			rows->skipped++;
		else
			add(rows, row_of(&rows->arena, e), e, "");
	}
	refs_release(&own);
}

/* The entry of the lowest level of the same back end, if that is another one.
 * BLAS promises nothing about levels. */
static const struct kvk_entry *
twin_of(const struct rows *rows, const struct row *r)
{
	const struct row *low = r;

	for (size_t i = 0; i < rows->n && !r->blas; i++) {
		const struct row *q = &rows->row[i];

		if (strcmp(q->m->opcode, r->m->opcode) == 0 && !*q->why &&
		    q->dtype == r->dtype && q->odtype == r->odtype &&
		    q->which == r->which &&
		    q->spec.isa_rank < low->spec.isa_rank)
			low = q;
	}
	return low == r ? NULL : low->e;
}

void
rows_find(struct rows *rows, const char *lib, const char *objects,
    const char *ref, char *const *op, int nop)
{
	refs_load(&rows->refs, ref);
	if (lib) {
		open_library(rows, lib);
		add_library(rows, op, nop);
	} else {
		add_objects(rows, objects, op, nop);
	}
	for (int k = 0; k < nop; k++) {
		size_t i = 0;

		while (i < rows->n && !is_asked(rows->row[i].op, op + k, 1))
			i++;
		if (i == rows->n)
			fatal("there is no back end of %s", op[k]);
	}
	for (size_t i = 0; i < rows->n; i++)
		if (!*rows->row[i].why)
			rows->row[i].twin = twin_of(rows, &rows->row[i]);
}

void
rows_release(struct rows *rows)
{
	for (int i = 0; i < ROWS_LEVELS; i++)
		kvaotClose(rows->lib[i]);
	if (rows->opened)
		library_close(&rows->library);
	refs_release(&rows->refs);
	arena_release(&rows->arena);
}
