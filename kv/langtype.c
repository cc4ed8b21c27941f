/* SPDX-License-Identifier: MIT */
#include "kv/langtype.h"

#include <string.h>

#include "kv/kv.h"
#include "kv/near.h"

/* Kinds without arithmetic in the language, beside the dtypes of value.h. */
static const char *const other_kinds[] = {
	"any", "float8/e4m3", "float8/e5m2",
	"char/utf8", "char/utf32", "char/ascii", "time", "duration",
};

static bool
kind_valid(struct str kind)
{
	size_t i;

	if (dtype_of(kind) != DT_NONE)
		return true;
	for (i = 0; i < sizeof(other_kinds) / sizeof(other_kinds[0]); i++)
		if (str_is(kind, other_kinds[i]))
			return true;
	return false;
}

static bool
is_quantifier(struct str dim)
{
	return dim.n == 1 && strchr("?*+", dim.p[0]) && dim.p[0] != '\0';
}

/* [] is [.]; at most one quantifier. */
static bool
dims_valid(struct str dims)
{
	unsigned long long len;
	struct str dim;
	int quantifiers = 0, n = 0;

	while (str_next(&dims, ',', &dim)) {
		if (is_quantifier(dim))
			quantifiers++;
		else if (!str_is(dim, ".") &&
		    (!str_u64(dim, &len) || len > INT64_MAX))
			return false;
		n++;
	}
	return quantifiers <= 1 && n <= MAX_RANK + quantifiers;
}

bool
kv_atom_next(struct str *rest, struct kv_atom *atom)
{
	struct str text = *rest;
	const char *bar = text.n ? memchr(text.p, '|', text.n) : NULL;
	const char *close;

	if (text.n == 0)
		return false;
	if (bar)
		text.n = (size_t)(bar - text.p);
	*atom = (struct kv_atom){ .array = str_starts(text, "[") };
	atom->kind = text;
	if (atom->array) {
		close = memchr(text.p, ']', text.n);
		if (!close)
			return false;
		atom->dims.p = text.p + 1;
		atom->dims.n = (size_t)(close - atom->dims.p);
		atom->kind.p = close + 1;
		atom->kind.n = text.n - atom->dims.n - 2;
	}
	if (!kind_valid(atom->kind) || !dims_valid(atom->dims) ||
	    (bar && rest->n == text.n + 1))
		return false;
	text.n += bar != NULL;
	rest->p += text.n;
	rest->n -= text.n;
	return true;
}

static bool
dim_fits(struct str dim, int64_t len)
{
	unsigned long long want;

	return str_is(dim, ".") ||
	    (str_u64(dim, &want) && want == (unsigned long long)len);
}

bool
kv_atom_fits(const struct kv_atom *atom, const struct shape *shape)
{
	struct str rest = atom->dims, dim[MAX_RANK + 1];
	int n = 0, variable = -1, free_axes, i;

	if (!atom->array)
		return shape->rank == 0 || str_is(atom->kind, "any");
	while (n <= MAX_RANK && str_next(&rest, ',', &dim[n])) {
		if (is_quantifier(dim[n]))
			variable = n;
		n++;
	}
	if (n == 0)
		return shape->rank == 1;
	free_axes = shape->rank - (n - (variable >= 0));
	if (variable < 0 ? free_axes != 0 : free_axes < 0 ||
	    (dim[variable].p[0] == '?' && free_axes > 1) ||
	    (dim[variable].p[0] == '+' && free_axes < 1))
		return false;
	for (i = 0; i < n; i++) {
		int axis = variable >= 0 && i > variable ?
		    shape->rank - (n - i) : i;

		if (i != variable && !dim_fits(dim[i], shape->dim[axis]))
			return false;
	}
	return true;
}

bool
kv_atom_shape(const struct kv_atom *atom, struct shape *shape)
{
	struct str rest = atom->dims, dim;
	unsigned long long len;

	*shape = (struct shape){ 0 };
	while (str_next(&rest, ',', &dim)) {
		if (!str_u64(dim, &len))
			return false;
		shape->dim[shape->rank++] = (int64_t)len;
	}
	return !atom->array || shape->rank > 0;
}

bool
kv_langtype_valid(struct str type)
{
	struct kv_atom atom;

	if (type.n == 0)
		return false;
	while (kv_atom_next(&type, &atom))
		;
	return type.n == 0;
}

bool
kv_langtype_match(struct str langtype, const struct value *v)
{
	struct str have;
	struct kv_atom atom, own;
	struct shape shape = { 0 };

	if (!v || !kv_langtype_valid(langtype))
		return false;
	have = str_of(v->langtype);
	own.kind = have;
	if (kv_atom_next(&have, &own) && !kv_atom_shape(&own, &shape))
		return false;
	while (kv_atom_next(&langtype, &atom)) {
		if ((str_is(atom.kind, "any") || str_eq(atom.kind, own.kind)) &&
		    kv_atom_fits(&atom, &shape))
			return true;
	}
	return false;
}

void
kv_atom_ranks(const struct kv_atom *atom, int *least, int *most)
{
	struct str rest = atom->dims, dim;

	*least = *most = atom->array && rest.n == 0;
	if (!atom->array && str_is(atom->kind, "any"))
		*most = MAX_RANK;
	while (str_next(&rest, ',', &dim)) {
		*least += dim.p[0] != '?' && dim.p[0] != '*';
		*most += dim.p[0] == '*' || dim.p[0] == '+' ? MAX_RANK : 1;
	}
}

/* Shapes of known rank differ where two numbers do. */
static bool
dims_overlap(struct str a, struct str b)
{
	unsigned long long m, n;
	struct str x, y;

	while (str_next(&a, ',', &x) && str_next(&b, ',', &y))
		if (str_u64(x, &m) && str_u64(y, &n) && m != n)
			return false;
	return true;
}

static bool
atoms_overlap(const struct kv_atom *a, const struct kv_atom *b)
{
	int a_least, a_most, b_least, b_most;

	if (!str_eq(a->kind, b->kind) && !str_is(a->kind, "any") &&
	    !str_is(b->kind, "any"))
		return false;
	kv_atom_ranks(a, &a_least, &a_most);
	kv_atom_ranks(b, &b_least, &b_most);
	if (a_most < b_least || b_most < a_least)
		return false;
	return a_least != a_most || b_least != b_most ||
	    dims_overlap(a->dims, b->dims);
}

bool
kv_langtype_overlap(struct str a, struct str b)
{
	struct kv_atom x, y;
	struct str rest;

	if (!kv_langtype_valid(a) || !kv_langtype_valid(b))
		return true;
	while (kv_atom_next(&a, &x))
		for (rest = b; kv_atom_next(&rest, &y);)
			if (atoms_overlap(&x, &y))
				return true;
	return false;
}

void
kv_kind_near(struct near *near)
{
	size_t i;

	for (i = DT_NONE + 1; i < N_DTYPES; i++)
		near_try(near, dtype_name((enum dtype)i));
	for (i = 0; i < sizeof(other_kinds) / sizeof(other_kinds[0]); i++)
		near_try(near, other_kinds[i]);
}
