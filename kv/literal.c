/* SPDX-License-Identifier: MIT */
#include "kv/ast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kv/langtype.h"
#include "kv/token.h"
#include "space/half.h"

/* What a file is lowered to takes no more: a short text of fills would else take
 * all memory. */
#define MAX_FILL ((size_t)1 << 27)

struct lit {
	struct arena *arena;
	struct diag *diag;
	const struct kv_expr *expr;
	const char *prefix; /* `write "x": ` */
	const char *type;   /* declared; NULL when there is none */
	const struct kv_expr **leaf;
	size_t n, cap;
	struct shape shape;
	enum dtype kind; /* of all leaves; DT_NONE when they differ */
};

static bool
is_decimal(const char *text)
{
	return strpbrk(text, ".eE") != NULL;
}

/* The kind that a literal has by itself. */
static enum dtype
own_kind(const struct kv_expr *e)
{
	if (e->kind == KV_BOOL)
		return DT_BOOL;
	if (is_decimal(e->text))
		return DT_FLOAT64;
	errno = 0;
	strtoll(e->text, NULL, 10);
	if (errno == 0)
		return DT_INT64;
	errno = 0;
	strtoull(e->text, NULL, 10);
	return errno == 0 && e->text[0] != '-' ? DT_UINT64 : DT_FLOAT64;
}

static int
no_fit(const struct lit *l, const struct kv_expr *e, enum dtype kind,
    const char *why)
{
	return diag_error(l->diag, e->loc, "%s%s does not fit %s: %s",
	    l->prefix, e->text, dtype_name(kind), why);
}

static int
put_float(const struct lit *l, const struct kv_expr *e, enum dtype kind,
    void *dst)
{
	double d = strtod(e->text, NULL);
	float f = strtof(e->text, NULL);

	if (dtype_is_half(kind)) {
		half_store(kind, dst, half_of_text(e->text));
		d = half_load(kind, dst);
	}
	if (kind == DT_FLOAT32 ? isinf(f) : isinf(d))
		return no_fit(l, e, kind, "it is out of range");
	if (!dtype_is_half(kind))
		memcpy(dst, kind == DT_FLOAT32 ? (void *)&f : (void *)&d,
		    dtype_size(kind));
	return 0;
}

static int
put_int(const struct lit *l, const struct kv_expr *e, enum dtype kind,
    void *dst)
{
	unsigned bits = 8 * (unsigned)dtype_size(kind);
	bool is_signed = kind <= DT_INT64;
	bool negative = e->text[0] == '-';
	unsigned long long magnitude, most;

	if (is_decimal(e->text))
		return no_fit(l, e, kind, "write an integer");
	errno = 0;
	magnitude = strtoull(e->text + negative, NULL, 10);
	most = is_signed ? ((1ull << (bits - 1)) - 1) + negative :
	    negative ? 0 : UINT64_MAX >> (64 - bits);
	if (errno != 0 || magnitude > most)
		return no_fit(l, e, kind, "it is out of range");
	if (negative)
		magnitude = 0 - magnitude;
	memcpy(dst, &magnitude, dtype_size(kind));
	return 0;
}

static int
put_leaf(const struct lit *l, const struct kv_expr *e, enum dtype kind,
    void *dst)
{
	if (kind == DT_BOOL && e->kind == KV_BOOL) {
		*(uint8_t *)dst = strcmp(e->text, "true") == 0;
		return 0;
	}
	if (kind == DT_BOOL)
		return no_fit(l, e, kind, "write true or false");
	if (e->kind != KV_NUMBER)
		return no_fit(l, e, kind, "write a number");
	return dtype_is_float(kind) ? put_float(l, e, kind, dst) :
	    put_int(l, e, kind, dst);
}

static int
collect(struct lit *l, const struct kv_expr *e, int depth)
{
	const struct kv_expr *arg;

	if (depth == l->shape.rank && e->kind != KV_ARRAY) {
		l->leaf = arena_grow(l->arena, l->leaf, l->n, &l->cap,
		    sizeof(*l->leaf));
		l->leaf[l->n++] = e;
		return 0;
	}
	if (e->kind != KV_ARRAY || depth == l->shape.rank ||
	    (int64_t)e->nargs != l->shape.dim[depth])
		return diag_error(l->diag, e->loc, "%sthe rows of an array "
		    "literal differ in length or depth", l->prefix);
	for (arg = e->args; arg; arg = arg->next)
		if (collect(l, arg, depth + 1))
			return -1;
	return 0;
}

