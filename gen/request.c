/* SPDX-License-Identifier: MIT */
#include "gen/request.h"

#include <string.h>

#include "base/arena.h"
#include "gen/rows.h"
#include "kv/kv.h"
#include "ops/ops.h"

struct reader {
	struct request *r;
	struct arena *arena;
	struct diag *diag;
};

/* -1 with an error at v. */
static int
expected(struct reader *x, const struct json_value *v, const char *what)
{
	return diag_error(x->diag, v->loc, "expected %s, found %s", what,
	    json_what(v, x->arena));
}

/* Ends with `found` when v is there and is none of that kind. */
static bool
is_kind(struct reader *x, const struct json_value *v, enum json_kind kind,
    const char *what)
{
	if (v->kind == kind)
		return true;
	expected(x, v, what);
	return false;
}

/* Letters of ASCII, digits and _; `·` and / too where names have packages. */
static bool
is_name(struct str s, bool package)
{
	size_t i, n = s.n;

	for (i = 0; i < n; i++) {
		char c = s.p[i];

		if (package && n - i > 2 && !strncmp(s.p + i, "·", 2)) {
			i++;
			continue;
		}
		if (c != '_' && !(c >= 'a' && c <= 'z') &&
		    !(c >= 'A' && c <= 'Z') &&
		    !(i > 0 && ((c >= '0' && c <= '9') ||
		    (package && c == '/'))))
			return false;
	}
	return n > 0;
}

static enum dtype
read_dtype(struct reader *x, const struct json_value *v)
{
	enum dtype t = v->kind == JSON_TEXT ? dtype_of(v->text) : DT_NONE;

	if (t == DT_NONE)
		expected(x, v, "a dtype, as \"float32\"");
	return t;
}

static void
read_shape(struct reader *x, struct request_tensor *t,
    const struct json_value *v)
{
	int64_t dim;

	t->any = v->kind == JSON_NULL;
	if (t->any || !is_kind(x, v, JSON_ARRAY, "an array of extents, or null "
	    "for any shape"))
		return;
	if (v->n > MAX_RANK) {
		diag_error(x->diag, v->loc, "expected at most %d extents, "
		    "found %zu", MAX_RANK, v->n);
		return;
	}
	for (v = v->first; v; v = v->next)
		if (!json_int(v, &dim) || dim < 0)
			expected(x, v, "an extent");
		else
			t->shape.dim[t->shape.rank++] = dim;
	if (shape_count(&t->shape, 8) < 0)
		diag_error(x->diag, t->at->loc, "a tensor of more bytes than "
		    "there are");
}

/* Refuses all members but these. */
static void
only(struct reader *x, const struct json_value *v, const char *const *names)
{
	for (const struct json_value *m = v->first; m; m = m->next) {
		int i = 0;

		while (names[i] && !str_is(m->name, names[i]))
			i++;
		if (!names[i])
			diag_error(x->diag, m->loc, "unknown member `%s`",
			    m->name.p);
	}
}

/* A member that must be there. */
static const struct json_value *
must(struct reader *x, const struct json_value *v, const char *name)
{
	const struct json_value *m = json_member(v, name);

	if (!m)
		diag_error(x->diag, v->loc, "the member `%s` is missing", name);
	return m;
}

static void
read_tensor(struct reader *x, struct request_tensor *t,
    const struct json_value *v, bool output)
{
	static const char *const in[] = { "shape", "dtype", NULL };
	static const char *const out[] = { "shape", "dtype", "from", NULL };
	const struct json_value *m;

	t->at = v;
	if (!is_kind(x, v, JSON_OBJECT, "an object {shape, dtype}"))
		return;
	only(x, v, output ? out : in);
	if ((m = must(x, v, "shape")))
		read_shape(x, t, m);
	if ((m = must(x, v, "dtype")))
		t->dtype = read_dtype(x, m);
	t->from = output ? json_member(v, "from") : NULL;
	if (t->from)
		is_kind(x, t->from, JSON_TEXT, "an op, as \"op0\"");
}

/* An array of least to most elements; NULL when it is none. */
static const struct json_value *
read_array(struct reader *x, const struct json_value *v, size_t least,
    size_t most, const char *what)
{
	if (!v || !is_kind(x, v, JSON_ARRAY, what))
		return NULL;
	if (v->n < least || v->n > most) {
		diag_error(x->diag, v->loc, "expected %s, from %zu to %zu, "
		    "found %zu", what, least, most, v->n);
		return NULL;
	}
	return v->first;
}

