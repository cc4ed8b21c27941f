/* SPDX-License-Identifier: MIT */
#include "kv/example.h"

#include <string.h>

#include "base/arena.h"
#include "kv/ast.h"
#include "kv/doc.h"
#include "kv/langtype.h"
#include "kv/parse.h"
#include "kv/token.h"

#define FORM "NAME(VALUE, ...) -> VALUE, ..."

struct reader {
	const struct kv_file *file;
	const struct kv_func *f;
	struct diag *diag; /* where it is said, with places in the file */
	struct kv_example **tail;
};

/* One line: its places count from the line's own start. */
struct line {
	const struct kv_func *f;
	struct parser p;
	struct kv_example *ex;
};

/* The kind that a type names first; DT_NONE: the literal's own. */
static enum dtype
first_kind(const struct kv_slot *slot)
{
	struct str rest = str_of(slot->type ? slot->type : "");
	struct kv_atom atom;

	return kv_atom_next(&rest, &atom) ? dtype_of(atom.kind) : DT_NONE;
}

/* The type of a literal of a kind, as in [2,3]float32. */
static const char *
type_of(const struct kv_expr *e, enum dtype kind, struct arena *arena)
{
	struct shape shape = { 0 };
	char dims[200];

	for (; e && e->kind == KV_ARRAY && shape.rank < MAX_RANK; e = e->args)
		shape.dim[shape.rank++] = (int64_t)e->nargs;
	shape_text(&shape, dims);
	return arena_printf(arena, "%s%s", dims, dtype_name(kind));
}

static int
read_value(struct line *l, const struct kv_expr *e,
    const struct kv_slot *slot, struct value *v)
{
	struct kv_slot own = { .name = slot->name };
	enum dtype kind = first_kind(slot);

	if (e->kind == KV_CALL && e->nargs == 1 &&
	    dtype_of(str_of(e->text)) != DT_NONE) {
		kind = dtype_of(str_of(e->text));
		e = e->args;
	}
	if (!kv_is_literal(e) || (e->kind != KV_NUMBER && e->kind != KV_BOOL &&
	    (e->kind != KV_ARRAY || !e->nargs)))
		return diag_error(l->p.diag, e->loc, "in an example `%s` is a "
		    "number, true, false, or an array of these with elements; "
		    "write it so, perhaps in KIND(...)", slot->name);
	if (kind != DT_NONE)
		own.type = type_of(e, kind, l->p.arena);
	if (kv_literal(e, &own, l->p.arena, l->p.diag, v))
		return -1;
	if (!slot->type || kv_langtype_match(str_of(slot->type), v))
		return 0;
	return diag_error(l->p.diag, e->loc, "`%s` is of type %s; found %s",
	    slot->name, slot->type, v->langtype);
}

static int
read_call(struct line *l, const struct kv_expr *e)
{
	const struct kv_func *f = l->f;
	const struct kv_expr *arg = e->args;
	size_t i = 0;

	if (e->kind != KV_CALL || (strcmp(e->text, f->name) &&
	    strcmp(e->text, f->qualified)))
		return diag_error(l->p.diag, e->loc, "expected a call of `%s`, "
		    "as in " FORM, f->name);
	if (e->nargs != f->nreads)
		return diag_error(l->p.diag, e->loc, "`%s` takes %zu "
		    "arguments, found %zu", f->name, f->nreads, e->nargs);
	l->ex->reads = arena_array(l->p.arena, f->nreads + 1,
	    sizeof *l->ex->reads);
	for (const struct kv_slot *s = f->reads; s; s = s->next) {
		if (read_value(l, arg, s, &l->ex->reads[i++]))
			return -1;
		arg = arg->next;
	}
	return 0;
}

static int
read_results(struct line *l)
{
	const struct kv_func *f = l->f;
	size_t i = 0;

	l->ex->writes = arena_array(l->p.arena, f->nwrites + 1,
	    sizeof *l->ex->writes);
	for (const struct kv_slot *s = f->writes; s; s = s->next) {
		struct kv_expr *e;

		if (i && !parse_take(&l->p, TOK_COMMA))
			return diag_error(l->p.diag, parse_loc(&l->p), "`%s` "
			    "has %zu results, found %zu", f->name, f->nwrites,
			    i);
		e = parse_expr(&l->p);
		if (!e || read_value(l, e, s, &l->ex->writes[i++]))
			return -1;
	}
	if (parse_is(&l->p, TOK_EOF))
		return 0;
	return diag_error(l->p.diag, parse_loc(&l->p), "expected the end of "
	    "the example after %zu results, found %s", f->nwrites,
	    parse_got(&l->p));
}

/* -1 with errors in l->p.diag. */
static int
read_line(struct line *l, struct str text)
{
	const struct kv_func *f = l->f;
	struct kv_expr *e;
	size_t n;

	l->p.tok = token_scan(l->p.arena, l->p.file, text, l->p.diag, &n, NULL);
	if (l->p.diag->errors)
		return -1;
	if (f->kind != KV_RWFUNC || !f->nwrites || kv_is_variadic(f))
		return diag_error(l->p.diag, parse_loc(&l->p), "an example "
		    "needs an rwfunc with results and a fixed number of "
		    "parameters; `%s` is none", f->name);
	e = parse_expr(&l->p);
	if (!e || read_call(l, e))
		return -1;
	if (!parse_is(&l->p, TOK_ARROW) || !str_is(l->p.tok->text, "->"))
		return diag_error(l->p.diag, parse_loc(&l->p), "expected `->` "
		    "and what comes out, as in " FORM);
	parse_next(&l->p);
	return read_results(l);
}

static struct loc
place(const struct reader *r, const char *at)
{
	struct loc loc = { r->file->name, 1, 1 };

	for (const char *p = r->file->text.p; p < at; p++) {
		loc.line += *p == '\n';
		loc.col = *p == '\n' ? 1 : loc.col + 1;
	}
	return loc;
}

static void
take_line(struct str text, void *arg)
{
	struct reader *r = arg;
	struct arena *arena = r->file->arena;
	struct line l = { .f = r->f };
	struct diag own;

	while (text.n > 0 && (*text.p == ' ' || *text.p == '\t'))
		text.p++, text.n--;
	if (!str_starts(text, "ex:"))
		return;
	text.p += 3, text.n -= 3;
	diag_init(&own);
	l.ex = arena_alloc(arena, sizeof *l.ex);
	*l.ex = (struct kv_example){ .loc = place(r, text.p) };
	l.p = (struct parser){ .arena = arena, .diag = &own,
		.file = r->file->name };
	if (!read_line(&l, text)) {
		*r->tail = l.ex;
		r->tail = &l.ex->next;
	}
	for (size_t i = 0; i < own.n; i++) {
		struct loc loc = l.ex->loc;

		loc.col += own.item[i].loc.col - 1;
		diag_error(r->diag, loc, "%s", own.item[i].text);
	}
	diag_release(&own);
}

struct kv_example *
kv_examples(const struct kv_file *file, const struct kv_func *f,
    struct diag *diag)
{
	struct kv_example *first = NULL;
	struct reader r = { file, f, diag, &first };

	kv_doc_lines(file, f, take_line, &r);
	return first;
}