/* Finds shape, leaves and their common kind. */
static int
measure(struct lit *l)
{
	const struct kv_expr *e = l->expr;
	size_t i;

	for (; e && e->kind == KV_ARRAY; e = e->args) {
		if (l->shape.rank == MAX_RANK)
			return diag_error(l->diag, e->loc, "%san array has at "
			    "most %d dimensions", l->prefix, MAX_RANK);
		l->shape.dim[l->shape.rank++] = (int64_t)e->nargs;
	}
	if (collect(l, l->expr, 0))
		return -1;
	if (l->n == 0)
		return diag_error(l->diag, l->expr->loc, "%san array literal "
		    "without elements has no kind", l->prefix);
	l->kind = own_kind(l->leaf[0]);
	for (i = 1; i < l->n; i++)
		if (own_kind(l->leaf[i]) != l->kind)
			l->kind = DT_NONE;
	return 0;
}

static int
mixed_kinds(const struct lit *l)
{
	size_t i;

	for (i = 1; own_kind(l->leaf[i]) == own_kind(l->leaf[0]); i++)
		;
	return diag_error(l->diag, l->leaf[i]->loc, "%sthe array literal "
	    "mixes %s and %s; declare the kind, as in x:[]float64 = [1, 2.5]",
	    l->prefix, dtype_name(own_kind(l->leaf[0])),
	    dtype_name(own_kind(l->leaf[i])));
}

static int
make(const struct lit *l, enum dtype kind, const struct shape *shape,
    struct value *out)
{
	size_t size = dtype_size(kind), i;
	char *body = arena_array(l->arena, l->n, size);

	for (i = 0; i < l->n; i++)
		if (put_leaf(l, l->leaf[i], kind, body + i * size))
			return -1;
	*out = value_tensor(l->arena, kind, shape, body);
	return 0;
}

static int
wrong_shape(const struct lit *l, const struct kv_atom *atom)
{
	char have[200];

	if (l->shape.rank == 0)
		return diag_error(l->diag, l->expr->loc, "%sdeclared %s but "
		    "assigned a scalar literal", l->prefix, l->type);
	if (!atom->array)
		return diag_error(l->diag, l->expr->loc, "%sdeclared scalar "
		    "%s but assigned an array literal — use []%s instead",
		    l->prefix, l->type, l->type);
	shape_text(&l->shape, have);
	return diag_error(l->diag, l->expr->loc, "%sdeclared %s but the array "
	    "literal has shape %s", l->prefix, l->type, have);
}

/* Converts to the one declared type. A flat list fills any known dims. */
static int
convert(const struct lit *l, const struct kv_atom *atom, struct value *out)
{
	struct shape shape = l->shape, want;
	enum dtype kind = dtype_of(atom->kind);

	if (!kv_atom_fits(atom, &l->shape)) {
		if (l->shape.rank != 1 || !atom->array ||
		    !kv_atom_shape(atom, &want) ||
		    shape_count(&want, 1) != (int64_t)l->n)
			return wrong_shape(l, atom);
		shape = want;
	}
	if (str_is(atom->kind, "any"))
		return l->kind == DT_NONE ? mixed_kinds(l) :
		    make(l, l->kind, &shape, out);
	if (kind == DT_NONE)
		return diag_error(l->diag, l->expr->loc, "%snumeric literals "
		    "of kind %.*s are not supported yet; write float32 or "
		    "another kind of 8 to 64 bits", l->prefix,
		    (int)atom->kind.n, atom->kind.p);
	return make(l, kind, &shape, out);
}

static int
numeric(struct lit *l, struct value *out)
{
	struct kv_atom atom;
	struct str rest;
	int n = 0;

	if (measure(l))
		return -1;
	if (!l->type)
		return l->kind == DT_NONE ? mixed_kinds(l) :
		    make(l, l->kind, &l->shape, out);
	for (rest = str_of(l->type); kv_atom_next(&rest, &atom); n++)
		if (l->kind != DT_NONE && kv_atom_fits(&atom, &l->shape) &&
		    (str_is(atom.kind, "any") ||
		    dtype_of(atom.kind) == l->kind))
			return make(l, l->kind, &l->shape, out);
	if (n == 1)
		return convert(l, &atom, out);
	return diag_error(l->diag, l->expr->loc, "%sno alternative of %s is "
	    "the literal's own type; declare one type", l->prefix, l->type);
}

