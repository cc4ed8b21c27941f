/* SPDX-License-Identifier: MIT */
#include "gen/doc.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "kv/doc.h"
#include "kv/kv.h"

struct reader {
	struct map found; /* name -> struct doc_op */
	struct arena *arena;
	struct diag *diag;
};

static void
add_op(struct reader *r, const struct kv_file *file, const struct kv_func *f)
{
	struct doc_op *op = arena_alloc(r->arena, sizeof *op);
	struct buf text = { 0 };

	kv_doc(file, f, &text);
	*op = (struct doc_op){ .f = f, .file = file->name,
		.text = arena_strndup(r->arena, text.n ? text.p : "", text.n),
		.op = f->kind == KV_RWIR ? op_find(f->qualified) : NULL };
	buf_release(&text);
	map_set(&r->found, f->qualified, op);
}

static int
read_file(struct reader *r, const char *path, const char *shown)
{
	const struct kv_file *file;
	struct str text;

	if (file_read(r->arena, path, &text))
		return diag_error(r->diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	diag_source(r->diag, shown, path);
	file = kv_parse(r->arena, shown, text, r->diag);
	if (kv_vet(file, r->diag))
		return -1;
	for (const struct kv_func *f = file->funcs; f; f = f->next)
		if (f->kind != KV_INIT)
			add_op(r, file, f);
	return 0;
}

static int
read_folder(struct reader *r, const char *folder, const char *as)
{
	char **name;
	size_t n;
	int bad = 0;

	if (dir_walk(r->arena, folder, ".kv", &name, &n))
		return diag_error(r->diag, (struct loc){ folder, 0, 0 },
		    "cannot list the folder: %s", strerror(errno));
	for (size_t i = 0; i < n; i++)
		bad |= read_file(r, path_join(r->arena, folder, name[i]),
		    path_join(r->arena, as, name[i]));
	return bad;
}

/* The manifest is sorted: back ends by author, versions by digits. */
static void
add_row(struct doc_op *op, const struct manifest_row *m, struct arena *arena)
{
	const char *author = m->version ? "" : m->author;
	struct doc_kernels *k = op->kernels;
	size_t i;

	for (i = 0; i < op->nkernels; i++)
		if (k[i].version == m->version && !strcmp(k[i].author, author))
			break;
	if (i == op->nkernels) {
		op->kernels = k = arena_grow(arena, k, i, &op->cap, sizeof *k);
		for (; i > 0 && k[i - 1].version > m->version; i--)
			k[i] = k[i - 1];
		k[i] = (struct doc_kernels){ .author = author,
			.version = m->version };
		op->nkernels++;
	}
	k[i].dtypes |= 1u << m->dtype;
}

int
doc_read(struct doc *doc, const struct setup *setup, const struct manifest *m,
    struct arena *arena, struct diag *diag)
{
	struct reader r = { .arena = arena, .diag = diag };
	int bad;

	map_init(&r.found, arena);
	bad = read_folder(&r, setup->lib, "lib");
	if (setup->folder)
		bad |= read_folder(&r, setup->folder, "folder");
	for (size_t i = 0; i < m->n; i++) {
		struct doc_op *op = map_get(&r.found, m->row[i].base);

		if (op && strcmp(m->row[i].cert, "failed"))
			add_row(op, &m->row[i], arena);
	}
	map_sort(&r.found);
	doc->n = r.found.n;
	doc->op = arena_array(arena, doc->n, sizeof(struct doc_op *));
	for (size_t i = 0; i < doc->n; i++)
		doc->op[i] = r.found.entry[i].value;
	return bad;
}

/* What another author has for floats is its own, for integers the same plain
 * source. */
static bool
is_plain(const struct op *op, const char *author, enum dtype t)
{
	return op && (strcmp(author, "miaobyte") ? !dtype_is_float(t) :
	    op_is_plain(op) || (dtype_is_half(t) && op->cls == OP_REDUCE &&
	    !op_has_vec(op)));
}

const char *
doc_gap(const struct doc_op *op, unsigned *dtypes)
{
	unsigned better = 0, all = 0;

	*dtypes = 0;
	if (op->f->kind != KV_RWIR)
		return NULL;
	for (size_t i = 0; i < op->nkernels; i++) {
		const struct doc_kernels *k = &op->kernels[i];

		all |= k->dtypes;
		for (unsigned d = 1; d < N_DTYPES; d++)
			if (!is_plain(op->op, k->author, (enum dtype)d))
				better |= k->dtypes & 1u << d;
	}
	*dtypes = all & ~better;
	return !all ? "none" : *dtypes ? "plain" : NULL;
}
