/* SPDX-License-Identifier: MIT */
#include "runtime/match.h"

#include <stdio.h>
#include <string.h>

#include "base/isa.h"
#include "include/kvk.h"
#include "ops/ops.h"

enum { NAME_MAX_LEN = 32 };

/* A row while it is parsed, and the names of extents met in it. */
struct parsing {
	struct arena *arena;
	struct rowspec *r;
	int n;
	struct str name[MATCH_INS * (MAX_RANK + 1)];
};

static int
malformed(char *why, const char *column, struct str text)
{
	snprintf(why, MATCH_WHY, "malformed %s `%.*s`", column,
	    (int)(text.n < 100 ? text.n : 100), text.p);
	return -1;
}

/* An array with room for all parts of a text. */
static void *
room(struct arena *a, struct str s, char sep, size_t size)
{
	size_t n = 1, i;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == sep;
	return arena_array(a, n, size);
}

static int64_t
name_number(struct parsing *p, struct str name)
{
	int i;

	for (i = 0; i < p->n; i++) {
		if (str_eq(p->name[i], name))
			return i;
	}
	p->name[p->n++] = name;
	return i;
}

static bool
is_name(struct str s)
{
	size_t i;

	if (s.n == 0 || s.n > NAME_MAX_LEN)
		return false;
	for (i = 0; i < s.n; i++) {
		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') &&
		    !(s.p[i] >= 'A' && s.p[i] <= 'Z') && s.p[i] != '_' &&
		    !(i > 0 && s.p[i] >= '0' && s.p[i] <= '9'))
			return false;
	}
	return true;
}

static int
parse_axis(struct parsing *p, struct str s, bool first, struct axis *out)
{
	long long n;

	if (str_is(s, "*") && first) {
		out->kind = AXIS_LEADING;
	} else if (str_is(s, "?")) {
		out->kind = AXIS_ANY;
	} else if (str_i64(s, &n) && n >= 0) {
		out->kind = AXIS_INT;
		out->n = n;
	} else if (is_name(s)) {
		out->kind = AXIS_NAME;
		out->n = name_number(p, s);
	} else {
		return -1;
	}
	return 0;
}

/* Takes `:bool` off the end. */
static int
parse_dtype(struct str *s, enum dtype *out)
{
	const char *colon = memchr(s->p, ':', s->n);
	struct str name;

	*out = DT_NONE;
	if (!colon)
		return 0;
	name = (struct str){ colon + 1, (size_t)(s->p + s->n - colon - 1) };
	s->n = (size_t)(colon - s->p);
	*out = dtype_of(name);
	return *out == DT_NONE ? -1 : 0;
}

/* Parts are joined by 'x', so a name never holds one. */
static int
parse_pattern(struct parsing *p, struct str s, struct pattern *out)
{
	struct str part;

	*out = (struct pattern){ 0 };
	if (parse_dtype(&s, &out->dtype))
		return -1;
	if (str_is(s, "()"))
		return 0;
	out->axis = room(p->arena, s, 'x', sizeof(*out->axis));
	while (str_next(&s, 'x', &part)) {
		struct axis *a = &out->axis[out->n];

		if (out->n > MAX_RANK || parse_axis(p, part, out->n == 0, a))
			return -1;
		p->r->ints += a->kind == AXIS_INT;
		p->r->names += a->kind == AXIS_NAME;
		out->n++;
	}
	if (out->n == 0 ||
	    (out->n > MAX_RANK && out->axis[0].kind != AXIS_LEADING))
		return -1;
	return 0;
}

static int
parse_patterns(struct parsing *p, char *why)
{
	struct rowspec *r = p->r;
	struct str rest = str_of(r->m->pattern), part;

	r->nin = rest.n ? 0 : -1;
	r->in = room(p->arena, rest, ',', sizeof(*r->in));
	while (str_next(&rest, ',', &part)) {
		if (r->nin == MATCH_INS)
			return malformed(
			    why, "pattern", str_of(r->m->pattern));
		if (parse_pattern(p, part, &r->in[r->nin]))
			return malformed(
			    why, "pattern", str_of(r->m->pattern));
		r->nin++;
	}
	r->nnames = p->n;
	return 0;
}