static void
read_tensors(struct reader *x, const struct json_value *v, bool output,
    struct request_tensor *t, size_t *n, size_t most)
{
	v = read_array(x, v, output, most, "an array of tensors");
	for (; v; v = v->next)
		read_tensor(x, &t[(*n)++], v, output);
}

static void
read_ops(struct reader *x, const struct json_value *v)
{
	v = read_array(x, v, 1, REQUEST_OPS, "an array of ops");
	for (; v; v = v->next) {
		x->r->op[x->r->nop++] = (struct request_op){ .at = v,
			.output = -1 };
		if (v->kind != JSON_TEXT || !is_name(v->text, true))
			expected(x, v, "an op, as \"matmul\"");
	}
}

static void
read_edges(struct reader *x, const struct json_value *v)
{
	size_t i = 0;

	v = read_array(x, v, x->r->nop, x->r->nop, "an array for each op");
	for (; v; v = v->next) {
		const struct json_value *e = read_array(x, v, 0,
		    REQUEST_OPERANDS, "an array of operands");

		x->r->op[i++].edges = v;
		for (; e; e = e->next)
			is_kind(x, e, JSON_TEXT, "an operand, as \"in0\" or "
			    "\"op0\"");
	}
}

/* What an attribute can be: as it stands, it is a literal of kvlang too. */
static void
read_literal(struct reader *x, const struct json_value *v)
{
	int64_t n;

	if (v->kind == JSON_ARRAY) {
		for (v = v->first; v; v = v->next)
			if (!json_int(v, &n))
				expected(x, v, "an integer");
	} else if (v->kind != JSON_NUMBER && v->kind != JSON_BOOL) {
		expected(x, v, "a number, true, false, or an array of "
		    "integers");
	}
}

static void
read_attributes(struct reader *x, const struct json_value *v)
{
	size_t i = 0;

	v = read_array(x, v, x->r->nop, x->r->nop, "an object for each op");
	for (; v; v = v->next) {
		const struct json_value *m;

		x->r->op[i++].attributes = v;
		if (!is_kind(x, v, JSON_OBJECT, "an object of attributes"))
			continue;
		for (m = v->first; m; m = m->next)
			read_literal(x, m);
	}
}

int
request_read(struct request *r, const char *file, struct str text,
    struct arena *arena, struct diag *diag)
{
	static const char *const names[] = { "func", "pattern", "ops", "inputs",
		"outputs", "accum_dtype", "edges", "attributes", NULL };
	struct reader x = { r, arena, diag };
	const struct json_value *v = json_read(arena, file, text, diag), *m;
	int before = diag->errors;

	memset(r, 0, sizeof *r);
	if (!v || !is_kind(&x, v, JSON_OBJECT, "an object, the request"))
		return -1;
	only(&x, v, names);
	if ((r->func = must(&x, v, "func")) && (r->func->kind != JSON_TEXT ||
	    !is_name(r->func->text, false)))
		expected(&x, r->func, "the name of a function");
	if ((r->pattern = json_member(v, "pattern")))
		is_kind(&x, r->pattern, JSON_TEXT, "a text");
	if ((r->accum = json_member(v, "accum_dtype")))
		r->accum_dtype = read_dtype(&x, r->accum);
	read_ops(&x, must(&x, v, "ops"));
	read_tensors(&x, must(&x, v, "inputs"), false, r->in, &r->nin,
	    REQUEST_INPUTS);
	read_tensors(&x, must(&x, v, "outputs"), true, r->out, &r->nout,
	    REQUEST_OUTPUTS);
	if ((m = json_member(v, "edges")))
		read_edges(&x, m);
	if ((m = json_member(v, "attributes")))
		read_attributes(&x, m);
	return diag->errors > before ? -1 : 0;
}

/* The parameters of an op, read from a declaration or a function. */
struct signature {
	struct str name[REQUEST_OPERANDS];
	const char *langtype[REQUEST_OPERANDS];
	size_t n, nwrite;
};

static bool
find_signature(const struct space *space, const char *opcode,
    struct signature *s, struct arena *arena)
{
	const struct func *f = func_read(space, opcode, arena);
	const struct op *op = f ? NULL : op_find(opcode);
	size_t n = f ? f->nread : op ? (size_t)op->nin : 0;

	if ((!f && !op) || n > REQUEST_OPERANDS || (f && f->variadic))
		return false;
	s->nwrite = f ? f->nwrite : (size_t)op->nout;
	for (s->n = 0; s->n < n; s->n++) {
		s->name[s->n] = f ? str_of(f->read[s->n].name) :
		    op_param(op, (int)s->n);
		s->langtype[s->n] = f ? f->read[s->n].langtype :
		    op_langtype(op, (int)s->n);
	}
	return true;
}

