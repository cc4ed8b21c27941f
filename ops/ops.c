/* SPDX-License-Identifier: MIT */
#include "ops/ops.h"

#include <stdio.h>
#include <string.h>

#include "base/fatal.h"
#include "ops/movement.h"
#include "space/text.h"

#define OP(name_, cls_, nin_, nout_, lin_, lout_, params_, attrs_, dt_, sh_, \
    vec_, tol_, onnx_, torch_)                                                \
	{ .name = #name_, .cls = OP_##cls_, .nin = nin_, .nout = nout_,       \
	    .lin = lin_, .lout = lout_, .params = params_, .attrs = attrs_,   \
	    .dtype_rule = OP_DTYPE_##dt_, .shape_rule = OP_SHAPE_##sh_,       \
	    .vec = #vec_, .tolerance = #tol_, .onnx = onnx_, .torch = torch_ },
const struct op op_table[] = {
#include "ops/ops.def"
};
#undef OP

const size_t op_count = sizeof op_table / sizeof *op_table;

#define FLOATS(dims) \
	dims "float32|" dims "float64|" dims "float16|" dims "bfloat16"
#define INTS(dims) \
	dims "int8|" dims "int16|" dims "int32|" dims "int64|" \
	dims "uint8|" dims "uint16|" dims "uint32|" dims "uint64"

/* Short forms of langtypes in ops.def, and the types of one dtype. Tensors of
 * a float dtype carry no dims, so a plain scalar fits them too: `[*]T`
 * accepts rank 0. */
static const struct {
	const char *word, *text;
} langtypes[] = {
	{ "any", "[*]any" },
	{ "float", FLOATS("[*]") },
	{ "int", INTS("[*]") },
	{ "num", FLOATS("[*]") "|" INTS("[*]") },
	{ "data", FLOATS("[*]") "|" INTS("[*]") "|[*]bool" },
	{ "mask", "[*]bool" },
	{ "bits", INTS("[*]") "|[*]bool" },
	{ "scalar", FLOATS("") "|" INTS("") },
	{ "value", FLOATS("") "|" INTS("") "|bool" },
	{ "axes", "int32|int64|[]int32|[]int64" },
	{ "shape", "[]int32|[]int64" },
	{ "integer", "int32|int64" },
	{ "bool", "bool" },
	{ "dtype", "[]char/utf32|[]char/utf8" },
	{ "[*]bool", "[*]bool" },
	{ "[*]int64", "[*]int64" },
};

const struct op *
op_find(const char *opcode)
{
	struct str pkg, name;

	name_split(opcode, &pkg, &name);
	if (pkg.n && !str_is(pkg, "deepx") && !str_starts(pkg, "deepx/"))
		return NULL;
	for (size_t i = 0; i < op_count; i++)
		if (str_is(name, op_table[i].name))
			return &op_table[i];
	return NULL;
}

/* Item i of a list joined by ','. */
static struct str
list_item(const char *list, int i)
{
	struct str rest = str_of(list), field = { "", 0 };

	while (i-- >= 0)
		if (!str_next(&rest, ',', &field))
			BUG("list \"%s\" has fewer items than asked for", list);
	return field;
}

struct str
op_param(const struct op *op, int i)
{
	return list_item(op->params, i);
}

bool
op_is_attr(const struct op *op, int i)
{
	struct str rest = str_of(op->attrs), attr, name = op_param(op, i);

	while (str_next(&rest, ',', &attr))
		if (str_eq(attr, name))
			return true;
	return false;
}

bool
op_is_scalar(const struct op *op, int i)
{
	struct str word;

	if (i >= op->nin)
		return false;
	word = list_item(op->lin, i);
	return str_is(word, "scalar") || str_is(word, "value");
}

/* The dtype of a type that is no short form, else DT_NONE. */
static enum dtype
written_out(struct str word)
{
	return str_starts(word, "[*]") ?
	    dtype_of((struct str){ word.p + 3, word.n - 3 }) : DT_NONE;
}

enum dtype
op_fixed(const struct op *op, int i)
{
	return written_out(list_item(op->lin, i));
}

int
op_naming(const struct op *op)
{
	for (int i = 0; i < op->nin; i++)
		if (str_is(list_item(op->lin, i), "dtype"))
			return i;
	return -1;
}

enum dtype
op_named(const struct value *v)
{
	struct buf text = { 0 };
	enum dtype t = DT_NONE;

	if (v->dtype == DT_NONE && v->body && strstr(v->langtype, "]char/")) {
		value_display(v, &text);
		t = dtype_of(buf_str(&text));
		buf_release(&text);
	}
	return t;
}

enum dtype
op_entry_named(const struct op *op, const char *types)
{
	const char *out = strstr(types, "->[*]");

	return op->dtype_rule == OP_DTYPE_NAMED && out ?
	    dtype_of(str_of(out + strlen("->[*]"))) : DT_NONE;
}

enum dtype
op_out_dtype(const struct op *op, int i, enum dtype t, enum dtype named)
{
	enum dtype fixed = written_out(list_item(op->lout, i));

	if (fixed != DT_NONE)
		return fixed;
	switch (op->dtype_rule) {
	case OP_DTYPE_SAME:
		return t;
	case OP_DTYPE_INDEX:
		return DT_INT64;
	case OP_DTYPE_BOOL:
		return DT_BOOL;
	case OP_DTYPE_NAMED:
		return named;
	}
	BUG("op %s has no dtype rule", op->name);
}

bool
op_is_flat(const struct op *op)
{
	return op->cls == OP_VIEW && op->shape_rule != OP_SHAPE_BROADCAST &&
	    op->shape_rule != OP_SHAPE_TARGET;
}

bool
op_has_vec(const struct op *op)
{
	return strcmp(op->vec, "NONE") != 0 && strcmp(op->vec, "HAND") != 0;
}

/* Whether a tensor, or a number, of dtype t is among the alternatives. */
static bool
has_dtype(const char *langtype, enum dtype t)
{
	struct str rest = str_of(langtype), atom;

	while (str_next(&rest, '|', &atom)) {
		size_t dims = str_starts(atom, "[*]") ? 3 : 0;

		if (dtype_of((struct str){ atom.p + dims, atom.n - dims }) == t)
			return true;
	}
	return false;
}

bool
op_gives(const struct op *op, enum dtype t)
{
	return has_dtype(op_langtype(op, op->nin), t);
}

bool
op_takes(const struct op *op, enum dtype t)
{
	int i = 0;

	while (i < op->nin && (op_is_attr(op, i) ||
	    op_fixed(op, i) != DT_NONE ||
	    (op_is_scalar(op, i) && i + 1 < op->nin)))
		i++;
	return has_dtype(op_langtype(op, i), t);
}

bool
op_vec_divides(const char *vec)
{
	return strcmp(vec, "div") == 0 || strcmp(vec, "mod") == 0;
}

bool
op_vec_converts(const char *vec)
{
	return strcmp(vec, "todtype") == 0;
}

bool
op_vec_moves(const char *vec)
{
	return strcmp(vec, "move") == 0 || strcmp(vec, "where") == 0;
}

bool
op_vec_is_exact(const char *vec)
{
	for (size_t i = 0; i < op_count; i++)
		if (!strcmp(op_table[i].vec, vec) &&
		    strcmp(op_table[i].tolerance, "EXACT"))
			return false;
	return true;
}

bool
op_is_plain(const struct op *op)
{
	return strcmp(op->vec, "NONE") == 0;
}

const char *
op_langtype(const struct op *op, int i)
{
	bool in = i < op->nin;
	const char *list = in ? op->lin : op->lout;
	struct str word = list_item(list, in ? i : i - op->nin);

	for (size_t k = 0; k < sizeof langtypes / sizeof *langtypes; k++)
		if (str_is(word, langtypes[k].word))
			return langtypes[k].text;
	BUG("op %s: the langtypes have no row for word %d", op->name, i);
}

const char *
op_kernel_class(const struct op *op)
{
	static const char *const words[] = { "", "map", "reduce", "map",
		"other" };

	return words[op->cls];
}

int
shape_broadcast(const struct shape *a, const struct shape *b,
    struct shape *out)
{
	struct shape s;

	s.rank = a->rank > b->rank ? a->rank : b->rank;
	for (int i = 0; i < s.rank; i++) {
		int ia = i - (s.rank - a->rank), ib = i - (s.rank - b->rank);
		int64_t da = ia < 0 ? 1 : a->dim[ia];
		int64_t db = ib < 0 ? 1 : b->dim[ib];

		if (da != db && da != 1 && db != 1)
			return -1;
		s.dim[i] = da == 1 ? db : da;
	}
	*out = s;
	return 0;
}

int
op_axis(int rank, int64_t axis, char *why)
{
	if (axis < -rank || axis >= rank) {
		sprintf(why, "axis %lld is out of range for rank %d",
		    (long long)axis, rank);
		return -1;
	}
	return (int)(axis < 0 ? axis + rank : axis);
}

int
op_axes(int rank, const int64_t *axes, int naxes, bool is[MAX_RANK], char *why)
{
	for (int i = 0; i < MAX_RANK; i++)
		is[i] = naxes == 0 && i < rank;
	for (int i = 0; i < naxes; i++) {
		int axis = op_axis(rank, axes[i], why);

		if (axis < 0)
			return -1;
		if (is[axis]) {
			sprintf(why, "axis %lld appears twice",
			    (long long)axes[i]);
			return -1;
		}
		is[axis] = true;
	}
	return 0;
}

static int
shape_reduce(const struct shape *in, const int64_t *axes, int naxes,
    bool keepdims, struct shape *out, char *why)
{
	struct shape s = { 0 };
	bool reduced[MAX_RANK];

	if (op_axes(in->rank, axes, naxes, reduced, why))
		return -1;
	for (int i = 0; i < in->rank; i++) {
		if (!reduced[i])
			s.dim[s.rank++] = in->dim[i];
		else if (keepdims)
			s.dim[s.rank++] = 1;
	}
	/* A full reduction gives [1], but that of a scalar a scalar. */
	if (s.rank == 0 && in->rank > 0)
		s.dim[s.rank++] = 1;
	*out = s;
	return 0;
}

/* The shape attribute as a shape; one extent of -1 is kept. */
static int
shape_of_attr(const int64_t *v, int n, struct shape *out, char *why)
{
	if (n > MAX_RANK) {
		sprintf(why, "a shape has at most %d extents, found %d",
		    MAX_RANK, n);
		return -1;
	}
	out->rank = n;
	for (int i = 0; i < n; i++) {
		if (v[i] < -1) {
			sprintf(why, "extent %d is negative", i);
			return -1;
		}
		out->dim[i] = v[i];
	}
	return 0;
}

static int
shape_target(const struct shape *in, const int64_t *v, int n,
    struct shape *out, char *why)
{
	struct shape to, both;

	if (shape_of_attr(v, n, &to, why))
		return -1;
	if (shape_broadcast(in, &to, &both) || !shape_eq(&both, &to)) {
		char from[200], target[200];

		shape_text(in, from);
		shape_text(&to, target);
		sprintf(why, "%s does not broadcast to %s", from, target);
		return -1;
	}
	*out = to;
	return 0;
}

static int
shape_reshape(const struct shape *in, const int64_t *v, int n,
    struct shape *out, char *why)
{
	struct shape to;
	int64_t known = 1, count = shape_count(in, 1);
	int open = -1;

	if (shape_of_attr(v, n, &to, why))
		return -1;
	for (int i = 0; i < n; i++) {
		if (to.dim[i] == -1 && open >= 0) {
			sprintf(why, "more than one extent is -1");
			return -1;
		}
		if (to.dim[i] == -1)
			open = i;
	}
	if (open >= 0) {
		to.dim[open] = 1;
		known = shape_count(&to, 1);
		to.dim[open] = known > 0 ? count / known : 0;
	}
	if (shape_count(&to, 1) != count) {
		char from[200], target[200];

		shape_text(in, from);
		shape_text(&to, target);
		sprintf(why, "cannot reshape %s into %s", from, target);
		return -1;
	}
	*out = to;
	return 0;
}

/* NumPy broadcasting over all reads that are no attributes. */
static int
shape_all(const struct op *op, const struct shape *in, struct shape *out,
    char *why)
{
	struct shape s = { 0 };

	for (int i = 0; i < op->nin; i++) {
		char a[200], b[200];

		if (op_is_attr(op, i) || !shape_broadcast(&s, &in[i], &s))
			continue;
		shape_text(&s, a);
		shape_text(&in[i], b);
		sprintf(why, "%s and %s do not broadcast", a, b);
		return -1;
	}
	*out = s;
	return 0;
}

/* order[i] is the axis of the input that becomes axis i; none reverses all. */
static int
shape_permute(const struct shape *in, const int64_t *order, int n,
    struct shape *out, char *why)
{
	struct shape s = { .rank = in->rank };
	bool seen[MAX_RANK] = { false };

	if (n != 0 && n != in->rank) {
		sprintf(why, "an order of %d axes for a tensor of rank %d", n,
		    in->rank);
		return -1;
	}
	for (int i = 0; i < in->rank; i++) {
		int64_t last = in->rank - 1 - i;
		int axis = op_axis(in->rank, n ? order[i] : last, why);

		if (axis < 0)
			return -1;
		if (seen[axis]) {
			sprintf(why, "axis %d appears twice in the order",
			    axis);
			return -1;
		}
		seen[axis] = true;
		s.dim[i] = in->dim[axis];
	}
	*out = s;
	return 0;
}

/* A shape attribute that says all extents. */
static int
shape_fill(const int64_t *v, int n, struct shape *out, char *why)
{
	if (shape_of_attr(v, n, out, why))
		return -1;
	for (int i = 0; i < n; i++) {
		if (v[i] < 0) {
			sprintf(why, "extent %d is negative", i);
			return -1;
		}
	}
	return 0;
}

/* The axes before the last two. */
static struct shape
batch_of(const struct shape *s)
{
	struct shape batch = *s;

	batch.rank = s->rank > 2 ? s->rank - 2 : 0;
	return batch;
}

/*
 * NumPy's matmul: the last two axes are multiplied, those before broadcast; a
 * vector is a row on the left, a column on the right, and its axis is dropped
 * from the result, which has at least one.
 */
static int
shape_matmul(const struct shape *a, const struct shape *b, struct shape *out,
    char *why)
{
	struct shape s, as = batch_of(a), bs = batch_of(b);
	char left[200], right[200];

	shape_text(a, left);
	shape_text(b, right);
	if (a->rank == 0 || b->rank == 0) {
		sprintf(why, "expected two matrices or vectors, found a "
		    "scalar");
		return -1;
	}
	if (a->dim[a->rank - 1] != b->dim[b->rank > 1 ? b->rank - 2 : 0] ||
	    shape_broadcast(&as, &bs, &s)) {
		sprintf(why, "%s and %s do not multiply", left, right);
		return -1;
	}
	if (a->rank > 1)
		s.dim[s.rank++] = a->dim[a->rank - 2];
	if (b->rank > 1)
		s.dim[s.rank++] = b->dim[b->rank - 1];
	if (s.rank == 0)
		s.dim[s.rank++] = 1;
	*out = s;
	return 0;
}

/* The same with the last two axes of operand `turned` exchanged. */
static int
shape_turned(const struct shape *in, int turned, struct shape *out, char *why)
{
	struct shape s[2] = { in[0], in[1] }, *t = &s[turned];
	char left[200], right[200], text[500];

	shape_text(&in[0], left);
	shape_text(&in[1], right);
	if (in[0].rank < 2 || in[1].rank < 2) {
		sprintf(why, "expected two matrices, found %s and %s",
		    *left ? left : "a scalar", *right ? right : "a scalar");
		return -1;
	}
	t->dim[t->rank - 1] = in[turned].dim[t->rank - 2];
	t->dim[t->rank - 2] = in[turned].dim[t->rank - 1];
	if (shape_matmul(&s[0], &s[1], out, text)) {
		sprintf(why, "%s and %s do not multiply with the %s transposed",
		    left, right, turned ? "second" : "first");
		return -1;
	}
	return 0;
}

/* Whether what must be one number is one. */
static int
check_scalars(const struct op *op, const struct shape *in, char *why)
{
	for (int i = 0; i < op->nin; i++) {
		struct str name = op_param(op, i);
		char text[200];

		if (!op_is_scalar(op, i) || in[i].rank == 0)
			continue;
		shape_text(&in[i], text);
		sprintf(why, "%.*s must be one number, found a tensor %s",
		    (int)name.n, name.p, text);
		return -1;
	}
	return 0;
}

/* Whether each attribute that is one integer is one. */
static int
check_integers(const struct op *op, const int *nattr, char *why)
{
	for (int i = 0; i < op->nin; i++) {
		struct str name = op_param(op, i);

		if (!str_is(list_item(op->lin, i), "integer") || nattr[i] == 1)
			continue;
		sprintf(why, "%.*s must be one integer, found %d",
		    (int)name.n, name.p, nattr[i]);
		return -1;
	}
	return 0;
}

int
op_shape(const struct op *op, const struct shape *in,
    const int64_t *const *attr, const int *nattr, struct shape *out, char *why)
{
	if (check_scalars(op, in, why) || check_integers(op, nattr, why))
		return -1;
	switch (op->shape_rule) {
	case OP_SHAPE_BROADCAST:
		return shape_all(op, in, out, why);
	case OP_SHAPE_REDUCE:
		return shape_reduce(&in[0], attr[1], nattr[1], attr[2][0] != 0,
		    out, why);
	case OP_SHAPE_TARGET:
		return shape_target(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_RESHAPE:
		return shape_reshape(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_PERMUTE:
		return shape_permute(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_FILL:
		return shape_fill(attr[0], nattr[0], out, why);
	case OP_SHAPE_MATMUL:
		return shape_matmul(&in[0], &in[1], out, why);
	case OP_SHAPE_MATMUL_NT:
		return shape_turned(in, 1, out, why);
	case OP_SHAPE_MATMUL_TN:
		return shape_turned(in, 0, out, why);
	case OP_SHAPE_SQUEEZE:
		return shape_squeeze(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_UNSQUEEZE:
		return shape_unsqueeze(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_FLATTEN:
		return shape_flatten(&in[0], attr[1][0], out, why);
	case OP_SHAPE_SLICE:
		return shape_slice(&in[0], (const int64_t[]){ attr[1][0],
		    attr[2][0], attr[3][0], attr[4][0] }, out, why);
	case OP_SHAPE_TILE:
		return shape_tile(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_STRETCH:
		return shape_stretch(&in[0], attr[1][0], attr[2][0], out,
		    why);
	case OP_SHAPE_PAD:
		return shape_pad(&in[0], attr[1], nattr[1], out, why);
	case OP_SHAPE_TRIANGLE:
		return shape_triangle(&in[0], out, why);
	case OP_SHAPE_SCAN:
		*out = in[0];
		return op_axis(in[0].rank, attr[1][0], why) < 0 ? -1 : 0;
	case OP_SHAPE_SELECT:
		return shape_select(&in[0], &in[1], attr[2][0], out, why);
	case OP_SHAPE_GATHER:
		return shape_gather(&in[0], &in[1], attr[2][0], out, why);
	case OP_SHAPE_TOPK:
		return shape_topk(&in[0], attr[1][0], attr[2][0], out, why);
	}
	BUG("op %s has no shape rule", op->name);
}

static void
put_params(const struct op *op, int from, int to, struct buf *out)
{
	for (int i = from; i < to; i++) {
		struct str name = op_param(op, i);

		buf_printf(out, "%s%.*s:%s", i > from ? ", " : "", (int)name.n,
		    name.p, op_langtype(op, i));
	}
}

void
ops_kv(struct buf *out)
{
	buf_puts(out,
	    "// The abstract ops of deepx: signatures without implementation.\n"
	    "// Generated from ops/ops.def by `kvaot gen --abstract`; do not edit.\n"
	    "lib deepx {\n");
	for (size_t i = 0; i < op_count; i++) {
		const struct op *op = &op_table[i];

		buf_printf(out, "\trwir %s(", op->name);
		put_params(op, 0, op->nin, out);
		buf_puts(out, ") -> (");
		put_params(op, op->nin, op->nin + op->nout, out);
		buf_puts(out, ")\n");
	}
	buf_puts(out, "}\n");
}