/* "f(a,b)" into its arguments; -1 when it is not of that form. */
static int
call_form(struct str s, const char *f, struct str *args)
{
	size_t n = strlen(f);

	if (s.n < n + 2 || !str_starts(s, f) || s.p[n] != '(' ||
	    s.p[s.n - 1] != ')')
		return -1;
	*args = (struct str){ s.p + n + 1, s.n - n - 2 };
	return 0;
}

static int
parse_operands(const struct rowspec *r, struct str args, struct outdim *o)
{
	struct str one;
	long long i;

	while (str_next(&args, ',', &one)) {
		if (!str_i64(one, &i) || i < 0 || i >= r->nin ||
		    o->n == MATCH_INS)
			return -1;
		o->arg[o->n++] = (uint8_t)i;
	}
	return o->n ? 0 : -1;
}

static int
parse_literal(struct str s, struct outdim *o)
{
	struct str part;
	long long n;

	o->kind = OUT_LITERAL;
	if (str_is(s, "()"))
		return 0;
	while (str_next(&s, 'x', &part)) {
		if (o->shape.rank == MAX_RANK || !str_i64(part, &n) || n < 0)
			return -1;
		o->shape.dim[o->shape.rank++] = n;
	}
	return o->shape.rank ? 0 : -1;
}

static int
parse_outdim(const struct rowspec *r, struct str s, struct outdim *o)
{
	static const struct { const char *word; enum out_kind kind; } form[] = {
		{ "bc", OUT_BC }, { "keep", OUT_KEEP }, { "drop", OUT_DROP },
	};
	struct str args;
	size_t i;

	memset(o, 0, sizeof(*o));
	if (parse_dtype(&s, &o->dtype))
		return -1;
	if (str_starts(s, "=")) {
		o->kind = OUT_SAME;
		if (parse_operands(r, (struct str){ s.p + 1, s.n - 1 }, o))
			return -1;
		return o->n == 1 ? 0 : -1;
	}
	for (i = 0; i < sizeof(form) / sizeof(*form); i++) {
		o->kind = form[i].kind;
		if (!call_form(s, form[i].word, &args))
			return parse_operands(r, args, o);
	}
	return parse_literal(s, o);
}

/* Takes the text before the next ',' outside of parentheses. */
static bool
next_outer(struct str *rest, struct str *out)
{
	size_t i;
	int depth = 0;

	if (rest->n == 0)
		return false;
	for (i = 0; i < rest->n && !(rest->p[i] == ',' && depth == 0); i++)
		depth += (rest->p[i] == '(') - (rest->p[i] == ')');
	*out = (struct str){ rest->p, i };
	i += i < rest->n;
	*rest = (struct str){ rest->p + i, rest->n - i };
	return true;
}

static int
parse_outdims(struct arena *a, struct rowspec *r, char *why)
{
	struct str rest = str_of(r->m->outdims), one;

	r->out = room(a, rest, ',', sizeof(*r->out));
	while (next_outer(&rest, &one)) {
		if (r->nout == MATCH_OUTS)
			return malformed(
			    why, "outdims", str_of(r->m->outdims));
		if (parse_outdim(r, one, &r->out[r->nout]))
			return malformed(
			    why, "outdims", str_of(r->m->outdims));
		r->nout++;
	}
	if (r->nin >= 0 && r->nout == 0)
		return malformed(why, "outdims", str_of(r->m->outdims));
	return 0;
}

static const char *
dup(struct arena *a, const char *from, const char *to)
{
	return arena_strndup(a, from, (size_t)(to - from));
}