/* [v...] and []: every element of the declared shape is v or 0. */
static int
fill(struct lit *l, struct value *out)
{
	static const struct kv_expr zero = { .kind = KV_NUMBER, .text = "0" };
	static const struct kv_expr no = { .kind = KV_BOOL, .text = "false" };
	const struct kv_expr *v = l->expr->args;
	struct kv_atom atom;
	struct shape shape;
	struct str rest = str_of(l->type ? l->type : "");
	enum dtype kind;
	int64_t count, i;
	char *body;
	size_t size;

	if (!kv_atom_next(&rest, &atom) || rest.n > 0 || !atom.array ||
	    !kv_atom_shape(&atom, &shape) ||
	    (kind = dtype_of(atom.kind)) == DT_NONE)
		return diag_error(l->diag, l->expr->loc, "%s[] and [v...] "
		    "need a declared type with a numeric kind and all dims "
		    "known, as in x:[2,3]float32 = []", l->prefix);
	size = dtype_size(kind);
	count = shape_count(&shape, size);
	if (count < 0 || (size_t)count > MAX_FILL / size ||
	    (size_t)count * size + arena_size(l->arena) > MAX_FILL)
		return diag_error(l->diag, l->expr->loc, "%s%s is too large: "
		    "a file has at most 128 MiB of literals; make it with "
		    "deepx·constant", l->prefix, l->type);
	body = arena_array(l->arena, (size_t)count + 1, size);
	if (put_leaf(l, v ? v : kind == DT_BOOL ? &no : &zero, kind, body))
		return -1;
	for (i = 1; i < count; i++)
		memcpy(body + (size_t)i * size, body, size);
	*out = value_tensor(l->arena, kind, &shape, body);
	return 0;
}

static struct value
encode_string(const struct lit *l, const char *kind, bool wide)
{
	struct str rest = l->expr->string;
	char *body = arena_array(l->arena, rest.n, wide ? 4 : 1);
	const char *type;
	size_t n = 0;
	int32_t c;

	if (!wide) {
		n = rest.n;
		memcpy(body, rest.p, n);
	} else {
		while ((c = utf8_next(&rest)) >= 0)
			memcpy(body + 4 * n++, &c, 4);
	}
	type = arena_printf(l->arena, "[%zu]%s", n, kind);
	return value_text(type, body, wide ? 4 * n : n);
}

/* A string is UTF-32 unless another char kind is declared. */
static int
string(const struct lit *l, struct value *out)
{
	struct str text = l->expr->string;
	struct str rest = str_of(l->type ? l->type : "[]char/utf32");
	struct kv_atom atom;
	bool ascii = true;
	size_t i;

	for (i = 0; i < text.n; i++)
		ascii = ascii && (unsigned char)text.p[i] < 0x80;
	while (kv_atom_next(&rest, &atom)) {
		if (str_is(atom.kind, "char/utf8"))
			*out = encode_string(l, "char/utf8", false);
		else if (str_is(atom.kind, "char/ascii") && ascii)
			*out = encode_string(l, "char/ascii", false);
		else if (str_is(atom.kind, "char/utf32") ||
		    str_is(atom.kind, "any"))
			*out = encode_string(l, "char/utf32", true);
		else
			continue;
		if (!l->type || kv_langtype_match(str_of(l->type), out))
			return 0;
	}
	return diag_error(l->diag, l->expr->loc, "%sdeclared %s, which is not "
	    "the type of this string; declare []char/utf32", l->prefix,
	    l->type);
}

static bool
is_element(const struct kv_expr *e)
{
	return e->kind == KV_NUMBER || e->kind == KV_BOOL ||
	    (e->kind == KV_ARRAY && kv_is_literal(e));
}

bool
kv_is_literal(const struct kv_expr *e)
{
	const struct kv_expr *arg;

	if (e->kind != KV_ARRAY && e->kind != KV_FILL)
		return e->kind == KV_NUMBER || e->kind == KV_BOOL ||
		    e->kind == KV_NONE || e->kind == KV_STRING;
	for (arg = e->args; arg; arg = arg->next)
		if (!is_element(arg))
			return false;
	return true;
}

int
kv_literal(const struct kv_expr *expr, const struct kv_slot *slot,
    struct arena *arena, struct diag *diag, struct value *out)
{
	struct lit l = { .arena = arena, .diag = diag, .expr = expr,
		.prefix = "" };

	if (expr->kind == KV_NONE) {
		*out = value_text("", "", 0);
		return 0;
	}
	if (slot && slot->type) {
		/* kv_check has reported this one. */
		if (!kv_langtype_valid(str_of(slot->type)))
			return -1;
		l.type = slot->type;
		l.prefix = arena_printf(arena, "write \"%s\": ", slot->name);
	}
	if (expr->kind == KV_STRING)
		return string(&l, out);
	if (expr->kind == KV_FILL ||
	    (expr->kind == KV_ARRAY && expr->nargs == 0))
		return fill(&l, out);
	return numeric(&l, out);
}