/* The number of `in3` or `op3`, below most; -1 when it is none. */
static int
number_of(struct str s, const char *prefix, size_t most)
{
	unsigned long long n;

	if (!str_starts(s, prefix) || !str_u64((struct str){ s.p + 2, s.n - 2 },
	    &n) || n >= most)
		return -1;
	return (int)n;
}

/* Operand `name` of op i. */
static void
add_operand(struct reader *x, size_t i, const char *name,
    const struct json_value *at, bool *read)
{
	struct request_op *op = &x->r->op[i];
	int in = number_of(str_of(name), "in", x->r->nin);
	int from = number_of(str_of(name), "op", i);

	if (in < 0 && from < 0) {
		diag_error(x->diag, at->loc, "expected an input or an op "
		    "before this one, found `%s`", name);
		return;
	}
	if (in >= 0)
		read[in] = true;
	else
		x->r->op[from].read = true;
	op->operand[op->noperand++] = name;
}

/* Without edges an op takes the result before it first, then inputs that no op
 * has taken, in order. */
static void
chain(struct reader *x, size_t i, size_t want, bool *read)
{
	struct request *r = x->r;
	size_t next = 0;

	for (size_t k = 0; k < want; k++) {
		while (next < r->nin && read[next])
			next++;
		if (i > 0 && k == 0) {
			add_operand(x, i, arena_printf(x->arena, "op%zu",
			    i - 1), r->op[i].at, read);
		} else if (next < r->nin) {
			add_operand(x, i, arena_printf(x->arena, "in%zu",
			    next), r->op[i].at, read);
		} else {
			diag_error(x->diag, r->op[i].at->loc, "%s takes %zu "
			    "operands, but no more inputs are left; `edges` "
			    "say what it reads, `attributes` what is a "
			    "literal", r->op[i].opcode, want);
			return;
		}
	}
}

/* A literal's type in kvlang. */
static struct value
type_of(const struct json_value *v, struct arena *arena)
{
	struct shape shape = { .rank = v->kind == JSON_ARRAY,
		.dim = { (int64_t)v->n } };
	enum dtype t = v->kind == JSON_BOOL ? DT_BOOL :
	    v->kind == JSON_NUMBER && strpbrk(v->text.p, ".eE") ? DT_FLOAT64 :
	    DT_INT64;

	return value_tensor(arena, t, &shape, NULL);
}

/* Whether the op has the parameter that an attribute names; then its literal is
 * of the parameter's type, or there is an error. */
static bool
has_parameter(struct reader *x, const struct signature *s,
    const struct json_value *v)
{
	struct value literal = type_of(v, x->arena);
	size_t k = 0;

	while (k < s->n && !str_eq(s->name[k], v->name))
		k++;
	if (k == s->n)
		return false;
	if (!kv_langtype_match(str_of(s->langtype[k]), &literal))
		diag_error(x->diag, v->loc, "expected %s, found %s",
		    s->langtype[k], literal.langtype);
	return true;
}

/* Finds what an op is and what it reads. */
static void
bind_op(struct reader *x, size_t i, struct signature *s,
    const struct space *space, bool *read)
{
	struct request_op *op = &x->r->op[i];
	const struct json_value *v = op->attributes ? op->attributes->first :
	    NULL;
	size_t want;

	op->opcode = strstr(op->at->text.p, "·") ? op->at->text.p :
	    arena_printf(x->arena, "deepx·%s", op->at->text.p);
	if (!find_signature(space, op->opcode, s, x->arena) || s->nwrite != 1) {
		diag_error(x->diag, op->at->loc, "there is no op `%s` with one "
		    "result", op->opcode);
		return;
	}
	want = s->n;
	for (; v; v = v->next)
		if (has_parameter(x, s, v))
			want--;
		else
			diag_error(x->diag, v->loc, "%s has no parameter `%s`",
			    op->opcode, v->name.p);
	if (!op->edges) {
		chain(x, i, want, read);
		return;
	}
	if (op->edges->n != want)
		diag_error(x->diag, op->edges->loc, "%s takes %zu operands, "
		    "found %zu", op->opcode, want, op->edges->n);
	for (v = op->edges->first; v; v = v->next)
		add_operand(x, i, v->text.p, v, read);
}

/* The op of an output: the one that it names, else of one output the last, else
 * the next that nobody reads. */