/* The number on the right of ==, where true and false are 1 and 0. */
static bool
guard_int(struct str s, int64_t *k)
{
	long long n;

	if (str_is(s, "true") || str_is(s, "false")) {
		*k = s.p[0] == 't';
		return true;
	}
	if (!str_i64(s, &n))
		return false;
	*k = n;
	return true;
}

static int
parse_guard(struct arena *a, struct str s, struct guard *g)
{
	const char *eq = memmem(s.p, s.n, "==", 2), *end = s.p + s.n, *comma;
	const char *no = memmem(s.p, s.n, "!=-1", 4);
	struct str args, right;
	long long axis;

	if (no && no + 4 == end) {
		g->kind = GUARD_COLS;
		s.n -= 4;
		if (str_i64(s, &axis))
			g->k = axis;
		else
			g->a = dup(a, s.p, no);
		return s.n ? 0 : -1;
	}
	if (!eq) {
		if (call_form(s, "same", &args) ||
		    !(comma = memchr(args.p, ',', args.n)))
			return -1;
		g->kind = GUARD_SAME;
		g->a = dup(a, args.p, comma);
		g->b = dup(a, comma + 1, args.p + args.n);
		return *g->a && *g->b && !strchr(g->b, ',') ? 0 : -1;
	}
	g->a = dup(a, s.p, eq);
	right = (struct str){ eq + 2, (size_t)(end - eq - 2) };
	if (!call_form(right, "dims", &args)) {
		g->kind = GUARD_DIMS;
		g->b = arena_strndup(a, args.p, args.n);
		return *g->a && *g->b ? 0 : -1;
	}
	g->kind = GUARD_DTYPE;
	g->k = dtype_of(right);
	if (g->k == DT_NONE)
		g->kind = GUARD_INT;
	return *g->a && (g->k != DT_NONE || guard_int(right, &g->k)) ? 0 : -1;
}

static int
parse_guards(struct arena *a, struct rowspec *r, char *why)
{
	struct str rest = str_of(r->m->guard), term;

	r->guard = room(a, rest, '&', sizeof(*r->guard));
	while (str_next(&rest, '&', &term)) {
		if (parse_guard(a, term, &r->guard[r->nguard++]))
			return malformed(why, "guard", str_of(r->m->guard));
	}
	return 0;
}

static int
parse_class(struct rowspec *r, char *why)
{
	static const char *const word[] = { [KVK_MAP] = "map",
		[KVK_ROWS] = "rows", [KVK_REDUCE] = "reduce",
		[KVK_OTHER] = "other", [KVK_COLS] = "cols" };
	int i;

	for (i = KVK_MAP; i <= KVK_COLS; i++) {
		if (strcmp(r->m->cls, word[i]) == 0)
			r->cls = i;
	}
	return r->cls ? 0 : malformed(why, "class", str_of(r->m->cls));
}

/* The guard that says the axis. */
static const struct guard *
cols_guard(const struct rowspec *r)
{
	int i;

	for (i = 0; i < r->nguard; i++) {
		if (r->guard[i].kind == GUARD_COLS)
			return &r->guard[i];
	}
	return NULL;
}

int
match_parse(struct arena *a, const struct manifest_row *m, struct rowspec *r,
    char why[MATCH_WHY])
{
	const struct isa *isa = isa_find(m->isa);
	struct parsing p;

	memset(r, 0, sizeof(*r));
	r->m = m;
	p.arena = a;
	p.r = r;
	p.n = 0;
	r->isa_rank = isa ? isa->rank : -1;
	if (parse_class(r, why) || parse_patterns(&p, why) ||
	    parse_outdims(a, r, why) || parse_guards(a, r, why))
		return -1;
	if (r->cls == KVK_COLS && !cols_guard(r))
		return malformed(why, "guard", str_of(m->guard));
	return 0;
}

int
match_order(const struct rowspec *a, const struct rowspec *b)
{
	if (a->ints != b->ints)
		return b->ints - a->ints;
	if (a->names != b->names)
		return b->names - a->names;
	return b->isa_rank - a->isa_rank;
}

enum dtype
match_in_dtype(const struct rowspec *r, int i)
{
	return r->in[i].dtype != DT_NONE ? r->in[i].dtype : r->m->dtype;
}

enum dtype
match_out_dtype(const struct rowspec *r, int i)
{
	return r->out[i].dtype != DT_NONE ? r->out[i].dtype : r->m->dtype;
}

/* The axes after a leading `*` are the last ones of the shape. */
static bool
fits(const struct pattern *p, const struct shape *s, int64_t *extent)
{
	int lead = p->n > 0 && p->axis[0].kind == AXIS_LEADING;
	int fixed = p->n - lead, i;

	if (s->rank < fixed || (!lead && s->rank > fixed))
		return false;
	for (i = 0; i < fixed; i++) {
		const struct axis *a = &p->axis[lead + i];
		int64_t dim = s->dim[s->rank - fixed + i];

		if (a->kind == AXIS_INT && a->n != dim)
			return false;
		if (a->kind != AXIS_NAME)
			continue;
		if (extent[a->n] < 0)
			extent[a->n] = dim;
		if (extent[a->n] != dim)
			return false;
	}
	return true;
}

int
match_shapes(const struct rowspec *r, const struct value *const *in, int nin,
    char why[MATCH_WHY])
{
	int64_t extent[MATCH_INS * MAX_RANK];
	char found[MATCH_WHY];
	int i;

	if (nin != r->nin) {
		snprintf(why, MATCH_WHY, "takes %d operands, found %d",
		    r->nin, nin);
		return -1;
	}
	for (i = 0; i < r->nnames; i++)
		extent[i] = -1;
	for (i = 0; i < nin; i++) {
		if (fits(&r->in[i], &in[i]->shape, extent))
			continue;
		shape_text(&in[i]->shape, found);
		snprintf(why, MATCH_WHY,
		    "operand %d of `%.60s` does not fit dims %.100s", i + 1,
		    r->m->pattern, *found ? found : "()");
		return -1;
	}
	return 0;
}

static int
broadcast(const struct outdim *o, const struct value *const *in,
    struct shape *out, char *why)
{
	int i;

	*out = in[o->arg[0]]->shape;
	for (i = 1; i < o->n; i++) {
		struct shape sum;

		if (shape_broadcast(out, &in[o->arg[i]]->shape, &sum)) {
			snprintf(why, MATCH_WHY,
			    "operand %d does not broadcast with those before",
			    o->arg[i] + 1);
			return -1;
		}
		*out = sum;
	}
	return 0;
}

static int
out_shape(const struct outdim *o, const struct value *const *in, int axis,
    struct shape *out, char *why)
{
	if (o->kind == OUT_LITERAL) {
		*out = o->shape;
		return 0;
	}
	if (broadcast(o, in, out, why))
		return -1;
	if (o->kind != OUT_KEEP && o->kind != OUT_DROP)
		return 0;
	if (axis < 0)
		axis = out->rank - 1;
	if (axis < 0 || axis >= out->rank) {
		snprintf(why, MATCH_WHY, "a tensor of rank %d has no such "
		    "axis", out->rank);
		return -1;
	}
	/* A full reduction of a vector yields one element, not a scalar. */
	out->dim[axis] = 1;
	if (o->kind == OUT_KEEP || out->rank == 1)
		return 0;
	out->rank--;
	memmove(&out->dim[axis], &out->dim[axis + 1],
	    (size_t)(out->rank - axis) * sizeof(*out->dim));
	return 0;
}

int
match_outdims(const struct rowspec *r, const struct value *const *in,
    int axis, struct shape out[MATCH_OUTS], char why[MATCH_WHY])
{
	int i;

	for (i = 0; i < r->nout; i++) {
		if (out_shape(&r->out[i], in, axis, &out[i], why))
			return -1;
	}
	return 0;
}