static void
bind_output(struct reader *x, size_t k)
{
	struct request *r = x->r;
	const struct request_tensor *t = &r->out[k];
	size_t i = 0;

	if (t->from) {
		int from = number_of(t->from->text, "op", r->nop);

		i = from < 0 ? r->nop : (size_t)from;
	} else if (r->nout == 1) {
		i = r->nop - 1;
	} else {
		while (i < r->nop && (r->op[i].read || r->op[i].output >= 0))
			i++;
	}
	if (i == r->nop)
		diag_error(x->diag, t->from ? t->from->loc : t->at->loc,
		    "no op gives this output; `from` names one, as \"op0\"");
	else if (r->op[i].output >= 0)
		diag_error(x->diag, t->from ? t->from->loc : t->at->loc,
		    "op%zu is output %d already", i, r->op[i].output);
	else
		r->op[i].output = (int)k;
}

static void
put_tensor(const struct request_tensor *t, struct buf *out)
{
	if (t->any)
		buf_puts(out, "[*]");
	else if (t->shape.rank)
		buf_puts(out, "[");
	for (int i = 0; i < t->shape.rank; i++)
		buf_printf(out, "%s%lld", i ? "," : "",
		    (long long)t->shape.dim[i]);
	buf_printf(out, "%s%s", t->any || !t->shape.rank ? "" : "]",
	    dtype_name(t->dtype));
}

static void
put_literal(const struct json_value *v, struct buf *out)
{
	if (v->kind != JSON_ARRAY) {
		buf_puts(out, v->text.p);
		return;
	}
	buf_putc(out, '[');
	for (const struct json_value *e = v->first; e; e = e->next)
		buf_printf(out, "%s%s", e == v->first ? "" : ", ", e->text.p);
	buf_putc(out, ']');
}

/* A result that is an output has its name. */
static void
put_name(const struct request *r, const char *name, struct buf *out)
{
	int op = number_of(str_of(name), "op", r->nop);

	if (op >= 0 && r->op[op].output >= 0)
		buf_printf(out, "out%d", r->op[op].output);
	else
		buf_puts(out, name);
}

static void
put_op(const struct request *r, size_t i, const struct signature *s,
    struct arena *arena, struct buf *out)
{
	const struct request_op *op = &r->op[i];
	size_t next = 0;

	buf_printf(out, "\t%s(", op->opcode);
	for (size_t k = 0; k < s->n; k++) {
		const struct json_value *v = op->attributes ?
		    json_member(op->attributes, arena_strndup(arena,
		    s->name[k].p, s->name[k].n)) : NULL;

		buf_puts(out, k ? ", " : "");
		if (v)
			put_literal(v, out);
		else
			put_name(r, op->operand[next++], out);
	}
	buf_puts(out, ") -> ");
	put_name(r, arena_printf(arena, "op%zu", i), out);
	buf_puts(out, "\n");
}

static void
put_source(const struct request *r, const struct signature *s,
    struct arena *arena, struct buf *out)
{
	buf_printf(out, "rwfunc %s(", r->func->text.p);
	for (size_t i = 0; i < r->nin; i++) {
		buf_printf(out, "%sin%zu:", i ? ", " : "", i);
		put_tensor(&r->in[i], out);
	}
	buf_puts(out, ") -> (");
	for (size_t i = 0; i < r->nout; i++) {
		buf_printf(out, "%sout%zu:", i ? ", " : "", i);
		put_tensor(&r->out[i], out);
	}
	buf_puts(out, ") {\n");
	for (size_t i = 0; i < r->nop; i++)
		put_op(r, i, &s[i], arena, out);
	buf_puts(out, "}\n");
}

int
request_source(struct request *r, const struct space *space,
    struct arena *arena, struct buf *text, struct diag *diag)
{
	struct signature *s = arena_array(arena, r->nop, sizeof *s);
	struct reader x = { r, arena, diag };
	bool read[REQUEST_INPUTS] = { false };
	int before = diag->errors;

	for (size_t i = 0; i < r->nop; i++)
		bind_op(&x, i, &s[i], space, read);
	for (size_t k = 0; k < r->nout; k++)
		bind_output(&x, k);
	if (diag->errors > before)
		return -1;
	for (size_t i = 0; i < r->nin; i++)
		if (!read[i])
			diag_error(diag, r->in[i].at->loc, "no op reads in%zu",
			    i);
	for (size_t i = 0; i < r->nop; i++)
		if (!r->op[i].read && r->op[i].output < 0)
			diag_error(diag, r->op[i].at->loc, "no op reads op%zu, "
			    "and it is no output", i);
	if (diag->errors > before)
		return -1;
	put_source(r, s, arena, text);
	return 0;
}