int
match_ints(const struct value *v, int64_t *out, int cap)
{
	int64_t n = shape_count(&v->shape, 1);

	if (!v->body || v->dtype == DT_NONE || dtype_is_float(v->dtype) ||
	    n < 0 || n > cap)
		return -1;
	if (v->dtype == DT_BOOL) {
		for (int64_t i = 0; i < n; i++)
			out[i] = ((const uint8_t *)v->body)[i] != 0;
		return (int)n;
	}
	return dtype_convert(DT_INT64, out, v->dtype, v->body, (size_t)n) ?
	    -1 : (int)n;
}

static bool
int_holds(const struct value *v, int64_t k, int rank)
{
	int64_t n;

	if (v->shape.rank > 1 || match_ints(v, &n, 1) != 1)
		return false;
	if (v->dtype != DT_BOOL) {
		n += n < 0 ? rank : 0;
		k += k < 0 ? rank : 0;
	}
	return n == k;
}

/* The axis that a guard of kind COLS says, from 0; -1 when it is unknown or
 * not one but the last of that rank. */
static int
cols_axis(const struct guard *g, const struct value *v, int rank)
{
	int64_t n = g->k;

	if (g->a && (!v || v->shape.rank > 1 || match_ints(v, &n, 1) != 1 ||
	    v->dtype == DT_BOOL))
		return -1;
	n += n < 0 ? rank : 0;
	return n >= 0 && n < rank - 1 ? (int)n : -1;
}

static bool
dims_hold(const struct value *v, const struct shape *s)
{
	int64_t dim[MAX_RANK];

	if (v->shape.rank != 1 || match_ints(v, dim, MAX_RANK) != s->rank)
		return false;
	return memcmp(dim, s->dim, (size_t)s->rank * sizeof(*dim)) == 0;
}

static bool
guard_holds(const struct guard *g, match_lookup *lookup, void *ctx, int rank)
{
	const struct value *a = g->a ? lookup(ctx, g->a) : NULL, *b = NULL;

	if (g->kind == GUARD_COLS)
		return cols_axis(g, a, rank) >= 0;
	if (g->b)
		b = lookup(ctx, g->b);
	if (!a || (g->b && !b))
		return false;
	switch (g->kind) {
	case GUARD_INT:
		return int_holds(a, g->k, rank);
	case GUARD_DTYPE:
		return op_named(a) == (enum dtype)g->k;
	case GUARD_DIMS:
		return dims_hold(a, &b->shape);
	case GUARD_SAME:
		return shape_eq(&a->shape, &b->shape);
	case GUARD_COLS:
		break;
	}
	return false;
}

int
match_guards(const struct rowspec *r, match_lookup *lookup, void *ctx,
    int rank, char why[MATCH_WHY])
{
	int i;

	for (i = 0; i < r->nguard; i++) {
		if (!guard_holds(&r->guard[i], lookup, ctx, rank)) {
			snprintf(why, MATCH_WHY, "guard %.150s does not hold",
			    r->m->guard);
			return -1;
		}
	}
	return 0;
}

enum dtype
match_named(const struct rowspec *r)
{
	for (int i = 0; i < r->nguard; i++)
		if (r->guard[i].kind == GUARD_DTYPE)
			return (enum dtype)r->guard[i].k;
	return DT_NONE;
}

int
match_axis(const struct rowspec *r, match_lookup *lookup, void *ctx, int rank,
    char why[MATCH_WHY])
{
	const struct guard *g = cols_guard(r);
	int axis = cols_axis(g, g->a ? lookup(ctx, g->a) : NULL, rank);

	if (axis < 0)
		snprintf(why, MATCH_WHY, "guard %.150s does not hold",
		    r->m->guard);
	return axis;
}
